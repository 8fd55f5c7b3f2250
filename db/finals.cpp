#include "db/finals.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "db/queries.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"

namespace db {
namespace {

using tuner::model::Ceiling;
using tuner::model::Digest;
using tuner::model::FinalRecord;

/// Beyond this a time is not the one that the ratios say.
constexpr double as_good_as_equal = 1.02;

struct Timed {
  double ns = 0;
  double mhz = 0;
  std::string gpu;
};

struct Finalist {
  double ratio = 1;
  std::optional<Timed> final;
  std::optional<Timed> race;  ///< the fastest
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void keep_faster(std::optional<Timed>& known, const Timed& time) {
  if (!known || time.ns < known->ns) known = time;
}

/// In the order of the record. Of the final's run the last measurement is the final's; the others are of
/// races.
std::vector<Finalist> read_finalists(Statement& times, const Digest& final, const FinalRecord& record) {
  std::vector<Finalist> finalists;
  for (const FinalRecord::Entry& entry : record.entries) finalists.push_back({entry.ratio, {}, {}});
  auto row = times.use(final);
  while (row.step()) {
    const auto place = std::ranges::find(record.entries, row.digest(), &FinalRecord::Entry::trial);
    Finalist& finalist = finalists.at(static_cast<std::size_t>(place - record.entries.begin()));
    Timed time;
    time.ns = row.real();
    time.mhz = row.real();
    const bool of_run = row.flag();
    time.gpu = row.text();
    if (of_run) {
      if (finalist.final) keep_faster(finalist.race, *finalist.final);
      finalist.final = time;
    } else {
      keep_faster(finalist.race, time);
    }
  }
  return finalists;
}

/// Whether the clock alone makes it slower.
bool is_explained_by_clock(const FinalCheck& check) {
  if (check.final_mhz <= 0 || check.own_race_mhz <= 0) return false;
  return check.final_ns * check.final_mhz <= check.own_race_ns * check.own_race_mhz * as_good_as_equal;
}

}  // namespace

bool FinalCheck::is_off_clock() const {
  if (in_turn_ns <= 0 || final_ns <= 0) return false;
  return final_ns > in_turn_ns * as_good_as_equal || in_turn_ns > final_ns * as_good_as_equal;
}

double FinalCheck::race_of_fastest(const std::string& gpu) const {
  const auto found = raced_on.find(gpu);
  return found == raced_on.end() ? raced_ns : found->second;
}

FinalChecker::FinalChecker(const Connection& db)
    : m_times(db, sql("select_final_times")),
      m_elsewhere(
          db,
          "SELECT count(*) OVER (), id, median_ns FROM trials AS t WHERE tuning_case = ?1 AND competes = 1 "
          "AND median_ns < ?3 AND NOT EXISTS (SELECT 1 FROM final_entries AS e WHERE e.final = ?2 "
          "AND e.trial = t.id) ORDER BY median_ns, id LIMIT 1") {}

FinalCheck FinalChecker::check(const Digest& tuning_case, const Digest& id, const FinalRecord& record) {
  FinalCheck check;
  const std::vector<Finalist> finalists = read_finalists(m_times, id, record);
  if (finalists.empty() || !finalists.front().final) return check;
  const Finalist& fastest = finalists.front();
  check.final_ns = fastest.final->ns;
  check.final_mhz = fastest.final->mhz;
  if (fastest.race) {
    check.own_race_ns = fastest.race->ns;
    check.own_race_mhz = fastest.race->mhz;
  }
  std::vector<double> in_turn, clocks, raced;
  std::map<std::string, std::vector<double>> raced_on;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const Finalist& one = finalists[i];
    if (i > 0 && one.final) in_turn.push_back(one.final->ns / one.ratio);
    if (i > 0 && one.final && one.final->mhz > 0) clocks.push_back(one.final->mhz);
    if (!one.race) continue;
    raced.push_back(one.race->ns / one.ratio);
    if (!one.race->gpu.empty()) raced_on[one.race->gpu].push_back(raced.back());
  }
  check.in_turn_ns = median(in_turn);
  check.rivals_mhz = median(clocks);
  check.raced_ns = median(raced);
  for (const auto& [gpu, times] : raced_on) check.raced_on[gpu] = median(times);

  // Where its races were on other GPUs, the final itself tells what it takes on this one.
  const std::string& gpu = fastest.final->gpu;
  if (!gpu.empty() && !check.raced_on.empty() && !check.raced_on.contains(gpu))
    check.raced_on[gpu] = check.in_turn_ns > 0 ? check.in_turn_ns : check.final_ns;

  const bool alone = check.in_turn_ns == 0;
  const bool slower = check.own_race_ns > 0 && check.final_ns > check.own_race_ns * as_good_as_equal;
  if (!alone || !slower || is_explained_by_clock(check)) return check;
  auto row = m_elsewhere.use(tuning_case, id, check.final_ns);
  if (!row.step()) return check;
  check.faster_elsewhere = row.integer();
  check.fastest_elsewhere = row.digest();
  check.fastest_elsewhere_ns = row.real();
  return check;
}

namespace {

/// See FinalReader. The one chosen is tied and is left, or the final would be gone.
void hold_against_first_left(std::vector<FinalRecord::Entry>& entries) {
  if (entries.empty() || entries.front().ratio == 1) return;
  const auto first = std::ranges::find_if(entries, &FinalRecord::Entry::tied);
  if (first == entries.end()) return;
  const double ratio = first->ratio;
  std::rotate(entries.begin(), first, std::next(first));
  for (FinalRecord::Entry& entry : entries)
    for (double* const each : {&entry.ratio, &entry.ratio_low, &entry.ratio_high}) *each /= ratio;
  entries.front().ratio_low = entries.front().ratio_high = 1;
}

}  // namespace

FinalReader::FinalReader(const Connection& db, const std::string& rest)
    : m_final(db, select_of_case<FinalRecord>("finals", "f") + rest),
      m_entries(db, select_from<FinalRecord::Entry>("final_entries WHERE final = ? ORDER BY place")),
      m_coverage(db, select_from<FinalRecord::Coverage>(
                         "final_coverage WHERE final = ? ORDER BY run, kernel, first")) {}

FinalRecord FinalReader::read_one(Statement::Use& row) {
  const Digest id = row.digest();
  auto final = read_of_case<FinalRecord>(row);
  final.entries = m_entries.all(read_row<FinalRecord::Entry>, id);
  hold_against_first_left(final.entries);
  final.coverage = m_coverage.all(read_row<FinalRecord::Coverage>, id);
  return final;
}

std::vector<FinalRecord> finals(const Connection& db, const TrialFilter& filter) {
  Condition condition = case_condition(filter);
  if (filter.superseded) {
    condition.add("(SELECT superseded FROM trials WHERE id = f.chosen) = ?",
                  static_cast<std::int64_t>(*filter.superseded));
  }
  return FinalReader(db, condition.text() +
                             " ORDER BY p.family, length(p.size), p.size, p.type, p.row_padding, "
                             "n.environment, f.measured_at, f.id")
      .all(condition);
}

std::optional<FinalRecord> final_with(const Connection& db, const Digest& trial) {
  return final_between(db, trial, trial);
}

std::optional<FinalRecord> final_between(const Connection& db, const Digest& a, const Digest& b) {
  return FinalReader(db,
                     " WHERE f.id IN (SELECT final FROM final_entries WHERE trial = ?"
                     " INTERSECT SELECT final FROM final_entries WHERE trial = ?)"
                     // Of finals from before version 9 clocks decide, as among results (db::update_trial).
                     " ORDER BY max(f.sequence, 0) DESC, iif(f.sequence > 0, '', f.measured_at) DESC,"
                     " f.id DESC LIMIT 1")
      .first(a, b);
}

std::vector<Ceiling> ceilings(const Connection& db, const std::string& device) {
  std::vector<Ceiling> all =
      all_from<Ceiling>(db, "ceilings WHERE ? IN ('', device) ORDER BY device, kind, type", device);
  Statement cache(db, "SELECT coalesce(max(limits ->> 'l2_bytes'), 0) FROM devices WHERE name = ?");
  for (Ceiling& ceiling : all)
    if (ceiling.kind == "l2")
      ceiling.cache_bytes =
          cache.first([](Statement::Use& row) { return row.integer(); }, ceiling.device).value_or(0);
  return all;
}

}  // namespace db
