#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/known_settings.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {
namespace model = tuner::model;

/// The value of an environment variable; absent when it is not set.
using EnvironmentVariables = std::function<std::optional<std::string>(const std::string& name)>;

/// The folders of the XDG base directory specification, `tuner` appended. A variable that is empty or not
/// absolute counts as unset; then ~/.config, ~/.local/share and ~/.cache serve. Throw model::UsageError
/// without HOME.
std::filesystem::path config_folder(const EnvironmentVariables& environment);
std::filesystem::path data_folder(const EnvironmentVariables& environment);
std::filesystem::path cache_folder(const EnvironmentVariables& environment);

/// Where results are kept unless a setting says otherwise: data_folder()/tuner.db.
std::filesystem::path default_database(const EnvironmentVariables& environment);

/// `tuner.toml` in `working_directory` or the nearest folder above it, up to the root of its git repository.
/// Outside of a repository only `working_directory` itself is asked.
std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& working_directory);

/// A line of a settings file: checked, its path resolved.
struct FileSetting {
  std::string name;
  std::string value;
  model::SourceLocation where;
};

/// Reads `text`, the settings file that people know as `name`: keys of known_settings() at the top level,
/// values as strings, numbers, or lists for what the command line separates by commas. Relative paths become
/// relative to `folder`. Throws model::UsageError with every mistake of the file, a line each.
std::vector<FileSetting> read_settings(std::string_view text, const std::string& name,
                                       const std::filesystem::path& folder,
                                       const EnvironmentVariables& environment);

/// The same for a file on disk.
std::vector<FileSetting> read_settings_file(const std::filesystem::path& path,
                                            const EnvironmentVariables& environment);

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
  EnvironmentVariables environment;
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
  std::optional<model::ElementType> type() const;
  std::optional<std::uint64_t> seed() const;
  Budget budget() const;
  std::optional<double> until() const;  ///< a share: 0.01 for 1%

 private:
  std::vector<Setting> m_settings;
  EnvironmentVariables m_environment;
};

}  // namespace config
