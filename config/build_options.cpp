#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "config/draft_plan.hpp"
#include "config/spec_draft.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace config {

namespace util = tuner::util;

namespace {

/// The device's architecture, or what makes no binary that can be loaded.
constexpr std::string_view not_kept =
    "gpu-architecture arch gpu-code code gencode generate-code ptx cubin c dc device-c rdc "
    "relocatable-device-code ewp extensible-whole-program dlto dlink-time-opt gen-opt-lto optix-ir pch "
    "create-pch use-pch pch-dir no-cache time fdevice-time-trace modify-stack-limit";

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// What stands behind one of the names: `-DA=1`, `--define-macro=A=1`, `-D A=1`. Empty: in the next option.
std::optional<std::string> value_of(const std::string& option, std::string_view brief,
                                    std::string_view name) {
  for (const std::string_view one : {name, brief}) {
    if (!option.starts_with(one)) continue;
    std::string_view rest = std::string_view(option).substr(one.size());
    if (one == name && rest.starts_with('=')) rest.remove_prefix(1);
    return std::string(util::trimmed(rest));
  }
  return std::nullopt;
}

std::string name_of(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return std::string(option.substr(0, option.find_first_of("= ")));
}

/// `#define TILE 16`, and nothing else.
std::optional<BuildMacro> defined_number(std::string_view line) {
  line = util::trimmed(line);
  if (!line.starts_with("#")) return std::nullopt;
  line = util::trimmed(line.substr(1));
  if (!line.starts_with("define ")) return std::nullopt;
  line = util::trimmed(line.substr(7));
  const std::size_t blank = line.find_first_of(" \t");
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string value(util::trimmed(line.substr(blank)));
  if (!is_name(line.substr(0, blank)) || !config::number(value)) return std::nullopt;
  return BuildMacro{line.substr(0, blank), value};
}

/// Where what follows the leading numbers begins.
std::size_t read_leading(const std::string& text, std::vector<BuildMacro>& macros) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const auto macro = defined_number(line);
    if (!macro && !util::trimmed(line).empty()) break;
    if (macro) set_macro(macros, *macro);
    at = std::min(end + 1, text.size());
  }
  return at;
}

}  // namespace

BuildOptions read_build_options(const std::vector<std::string>& options) {
  BuildOptions read;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto value = [&](std::string_view brief, std::string_view name) {
      auto found = value_of(options[i], brief, name);
      if (found && found->empty() && i + 1 < options.size()) found = options[++i];
      return found;
    };
    if (const auto macro = value("-D", "--define-macro")) {
      set_macro(read.macros, read_build_macro(*macro));
    } else if (const auto folder = value("-I", "--include-path")) {
      read.folders.push_back(*folder);
    } else if (!util::has_word(not_kept, name_of(options[i]))) {
      read.others.push_back(options[i]);
    }
  }
  return read;
}

BuildMacro read_build_macro(const std::string& text) {
  const std::size_t equal = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equal);
  if (!is_name(name))
    throw tuner::model::UsageError(fmt::format("-D {} names no macro", text), "write it as -D TILE=16");
  return {name, equal == text.size() ? "1" : text.substr(equal + 1)};
}

void set_macro(std::vector<BuildMacro>& macros, const BuildMacro& macro) {
  const auto known = std::ranges::find(macros, macro.first, &BuildMacro::first);
  if (known == macros.end())
    macros.push_back(macro);
  else
    known->second = macro.second;
}

std::vector<BuildMacro> leading_macros(const std::string& text) {
  std::vector<BuildMacro> macros;
  read_leading(text, macros);
  return macros;
}

std::string with_open_macros(const std::string& text, const std::vector<BuildMacro>& macros) {
  std::vector<BuildMacro> all;
  const std::size_t rest = read_leading(text, all);
  for (const BuildMacro& macro : macros) set_macro(all, macro);
  std::string opened;
  for (const auto& [name, value] : all)
    opened += config::number(value) ? fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value)
                                    : fmt::format("#define {} {}\n", name, value);
  return opened + text.substr(rest);
}

}  // namespace config
