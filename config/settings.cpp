#include "config/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include "config/mistakes.hpp"
#include "config/source_files.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

/// HOME. Throws model::UsageError where it is not an absolute path.
std::filesystem::path home_folder(const EnvironmentVariables& environment) {
  const auto home = environment("HOME");
  if (!home || home->empty() || home->front() != '/') {
    throw model::UsageError(
        "HOME is not set to an absolute path, so there is no place for settings and results",
        "set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_CACHE_HOME");
  }
  return *home;
}

/// The folder a variable of the specification names, or its default below the home folder.
std::filesystem::path base_folder(const EnvironmentVariables& environment, const char* variable,
                                  const char* below_home) {
  if (const auto value = environment(variable)) {
    std::filesystem::path folder(*value);
    if (folder.is_absolute()) return folder / "tuner";
  }
  return home_folder(environment) / below_home / "tuner";
}

}  // namespace

std::filesystem::path config_folder(const EnvironmentVariables& environment) {
  return base_folder(environment, "XDG_CONFIG_HOME", ".config");
}

std::filesystem::path data_folder(const EnvironmentVariables& environment) {
  return base_folder(environment, "XDG_DATA_HOME", ".local/share");
}

std::filesystem::path cache_folder(const EnvironmentVariables& environment) {
  return base_folder(environment, "XDG_CACHE_HOME", ".cache");
}

std::filesystem::path default_database(const EnvironmentVariables& environment) {
  return data_folder(environment) / "tuner.db";
}

std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& working_directory) {
  std::error_code error;
  std::filesystem::path nearest;
  for (std::filesystem::path folder = working_directory;; folder = folder.parent_path()) {
    const std::filesystem::path candidate = folder / "tuner.toml";
    if (nearest.empty() && std::filesystem::exists(candidate, error)) nearest = candidate;
    // A work tree of git has its `.git` as a file.
    const bool root_of_repository = std::filesystem::exists(folder / ".git", error);
    if (root_of_repository && !nearest.empty()) return nearest;
    if (root_of_repository || folder == folder.parent_path()) break;
  }
  if (nearest.parent_path() == working_directory && !nearest.empty()) return nearest;
  return std::nullopt;
}

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
                     const EnvironmentVariables& environment) {
  if (value.starts_with("~/")) return (home_folder(environment) / value.substr(2)).string();
  return (folder / value).lexically_normal().string();
}

std::string unknown_key_hint(std::string_view key) {
  std::vector<std::string_view> names;
  for (const KnownSetting& setting : known_settings()) names.push_back(setting.name);
  std::string hint = util::did_you_mean(key, names, '\"');
  return hint.empty() ? "`tuner config` lists the settings" : hint;
}

/// What commas separate.
std::vector<std::string> parts_of(std::string_view value) {
  std::vector<std::string> parts;
  while (!value.empty())
    if (const std::string_view part = util::trimmed(util::split_first(value, ",")); !part.empty())
      parts.emplace_back(part);
  return parts;
}

/// A file or folder that a value names, from the folder of the settings file on; the value where it names
/// none.
std::string in_folder(const KnownSetting& known, const std::string& value,
                      const std::filesystem::path& folder, const EnvironmentVariables& environment) {
  constexpr std::string_view replay = "replay:";
  if (known.kind == SettingKind::device && value.starts_with(replay) && value != replay)
    return std::string(replay) + resolved(value.substr(replay.size()), folder, environment);
  if (const std::vector<std::string> parts = parts_of(value); known.name == "kernels" && parts.size() > 1) {
    std::vector<std::string> all;
    for (const std::string& part : parts) all.push_back(in_folder(known, part, folder, environment));
    return fmt::format("{}", fmt::join(all, ","));
  }
  std::string path = resolved(value, folder, environment);
  std::error_code error;
  const bool is_spec = value.ends_with(".toml") || value.find('/') != std::string::npos ||
                       std::filesystem::is_directory(path, error);
  const bool is_capture =
      value.find_first_not_of("0123456789.:,x ") != std::string::npos && std::filesystem::exists(path, error);
  const bool is_path = known.kind == SettingKind::path || (known.name == "kernels" && is_spec) ||
                       (known.kind == SettingKind::sizes && is_capture);
  return is_path ? path : value;
}

std::optional<std::string> read_value(const Member& member, const std::filesystem::path& folder,
                                      const EnvironmentVariables& environment, Mistakes& mistakes) {
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
  value = in_folder(*known, *value, folder, environment);
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
                                       const std::filesystem::path& folder,
                                       const EnvironmentVariables& environment) {
  const std::variant<Node, model::Diagnostic> document = parse_toml(text, name);
  if (const auto* mistake = std::get_if<model::Diagnostic>(&document)) {
    refuse({*mistake}, {name, std::string(text)});
  }
  Mistakes mistakes;
  std::vector<FileSetting> settings;
  for (const Member& member : std::get<Node>(document).members) {
    if (auto value = read_value(member, folder, environment, mistakes))
      settings.push_back({member.key, std::move(*value), member.value.where});
  }
  if (!mistakes.none()) refuse(mistakes.take(), {name, std::string(text)});
  return settings;
}

std::vector<FileSetting> read_settings_file(const std::filesystem::path& path,
                                            const EnvironmentVariables& environment) {
  const FileText file = DiskFiles().read(path);
  if (!file.problem.empty()) {
    throw model::UsageError(fmt::format("the settings file {} {}", path.string(), file.problem),
                            "make it readable, or move it away");
  }
  return read_settings(file.text, path.string(), path.parent_path(), environment);
}

std::span<const model::EmbeddedFile> embedded_files();  // generated; holds defaults.toml

namespace {

/// Collects values, the strongest layer last: a later one replaces an earlier one of the same name.
class Layers {
 public:
  void add_file(std::vector<FileSetting> settings, Layer layer) {
    for (FileSetting& setting : settings) {
      const std::string origin = layer == Layer::defaults ? "default" : setting.where.text();
      put({std::move(setting.name), std::move(setting.value), layer, origin});
    }
  }

  void add_environment(const EnvironmentVariables& environment) {
    for (const KnownSetting& known : known_settings()) {
      const std::string variable = variable_name(known.name);
      const auto value = environment(variable);
      if (!value || value->empty()) continue;
      add_checked(known, *value, Layer::environment, variable);
    }
  }

  void add_command_line(const std::map<std::string, std::string>& flags) {
    for (const auto& [name, value] : flags) {
      const KnownSetting* known = find_setting(name);
      if (known == nullptr) throw std::logic_error("no setting is called " + name);
      add_checked(*known, value, Layer::command_line, flag_name(name));
    }
  }

  /// In the order of known_settings().
  std::vector<Setting> take() {
    std::vector<Setting> ordered;
    for (const KnownSetting& known : known_settings()) {
      const auto found = m_values.find(std::string(known.name));
      if (found != m_values.end()) ordered.push_back(std::move(found->second));
    }
    return ordered;
  }

 private:
  void add_checked(const KnownSetting& known, const std::string& value, Layer layer,
                   const std::string& origin) {
    try {
      check_value(known, value);
    } catch (const model::UsageError& error) {
      throw model::UsageError(fmt::format("{}: {}", origin, error.what()), error.hint());
    }
    put({std::string(known.name), value, layer, origin});
  }

  void put(Setting setting) {
    const std::string name = setting.name;
    m_values.insert_or_assign(name, std::move(setting));
  }

  std::map<std::string, Setting> m_values;
};

/// Shipped with the program, so a mistake in it is a mistake of the build; a test reads it.
std::vector<FileSetting> shipped_defaults(const EnvironmentVariables& environment) {
  const auto files = embedded_files();
  const auto defaults = std::ranges::find_if(
      files, [](const model::EmbeddedFile& file) { return file.path == "defaults.toml"; });
  return read_settings(defaults->text, "defaults.toml", "", environment);
}

/// The user's file; without a home folder there is none, which is no mistake until something is to be kept
/// there.
std::optional<std::filesystem::path> user_file(const EnvironmentVariables& environment) {
  std::error_code error;
  try {
    std::filesystem::path path = config_folder(environment) / "tuner.toml";
    if (std::filesystem::exists(path, error)) return path;
  } catch (const model::UsageError&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Surroundings process_surroundings() {
  const auto variable = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  std::error_code gone;
  return {variable, std::filesystem::current_path(gone)};
}

Settings Settings::load(const std::map<std::string, std::string>& command_line,
                        const Surroundings& surroundings) {
  const EnvironmentVariables& environment = surroundings.environment;
  Layers layers;
  layers.add_file(shipped_defaults(environment), Layer::defaults);
  if (const auto path = user_file(environment)) {
    layers.add_file(read_settings_file(*path, environment), Layer::user_file);
  }
  if (const auto path = find_project_file(surroundings.working_directory)) {
    layers.add_file(read_settings_file(*path, environment), Layer::project_file);
  }
  layers.add_environment(environment);
  layers.add_command_line(command_line);
  Settings settings;
  settings.m_settings = layers.take();
  settings.m_environment = environment;
  return settings;
}

const Setting* Settings::find(std::string_view name) const {
  const auto found = std::ranges::find(m_settings, name, &Setting::name);
  return found == m_settings.end() ? nullptr : &*found;
}

const std::string& Settings::text(std::string_view name) const {
  const Setting* setting = find(name);
  if (setting == nullptr) throw std::logic_error(fmt::format("the setting {} has no value", name));
  return setting->value;
}

std::int64_t Settings::integer(std::string_view name) const {
  return util::parse_number<std::int64_t>(text(name)).value();
}

double Settings::number(std::string_view name) const {
  return util::parse_number<double>(text(name)).value();
}

std::filesystem::path Settings::database() const {
  const Setting* setting = find("db");
  return setting == nullptr ? default_database(m_environment) : std::filesystem::path(setting->value);
}

std::filesystem::path Settings::cache_folder() const {
  const Setting* setting = find("cache_dir");
  return setting == nullptr ? config::cache_folder(m_environment) : std::filesystem::path(setting->value);
}

std::vector<std::vector<std::int64_t>> Settings::sizes() const {
  const std::string said = text("sizes");
  try {
    return parse_sizes(said);
  } catch (const model::Error&) {
    if (!std::filesystem::exists(said)) throw;
    throw model::UsageError(fmt::format("--sizes {}: this command takes no capture", said),
                            "give sizes, as 1024 or 512x1024x256");
  }
}

std::vector<std::int64_t> Settings::paddings() const {
  return parse_paddings(text("pad"));
}

std::vector<std::string> Settings::kernels() const {
  return parts_of(text("kernels"));
}

std::optional<model::ElementType> Settings::type() const {
  const Setting* setting = find("type");
  return setting == nullptr ? std::nullopt : model::parse_element_type(setting->value);
}

std::optional<std::uint64_t> Settings::seed() const {
  if (find("seed") == nullptr) return std::nullopt;
  return static_cast<std::uint64_t>(integer("seed"));
}

std::optional<double> Settings::until() const {
  const Setting* setting = find("until");
  return setting == nullptr ? std::nullopt : std::optional(parse_share(setting->value));
}

Budget Settings::budget() const {
  const Setting* setting = find("budget");
  return setting == nullptr ? Budget{} : parse_budget(setting->value);
}

}  // namespace config
