#include "tuner/compile/host/nvcc.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "tuner/compile/toolkit.hpp"
#include "tuner/util/command.hpp"

namespace tuner::compile::host {

bool has_device_code(const model::CompileJob& job) {
  return job.host_library && !job.source.empty() && job.source.front().name.ends_with(".cu");
}

std::vector<std::string> nvcc_places() {
  if (const char* asked_for = std::getenv("TUNER_NVCC")) return {asked_for};
  std::vector<std::string> places = {"nvcc"};
  for (const ToolkitFolder& toolkit : toolkit_folders())
    places.push_back((toolkit.path / "bin/nvcc").string());
  return places;
}

std::optional<std::string> find_nvcc(std::string& why_not) {
  const std::vector<std::string> places = nvcc_places();
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
