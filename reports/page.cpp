#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reports/findings.hpp"
#include "reports/json.hpp"
#include "reports/report.hpp"
#include "reports/text.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/receiving_stream.hpp"
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

/// The values of one path over trials, as JSON. Numbers stand one behind the other; of other values each
/// different one is kept once.
class ValueColumn {
 public:
  void add(std::size_t row, const Json& value) {
    const std::string text = db::json_line(value);
    m_is_one = m_is_one && (m_first.empty() || m_first == text);
    if (m_first.empty()) m_first = text;
    if (m_is_numbers && !value.is_number()) give_codes();
    if (m_is_numbers)
      add_number(row, text);
    else
      add_code(row, text);
  }

  /// Over that many trials.
  std::string json(std::size_t rows) {
    if (m_is_one && m_gaps == 0 && m_rows == rows) return fmt::format("{{\"all\":{}}}", m_first);
    if (m_is_numbers) {
      fill(rows);
      m_numbers.back() = ']';
      return '[' + std::move(m_numbers);
    }
    m_codes.resize(rows, -1);
    std::string out = "{\"values\":[";
    for (const std::string* text : m_values) out += *text + ',';
    out.back() = ']';
    out += ",\"codes\":[";
    for (const int code : m_codes) out += std::to_string(code) + ',';
    out.back() = ']';
    return out + '}';
  }

 private:
  void fill(std::size_t rows) {
    for (; m_rows < rows; ++m_rows, ++m_gaps) m_numbers += "null,";
  }
  void add_number(std::size_t row, const std::string& text) {
    fill(row);
    m_numbers += text + ',';
    ++m_rows;
  }
  void add_code(std::size_t row, const std::string& text) {
    m_gaps += row - m_rows;
    m_codes.resize(row, -1);  // of trials without the path
    const auto [known, is_new] = m_known.try_emplace(text, static_cast<int>(m_values.size()));
    if (is_new) m_values.push_back(&known->first);
    m_codes.push_back(known->second);
    m_rows = row + 1;
  }
  /// Of numbers that another value comes behind.
  void give_codes() {
    m_is_numbers = false;
    const std::string numbers = std::exchange(m_numbers, {});
    std::string_view rest = numbers;
    m_rows = m_gaps = 0;
    for (std::size_t row = 0; !rest.empty(); ++row)
      if (const std::string_view number = tuner::util::split_first(rest, ","); number != "null")
        add_code(row, std::string(number));
  }

  bool m_is_numbers = true;
  bool m_is_one = true;  ///< all are as the first
  std::string m_first;
  std::size_t m_rows = 0;
  std::size_t m_gaps = 0;  ///< trials without the path
  std::string m_numbers;   ///< each with a comma behind it
  std::unordered_map<std::string, int> m_known;
  std::vector<const std::string*> m_values;
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

void to_csv(const ReportInput& input, std::ostream& out) {
  Paths columns;
  columns.add(whole_row(), true);
  for_each_trial(input, nullptr,
                 [&](const TrialRecord& trial) { columns.add(row_json(trial, input), false); });
  out << csv_line(columns.order());
  for_each_trial(input, nullptr, [&](const TrialRecord& trial) {
    std::unordered_map<std::string, std::string> cells;
    walk(row_json(trial, input), "",
         [&](const std::string& path, const Json& value) { cells[path] = cell_of(value); });
    std::vector<std::string> line;
    for (const std::string& column : columns.order()) line.push_back(cells[column]);
    out << csv_line(line);
  });
}

namespace {

/// Of each trial the place of its problem; none of those that may not be chosen.
class Places {
 public:
  explicit Places(const std::vector<ProblemSummary>& problems) : m_problems(problems) {}
  std::string of(const TrialRecord& trial) {
    if (!model::may_win(trial.role)) return "null";
    const auto is_its = [&](const ProblemSummary& one) { return one.problem == trial.problem; };
    // Most are of the problem of the one before.
    if (m_last < m_problems.size() && is_its(m_problems[m_last])) return std::to_string(m_last);
    const auto found = std::ranges::find_if(m_problems, is_its);
    if (found == m_problems.end()) return "null";
    m_last = static_cast<std::size_t>(found - m_problems.begin());
    return std::to_string(m_last);
  }

 private:
  const std::vector<ProblemSummary>& m_problems;
  std::size_t m_last = 0;
};

/// Trials of one environment, see to_html().
void write_columns(const model::Environment& environment, const std::vector<ProblemSummary>& problems,
                   const ReportInput& input, std::ostream& out) {
  Paths order;
  std::unordered_map<std::string, ValueColumn> columns;
  Places places(problems);
  std::string place_list;
  std::size_t count = 0;
  for_each_trial(input, &environment, [&](const TrialRecord& record) {
    Json trial = row_json(record, input);
    for (const char* known : {"environment", "sequence", "definition", "probe"}) trial.erase(known);
    if (const auto race = input.first_races.find(record.key); race != input.first_races.end())
      trial["first_race"] = {{"measured_at", race->second.measured_at},
                             {"median_ns", race->second.median_ns}};
    order.add(trial, false);
    walk(trial, "", [&](const std::string& path, const Json& value) {
      if (!value.is_null() && value != "") columns[path].add(count, shown(value));
    });
    place_list += (count == 0 ? "" : ",") + places.of(record);
    ++count;
  });
  out << "{\"count\":" << count << ",\"columns\":{";
  const char* between = "";
  for (const std::string& path : order.order()) {
    if (!columns.contains(path)) continue;
    out << std::exchange(between, ",") << db::json_line(path) << ':' << columns[path].json(count);
    columns.erase(path);
  }
  out << "},\"problems\":[" << place_list << "]}";
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

/// An object's JSON with room for one more member.
std::string opened(const Json& object) {
  std::string text = db::json_line(object);
  text.back() = ',';
  return text;
}

void write_data(const ReportInput& input, std::ostream& out) {
  Json heading = heading_json(input);
  heading["id_digits"] = input.id_digits;
  heading["database_flag"] = input.database_flag;
  out << opened(heading) << "\"environments\":[";
  const char* between = "";
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
    out << std::exchange(between, ",") << opened(one) << "\"trials\":";
    write_columns(group.environment, problems, input, out);
    out << '}';
  }
  out << "]}";
}

/// JSON in which no parser of HTML finds an end of its element. May be called for any piece of it.
void write_script_safe(std::ostream& out, std::string_view json) {
  for (std::size_t at = json.find('<'); at != std::string_view::npos; at = json.find('<')) {
    out << json.substr(0, at) << "\\u003c";
    json.remove_prefix(at + 1);
  }
  out << json;
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

void to_html(const ReportInput& input, std::ostream& out) {
  const std::map<std::string_view, std::string> parts = {
      {"TITLE", html_text(input.title)},
      {"STYLES",
       fmt::format("{}\n{}", embedded_text("page/uplot/uPlot.min.css"), embedded_text("page/page.css"))},
      {"LIBRARY", fmt::format("/*\n{}*/\n{}", embedded_text("page/uplot/LICENSE"),
                              embedded_text("page/uplot/uPlot.iife.min.js"))},
      {"SCRIPT", joined_modules()}};
  std::string_view rest = embedded_text("page/page.html");
  while (!rest.empty()) {  // text {{NAME}} text {{NAME}} text
    out << tuner::util::split_first(rest, "{{");
    if (rest.empty()) break;
    const std::string_view name = tuner::util::split_first(rest, "}}");
    if (name != "DATA") {
      out << parts.at(name);
      continue;
    }
    tuner::util::ReceivingStream data([&](std::string_view json) { write_script_safe(out, json); });
    write_data(input, data);
  }
}

}  // namespace reports
