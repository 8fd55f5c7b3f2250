#include "config/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "config/mistakes.hpp"
#include "config/settings_file.hpp"
#include "config/share.hpp"
#include "config/sizes.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace model = tuner::model;
namespace util = tuner::util;

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

  void add_environment(const Environment& environment) {
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
std::vector<FileSetting> shipped_defaults(const Environment& environment) {
  const auto files = embedded_files();
  const auto defaults = std::find_if(files.begin(), files.end(), [](const model::EmbeddedFile& file) {
    return file.path == "defaults.toml";
  });
  return read_settings(defaults->text, "defaults.toml", "", environment);
}

/// The user's file; without a home folder there is none, which is no mistake until something is to be kept
/// there.
std::optional<std::filesystem::path> user_file(const Environment& environment) {
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
  return {process_environment(), std::filesystem::current_path()};
}

Settings Settings::load(const std::map<std::string, std::string>& command_line,
                        const Surroundings& surroundings) {
  const Environment& environment = surroundings.environment;
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
  const auto found = std::find_if(m_settings.begin(), m_settings.end(),
                                  [name](const Setting& setting) { return setting.name == name; });
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
  return parse_sizes(text("sizes"));
}

std::vector<std::int64_t> Settings::paddings() const {
  return parse_paddings(text("pad"));
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
