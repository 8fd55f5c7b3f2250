#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "reports/findings.hpp"
#include "reports/json.hpp"
#include "reports/report.hpp"
#include "reports/text.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace reports {

std::span<const tuner::model::EmbeddedFile> embedded_files();  // generated

std::string_view embedded_text(std::string_view path) {
  for (const tuner::model::EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return file.text;
  }
  throw tuner::model::Error("the binary lacks " + std::string(path));
}

namespace {

using db::json_of;
using model::TrialRecord;

/// A value in CSV. Numbers are written so that reading them gives the same bits.
std::string cell_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return value.is_null() ? "" : value.dump();
  std::string items;
  for (const Json& item : value) items += (items.empty() ? "" : ";") + cell_of(item);
  return items;
}

/// Calls `found` with the path to each value in an object, as `measurement.median_ns`, and the value.
template <typename Found>
void walk(const Json& value, const std::string& path, const Found& found) {
  if (!value.is_object()) return found(path, value);
  for (const auto& [name, member] : value.items())
    walk(member, path.empty() ? name : path + '.' + name, found);
}

/// Paths to values, in the order of the objects that have them.
class Paths {
 public:
  /// A new path stands behind the one before it in its object. Those to null are none unless `all` are.
  void add(const Json& object, bool all) {
    std::string before;
    walk(object, "", [&](const std::string& path, const Json& value) {
      if ((all || !value.is_null()) && m_known.insert(path).second) {
        const auto at = std::find(m_order.begin(), m_order.end(), before);
        m_order.insert(at == m_order.end() ? m_order.begin() : std::next(at), path);
      }
      if (m_known.contains(path)) before = path;
    });
  }
  const std::vector<std::string>& order() const { return m_order; }

 private:
  std::vector<std::string> m_order;
  std::unordered_set<std::string> m_known;
};

/// The trial's JSON with the number of its samples in their place, and whether it is the one to use.
Json row_json(const TrialRecord& trial, const ReportInput& input) {
  const db::BestAnswer* answer = answer_of(input.answers, trial.problem, trial.environment);
  Json row = report_trial_json(trial, input);
  if (trial.outcome.measurement) {
    row["measurement"].erase("samples_ns");
    row["measurement"]["samples"] = trial.outcome.measurement->samples_ns.size();
  }
  row["best"] = answer != nullptr && answer->winner.key == trial.key;
  return row;
}

/// With every part that a trial may have.
Json whole_row() {
  TrialRecord trial;
  trial.outcome.measurement.emplace();
  trial.outcome.output_bits.emplace();
  trial.outcome.energy.emplace();
  trial.resources.emplace();
  trial.occupancy.emplace();
  Json row = row_json(trial, {});
  row["ceiling_share"] = {{"fraction", nullptr}, {"ceiling", nullptr}};
  row["in_final"] = json_of(model::FinalRecord::Entry{});
  row.erase("macros");  // an object in the trials that have any
  return row;
}

/// The values of one path over trials. Each different one is kept once.
class ValueColumn {
 public:
  void add(std::size_t row, const Json& value) {
    m_codes.resize(row, -1);  // of trials without the path
    const auto [known, is_new] = m_known.try_emplace(value.dump(), static_cast<int>(m_values.size()));
    if (is_new) m_values.push_back(value);
    m_codes.push_back(known->second);
  }

  Json json(std::size_t rows) {
    m_codes.resize(rows, -1);
    const bool is_everywhere = std::ranges::find(m_codes, -1) == m_codes.end();
    if (m_values.size() == 1 && is_everywhere) return {{"all", m_values.front()}};
    if (!std::ranges::all_of(m_values, [](const Json& value) { return value.is_number(); }))
      return {{"values", m_values}, {"codes", m_codes}};
    Json numbers = Json::array();
    for (const int code : m_codes) numbers.push_back(code < 0 ? Json(nullptr) : m_values[code]);
    return numbers;
  }

 private:
  std::unordered_map<std::string, int> m_known;
  std::vector<Json> m_values;
  std::vector<int> m_codes;
};

/// Bytes that are not UTF-8 become U+FFFD.
Json shown(const Json& value) {
  constexpr std::size_t longest = 500;
  if (!value.is_string()) return value;
  std::string text = tuner::util::valid_utf8(value.get<std::string>());
  if (text.size() > longest) text = tuner::util::valid_utf8(text.substr(0, longest)) + " …";
  return text;
}

}  // namespace

std::string to_csv(const ReportInput& input) {
  Paths columns;
  columns.add(whole_row(), true);
  for (const TrialRecord& trial : input.trials) columns.add(row_json(trial, input), false);
  std::string out = csv_line(columns.order());
  for (const TrialRecord& trial : input.trials) {
    std::unordered_map<std::string, std::string> cells;
    walk(row_json(trial, input), "",
         [&](const std::string& path, const Json& value) { cells[path] = cell_of(value); });
    std::vector<std::string> line;
    for (const std::string& column : columns.order()) line.push_back(cells[column]);
    out += csv_line(line);
  }
  return out;
}

namespace {

/// Of trials of one environment, see to_html().
Json columns_json(const Trials& trials, const ReportInput& input) {
  Paths order;
  std::unordered_map<std::string, ValueColumn> columns;
  for (std::size_t row = 0; row < trials.size(); ++row) {
    Json trial = row_json(*trials[row], input);
    for (const char* known : {"environment", "sequence", "definition", "probe"}) trial.erase(known);
    order.add(trial, false);
    walk(trial, "", [&](const std::string& path, const Json& value) {
      if (!value.is_null() && value != "") columns[path].add(row, shown(value));
    });
  }
  Json out = {{"count", trials.size()}, {"columns", Json::object()}};
  for (const std::string& path : order.order()) {
    if (columns.contains(path)) out["columns"][path] = columns[path].json(trials.size());
  }
  return out;
}

/// Of each trial the place of its problem.
Json places(const Trials& trials, const std::vector<ProblemSummary>& problems) {
  std::unordered_map<const model::TrialRecord*, std::size_t> known;
  for (std::size_t place = 0; place < problems.size(); ++place)
    for (const model::TrialRecord* trial : problems[place].trials) known.emplace(trial, place);
  Json out = Json::array();
  for (const model::TrialRecord* trial : trials) {
    const auto place = known.find(trial);
    out.push_back(place == known.end() ? Json() : Json(place->second));
  }
  return out;
}

/// What people read or type, beside the problem's figures.
void add_words(const ProblemSummary& summary, const ReportInput& input, Json& problem) {
  problem["searched_text"] = summary.searched ? searched_text(*summary.searched) : "";
  if (problem["final"].is_object()) problem["final"].erase("coverage");
  if (summary.best == nullptr) return;
  const auto usage = input.usages.find(summary.best->key);
  if (usage == input.usages.end()) return;
  problem["command"] = usage->second.command;
  problem["selection"] = usage->second.selection;
  problem["flags"] = usage->second.flags;
}

Json page_json(const ReportInput& input) {
  Json out = heading_json(input);
  out["id_digits"] = input.id_digits;
  out["database_flag"] = input.database_flag;
  out["environments"] = Json::array();
  for (const EnvironmentGroup& group : by_environment(view(input.trials))) {
    std::vector<ProblemSummary> problems;
    std::vector<std::string> families;  // of the problems
    Json headlines = Json::object();
    for (const FamilyGroup& family : by_family(group.trials)) {
      const std::vector<ProblemSummary> own = by_problem(family.trials, input.answers);
      problems.insert(problems.end(), own.begin(), own.end());
      families.resize(problems.size(), family.name);
      headlines[family.name] = headline(own, input.ceilings);
    }
    Json one = group_json(group, problems, input);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      add_words(problems[i], input, one["problems"][i]);
      one["problems"][i]["family"] = families[i];
    }
    one["name"] = group.environment.text();
    one["headlines"] = std::move(headlines);
    one["trials"] = columns_json(group.trials, input);
    one["trials"]["problems"] = places(group.trials, problems);
    out["environments"].push_back(std::move(one));
  }
  return out;
}

/// JSON that no parser of HTML takes for an end of its element.
std::string script_safe(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char& c : json) out += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  return out;
}

/// Modules as one script, in the order of reports/CMakeLists.txt: their names share one scope, so what
/// imports and exports them goes.
std::string joined_modules() {
  std::string out;
  for (const tuner::model::EmbeddedFile& file : embedded_files()) {
    if (!file.path.ends_with(".js") || file.path.find("uplot") != std::string_view::npos) continue;
    std::string_view rest = file.text;
    while (!rest.empty()) {
      std::string_view line = tuner::util::split_first(rest, "\n");
      if (line.starts_with("import ")) continue;
      if (line.starts_with("export ")) line.remove_prefix(std::string_view("export ").size());
      out.append(line).append("\n");
    }
  }
  return out;
}

}  // namespace

std::string to_html(const ReportInput& input) {
  const std::map<std::string_view, std::string> parts = {
      {"TITLE", html_text(input.title)},
      {"STYLES",
       fmt::format("{}\n{}", embedded_text("page/uplot/uPlot.min.css"), embedded_text("page/page.css"))},
      {"DATA", script_safe(page_json(input).dump(-1, ' ', false, Json::error_handler_t::replace))},
      {"LIBRARY", fmt::format("/*\n{}*/\n{}", embedded_text("page/uplot/LICENSE"),
                              embedded_text("page/uplot/uPlot.iife.min.js"))},
      {"SCRIPT", joined_modules()}};
  std::string out;
  std::string_view rest = embedded_text("page/page.html");
  while (!rest.empty()) {  // text {{NAME}} text {{NAME}} text
    out += tuner::util::split_first(rest, "{{");
    if (!rest.empty()) out += parts.at(tuner::util::split_first(rest, "}}"));
  }
  return out;
}

}  // namespace reports
