#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/connection.hpp"
#include "db/finals.hpp"
#include "db/queries.hpp"
#include "db/statement.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// What is worth a word beside the best: it would be in the next final (model::FinalPolicy::within).
constexpr double near_the_best = 1.1;

/// Trials that were dropped early, for somebody who is not that much faster any more: edited, forgotten,
/// found wrong, or outside of the question. How fast they are is unknown.
class ReopenedFinder {
 public:
  explicit ReopenedFinder(const Connection& db);

  /// Those of a case whose time is at most `within` times the least that any who competes ever had there,
  /// fastest first, each with its kernel. Of `kernel` alone, and beside those of `beside` alone, where one is
  /// named.
  std::vector<std::pair<tuner::model::Digest, std::string>> find(const tuner::model::Digest& tuning_case,
                                                                 double within,
                                                                 const std::string& kernel = "",
                                                                 const std::string& beside = "");

 private:
  Statement m_select;
};

/// Every search of the cases that `filter` selects (its family, device, class and problem count), in an
/// order that depends on the searches alone.
std::vector<tuner::model::SearchRecord> searches(const Connection& db, const TrialFilter& filter = {});

/// How far cases have been searched.
class SearchFinder {
 public:
  explicit SearchFinder(const Connection& db);

  /// Of the kernels that a search covered and whose spec is still what it was then, or of `kernel` alone
  /// where one is named; nothing where there is none. What has been tried is counted among the trials:
  /// searches overlap, and what they tried may be forgotten. What was dropped for somebody who is no longer
  /// that fast counts as not tried. An outlook speaks for as long as all these
  /// kernels are those it was made of, and no trial that it knew is gone.
  std::optional<tuner::model::Searched> searched(const tuner::model::Digest& tuning_case,
                                                 const std::string& kernel);

  /// Configurations, of `kernel` alone where one is named, that were tried, or passed over by a search that
  /// ended by itself: because nothing was left, or because what was left was not expected to give enough.
  std::int64_t settled(const tuner::model::Digest& tuning_case, const std::string& kernel);

 private:
  Statement m_parts, m_tried, m_outlooks, m_settled;
  ReopenedFinder m_reopened;
};

/// Trials of a kernel that a case's last final knows nothing of.
struct Newcomers {
  std::string kernel;
  std::int64_t trials = 0;
};

/// The few trials of a case that an answer needs, found along the partial indexes and never by a scan.
/// Only trials that may compete are found, and dropped ones where they are the best known.
class CaseFinder {
 public:
  explicit CaseFinder(const Connection& db);

  struct Winner {
    tuner::model::Digest trial;
    tuner::model::Digest final;     ///< by which it was found; empty: by how they raced
    tuner::model::Digest finalist;  ///< which the last final would name; empty: none
  };
  /// Of the case, or of one kernel in it (see the view `winner`).
  std::optional<Winner> winner(const tuner::model::Digest& tuning_case, const std::string& kernel);
  /// All but the winner whose interval begins before the winner's ends, fastest first; of one kernel where
  /// one is named.
  std::vector<tuner::model::Digest> tied(const tuner::model::Digest& tuning_case, const std::string& kernel,
                                         const tuner::model::TrialRecord& winner);
  tuner::model::FinalRecord final(const tuner::model::Digest& id);
  /// The finals of the case that count.
  std::vector<tuner::model::Digest> last_finals(const tuner::model::Digest& tuning_case);
  /// The entries of a final, with the bits that they give.
  std::vector<std::pair<tuner::model::Digest, std::optional<tuner::model::OutputBits>>> bits_of_final(
      const tuner::model::Digest& final);
  /// The kernel of a trial where it may compete.
  std::optional<std::string> kernel_of_competitor(const tuner::model::Digest& trial);
  /// Trials with a median up to `most_ns` that no final has considered as they are now, by kernel.
  std::vector<Newcomers> newcomers(const tuner::model::Digest& tuning_case, double most_ns);
  /// How many trials were dropped early near the best of the case, or of one kernel in it, so that
  /// they may be faster.
  std::int64_t dropped_near(const tuner::model::Digest& tuning_case, const std::string& kernel);
  /// The default configuration of the winner's kernel.
  std::optional<tuner::model::TrialRecord> untuned(const tuner::model::Digest& tuning_case,
                                                   const tuner::model::Digest& winner);
  /// The baselines of the case, fastest first.
  std::vector<tuner::model::TrialRecord> baselines(const tuner::model::Digest& tuning_case);
  /// Of a device by its model's name; empty where no run was on one.
  std::string kind_of(const std::string& device);
  /// Without raw samples.
  tuner::model::TrialRecord load(const tuner::model::Digest& key) { return m_trial.load(key); }

 private:
  Statement m_winner, m_by_low, m_newcomers, m_untuned, m_competitor, m_baselines, m_kernels, m_last_finals,
      m_bits, m_kind;
  FinalReader m_final;
  TrialLoader m_trial;
  ReopenedFinder m_reopened;
};

}  // namespace db
