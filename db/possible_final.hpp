#pragma once
#include <optional>
#include <set>
#include <string>

#include "db/case_finder.hpp"
#include "db/statement.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// Reads whom a final of a case would be between, and what the finals before have considered.
class PossibleFinalReader {
 public:
  explicit PossibleFinalReader(const Connection& db);

  /// The median of the fastest trial that may win.
  std::optional<double> best_ns(const tuner::model::Digest& tuning_case);
  /// See ResultSource::least_ns().
  std::optional<double> least_ns(const std::vector<tuner::model::Digest>& trials);
  /// See ResultSource::least_ns_beside().
  std::optional<double> least_ns_beside(const std::set<std::string>& kernels,
                                        const tuner::model::Digest& tuning_case);
  /// See ResultSource::possible_final().
  tuner::model::PossibleFinal read(const tuner::model::Digest& tuning_case, double within, int most);

 private:
  /// What a trial takes in a race.
  struct Raced {
    tuner::model::Digest trial;
    double ns = 0;
  };
  /// Finalists of the finals that count. `unsettled_ns`: how slow one of them is without a rival, if the
  /// race says otherwise.
  std::vector<Raced> finalists(const tuner::model::Digest& tuning_case,
                               const std::vector<tuner::model::Digest>& finals, double& unsettled_ns);
  std::vector<Raced> finalists(const tuner::model::Digest& tuning_case, std::vector<Raced> finalists,
                               double within, double unsettled_ns);

  Statement m_fastest, m_least, m_least_by_kernel, m_finalists, m_coverage, m_last_finals, m_considered,
      m_entries;
  CaseFinder m_cases;
  FinalChecker m_checker;
};

}  // namespace db
