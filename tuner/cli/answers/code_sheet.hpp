#pragma once
#include <string>
#include <vector>

#include "reports/json.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/sass/analysis.hpp"

namespace tuner::cli::answers {

/// The machine code of a trial's binary.
struct TrialCode {
  model::TrialRecord trial;
  std::vector<sass::KernelCode> kernels;
  std::size_t first = 0;  ///< the kernel of the first launch
  std::string note;       ///< what is to be known of the binary; may be empty

  const sass::KernelCode& kernel() const { return kernels[first]; }
};

/// The first kernel for people: its figures by depth of loops, its loads and stores by width, then the hot
/// loop's instructions with their marks.
std::string code_text(const TrialCode& code, const Style& style);

/// Two of them side by side: the figures of hot loop and kernel that differ by more than a twentieth and by
/// more than half a percent of the instructions.
std::string codes_text(const TrialCode& a, const TrialCode& b, const Style& style);

/// All kernels with all figures.
std::string code_json(const std::vector<TrialCode>& codes);

}  // namespace tuner::cli::answers
