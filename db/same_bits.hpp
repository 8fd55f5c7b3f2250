#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/queries.hpp"
#include "tuner/model/results.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// Whose bits a configuration is to give: those of the default of its own kernel, or of this trial. At
/// another size than the trial's its configuration counts, as it was measured there by the same definition.
struct SameBitsAs {
  std::optional<tuner::model::TrialRecord> trial;  ///< nothing: the default
};

/// Which trials of one case give the bits that are asked for.
class SameBits {
 public:
  SameBits(const Connection& db, const SameBitsAs& as, const tuner::model::CaseName& tuning_case);

  /// Of a trial of the case. One of which nobody knows its bits gives none.
  bool admits(const tuner::model::TrialRecord& trial) const;
  /// Why nothing, or nothing of this kernel (empty: of any), can be held against what is asked for; empty
  /// where it can.
  std::string lack(const std::string& kernel) const;

 private:
  bool m_of_default;
  std::string m_lack;  ///< why there is no reference
  /// What the others are held against, by kernel; that of a trial: by no name.
  std::map<std::string, tuner::model::TrialRecord> m_references;
};

/// Why a trial's bits are not known, for people; empty where they are.
std::string why_no_bits(const tuner::model::TrialRecord& trial);

/// Trials by the bits that they give, in their order; each group's first before that of the next. Those of
/// unknown bits are in none.
std::vector<std::vector<tuner::model::Digest>> bits_groups(
    const std::vector<std::pair<tuner::model::Digest, std::optional<tuner::model::OutputBits>>>& trials);

}  // namespace db
