#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/element_type.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {
namespace model = tuner::model;

/// How much a sweep may spend; zero means no limit.
struct Budget {
  std::chrono::seconds time{0};
  std::chrono::seconds device_time{0};  ///< of the device's work alone, whatever compiling took
  std::int64_t trials = 0;
};

/// `90s`, `5m`, `1h30m`, `2d`; the same of the device's time: `20s-gpu`; or a number of trials: `500`. Throws
/// model::UsageError.
Budget parse_budget(std::string_view text);

/// `1%`, `0.5%` as 0.01, 0.005: from nothing to less than all. Throws model::UsageError.
double parse_share(std::string_view text);

/// The most sizes or paddings one list may give, and the largest extent of one dimension.
inline constexpr std::size_t most_sizes = 4096;
inline constexpr std::int64_t largest_extent = std::int64_t{1} << 40;

/// The size grammar, pieces separated by commas:
///   512..4096       doubles: 512 1024 2048 4096
///   512..4096:128   steps of 128
///   1000            one size, the same in every dimension
///   512x1024x256    one number a dimension
/// Each result holds one number (for all dimensions) or several; in the order written, repetitions left out.
/// Throws model::UsageError that names the piece.
std::vector<std::vector<std::int64_t>> parse_sizes(std::string_view text);

/// Elements by which rows are padded: `0,32`. Throws model::UsageError that names the piece.
std::vector<std::int64_t> parse_paddings(std::string_view text);

/// What a value must look like. Every value travels as text; the checks are in known_settings.cpp, in the
/// same order.
enum class SettingKind {
  path,    ///< a file or folder; relative ones in a settings file are relative to that file, `~/` is the home
           ///< folder
  word,    ///< one of `choices`, or any name where there are none
  device,  ///< auto, all, cuda:N and lists of these, cpu, replay:FILE
  sizes,   ///< parse_sizes()
  paddings,  ///< parse_paddings()
  type,      ///< model::parse_element_type()
  integer,   ///< from `least` to `most`
  number,    ///< from `least` to `most`
  budget,    ///< parse_budget()
  share,     ///< parse_share()
};

/// A setting the tuner understands; the source of `tuner config`, of the flags' help and of every check.
/// Its default, if it has one, stands in defaults.toml.
struct KnownSetting {
  std::string_view name;  ///< `compile_jobs`; the flag is --compile-jobs, the variable TUNER_COMPILE_JOBS
  SettingKind kind;
  std::string_view description;   ///< one line, for help
  std::string_view unset;         ///< what happens while it has no value; empty where there is a default
  std::string_view choices = "";  ///< words separated by |
  double least = 0;
  double most = 0;
};

std::span<const KnownSetting> known_settings();
const KnownSetting* find_setting(std::string_view name);

/// `--compile-jobs`
std::string flag_name(std::string_view setting);
/// `TUNER_COMPILE_JOBS`
std::string variable_name(std::string_view setting);
/// For help: `warm|cold`, `an integer from 1 to 4096`.
std::string accepted_text(const KnownSetting& setting);

/// Throws model::UsageError when `value` is not acceptable; its message names the value, not where it came
/// from.
void check_value(const KnownSetting& setting, const std::string& value);

struct MistypedVariable {
  std::string name;   ///< `TUNER_DEVCE`
  std::string meant;  ///< `TUNER_DEVICE`
};

/// The names of all variables of this process that are set and not empty.
std::vector<std::string> process_variables();

/// Those of `names` that begin with TUNER_, that nothing of the tuner reads, and that are nearly the name of
/// a variable it does read.
std::vector<MistypedVariable> mistyped_variables(std::span<const std::string> names);

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
  std::vector<std::string> kernels() const;
  std::optional<model::ElementType> type() const;
  std::optional<std::uint64_t> seed() const;
  Budget budget() const;
  std::optional<double> until() const;  ///< a share: 0.01 for 1%

 private:
  std::vector<Setting> m_settings;
  EnvironmentVariables m_environment;
};

}  // namespace config
