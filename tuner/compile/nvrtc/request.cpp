#include "tuner/compile/nvrtc/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
    Refusal{"gencode", architecture_is_given},
    Refusal{"generate-code", architecture_is_given},
    Refusal{"isystem", "NVRTC has no such option; the spec's `include`, or -I, is"},
    Refusal{"ptx", no_cubin},
    Refusal{"cubin", no_cubin},
    Refusal{"c", no_cubin},
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

/// An option of nvcc's that NVRTC does not know, and what takes its place; empty: nothing, since it is about
/// code for the host, or is always so. NVRTC never sees host code.
struct Translation {
  std::string_view name;
  std::string_view instead;
  bool takes_next = false;  ///< without `=`, the next option is its value
};

constexpr std::array translations = {
    Translation{"O", ""},  // O0 to O3: optimises the host's code; --ptxas-options=-O1 is the device's
    Translation{"O0", ""},
    Translation{"O1", ""},
    Translation{"O2", ""},
    Translation{"O3", ""},
    Translation{"optimize", "", true},
    Translation{"m64", ""},
    Translation{"Xcompiler", "", true},
    Translation{"compiler-options", "", true},
    Translation{"ccbin", "", true},
    Translation{"compiler-bindir", "", true},
    Translation{"cudart", "", true},
    Translation{"threads", "", true},
    Translation{"expt-relaxed-constexpr", "--device-as-default-execution-space"},
    Translation{"expt-extended-lambda", ""},
    Translation{"extended-lambda", ""},
    Translation{"Wno-deprecated-gpu-targets", ""},
    Translation{"allow-unsupported-compiler", ""},
};

/// `option` as NVRTC spells it; nothing where it is left out.
std::vector<std::string> translated(const std::vector<std::string>& options) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string name = option_name(options[i]);
    const auto known = std::find_if(translations.begin(), translations.end(),
                                    [&](const Translation& t) { return t.name == name; });
    if (known == translations.end()) {
      result.push_back(options[i]);
      const bool for_ptxas = name == "Xptxas" || name == "ptxas-options";
      if (for_ptxas && options[i].find('=') == std::string::npos && i + 1 < options.size())
        result.push_back(options[++i]);
      continue;
    }
    if (!known->instead.empty()) result.emplace_back(known->instead);
    if (known->takes_next && options[i].find('=') == std::string::npos) ++i;
  }
  return result;
}

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
  for (std::string& option : translated(job.options)) options.push_back(std::move(option));
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

model::CompileJob with_features(model::CompileJob job) {
  if (!job.architecture.empty() && job.architecture.back() >= '0' && job.architecture.back() <= '9')
    job.architecture += 'a';
  return job;
}

bool asks_for_features(const model::CompileJob& job) {
  return std::any_of(job.source.begin(), job.source.end(), [](const model::SourceText& file) {
    return file.text.find("__CUDA_ARCH_FEAT_SM") != std::string::npos;
  });
}

/// Instruction 'wgmma.fence' not supported on .target 'sm_90'; … requires .target 'sm_90a'
bool lacks_features(std::string_view log) {
  return log.find("not supported on .target 'sm_") != std::string_view::npos ||
         log.find("cannot be compiled for architecture 'sm_") != std::string_view::npos;
}

namespace {

constexpr std::string_view stop = "#pragma nv_hdrstop";

/// Where the line behind the stop begins; npos: there is none.
std::size_t behind_stop(std::string_view text) {
  for (std::size_t at = text.find(stop); at != std::string_view::npos; at = text.find(stop, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    return std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  return std::string_view::npos;
}

}  // namespace

bool has_header_stop(const model::CompileJob& job) {
  return behind_stop(job.source.front().text) != std::string_view::npos;
}

std::string with_macros_behind_stop(const model::CompileJob& job, const std::string& name) {
  const std::string& text = job.source.front().text;
  const std::size_t split = behind_stop(text);
  const std::size_t stop_line = text.rfind(stop, split);
  // NVRTC compares the directives above the stop, not what the headers hold.
  const std::vector<model::SourceText> headers(job.source.begin() + 1, job.source.end());
  std::string result = text.substr(0, stop_line) +
                       fmt::format("#define TUNER_HEADERS_{}\n", model::source_key(headers).hex()) +
                       text.substr(stop_line, split - stop_line);
  for (const auto* macros : {&job.vocabulary, &job.macros}) {
    for (const model::Macro& macro : *macros)
      result += fmt::format("#define {} {}\n", macro.name, macro.value);
  }
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(split), '\n');
  return result + fmt::format("#line {} \"{}\"\n", lines + 1, name) + text.substr(split);
}

}  // namespace tuner::compile::nvrtc
