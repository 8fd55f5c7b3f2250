#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/final_queries.hpp"
#include "db/statement.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// The few trials of a contest that an answer needs, found along the partial indexes and never by a scan.
/// None is of an older source, nor is what a final chose.
class ContestFinder {
 public:
  explicit ContestFinder(const Connection& db);

  /// Those with an ok trial; all names where `name` is empty. (Kernels of one name differ in their
  /// parameters.)
  std::vector<tuner::model::Digest> kernels(const tuner::model::Digest& contest, const std::string& name);
  std::optional<tuner::model::Digest> fastest(const tuner::model::Digest& contest);
  std::optional<tuner::model::Digest> fastest(const tuner::model::Digest& contest,
                                              const std::vector<tuner::model::Digest>& kernels);
  /// All but the winner whose interval begins before the winner's ends, fastest first.
  std::vector<tuner::model::Digest> tied(const tuner::model::Digest& contest,
                                         const std::vector<tuner::model::Digest>& kernels,
                                         const tuner::model::TrialRecord& winner);
  std::optional<tuner::model::FinalRecord> last_final(const tuner::model::Digest& contest);
  /// Whether no ok trial of the contest is newer than its last final.
  bool is_settled(const tuner::model::Digest& contest);
  /// Whether an ok trial measured after `moment` has a median below `ns`; of one kernel, or of any.
  bool newer_faster(const tuner::model::Digest& contest, double ns, const std::string& moment);
  bool newer_faster(const tuner::model::Digest& contest, const tuner::model::Digest& kernel, double ns,
                    const std::string& moment);
  /// The kernel of a trial that may compete and whose current result is ok.
  std::optional<tuner::model::Digest> kernel_if_ok(const tuner::model::Digest& trial);
  /// The default configuration of the winner's kernel.
  std::optional<tuner::model::TrialRecord> untuned(const tuner::model::Digest& contest,
                                                   const tuner::model::Digest& winner);
  /// Without raw samples.
  tuner::model::TrialRecord load(const tuner::model::Digest& key);

 private:
  Statement m_fastest, m_by_low, m_kernels, m_untuned, m_trial, m_settled, m_newer, m_newer_of_kernel,
      m_ok_kernel;
  FinalReader m_final;
};

}  // namespace db
