#include "tuner/interchange/recorded_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>

#include "tuner/model/error.hpp"

namespace tuner::interchange {
namespace {

using model::TrialStatus;

model::Value value_of(const Json& json) {
  if (json.is_boolean()) return std::int64_t{json.get<bool>()};
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) {
    const double number = json.get<double>();
    if (number == std::floor(number) && std::abs(number) < 1e15) return static_cast<std::int64_t>(number);
  }
  return model::Value(json.is_string() ? json.get<std::string>() : json.dump());
}

double number_or_0(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

/// Kernel Tuner's names of its errors, and T4's of an invalidity.
TrialStatus status_of(const std::string& word) {
  if (word.find("ompil") != std::string::npos) return TrialStatus::compile_error;
  if (word.find("nvalid") != std::string::npos || word == "constraints") return TrialStatus::unlaunchable;
  if (word == "timeout") return TrialStatus::timeout;
  if (word == "correctness") return TrialStatus::wrong_result;
  return TrialStatus::launch_error;
}

/// The names are Kernel Tuner's, and so is which of them are to be large.
Objective named_objective(const std::string& name, const std::string& file_name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("time") || has("duration")) return {name, Objective::Kind::time};
  if (has("/")) return {name, Objective::Kind::rate};  // GFLOP/s, GB/s, GFLOPS/W
  if (has("score") || has("fitness")) return {name, Objective::Kind::score};
  if (has("energy") || has("cost") || has("loss") || has("power")) return {name, Objective::Kind::cost};
  throw model::Error(
      fmt::format("{} is a recording of \"{}\", and it does not say whether less is better", file_name, name),
      "times, rates (GFLOP/s), energy, cost, loss, score and fitness are known");
}

/// Kernel Tuner's old files give what failed this time.
constexpr double failed_time = 1e20;

void set_time(Row& row, const Json& value, const Objective& objective) {
  const bool is_figure = value.is_number() && std::abs(value.get<double>()) < failed_time;
  const double time = is_figure ? objective.as_time(value.get<double>()) : 0;
  const bool is_score = objective.kind == Objective::Kind::score && is_figure;
  if (std::isfinite(time) && (time > 0 || is_score))
    row.time_ms = time;
  else
    row.status = status_of(value.is_string() ? value.get<std::string>() : "");
}

/// Samples of a time. Other objectives have no samples with a known unit.
void set_samples(Row& row, const Json& object, const char* key, const Objective& objective) {
  const auto found = object.find(key);
  if (objective.kind != Objective::Kind::time || found == object.end() || !found->is_array()) return;
  for (const Json& sample : *found)
    if (sample.is_number() && sample.get<double>() > 0) row.samples_ms.push_back(sample.get<double>());
}

/// `2023-12-22 09:54:05.502007+00:00` in our spelling; empty where it is no time of day in UTC.
std::string time_of_day(const Json& object) {
  const auto found = object.find("timestamp");
  if (found == object.end() || !found->is_string()) return "";
  std::string text = found->get<std::string>();
  for (const char* utc : {"+00:00", "Z"})
    if (text.ends_with(utc)) text.resize(text.size() - std::string_view(utc).size());
  constexpr std::string_view pattern = "0000-00-00T00:00:00.000000";
  if (text.size() == 19) text += ".000000";
  if (text.size() != pattern.size()) return "";
  if (text[10] == ' ') text[10] = 'T';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return "";
  }
  return text + "Z";
}

/// Newer files name the failure in a member of its own, and need no time then.
const Json& value_in(const Json& entry, const std::string& objective) {
  if (const auto error = entry.find("__error__"); error != entry.end()) return *error;
  return entry.at(objective);
}

std::vector<Row> cache_rows(const Json& file, const Objective& objective) {
  std::vector<std::string> names;
  for (const auto& [name, values] : file.at("tune_params").items()) names.push_back(name);
  std::vector<Row> rows;
  for (const Json& entry : file.at("cache")) {
    Row row;
    for (const std::string& name : names) row.values.emplace_back(name, value_of(entry.at(name)));
    set_time(row, value_in(entry, objective.name), objective);
    set_samples(row, entry, "times", objective);
    row.compile_ms = number_or_0(entry, "compile_time");
    row.measured_at = time_of_day(entry);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Of T4's first result that says: all of a file have one.
std::string t4_objective(const Json& file) {
  for (const Json& result : file.at("results"))
    if (result.contains("objectives")) return result.at("objectives").at(0).get<std::string>();
  return "time";
}

/// Milliseconds where it says nothing.
double ms_of_unit(const std::string& unit) {
  if (unit == "Seconds" || unit == "seconds" || unit == "s") return 1e3;
  if (unit == "Microseconds" || unit == "microseconds" || unit == "us") return 1e-3;
  return unit == "Nanoseconds" || unit == "nanoseconds" || unit == "ns" ? 1e-6 : 1;
}

/// In milliseconds where it is a time.
Json t4_measurement(const Json& result, const Objective& objective, double ms) {
  if (!result.contains("measurements")) return nullptr;
  for (const Json& measurement : result.at("measurements")) {
    if (measurement.at("name") != objective.name) continue;
    const Json& value = measurement.at("value");
    if (objective.kind != Objective::Kind::time || !value.is_number()) return value;
    const std::string unit = measurement.value("unit", "");
    return (unit.empty() ? ms : ms_of_unit(unit)) * value.get<double>();
  }
  return nullptr;
}

std::vector<Row> t4_rows(const Json& file, const Objective& objective) {
  const double ms = file.contains("metadata") ? ms_of_unit(file.at("metadata").value("timeunit", "")) : 1;
  std::vector<Row> rows;
  for (const Json& result : file.at("results")) {
    Row row;
    for (const auto& [name, value] : result.at("configuration").items())
      row.values.emplace_back(name, value_of(value));
    set_time(row, t4_measurement(result, objective, ms), objective);
    const std::string invalidity = result.value("invalidity", "correct");
    if (invalidity != "correct") row.status = status_of(invalidity);
    if (result.contains("times")) {
      row.compile_ms = ms * number_or_0(result.at("times"), "compilation");
      set_samples(row, result.at("times"), "runtimes", objective);
      for (double& sample : row.samples_ms) sample *= ms;
    }
    row.measured_at = time_of_day(result);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Of KTT's results.
std::vector<Row> ktt_rows(const Json& file) {
  const double ms = file.contains("Metadata") ? ms_of_unit(file.at("Metadata").value("TimeUnit", "")) : 1;
  std::vector<Row> rows;
  for (const Json& result : file.at("Results")) {
    Row row;
    for (const Json& parameter : result.at("Configuration"))
      row.values.emplace_back(parameter.at("Name").get<std::string>(), value_of(parameter.at("Value")));
    const std::string status = result.value("Status", "Ok");
    set_time(row, status == "Ok" ? Json(ms * result.at("TotalDuration").get<double>()) : Json(status), {});
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Scores become what is above 0 and the less the better. Their best is known only when all were read.
void turn_scores(std::vector<Row>& rows, Objective& objective) {
  objective.best = std::numeric_limits<double>::lowest();
  for (const Row& row : rows)
    if (row.status == TrialStatus::ok) objective.best = std::max(objective.best, row.time_ms);
  for (Row& row : rows)
    if (row.status == TrialStatus::ok) row.time_ms = 1 + (objective.best - row.time_ms);
}

}  // namespace

double Objective::as_time(double value) const {
  return kind == Kind::rate ? 1 / value : value;
}

std::string Objective::text() const {
  if (kind == Kind::time) return "";
  if (kind == Kind::rate) return "1 / (" + name + ")";
  return kind == Kind::score ? fmt::format("1 + {} - {}", best, name) : name;
}

Objective objective_of(const Json& file, const std::string& name) {
  if (file.contains("Results")) return {"duration", Objective::Kind::time};
  return named_objective(file.contains("results") ? t4_objective(file) : file.value("objective", "time"),
                         name);
}

std::vector<Row> rows_of(const Json& file, Objective& objective) {
  if (file.contains("Results")) return ktt_rows(file);
  std::vector<Row> rows = file.contains("results") ? t4_rows(file, objective) : cache_rows(file, objective);
  if (objective.kind == Objective::Kind::score) turn_scores(rows, objective);
  return rows;
}

}  // namespace tuner::interchange
