#include "tuner/device/replay/recorded_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/util/gzip_input.hpp"

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

std::string read_text(const std::filesystem::path& path) {
  util::GzipInput in(path);
  if (!in) throw model::Error(fmt::format("cannot read {}", path.string()), "is there such a file?");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Single samples are most of a file, and nobody's here.
Json parse(const std::string& text) {
  const auto wanted = [](int, Json::parse_event_t event, Json& value) {
    return event != Json::parse_event_t::key || (value != "times" && value != "runtimes");
  };
  // T4 has the compile time under `times`; samples are arrays, which Kernel Tuner's key holds.
  const auto wanted_of_t4 = [](int, Json::parse_event_t event, Json& value) {
    return event != Json::parse_event_t::key || value != "runtimes";
  };
  const bool t4 = text.find("\"results\"") != std::string::npos;
  return t4 ? Json::parse(text, wanted_of_t4, false) : Json::parse(text, wanted, false);
}

/// A cache file grows entry by entry, and gets its last brackets when its run ends.
Json parse_cut_off(const std::string& text, const std::string& name) {
  Json json = parse(text);
  std::size_t end = text.size();
  // An entry has no inner object: the first bracket from behind ends one.
  for (int attempt = 0; attempt < 2 && json.is_discarded() && end != 0; ++attempt) {
    const std::size_t bracket = text.rfind('}', end - 1);
    if (bracket == std::string::npos) break;
    json = parse(text.substr(0, bracket + 1) + "}}");
    end = bracket;
  }
  if (json.is_discarded() || !json.is_object())
    throw model::Error(fmt::format("{} is no JSON object", name),
                       "recordings are Kernel Tuner's cache files or T4 files");
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

std::vector<Row> cache_rows(const Json& file) {
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

std::vector<Row> t4_rows(const Json& file) {
  std::vector<Row> rows;
  for (const Json& result : file.at("results")) {
    Row row;
    for (const auto& [name, value] : result.at("configuration").items())
      row.values.emplace_back(name, value_of(value));
    const std::string invalidity = result.value("invalidity", "correct");
    const std::string objective =
        result.contains("objectives") ? result.at("objectives").at(0).get<std::string>() : "time";
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
    if (!t4 && !(file.contains("cache") && file.contains("tune_params")))
      throw model::Error(fmt::format("{} has neither `cache` and `tune_params` nor `results`", name),
                         "recordings are Kernel Tuner's cache files or T4 files");
    const std::vector<Row> rows = t4 ? t4_rows(file) : cache_rows(file);
    if (rows.empty()) throw model::Error(fmt::format("{} holds no configuration", name));
    space.device = file.value("device_name", "");
    space.kernel = file.value("kernel_name", "");
    space.problem = extents_of(file);
    space.parameters = parameters_of(rows, name);
    add_entries(space, rows);
  } catch (const Json::exception& error) {
    throw model::Error(fmt::format("{} is not as its format says: {}", name, error.what()));
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
  spec.steps = {launch};
  return spec;
}

}  // namespace tuner::device::replay
