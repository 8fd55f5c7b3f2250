#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/in_turn.hpp"

namespace tuner::cli {

struct SanitizerReport {
  std::vector<std::string> findings;  ///< a line each
  std::string why_not;                ///< why it was not run under them; empty: it was
};

/// All that `tuner judge` finds. What comes later is missing where something before it refused.
struct JudgementReport {
  std::string candidate;
  std::string against;
  std::string device;
  std::vector<std::string> mistakes;  ///< of its signature
  SanitizerReport sanitizers;
  struct Size {
    model::Problem problem;
    sweep::Judgement judgement;
  };
  std::vector<Size> sizes;
  std::optional<double> allowed_share;  ///< 0.01: one per cent slower than the default is allowed
  int interrupted = 0;                  ///< the exit code of the signal that ended it early; 0: none
};

/// Refused, that of a signal, slower, or done.
int exit_code_of(const JudgementReport& report);

std::string judgement_text(const JudgementReport& report, std::size_t columns);

/// {"schema_version": 1, "verdict": "accepted"|"refused"|"slower"|"interrupted", "reason": {"stage",
/// "status", "detail", "size"} or null, "signature", "sanitizers", "sizes": […]}; times in nanoseconds.
std::string judgement_json(const JudgementReport& report);

}  // namespace tuner::cli
