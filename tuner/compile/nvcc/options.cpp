#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tuner/compile/nvcc/nvcc_compiler.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile::nvcc {
namespace {

std::string_view name_of(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return option.substr(0, option.find('='));
}

/// Why options of these names, between blanks, cannot be used.
struct Refusal {
  std::string_view why;
  std::string_view names;
};

constexpr Refusal refusals[] = {
    {"the architecture is that of the device", "gpu-architecture arch gpu-code code gencode generate-code"},
    {"it makes no binary that can be loaded",
     "cubin ptx fatbin optix-ir ltoir cuda preprocess E compile c device-c dc device-w dw device-link dlink "
     "link "
     "lib run run-args relocatable-device-code rdc extensible-whole-program ewp dlink-time-opt dlto "
     "gen-opt-lto "
     "lto dryrun fdevice-syntax-only x host-linker-script cuda-host-only"},
    {"it reads or writes a file",
     "output-file o output-directory odir objdir-as-tempdir objtemp keep save-temps keep-dir clean-targets "
     "clean "
     "options-file optf time fdevice-time-trace generate-dependencies M MM MD MMD MF MP MT "
     "generate-line-info-file compile-as-tools-patch"},
    {"include the header in the source, which makes it part of the kernel's identity", "pre-include include"},
    {"the spec's `include`, or -I, is for folders of headers", "system-include isystem"},
    {"the environment's NVCC_CCBIN chooses the host's compiler", "ccbin compiler-bindir"},
    {"it chooses another toolkit; TUNER_NVCC does",
     "nvvmir-library-directory libdevice-directory ldir target-directory target-dir cudafe-directory"},
};

/// What an option hands on to ptxas or the host's compiler that names files or programs.
bool names_file(std::string_view value) {
  static constexpr std::array barred = {"-fplugin",       "-wrapper", "-B", "-o",
                                        "--output-file",  "-specs",   "@",  "-optf",
                                        "--options-file", "-include"};
  return std::ranges::any_of(barred, [&](std::string_view prefix) { return value.starts_with(prefix); });
}

bool hands_on(std::string_view name) {
  return util::has_word("Xcompiler compiler-options Xptxas ptxas-options Xcudafe Xarchive Xlinker", name);
}

bool hands_on_file(std::string_view values) {
  while (!values.empty()) {
    if (names_file(util::split_first(values, ","))) return true;
  }
  return false;
}

bool has_standard(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& option) { return name_of(option) == "std"; });
}

}  // namespace

std::vector<std::string> options_for(const model::CompileJob& job) {
  std::vector<std::string> options = {"-arch=" + job.architecture};
  if (!has_standard(job.options)) options.emplace_back("-std=c++17");
  options.insert(options.end(), job.options.begin(), job.options.end());
  return options;
}

std::optional<std::string> refused_option(const std::vector<std::string>& options) {
  const auto refused = [](const std::string& option, std::string_view why) {
    return fmt::format("compile option '{}' cannot be used: {}", option, why);
  };
  bool is_handed_on = false;
  for (const std::string& option : options) {
    if (option.find_first_of("$`\"'\\;&|<>()*?#~\n") != std::string::npos)
      return refused(option, "nvcc hands it to a shell; what it defines can be defined in the source");
    const std::string_view name = name_of(option);
    if (is_handed_on || (hands_on(name) && option.find('=') != std::string::npos)) {
      const std::size_t equals = is_handed_on ? std::string::npos : option.find('=');
      if (hands_on_file(std::string_view(option).substr(equals == std::string::npos ? 0 : equals + 1)))
        return refused(option, "it reads or writes a file, or runs another program");
      is_handed_on = false;
      continue;
    }
    is_handed_on = hands_on(name);
    for (const auto& [why, names] : refusals) {
      if (util::has_word(names, name)) return refused(option, why);
    }
  }
  return std::nullopt;
}

}  // namespace tuner::compile::nvcc
