#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "reports/json.hpp"
#include "reports/text.hpp"
#include "tuner/util/text.hpp"

namespace reports {
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
  const model::Winner* winner = winner_of(input.winners, trial.problem, trial.environment);
  Json row = report_trial_json(trial, input);
  if (trial.outcome.measurement) {
    row["measurement"].erase("samples_ns");
    row["measurement"]["samples"] = trial.outcome.measurement->samples_ns.size();
  }
  row["best"] = winner != nullptr && winner->trial == trial.key;
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

}  // namespace reports
