#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "db/best.hpp"

namespace tuner::cli::answers {

/// A size without an answer, and why.
struct Missing {
  db::Contest contest;
  std::string reason;
};

/// Why a size has no answer: `none of 12 trials has a time: 10 compile_error, 2 timeout`.
Missing missing(const db::Unanswered& size, const std::string& kernel);

/// `no answer at 1664, 2304: sgemm was not tried`, a line for each reason; with the class where there are
/// several. Empty where every size has an answer.
std::vector<std::string> missing_lines(const std::vector<Missing>& sizes);

/// `[{"family", "size", "class", "reason"}]`.
nlohmann::ordered_json missing_json(const std::vector<Missing>& sizes);

}  // namespace tuner::cli::answers
