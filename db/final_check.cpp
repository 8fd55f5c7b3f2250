#include "db/final_check.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "db/sql.hpp"

namespace db {
namespace {

using tuner::model::Digest;

/// Beyond this a time is not the one that the ratios say.
constexpr double as_good_as_equal = 1.02;

struct Timed {
  double ns = 0;
  double mhz = 0;
  std::string gpu;
};

struct Contestant {
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

/// Of the final's run the last measurement is the final's; the others are of races.
std::vector<Contestant> read(Statement& times, const Digest& final) {
  std::vector<Contestant> contestants;
  auto row = times.use();
  row.bind(final);
  while (row.step()) {
    const auto place = static_cast<std::size_t>(row.integer());
    if (contestants.size() <= place) contestants.resize(place + 1);
    Contestant& contestant = contestants[place];
    contestant.ratio = row.real();
    Timed time;
    time.ns = row.real();
    time.mhz = row.real();
    const bool of_run = row.flag();
    time.gpu = row.text();
    if (of_run) {
      if (contestant.final) keep_faster(contestant.race, *contestant.final);
      contestant.final = time;
    } else {
      keep_faster(contestant.race, time);
    }
  }
  return contestants;
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
          "SELECT count(*) OVER (), id, median_ns FROM trials AS t WHERE contest = ?1 AND competes = 1 "
          "AND median_ns < ?3 AND NOT EXISTS (SELECT 1 FROM final_entries AS e WHERE e.final = ?2 "
          "AND e.trial = t.id) ORDER BY median_ns, id LIMIT 1") {}

FinalCheck FinalChecker::check(const Digest& contest, const Digest& final) {
  FinalCheck check;
  const std::vector<Contestant> contestants = read(m_times, final);
  if (contestants.empty() || !contestants.front().final) return check;
  const Contestant& fastest = contestants.front();
  check.final_ns = fastest.final->ns;
  check.final_mhz = fastest.final->mhz;
  if (fastest.race) {
    check.own_race_ns = fastest.race->ns;
    check.own_race_mhz = fastest.race->mhz;
  }
  std::vector<double> in_turn, clocks, raced;
  std::map<std::string, std::vector<double>> raced_on;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const Contestant& one = contestants[i];
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
  auto row = m_elsewhere.use();
  if (!row.bind(contest).bind(final).bind(check.final_ns).step()) return check;
  check.faster_elsewhere = row.integer();
  check.fastest_elsewhere = row.digest();
  check.fastest_elsewhere_ns = row.real();
  return check;
}

}  // namespace db
