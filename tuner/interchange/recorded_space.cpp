#include "tuner/interchange/recorded_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tuner/interchange/recorded_rows.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::interchange {
namespace {

using model::TrialStatus;

constexpr double ns_per_ms = 1e6;
constexpr const char* formats = "recordings are Kernel Tuner's cache files, T4 files and KTT's results";

std::string read_text(const std::filesystem::path& path) {
  util::GzipInput in(path);
  if (!in) throw model::Error(fmt::format("cannot read {}", path.string()), "is there such a file?");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Python writes numbers that JSON has not. An empty list takes their place, which is no time.
void replace_no_numbers(std::string& text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\\') ++i;
    if (is_quoted) continue;
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
      if (text.compare(i, word.size(), word) == 0)
        text.replace(i, word.size(), "[]" + std::string(word.size() - 2, ' '));
  }
}

/// With the entries of a Kernel Tuner cache as an array: an object that keeps its order looks for each new
/// name among all it has. In other files, where objects stand in arrays, taking them apart would be as slow.
Json parse_entries_apart(const std::string& text) {
  if (text.find(R"("tune_params")") == std::string::npos) return Json::parse(text, nullptr, false);
  Json entries = Json::array();
  bool is_cache = false;
  const auto keep = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) is_cache = parsed == "cache";
    if (event != Json::parse_event_t::object_end || depth != 2 || !is_cache) return true;
    entries.push_back(std::move(parsed));
    return false;
  };
  Json json = Json::parse(text, keep, false);
  if (!entries.empty() && json.is_object()) json["cache"] = std::move(entries);
  return json;
}

/// A cache file grows entry by entry, and gets its last brackets when its run ends.
Json parse_cut_off(const std::string& text, const std::string& name) {
  Json json = parse_entries_apart(text);
  std::size_t end = text.size();
  // An entry has no inner object: the first bracket from behind ends one.
  for (int attempt = 0; attempt < 2 && json.is_discarded() && end != 0; ++attempt) {
    const std::size_t bracket = text.rfind('}', end - 1);
    if (bracket == std::string::npos) break;
    json = parse_entries_apart(text.substr(0, bracket + 1) + "}}");
    end = bracket;
  }
  if (json.is_discarded() || !json.is_object())
    throw model::Error(fmt::format("{} is no JSON object", name), formats);
  return json;
}

/// What the file calls a kernel or a device; empty where it does not say.
std::string name_in(const Json& object, const char* key, const std::string& file) {
  constexpr std::size_t longest = 256;  // that a database takes
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  if (!found->is_string())
    throw model::Error(fmt::format("{}: {} is {}, a name was expected", file, key, found->dump()),
                       "correct it in the file");
  const auto& text = found->get_ref<const std::string&>();
  if (util::bytes_of_characters(text, longest) < text.size())
    throw model::Error(fmt::format("{}: {} has more than {} characters", file, key, longest),
                       "shorten it in the file");
  return text;
}

/// The kernel that KTT's results are of.
std::string ktt_kernel(const Json& file, const std::string& name) {
  for (const Json& result : file.at("Results"))
    if (result.contains("KernelName")) return name_in(result, "KernelName", name);
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
    parameter.spelled = std::ranges::any_of(parameter.values, [](const model::Value& value) {
      return value.is_word() && !std::ranges::all_of(value.text(), is_letter);
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
    if (row.status == TrialStatus::ok) {
      entry.time_ns = row.time_ms * ns_per_ms;
      for (const double sample : row.samples_ms) entry.samples_ns.push_back(sample * ns_per_ms);
    }
    entry.compile_ms = row.compile_ms;
    entry.measured_at = row.measured_at;
    space.entries.push_back(std::move(entry));
  }
}

/// A whole number, which may stand in quotes. Nothing for other text: Kernel Tuner writes "callable", and
/// expressions.
std::optional<std::int64_t> extent_of(const Json& json, const std::string& name) {
  if (json.is_string()) {
    const auto number = util::parse_number<std::int64_t>(json.get<std::string>());
    if (!number) return std::nullopt;
    return extent_of(Json(*number), name);
  }
  constexpr double largest = 9e15;  // what a double holds exactly
  const bool is_whole = json.is_number_integer() ||
                        (json.is_number_float() && json.get<double>() == std::floor(json.get<double>()));
  if (!is_whole || json.get<double>() < 1 || json.get<double>() > largest)
    throw model::Error(
        fmt::format("{}: problem_size has {}, whole numbers from 1 on were expected", name, json.dump()),
        "correct it in the file");
  return json.get<std::int64_t>();
}

/// A number, or a list of numbers.
std::vector<std::int64_t> extents_of(const Json& file, const std::string& name) {
  std::vector<std::int64_t> extents;
  const auto size = file.find("problem_size");
  if (size == file.end() || size->is_null()) return extents;
  for (const Json& json : size->is_array() ? *size : Json::array({*size}))
    if (const auto extent = extent_of(json, name)) extents.push_back(*extent);
  return extents;
}

/// What our own exports add to the formats.
void read_own_names(RecordedSpace& space, const Json& file) {
  const auto own = file.find("tuner");
  if (own == file.end()) return;
  space.family = own->value("family", "");
  space.type = own->value("type", "");
  space.row_padding = own->value("row_padding", std::int64_t{0});
  for (const auto& [name, member] : environment_names) space.environment.*member = own->value(name, "");
  space.environment.clock_mhz = own->value("clock_mhz", 0.0);
  if (own->contains("sizes")) space.size_names = own->at("sizes").get<std::vector<std::string>>();
  if (space.size_names.size() != space.problem.size()) space.size_names.clear();
}

}  // namespace

RecordedSpace parse_recorded_space(std::string text, const std::string& name) {
  replace_no_numbers(text);
  const Json file = parse_cut_off(text, name);
  text = {};
  RecordedSpace space;
  try {
    const bool t4 = file.contains("results");
    const bool ktt = file.contains("Results");
    if (!t4 && !ktt && !(file.contains("cache") && file.contains("tune_params")))
      throw model::Error(fmt::format("{} has neither `cache` and `tune_params` nor `results`", name),
                         formats);
    Objective objective = objective_of(file, name);
    std::vector<Row> rows = rows_of(file, objective);
    if (rows.empty()) throw model::Error(fmt::format("{} holds no configuration", name));
    spell_mixed_values(rows);
    space.format = ktt ? "KTT" : t4 ? "T4" : "Kernel Tuner";
    space.instead_of_time = objective.text();
    // A T4 file has no place for these; ours have them beside the unit of time.
    const Json& names = t4 && file.contains("metadata") ? file.at("metadata") : file;
    space.device = name_in(names, "device_name", name);
    if (ktt && file.contains("Metadata")) space.device = name_in(file.at("Metadata"), "Device", name);
    space.kernel = ktt ? ktt_kernel(file, name) : name_in(names, "kernel_name", name);
    space.problem = extents_of(names, name);
    read_own_names(space, names);
    space.parameters = parameters_of(rows, name);
    add_entries(space, rows);
    if (space.kernel.empty()) space.kernel = "recorded_" + space.first_entry().hex().substr(0, 7);
  } catch (const Json::exception& error) {
    throw model::Error(fmt::format("{} does not follow its format: {}", name, error.what()), formats);
  }
  return space;
}

RecordedSpace read_recorded_space(const std::filesystem::path& file) {
  return parse_recorded_space(read_text(file), file.string());
}

model::Digest RecordedSpace::first_entry() const {
  const Entry& first = entries.front();
  model::DigestBuilder digest;
  digest.add("recorded entry").add(first.measured_at).add(model::to_string(first.status));
  digest.add(std::bit_cast<std::int64_t>(first.time_ns.value_or(0)));
  for (std::size_t p = 0; p < parameters.size(); ++p)
    digest.add(parameters[p].name).add(parameters[p].values[first.coordinates[p]].text());
  return digest.finish();
}

model::Problem RecordedSpace::case_problem() const {
  model::Problem out;
  out.family = family.empty() ? kernel : family;
  for (std::size_t d = 0; d < std::max<std::size_t>(1, problem.size()); ++d) {
    out.sizes.push_back({d < size_names.size() ? size_names[d] : fmt::format("SIZE_{}", d),
                         d < problem.size() ? problem[d] : 1});
  }
  out.type = model::parse_element_type(type).value_or(model::ElementType::float32);
  out.row_padding = row_padding;
  return out;
}

bool looks_like_recorded_space(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
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
  spec.name = recorded.kernel;
  spec.family = recorded.family.empty() ? spec.name : recorded.family;
  spec.parameters = recorded.parameters;
  for (const RecordedSpace::Entry& entry : recorded.entries) spec.listed.push_back(entry.coordinates);
  std::sort(spec.listed.begin(), spec.listed.end());
  const model::Problem problem = recorded.case_problem();
  spec.types = {problem.type};
  for (const model::Dimension& size : problem.sizes) spec.sizes.push_back(size.name);
  model::StepSpec launch;
  launch.entry = spec.name;
  launch.grid = {{"1", {}}};
  for (const char* axis : block_parameters) {
    const auto has_name = [&](const model::ParameterSpec& parameter) { return parameter.name == axis; };
    if (std::any_of(spec.parameters.begin(), spec.parameters.end(), has_name))
      launch.block.push_back({axis, {}});
  }
  if (launch.block.empty()) launch.block = {{"1", {}}};  // it says nothing of what a block is
  spec.steps = {launch};
  return spec;
}

}  // namespace tuner::interchange
