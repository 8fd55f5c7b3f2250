#pragma once
#include <utility>
#include <vector>

#include "db/statement.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// Keeps what only a spec says of its trials as the spec in force says it: which of them are the default, the
/// workload, and the metrics, of earlier measurements too.
class Restatement {
 public:
  explicit Restatement(const Connection& db);

  /// What is to be kept in place of what is.
  struct Change {
    tuner::model::Digest trial;
    tuner::model::SpecSays says;
    std::vector<std::pair<tuner::model::Digest, tuner::model::Metrics>> measurements;
  };
  /// Of the trials that the spec in force describes. Writes nothing.
  std::vector<Change> changes(const tuner::model::KernelDeclaration& kernel,
                              const tuner::model::AskSpec& ask);
  /// The caller holds the transaction.
  void put(const Change& change);

 private:
  Statement m_trials, m_problem, m_configuration, m_measurements, m_put, m_put_measurement;
};

}  // namespace db
