#include "db/new_tallies.hpp"

#include <algorithm>

namespace db {

using tuner::model::Digest;

void NewTallies::count(const Digest& contest, const Digest& kernel, const std::string& status,
                       bool superseded, const std::string& role, const std::string& measured_at) {
  Tally& tally = m_tallies[{contest, kernel, status, superseded, role}];
  ++tally.trials;
  tally.latest = std::max(tally.latest, measured_at);
}

void NewTallies::put(const Connection& db) const {
  Statement insert(
      db,
      "INSERT INTO tallies (contest, kernel, status, superseded, role, trials, latest) "
      "VALUES (?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT DO UPDATE SET trials = trials + excluded.trials, latest = max(latest, excluded.latest)");
  for (const auto& [kind, tally] : m_tallies) {
    const auto& [contest, kernel, status, superseded, role] = kind;
    insert.use()
        .bind(contest)
        .bind(kernel)
        .bind(status)
        .bind(superseded)
        .bind(role)
        .bind(tally.trials)
        .bind(tally.latest)
        .run();
  }
}

}  // namespace db
