#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

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

}  // namespace config
