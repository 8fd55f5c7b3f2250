#include "tuner/compile/nvrtc/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tuner::compile::nvrtc {
namespace {

/// The name of `--name=value` or `-name`, with underscores as dashes; empty for what is not an option.
std::string option_name(std::string_view option) {
  if (option.empty() || option.front() != '-') return "";
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  std::string name(option.substr(0, option.find('=')));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

struct Refusal {
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view architecture_is_given = "the architecture is that of the device";
constexpr std::string_view no_cubin = "it makes no binary that can be loaded";
constexpr std::string_view writes_files = "it reads or writes a file";

constexpr std::array refusals = {
    Refusal{"gpu-architecture", architecture_is_given},
    Refusal{"arch", architecture_is_given},
    Refusal{"device-c", no_cubin},
    Refusal{"dc", no_cubin},
    Refusal{"relocatable-device-code", no_cubin},
    Refusal{"rdc", no_cubin},
    Refusal{"extensible-whole-program", no_cubin},
    Refusal{"ewp", no_cubin},
    Refusal{"dlink-time-opt", no_cubin},
    Refusal{"dlto", no_cubin},
    Refusal{"gen-opt-lto", no_cubin},
    Refusal{"optix-ir", no_cubin},
    Refusal{"fdevice-syntax-only", no_cubin},
    Refusal{"modify-stack-limit", "it changes the whole process"},
    Refusal{"pch", writes_files},
    Refusal{"create-pch", writes_files},
    Refusal{"use-pch", writes_files},
    Refusal{"pch-dir", writes_files},
    Refusal{"time", writes_files},
    Refusal{"fdevice-time-trace", writes_files},
};

/// ptxas has options of its own that name files.
bool is_ptxas_file_option(std::string_view value) {
  const std::string name = option_name(value);
  return name == "o" || name == "output-file" || name == "optf" || name == "options-file" ||
         name == "input-as-string";
}

}  // namespace

std::vector<std::string> options_for(const model::CompileJob& job, Version version,
                                     const std::filesystem::path& headers) {
  std::vector<std::string> options = {"--gpu-architecture=" + job.architecture, "--ptxas-options=-v",
                                      "--modify-stack-limit=false"};
  // NVRTC's own cache came with 12.9, and the option with it.
  if (version >= Version{12, 9}) options.emplace_back("--no-cache");
  const bool has_standard =
      std::any_of(job.options.begin(), job.options.end(),
                  [](const std::string& option) { return option_name(option) == "std"; });
  if (!has_standard) options.emplace_back("--std=c++17");
  if (!headers.empty()) {
    options.push_back("--include-path=" + headers.string());
    // CUDA 13 keeps <cuda/std/…> and CUB in a folder of their own.
    std::error_code error;
    if (std::filesystem::is_directory(headers / "cccl", error)) {
      options.push_back("--include-path=" + (headers / "cccl").string());
    }
  }
  for (const std::vector<model::Macro>* macros : {&job.vocabulary, &job.macros}) {
    for (const model::Macro& macro : *macros) {
      options.push_back(fmt::format("--define-macro={}={}", macro.name, macro.value));
    }
  }
  options.insert(options.end(), job.options.begin(), job.options.end());
  return options;
}

std::optional<std::string> refused_option(const std::vector<std::string>& options) {
  bool for_ptxas = false;
  for (const std::string& option : options) {
    const std::string name = option_name(option);
    const auto refusal =
        std::find_if(refusals.begin(), refusals.end(), [&](const Refusal& r) { return r.name == name; });
    if (refusal != refusals.end()) {
      return fmt::format("compile option '{}' cannot be used: {}", option, refusal->why);
    }
    const bool ptxas = name == "ptxas-options" || name == "Xptxas";
    const std::size_t equals = option.find('=');
    const bool names_file = for_ptxas ? is_ptxas_file_option(option)
                                      : ptxas && equals != std::string::npos &&
                                            is_ptxas_file_option(std::string_view(option).substr(equals + 1));
    if (names_file) return fmt::format("compile option '{}' cannot be used: {}", option, writes_files);
    for_ptxas = ptxas && equals == std::string::npos;
  }
  return std::nullopt;
}

}  // namespace tuner::compile::nvrtc
