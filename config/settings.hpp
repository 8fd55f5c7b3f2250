#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/budget.hpp"
#include "config/known_settings.hpp"
#include "config/paths.hpp"
#include "tuner/model/element_type.hpp"

namespace config {

/// Where a value came from, strongest first.
enum class Layer { command_line, environment, project_file, user_file, defaults };

struct Setting {
  std::string name;
  std::string value;  ///< checked; paths from files are resolved
  Layer layer = Layer::defaults;
  std::string origin;  ///< for people: `--l2`, `TUNER_L2`, `/home/ada/project/tuner.toml:3:6`, `default`
};

/// What the layers are read from; tests pass their own.
struct Surroundings {
  Environment environment;
  std::filesystem::path working_directory;
};
Surroundings process_surroundings();

/// The settings of one invocation, every value checked.
class Settings {
 public:
  /// `command_line` maps names of settings (`compile_jobs`) to what the user gave. An empty environment
  /// variable counts as unset. Throws model::UsageError for an unknown key or a bad value in any layer that
  /// is read, stronger ones notwithstanding; the message starts with the place: file:line:column, variable or
  /// flag.
  static Settings load(const std::map<std::string, std::string>& command_line,
                       const Surroundings& surroundings);

  /// Those with a value, in the order of known_settings().
  const std::vector<Setting>& all() const { return m_settings; }
  /// Null while the setting has no value in any layer.
  const Setting* find(std::string_view name) const;

  /// A setting that has a default, or was set. Asking for any other is a mistake in the program:
  /// std::logic_error.
  const std::string& text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;

  /// The setting, or else the usual place. Throw model::UsageError where there is neither, for want of HOME.
  std::filesystem::path database() const;
  std::filesystem::path cache_folder() const;
  std::vector<std::vector<std::int64_t>> sizes() const;
  std::vector<std::int64_t> paddings() const;
  std::optional<tuner::model::ElementType> type() const;
  std::optional<std::uint64_t> seed() const;
  Budget budget() const;
  std::optional<double> until() const;  ///< a share: 0.01 for 1%

 private:
  std::vector<Setting> m_settings;
  Environment m_environment;
};

}  // namespace config
