#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile::nvrtc {
namespace {

/// The name of `--name=value` or `-name`, with underscores as dashes; empty for what is not an option.
std::string option_name(std::string_view option) {
  if (option.empty() || option.front() != '-') return "";
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  std::string name(option.substr(0, option.find('=')));
  std::ranges::replace(name, '_', '-');
  return name;
}

constexpr std::string_view reads_or_writes = "it reads or writes a file";

/// Why options of these names, between blanks, cannot be used.
struct Refusal {
  std::string_view why;
  std::string_view names;
};

constexpr Refusal refusals[] = {
    {"the architecture is that of the device", "gpu-architecture arch gencode generate-code"},
    {"NVRTC has no such option; the spec's `include`, or -I, is", "isystem"},
    {"it makes no binary that can be loaded",
     "ptx cubin c device-c dc relocatable-device-code rdc extensible-whole-program ewp dlink-time-opt dlto "
     "gen-opt-lto optix-ir fdevice-syntax-only"},
    {"it changes the whole process", "modify-stack-limit"},
    {reads_or_writes, "pch create-pch use-pch pch-dir time fdevice-time-trace"},
};

/// Options of nvcc's that NVRTC does not know, and what takes their place; empty: nothing, since they are
/// about code for the host, or always so. NVRTC never sees host code.
struct Translation {
  std::string_view names;
  std::string_view instead;
  bool takes_next = false;  ///< without `=`, the next option is its value
};

constexpr std::array translations = {
    Translation{"O O0 O1 O2 O3", ""},  // optimises the host's code; --ptxas-options=-O1 is the device's
    Translation{"optimize Xcompiler compiler-options ccbin compiler-bindir cudart threads", "", true},
    Translation{"expt-relaxed-constexpr", "--device-as-default-execution-space"},
    Translation{
        "m64 expt-extended-lambda extended-lambda Wno-deprecated-gpu-targets allow-unsupported-compiler", ""},
};

/// `option` as NVRTC spells it; nothing where it is left out.
std::vector<std::string> translated(const std::vector<std::string>& options) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string name = option_name(options[i]);
    const auto known = std::ranges::find_if(
        translations, [&](const Translation& one) { return util::has_word(one.names, name); });
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
  return util::has_word("o output-file optf options-file input-as-string", option_name(value));
}

}  // namespace

std::vector<std::string> options_for(const model::CompileJob& job, Version version,
                                     const std::filesystem::path& headers) {
  std::vector<std::string> options = {"--gpu-architecture=" + job.architecture, "--ptxas-options=-v",
                                      "--modify-stack-limit=false"};
  // NVRTC's own cache came with 12.9, and the option with it.
  if (version >= Version{12, 9}) options.emplace_back("--no-cache");
  const bool has_standard = std::ranges::any_of(
      job.options, [](const std::string& option) { return option_name(option) == "std"; });
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
    const bool ptxas = name == "ptxas-options" || name == "Xptxas";
    const std::size_t equals = option.find('=');
    const bool names_file = for_ptxas ? is_ptxas_file_option(option)
                                      : ptxas && equals != std::string::npos &&
                                            is_ptxas_file_option(std::string_view(option).substr(equals + 1));
    for (const auto& [why, names] : refusals) {
      if (util::has_word(names, name) || (names_file && why == reads_or_writes))
        return fmt::format("compile option '{}' cannot be used: {}", option, why);
    }
    for_ptxas = ptxas && equals == std::string::npos;
  }
  return std::nullopt;
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
  result += defines(job);
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(split), '\n');
  return result + fmt::format("#line {} \"{}\"\n", lines + 1, name) + text.substr(split);
}

}  // namespace tuner::compile::nvrtc
