#include "tuner/compile/host/nvcc.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "tuner/util/command.hpp"

namespace tuner::compile::host {

bool has_device_code(const model::CompileJob& job) {
  return job.host_library && !job.source.empty() && job.source.front().name.ends_with(".cu");
}

std::optional<std::string> find_nvcc(std::string& why_not) {
  std::vector<std::string> places;
  if (const char* asked_for = std::getenv("TUNER_NVCC")) {
    places.emplace_back(asked_for);
  } else {
    places.emplace_back("nvcc");
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
      if (const char* root = std::getenv(variable)) places.push_back(fmt::format("{}/bin/nvcc", root));
    }
    places.insert(places.end(), {"/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc"});
  }
  for (const std::string& place : places) {
    if (const auto program = util::find_program(place)) return program->string();
  }
  why_not =
      fmt::format("it has device code, for nvcc of a CUDA toolkit; looked for {}", fmt::join(places, ", "));
  return std::nullopt;
}

std::vector<std::string> nvcc_options(const std::string& architecture) {
  return {"-std=c++17", "-O3", "-w", "-Xcompiler", "-fPIC", "-cudart", "static", "-arch=" + architecture};
}

}  // namespace tuner::compile::host
