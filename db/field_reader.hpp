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
  /// See ResultSource::least_ns().
  std::optional<double> least_ns(const std::vector<tuner::model::Digest>& trials);
  /// See ResultSource::least_ns_beside().
  std::optional<double> least_ns_beside(const std::set<std::string>& kernels,
                                        const tuner::model::Digest& contest);
  /// See ResultSource::field().
  tuner::model::Field read(const tuner::model::Digest& contest, double within, int most);

 private:
  tuner::model::TrialRecord load(const tuner::model::Digest& trial);
  std::vector<tuner::model::FinalRecord::Coverage> coverage(const tuner::model::Digest& contest);

  Statement m_fastest, m_least, m_least_by_kernel, m_contenders, m_baselines, m_trial, m_coverage,
      m_last_finals, m_considered;
};

}  // namespace db
