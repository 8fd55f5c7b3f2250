#include "db/past.hpp"

#include "db/row_reader.hpp"
#include "db/statement.hpp"

namespace db {

PastFailure failure_of(const tuner::model::TrialRecord& trial) {
  return {trial.key,         trial.run,      trial.outcome.status,      trial.outcome.detail,
          trial.measured_at, trial.sequence, trial.outcome.verification};
}

std::vector<PastFailure> past_failures(const Connection& db) {
  Statement select(db,
                   "SELECT trial, run, status, detail, measured_at, sequence, verified, error_ratio, "
                   "error_ulp_scale, wrong_elements, coalesce(first_wrong, -1), wrong_buffer, rule "
                   "FROM earlier_failures ORDER BY trial, run");
  std::vector<PastFailure> list;
  auto row = select.use();
  while (row.step()) {
    PastFailure& failure = list.emplace_back();
    failure.trial = row.digest();
    failure.run = row.digest();
    failure.status = read_status(row);
    failure.detail = row.text();
    failure.measured_at = row.text();
    failure.sequence = row.integer();
    failure.verification = read_verification(row);
  }
  return list;
}

std::vector<Probing> probings(const Connection& db) {
  Statement select(db,
                   "SELECT probe, status, detail, deaths, trial, nullif(run, x''), measured_at, cleared "
                   "FROM probings ORDER BY probe, measured_at, run, trial");
  std::vector<Probing> list;
  auto row = select.use();
  while (row.step()) {
    Probing& probing = list.emplace_back();
    probing.verdict = read_verdict(row);
    probing.cleared = row.flag();
  }
  return list;
}

}  // namespace db
