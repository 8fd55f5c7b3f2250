#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/kernel_file.hpp"
#include "config/spec_draft.hpp"
#include "tests/config/temporary_folder.hpp"

/// Drafts of kernels, read back.
namespace config_test {

struct Drafted {
  config::SpecDraft draft;
  config::LoadedKernels loaded;
  bool asks(const std::string& part) const {
    return std::any_of(draft.questions.begin(), draft.questions.end(),
                       [&](const std::string& question) { return question.find(part) != std::string::npos; });
  }
};

/// The draft of the one kernel of `source`, whose headers are `headers`.
inline config::SpecDraft draft_of(const std::string& source,
                                  const std::map<std::string, std::string>& headers = {}) {
  const tuner::source::Program program(
      {"k.cu", source}, [&](const std::string& name, bool, const std::string&) {
        const auto found = headers.find(name);
        return found == headers.end() ? std::nullopt
                                      : std::optional(tuner::source::ProgramFile{name, found->second});
      });
  std::vector<const tuner::source::ProgramFunction*> kernels;
  for (const tuner::source::ProgramFunction& function : program.functions())
    if (function.is_kernel) kernels.push_back(&function);
  REQUIRE(kernels.size() == 1);
  return config::draft_spec(program, *kernels.front(), {"k.cu", "k_reference.cu"});
}

/// That draft, read back as a user's spec is.
inline Drafted drafted(const std::string& source, const std::map<std::string, std::string>& headers = {}) {
  const TemporaryFolder folder;
  Drafted result{draft_of(source, headers), {}};
  folder.write("k.cu", source);
  for (const auto& [name, text] : headers) folder.write(name, text);
  if (!result.draft.reference.empty()) folder.write("k_reference.cu", result.draft.reference);
  result.loaded = config::load_kernel_file(folder.write("k.toml", result.draft.spec));
  INFO(result.draft.spec);
  for (const auto& mistake : result.loaded.mistakes) FAIL_CHECK(mistake.where.text(), " ", mistake.message);
  REQUIRE(result.loaded.kernels.size() == 1);
  for (const auto& mistake : config::signature_mistakes(result.loaded.kernels.front()))
    FAIL_CHECK(mistake.message);
  return result;
}

inline std::vector<std::int64_t> values_of(const Drafted& result, const std::string& name) {
  std::vector<std::int64_t> values;
  for (const auto& parameter : result.loaded.kernels.front().parameters)
    if (parameter.name == name)
      for (const auto& value : parameter.values) values.push_back(value.code());
  return values;
}

inline const tuner::model::KernelSpec& spec_of(const Drafted& result) {
  return result.loaded.kernels.front();
}

/// A program that launches `k` over n floats; `launch` stands in main behind the allocation of `d` and `e`.
inline std::string program_of(const std::string& kernel, const std::string& launch,
                              const std::string& before = "") {
  return before + kernel + "\nint main(int argc, char** argv) {\n  int n = 4096; float *d, *e;\n" +
         "  cudaMalloc(&d, n * sizeof(float)); cudaMalloc(&e, 2 * n * sizeof(float));\n  " + launch + "\n}\n";
}

inline const std::string copy_kernel =
    "__global__ void k(float* d, const float* e, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = e[i]; }\n";

}  // namespace config_test
