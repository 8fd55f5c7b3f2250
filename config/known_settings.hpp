#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// What a value must look like. Every value travels as text; these are the checks.
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

}  // namespace config
