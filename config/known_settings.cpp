#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "config/mistakes.hpp"
#include "config/settings.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

constexpr double day_s = 86400;

constexpr std::array settings = {
    KnownSetting{"db", SettingKind::path, "database that keeps every result",
                 "$XDG_DATA_HOME/tuner/tuner.db, or ~/.local/share/tuner/tuner.db"},
    KnownSetting{"device", SettingKind::device, "where kernels run; auto is the first GPU", ""},
    KnownSetting{"kernels", SettingKind::word, "kernels, families, spec files or folders that are tuned", ""},
    KnownSetting{"sizes", SettingKind::sizes, "problem sizes", ""},
    KnownSetting{"type", SettingKind::type, "element type", "each kernel's first"},
    KnownSetting{"pad", SettingKind::paddings, "elements added to each row of a matrix", ""},
    KnownSetting{"strategy", SettingKind::word,
                 "which configurations are tried, and in which order (`tuner list strategies`)", ""},
    KnownSetting{"seed", SettingKind::integer, "seed of the inputs and of the order",
                 "inputs from 0, a new order each run, recorded", "", 0, 1e18},
    KnownSetting{"budget", SettingKind::budget, "time, GPU time or trials after which a sweep ends",
                 "no limit"},
    KnownSetting{"until", SettingKind::share,
                 "a size's search ends when its last trials gained less than this; 0%: with its space",
                 "1% where the strategy learns, else with its space"},
    KnownSetting{"measure", SettingKind::word, "how carefully times are taken; complete drops nothing", "",
                 "quick|standard|thorough|complete|exhaustive"},
    KnownSetting{"l2", SettingKind::word, "whether the last-level cache keeps data between launches", "",
                 "warm|cold"},
    KnownSetting{
        "execution", SettingKind::word,
        "how timed launches follow each other: in a graph, in a stream, or each with the host's call", "",
        "graph|stream|eager"},
    KnownSetting{"objective", SettingKind::word,
                 "what a search makes small, and what `best` answers by: edp is energy times time", "",
                 "time|energy|edp"},
    KnownSetting{"ceilings", SettingKind::word,
                 "measure a GPU's limits once, so that results show their share", "", "auto|off"},
    KnownSetting{"baselines", SettingKind::word,
                 "whether the libraries that specs name are timed beside their kernels", "", "on|off"},
    KnownSetting{
        "metrics", SettingKind::word,
        "what `tuner profile` counts beside the usual metrics, by NVIDIA's names, with commas between",
        "none"},
    KnownSetting{"compile_jobs", SettingKind::integer, "compilers at work at once",
                 "one a core, as memory allows", "", 1, 4096},
    KnownSetting{"compile_timeout_s", SettingKind::number, "seconds after which a compiler is killed", "", "",
                 0.1, day_s},
    KnownSetting{"run_timeout_s", SettingKind::number,
                 "least limit in seconds for loading a kernel and for each launch", "", "", 0.01, day_s},
    KnownSetting{"run_timeout_factor", SettingKind::number,
                 "limit of a launch as a multiple of the best time, if that is longer", "", "", 1, 1e6},
    KnownSetting{"prepare_timeout_s", SettingKind::number,
                 "limit in seconds for making a problem's inputs and reference", "", "", 0.1, day_s},
    KnownSetting{"report", SettingKind::path, "report file of a run (.md, .html, .csv, .json)", "no report"},
    KnownSetting{"publish_every_s", SettingKind::number,
                 "seconds between two copies of the database to the file of --publish", "", "", 0.05, day_s},
    KnownSetting{"cache_dir", SettingKind::path, "folder of compiled binaries",
                 "$XDG_CACHE_HOME/tuner, or ~/.cache/tuner"},
    KnownSetting{"cache_limit_mb", SettingKind::integer, "limit of the cache of binaries, in MiB", "", "", 1,
                 1e9},
    KnownSetting{"color", SettingKind::word, "colours on the terminal", "", "auto|always|never"},
    KnownSetting{"pager", SettingKind::word, "answers longer than the screen in $PAGER, or less", "",
                 "auto|never"},
    KnownSetting{"progress", SettingKind::word, "a line of progress that updates itself", "",
                 "auto|always|never"},
};

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> words;
  while (!choices.empty()) words.push_back(util::split_first(choices, "|"));
  return words;
}

[[noreturn]] void refuse(const KnownSetting& setting, const std::string& value, std::string hint) {
  throw model::UsageError(fmt::format("{} cannot be '{}'", setting.name, util::one_line(value, 60)),
                          std::move(hint));
}

void check_word(const KnownSetting& setting, const std::string& value) {
  const std::vector<std::string_view> words = split_choices(setting.choices);
  if (words.empty() || std::ranges::count(words, value) > 0) return;
  refuse(setting, value, "choose " + util::listed(words));
}

void check_device(const KnownSetting& setting, const std::string& value) {
  if (model::named_kind(value) != nullptr) return;
  if (value == "replay:") refuse(setting, value, "name a file behind it: replay:FILE");
  constexpr std::array<std::string_view, 5> names = {"auto", "all", "cpu", "cuda:0", "replay:"};
  const std::string meant = util::did_you_mean(value, names);
  refuse(setting, value,
         (meant.empty() ? "" : meant + " ") +
             "choose auto, all, cuda:0 (or another number), cuda:0,cuda:2, cpu or replay:FILE");
}

void check_number(const KnownSetting& setting, const std::string& value) {
  if (setting.kind == SettingKind::integer) {
    const auto number = util::parse_number<std::int64_t>(value);
    const bool fits = number && *number >= static_cast<std::int64_t>(setting.least) &&
                      *number <= static_cast<std::int64_t>(setting.most);
    if (!fits) refuse(setting, value, accepted_text(setting));
    return;
  }
  const auto number = util::parse_number<double>(value);
  if (!number || *number < setting.least || *number > setting.most)
    refuse(setting, value, accepted_text(setting));
}

void check_type(const KnownSetting& setting, const std::string& value) {
  if (model::parse_element_type(value)) return;
  refuse(setting, value,
         "float, double, int, unsigned int, long long, unsigned long long, signed char or unsigned char");
}

template <auto parse>
void check_parsed(const KnownSetting&, const std::string& value) {
  parse(value);
}

/// Sizes, or a capture that says them, which is read when its kernel is known.
void check_sizes(const KnownSetting&, const std::string& value) {
  try {
    parse_sizes(value);
  } catch (const model::Error&) {
    if (!std::filesystem::exists(value)) throw;
  }
}

/// What a kind of value looks like, where its setting has no choices, and its check.
struct ValueForm {
  const char* accepted;
  void (*check)(const KnownSetting&, const std::string&);
};
const ValueForm& form_of(const KnownSetting& setting) {
  static constexpr ValueForm forms[] = {
      {"PATH", [](const KnownSetting&, const std::string&) {}},
      {"NAME", check_word},
      {"auto|all|cuda:N[,cuda:M]|cpu|replay:FILE", check_device},
      {"512..4096|512..4096:128|512,1000|512x1024x256|CAPTURE", check_sizes},
      {"0,32", check_parsed<parse_paddings>},
      {"float|double|int|...", check_type},
      {"an integer from {:.0f} to {:.0f}", check_number},
      {"a number from {} to {}", check_number},
      {"5m|1h30m|20s-gpu|500", check_parsed<parse_budget>},
      {"1%", check_parsed<parse_share>},
  };
  return forms[static_cast<std::size_t>(setting.kind)];
}

std::string with_case(std::string_view name, char from, char to, bool upper) {
  std::string text(name);
  for (char& c : text) {
    if (c == from) c = to;
    if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

}  // namespace

std::span<const KnownSetting> known_settings() {
  return settings;
}

const KnownSetting* find_setting(std::string_view name) {
  const auto* const found = std::ranges::find(settings, name, &KnownSetting::name);
  return found == settings.end() ? nullptr : found;
}

std::string flag_name(std::string_view setting) {
  return "--" + with_case(setting, '_', '-', false);
}

std::string variable_name(std::string_view setting) {
  return "TUNER_" + with_case(setting, '_', '_', true);
}

std::string accepted_text(const KnownSetting& setting) {
  if (!setting.choices.empty()) return std::string(setting.choices);
  return fmt::format(fmt::runtime(form_of(setting).accepted), setting.least, setting.most);
}

void check_value(const KnownSetting& setting, const std::string& value) {
  const bool is_path = setting.kind == SettingKind::path;
  if (util::trimmed(value).empty()) refuse(setting, value, is_path ? "give a path" : accepted_text(setting));
  if (value != util::one_line(value))
    refuse(setting, value,
           is_path ? "a path with a line break, a tab or a control character is not taken here"
                   : accepted_text(setting));
  form_of(setting).check(setting, value);
}

namespace {

constexpr std::string_view variable_prefix = "TUNER_";

/// Variables that are no settings: other libraries and compilers than those found, and what the tuner's own
/// processes tell each other.
constexpr std::string_view other_variables[] = {
    "TUNER_NVRTC",    "TUNER_NVCC",          "TUNER_NVDISASM",           "TUNER_HOST_CXX",
    "TUNER_POWERCAP", "TUNER_WORKER_FOLDER", "TUNER_RESTARTED_WITH_ASAN"};

}  // namespace

std::vector<std::string> process_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view value = *entry;
    const std::string_view name = tuner::util::split_first(value, "=");
    if (!value.empty()) names.emplace_back(name);
  }
  return names;
}

std::vector<MistypedVariable> mistyped_variables(std::span<const std::string> names) {
  // Compared without what they all begin with, which would make all of them near.
  std::vector<std::string> known;
  for (const KnownSetting& setting : known_settings()) {
    known.push_back(variable_name(setting.name).substr(variable_prefix.size()));
  }
  for (const std::string_view name : other_variables) known.emplace_back(name.substr(variable_prefix.size()));
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::vector<MistypedVariable> mistyped;
  for (const std::string& name : names) {
    if (!name.starts_with(variable_prefix)) continue;
    const std::string_view own = std::string_view(name).substr(variable_prefix.size());
    if (std::ranges::count(candidates, own) > 0) continue;
    const std::string_view meant = tuner::util::nearest(own, candidates);
    if (!meant.empty()) mistyped.push_back({name, std::string(variable_prefix).append(meant)});
  }
  return mistyped;
}

}  // namespace config
