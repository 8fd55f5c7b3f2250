#pragma once
#include <optional>
#include <set>
#include <string>

#include "db/statement.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// Reads whom a final of a contest would be between, and what the finals before have considered.
class FieldReader {
 public:
  explicit FieldReader(const Connection& db);

  /// The median of the fastest trial that may win.
  std::optional<double> best_ns(const tuner::model::Digest& contest);
  /// See ResultSource::fastest().
  tuner::model::Fastest fastest(const std::vector<tuner::model::Digest>& trials);
  /// See ResultSource::fastest_beside().
  tuner::model::Fastest fastest_beside(const std::set<std::string>& kernels,
                                       const tuner::model::Digest& contest);
  /// See ResultSource::field().
  tuner::model::Field read(const tuner::model::Digest& contest, double within, int most);

 private:
  tuner::model::TrialRecord load(const tuner::model::Digest& trial);
  std::vector<tuner::model::FinalRecord::Coverage> coverage(const tuner::model::Digest& contest);

  Statement m_best, m_fastest, m_fastest_by_kernel, m_contenders, m_baselines, m_trial, m_coverage,
      m_last_finals, m_considered;
};

}  // namespace db
