#pragma once
#include <optional>
#include <vector>

#include "tuner/model/final.hpp"

namespace tuner::model {

/// How the choice among tied contestants is explained to people.
constexpr const char* final_rule =
    "fewest registers, then the smallest block, then name, among those tied with the fastest and surely "
    "within "
    "1 % of it";

/// What a final says where only some of its contestants count: those of one kernel, or those a report shows.
struct FinalAnswer {
  Digest winner;             ///< the chosen one where it counts, else the fastest of those that do
  std::vector<Digest> tied;  ///< the others that count and cannot be told from the winner, fastest first
};

/// Absent where none of its contestants counts. Two of them cannot be told apart where both are tied with the
/// fastest, or neither is and the intervals of their ratios overlap.
template <typename Counts>
std::optional<FinalAnswer> answer_of(const FinalRecord& final, const Counts& counts) {
  std::vector<const FinalRecord::Entry*> entries;
  const FinalRecord::Entry* winner = nullptr;
  for (const FinalRecord::Entry& entry : final.entries) {
    if (!counts(entry.trial)) continue;
    entries.push_back(&entry);
    if (winner == nullptr || entry.trial == final.chosen) winner = &entry;
  }
  if (winner == nullptr) return std::nullopt;
  FinalAnswer answer{winner->trial, {}};
  for (const FinalRecord::Entry* entry : entries) {
    const bool overlap = entry->ratio_low <= winner->ratio_high && winner->ratio_low <= entry->ratio_high;
    const bool same = winner->tied ? entry->tied : !entry->tied && overlap;
    if (entry != winner && same) answer.tied.push_back(entry->trial);
  }
  return answer;
}

/// The entry of `trial`; null where it took no part.
inline const FinalRecord::Entry* entry_of(const FinalRecord& final, const Digest& trial) {
  for (const FinalRecord::Entry& entry : final.entries) {
    if (entry.trial == trial) return &entry;
  }
  return nullptr;
}

}  // namespace tuner::model
