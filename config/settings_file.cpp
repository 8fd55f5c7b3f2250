#include "config/settings_file.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "config/diagnostic_text.hpp"
#include "config/known_settings.hpp"
#include "config/mistakes.hpp"
#include "config/source_files.hpp"
#include "config/toml_document.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace model = tuner::model;
namespace util = tuner::util;
namespace {

std::optional<std::string> scalar_text(const Node& node) {
  switch (node.kind) {
    case Node::Kind::text:
      return node.text;
    case Node::Kind::integer:
      return std::to_string(node.integer);
    case Node::Kind::real:
      return fmt::format("{}", node.real);
    default:
      return std::nullopt;
  }
}

/// The value as the command line would have it: a list's items separated by commas.
std::optional<std::string> value_text(const Node& node) {
  if (node.kind != Node::Kind::list || node.items.empty()) return scalar_text(node);
  std::string text;
  for (const Node& item : node.items) {
    const auto part = scalar_text(item);
    if (!part) return std::nullopt;
    if (!text.empty()) text += ',';
    text += *part;
  }
  return text;
}

std::string resolved(const std::string& value, const std::filesystem::path& folder,
                     const Environment& environment) {
  if (value.starts_with("~/")) return (home_folder(environment) / value.substr(2)).string();
  return (folder / value).lexically_normal().string();
}

std::string unknown_key_hint(std::string_view key) {
  std::vector<std::string_view> names;
  for (const KnownSetting& setting : known_settings()) names.push_back(setting.name);
  std::string hint = util::did_you_mean(key, names, '\"');
  return hint.empty() ? "`tuner config` lists the settings" : hint;
}

std::optional<std::string> read_value(const Member& member, Mistakes& mistakes) {
  const KnownSetting* known = find_setting(member.key);
  if (known == nullptr) {
    mistakes.add(member.where, fmt::format("unknown setting \"{}\"", member.key),
                 unknown_key_hint(member.key));
    return std::nullopt;
  }
  auto value = value_text(member.value);
  if (!value) {
    mistakes.wrong_type(member.value, fmt::format("\"{}\"", member.key), "a string or a number",
                        accepted_text(*known));
    return std::nullopt;
  }
  try {
    check_value(*known, *value);
  } catch (const model::UsageError& error) {
    mistakes.add(member.value.where, error.what(), error.hint());
    return std::nullopt;
  }
  return value;
}

[[noreturn]] void refuse(const std::vector<model::Diagnostic>& mistakes, const model::SourceText& text) {
  if (mistakes.size() == 1) {
    throw model::UsageError(fmt::format("{}: {}", mistakes[0].where.text(), mistakes[0].message),
                            mistakes[0].hint);
  }
  throw model::UsageError(diagnostics_text(mistakes, std::array{text}));
}

}  // namespace

std::vector<FileSetting> read_settings(std::string_view text, const std::string& name,
                                       const std::filesystem::path& folder, const Environment& environment) {
  const std::variant<Node, model::Diagnostic> document = parse_toml(text, name);
  if (const auto* mistake = std::get_if<model::Diagnostic>(&document)) {
    refuse({*mistake}, {name, std::string(text)});
  }
  Mistakes mistakes;
  std::vector<FileSetting> settings;
  for (const Member& member : std::get<Node>(document).members) {
    auto value = read_value(member, mistakes);
    if (!value) continue;
    const bool is_path = find_setting(member.key)->kind == SettingKind::path;
    settings.push_back({member.key, is_path ? resolved(*value, folder, environment) : std::move(*value),
                        member.value.where});
  }
  if (!mistakes.none()) refuse(mistakes.take(), {name, std::string(text)});
  return settings;
}

std::vector<FileSetting> read_settings_file(const std::filesystem::path& path,
                                            const Environment& environment) {
  const FileText file = DiskFiles().read(path);
  if (!file.problem.empty()) {
    throw model::UsageError(fmt::format("the settings file {} {}", path.string(), file.problem),
                            "make it readable, or move it away");
  }
  return read_settings(file.text, path.string(), path.parent_path(), environment);
}

}  // namespace config
