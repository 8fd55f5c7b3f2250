#include "db/contest_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::TrialRecord;

ContestFinder::ContestFinder(const Connection& db)
    : m_fastest(db, sql("select_fastest")),
      m_by_low(db, sql("select_by_low")),
      m_kernels(db, sql("select_ok_kernels")),
      m_untuned(db, sql("select_untuned")),
      m_trial(db, sql("select_trials") + " WHERE t.id = ?"),
      m_settled(db, sql("select_is_settled")),
      m_newer(db, sql("select_newer_faster")),
      m_newer_of_kernel(db, sql("select_newer_faster_of_kernel")),
      m_ok_kernel(db, "SELECT kernel FROM trials WHERE id = ? AND status = 'ok' AND superseded = 0"),
      m_final(db,
              " WHERE f.contest = ? AND (SELECT superseded FROM trials WHERE id = f.chosen) = 0"
              " ORDER BY f.measured_at DESC, f.id DESC LIMIT 1") {}

std::vector<Digest> ContestFinder::kernels(const Digest& contest, const std::string& name) {
  std::vector<Digest> found;
  auto row = m_kernels.use();
  row.bind(contest).bind(name);
  while (row.step()) found.push_back(row.digest());
  return found;
}

std::optional<Digest> ContestFinder::fastest(const Digest& contest) {
  auto row = m_fastest.use();
  row.bind(contest);
  if (!row.step()) return std::nullopt;
  return row.digest();
}

std::optional<Digest> ContestFinder::fastest(const Digest& contest, const std::vector<Digest>& kernels) {
  std::optional<Digest> best;
  double best_ns = std::numeric_limits<double>::infinity();
  for (const Digest& kernel : kernels) {
    auto row = m_by_low.use();
    row.bind(contest).bind(kernel);
    while (row.step()) {
      const Digest trial = row.digest();
      const double median_ns = row.real();
      // A median is never below its interval's low end, so no trial from here on can be faster.
      if (row.real() > best_ns) break;
      if (median_ns >= best_ns) continue;
      best = trial;
      best_ns = median_ns;
    }
  }
  return best;
}

std::vector<Digest> ContestFinder::tied(const Digest& contest, const std::vector<Digest>& kernels,
                                        const TrialRecord& winner) {
  std::vector<std::pair<double, Digest>> found;
  const double end_ns = winner.outcome.measurement->high_ns;
  for (const Digest& kernel : kernels) {
    auto row = m_by_low.use();
    row.bind(contest).bind(kernel);
    while (row.step()) {
      const Digest trial = row.digest();
      const double median_ns = row.real();
      if (row.real() > end_ns) break;
      if (trial != winner.key) found.emplace_back(median_ns, trial);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<Digest> keys;
  for (const auto& [median_ns, key] : found) keys.push_back(key);
  return keys;
}

std::optional<FinalRecord> ContestFinder::last_final(const Digest& contest) {
  auto row = m_final.use();
  row.bind(contest);
  if (!row.step()) return std::nullopt;
  return m_final.read(row);
}

bool ContestFinder::is_settled(const Digest& contest) {
  auto row = m_settled.use();
  row.bind(contest);
  return row.step() && row.flag();
}

bool ContestFinder::newer_faster(const Digest& contest, double ns, const std::string& moment) {
  auto row = m_newer.use();
  return row.bind(contest).bind(ns).bind(moment).step();
}

bool ContestFinder::newer_faster(const Digest& contest, const Digest& kernel, double ns,
                                 const std::string& moment) {
  auto row = m_newer_of_kernel.use();
  return row.bind(contest).bind(ns).bind(moment).bind(kernel).step();
}

std::optional<Digest> ContestFinder::kernel_if_ok(const Digest& trial) {
  auto row = m_ok_kernel.use();
  row.bind(trial);
  if (!row.step()) return std::nullopt;
  return row.digest();
}

std::optional<TrialRecord> ContestFinder::untuned(const Digest& contest, const Digest& winner) {
  auto row = m_untuned.use();
  row.bind(contest).bind(winner);
  if (!row.step()) return std::nullopt;
  return load(row.digest());
}

TrialRecord ContestFinder::load(const Digest& key) {
  auto row = m_trial.use();
  row.bind(key);
  if (!row.step()) throw tuner::model::Error(fmt::format("trial {} is gone", key.hex()));
  return read_trial(row, false);
}

}  // namespace db
