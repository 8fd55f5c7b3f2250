#pragma once
#include <string>
#include <vector>

#include "db/ranking.hpp"
#include "tuner/cli/answers/words.hpp"

namespace tuner::cli::answers {

/// The trials of one contest in the order in which one would use them.
struct RankedContest {
  db::BestAnswer answer;
  std::vector<db::Ranked> trials;
  std::int64_t left_out = 0;  ///< that are not shown
};

/// A table a contest: what all share once, then each trial's own values, its time by the fastest's (`~` where
/// the two were not sampled in turn), registers and occupancy.
std::string ranking_text(const std::vector<RankedContest>& contests, const Style& style);

/// `{"schema_version": 1, "rankings": [{"family", "size", "class", "trials": […]}]}`.
std::string ranking_json(const std::vector<RankedContest>& contests);

}  // namespace tuner::cli::answers
