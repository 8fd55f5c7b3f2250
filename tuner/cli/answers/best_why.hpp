#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/evidence.hpp"
#include "tuner/cli/answers/words.hpp"

namespace tuner::cli::answers {

/// What a user asked for, in the words used.
struct Asked {
  std::string size;  ///< empty: every size
  std::string gpu;   ///< empty: any
  std::string unanswered =
      {};  ///< why this size has no answer in the environment; empty: it was never measured
};

/// Why this is the answer, for people: what was measured, how the winner was measured again, who is tied with
/// it and by which rule it was chosen among them, how far behind the next one is and how it differs, and what
/// the trials around it say. `ranked`: the case's, as db::ranking() has them.
std::string why(const db::BestAnswer& answer, const Asked& asked, const std::vector<db::Ranked>& ranked,
                const Evidence& evidence, const Style& style);

/// How the winner was measured again, in one line; only of answers with a final.
std::string remeasured_text(const db::BestAnswer& answer);

/// How many were in the answer's final that might have won it: libraries do not count.
std::size_t finalists(const db::BestAnswer& answer);

}  // namespace tuner::cli::answers
