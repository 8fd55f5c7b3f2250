#include "tuner/device/replay/recorded_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace tuner::device::replay {
namespace {

using Json = nlohmann::ordered_json;
using model::TrialStatus;

/// What a record says of a configuration, in names and values.
struct Row {
  std::vector<std::pair<std::string, model::Value>> values;
  TrialStatus status = TrialStatus::ok;
  double time_ms = 0;
  double compile_ms = 0;
};

constexpr double ns_per_ms = 1e6;
constexpr const char* formats = "recordings are Kernel Tuner's cache files, T4 files and KTT's results";

std::string read_text(const std::filesystem::path& path) {
  util::GzipInput in(path);
  if (!in) throw model::Error(fmt::format("cannot read {}", path.string()), "is there such a file?");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A cache file grows entry by entry, and gets its last brackets when its run ends.
Json parse_cut_off(const std::string& text, const std::string& name) {
  Json json = Json::parse(text, nullptr, false);
  std::size_t end = text.size();
  // An entry has no inner object: the first bracket from behind ends one.
  for (int attempt = 0; attempt < 2 && json.is_discarded() && end != 0; ++attempt) {
    const std::size_t bracket = text.rfind('}', end - 1);
    if (bracket == std::string::npos) break;
    json = Json::parse(text.substr(0, bracket + 1) + "}}", nullptr, false);
    end = bracket;
  }
  if (json.is_discarded() || !json.is_object())
    throw model::Error(fmt::format("{} is no JSON object", name), formats);
  return json;
}

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

void set_time(Row& row, const Json& time) {
  if (time.is_number() && time.get<double>() > 0)
    row.time_ms = time.get<double>();
  else
    row.status = status_of(time.is_string() ? time.get<std::string>() : "");
}

/// A recording may be of anything that is a number; what is searched here is a time.
void require_times(const std::string& objective, const std::string& name) {
  if (objective.find("time") == std::string::npos && objective.find("duration") == std::string::npos)
    throw model::Error(fmt::format("{} has no times: it is a recording of \"{}\"", name, objective),
                       "recordings of times can be replayed");
}

std::vector<Row> cache_rows(const Json& file, const std::string& file_name) {
  require_times(file.value("objective", "time"), file_name);
  std::vector<std::string> names;
  for (const auto& [name, values] : file.at("tune_params").items()) names.push_back(name);
  std::vector<Row> rows;
  for (const Json& entry : file.at("cache")) {
    Row row;
    for (const std::string& name : names) row.values.emplace_back(name, value_of(entry.at(name)));
    set_time(row, entry.at("time"));
    row.compile_ms = number_or_0(entry, "compile_time");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> t4_rows(const Json& file, const std::string& file_name) {
  std::vector<Row> rows;
  for (const Json& result : file.at("results")) {
    Row row;
    for (const auto& [name, value] : result.at("configuration").items())
      row.values.emplace_back(name, value_of(value));
    const std::string invalidity = result.value("invalidity", "correct");
    const std::string objective =
        result.contains("objectives") ? result.at("objectives").at(0).get<std::string>() : "time";
    require_times(objective, file_name);
    Json time;
    if (result.contains("measurements"))
      for (const Json& measurement : result.at("measurements"))
        if (measurement.at("name") == objective) time = measurement.at("value");
    set_time(row, time);
    if (invalidity != "correct") row.status = status_of(invalidity);
    if (result.contains("times")) row.compile_ms = number_or_0(result.at("times"), "compilation");
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Of KTT's results.
std::vector<Row> ktt_rows(const Json& file) {
  const std::string unit = file.contains("Metadata") ? file.at("Metadata").value("TimeUnit", "") : "";
  const double ms = unit == "Seconds"        ? 1e3
                    : unit == "Microseconds" ? 1e-3
                    : unit == "Nanoseconds"  ? 1e-6
                                             : 1;
  std::vector<Row> rows;
  for (const Json& result : file.at("Results")) {
    Row row;
    for (const Json& parameter : result.at("Configuration"))
      row.values.emplace_back(parameter.at("Name").get<std::string>(), value_of(parameter.at("Value")));
    const std::string status = result.value("Status", "Ok");
    set_time(row, status == "Ok" ? Json(ms * result.at("TotalDuration").get<double>()) : Json(status));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The kernel that KTT's results are of.
std::string ktt_kernel(const Json& file) {
  for (const Json& result : file.at("Results"))
    if (result.contains("KernelName")) return result.at("KernelName").get<std::string>();
  return "";
}

/// Where a parameter has words too, its numbers are words as well.
void spell_mixed_values(std::vector<Row>& rows) {
  for (std::size_t p = 0; p < rows.front().values.size(); ++p) {
    const auto is_word = [&](const Row& row) {
      return row.values.size() > p && row.values[p].second.is_word();
    };
    if (std::none_of(rows.begin(), rows.end(), is_word)) continue;
    for (Row& row : rows)
      if (row.values.size() > p) row.values[p].second = model::Value(row.values[p].second.text());
  }
}

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The values that occur. Words keep the order in which they do; codes of theirs mean nothing.
std::vector<model::ParameterSpec> parameters_of(const std::vector<Row>& rows, const std::string& name) {
  std::vector<model::ParameterSpec> parameters;
  for (std::size_t p = 0; p < rows.front().values.size(); ++p) {
    model::ParameterSpec& parameter = parameters.emplace_back();
    parameter.name = rows.front().values[p].first;
    std::set<model::Value> seen;
    for (const Row& row : rows) {
      if (row.values.size() <= p || row.values[p].first != parameter.name)
        throw model::Error(fmt::format("{}: an entry has no {}", name, parameter.name));
      if (seen.insert(row.values[p].second).second) parameter.values.push_back(row.values[p].second);
    }
    if (parameter.values.size() > std::numeric_limits<std::uint16_t>::max() - 1U)
      throw model::Error(fmt::format("{}: {} has more values than can be searched", name, parameter.name));
    const auto is_word = [](const model::Value& value) { return value.is_word(); };
    // A word like 0.5 or L-BFGS is no name.
    parameter.spelled = std::any_of(parameter.values.begin(), parameter.values.end(), [&](const auto& value) {
      return is_word(value) && !std::all_of(value.text().begin(), value.text().end(), is_letter);
    });
    if (std::none_of(parameter.values.begin(), parameter.values.end(), is_word))
      std::sort(parameter.values.begin(), parameter.values.end());
  }
  return parameters;
}

void add_entries(RecordedSpace& space, const std::vector<Row>& rows) {
  std::vector<std::map<model::Value, std::uint16_t>> places;
  for (const model::ParameterSpec& parameter : space.parameters) {
    auto& place = places.emplace_back();
    for (const model::Value& value : parameter.values)
      place.emplace(value, static_cast<std::uint16_t>(place.size()));
  }
  std::set<std::vector<std::uint16_t>> seen;
  for (const Row& row : rows) {
    RecordedSpace::Entry entry;
    for (std::size_t p = 0; p < places.size(); ++p) {
      const auto place = places[p].find(row.values[p].second);
      entry.coordinates.push_back(place->second);
    }
    if (!seen.insert(entry.coordinates).second) continue;
    entry.status = row.status;
    if (row.status == TrialStatus::ok) entry.time_ns = row.time_ms * ns_per_ms;
    entry.compile_ms = row.compile_ms;
    space.entries.push_back(std::move(entry));
  }
}

/// A number, or a list of numbers.
std::vector<std::int64_t> extents_of(const Json& file) {
  std::vector<std::int64_t> extents;
  const auto size = file.find("problem_size");
  if (size == file.end()) return extents;
  for (const Json& extent : size->is_array() ? *size : Json::array({*size}))
    if (extent.is_number()) extents.push_back(extent.get<std::int64_t>());
  return extents;
}

}  // namespace

RecordedSpace parse_recorded_space(std::string text, const std::string& name) {
  const Json file = parse_cut_off(text, name);
  text = {};
  RecordedSpace space;
  try {
    const bool t4 = file.contains("results");
    const bool ktt = file.contains("Results");
    if (!t4 && !ktt && !(file.contains("cache") && file.contains("tune_params")))
      throw model::Error(fmt::format("{} has neither `cache` and `tune_params` nor `results`", name),
                         formats);
    std::vector<Row> rows = ktt ? ktt_rows(file) : t4 ? t4_rows(file, name) : cache_rows(file, name);
    if (rows.empty()) throw model::Error(fmt::format("{} holds no configuration", name));
    spell_mixed_values(rows);
    space.device = file.value("device_name", "");
    if (ktt && file.contains("Metadata")) space.device = file.at("Metadata").value("Device", "");
    space.kernel = ktt ? ktt_kernel(file) : file.value("kernel_name", "");
    space.problem = extents_of(file);
    space.parameters = parameters_of(rows, name);
    add_entries(space, rows);
  } catch (const Json::exception& error) {
    throw model::Error(fmt::format("{} does not follow its format: {}", name, error.what()));
  }
  return space;
}

RecordedSpace read_recorded_space(const std::filesystem::path& file) {
  return parse_recorded_space(read_text(file), file.string());
}

bool looks_like_recorded_space(const std::filesystem::path& path) {
  util::GzipInput in(path);
  if (!in) return false;
  std::string begin(256, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  return first != std::string::npos && begin[first] == '{' && begin.find("tuner-export") == std::string::npos;
}

model::KernelSpec recorded_kernel(const RecordedSpace& recorded) {
  model::KernelSpec spec;
  spec.name = recorded.kernel.empty() ? "recorded" : recorded.kernel;
  spec.family = spec.name;
  spec.types = {model::ElementType::float32};
  spec.parameters = recorded.parameters;
  for (const RecordedSpace::Entry& entry : recorded.entries) spec.listed.push_back(entry.coordinates);
  std::sort(spec.listed.begin(), spec.listed.end());
  for (std::size_t d = 0; d < std::max<std::size_t>(1, recorded.problem.size()); ++d)
    spec.sizes.push_back(fmt::format("SIZE_{}", d));
  model::StepSpec launch;
  launch.entry = spec.name;
  launch.grid = {{"1", {}}};
  for (const char* axis : {"block_size_x", "block_size_y", "block_size_z"}) {
    const auto has_name = [&](const model::ParameterSpec& parameter) { return parameter.name == axis; };
    if (std::any_of(spec.parameters.begin(), spec.parameters.end(), has_name))
      launch.block.push_back({axis, {}});
  }
  if (launch.block.empty()) launch.block = {{"1", {}}};  // it says nothing of what a block is
  spec.steps = {launch};
  return spec;
}

}  // namespace tuner::device::replay
