#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/explain/explain.hpp"

namespace tuner::cli::answers {

/// Why the winner of an answer is as fast as it is.
struct Explanation {
  const db::BestAnswer* answer = nullptr;
  std::vector<explain::Finding> findings;
  std::string without;        ///< why no machine code was read; may be empty
  bool names_device = false;  ///< where others may be meant
};

/// For a terminal: what binds it, what the runner-up lacks, which parameters decide, what to try next.
std::string explanation_text(const Explanation& explanation, const Style& style);

/// `{"schema_version": 1, "explanations": [{…, "environment", "kernel", "trial", "findings": […]}]}`.
std::string explanations_json(const std::vector<Explanation>& explanations);

}  // namespace tuner::cli::answers
