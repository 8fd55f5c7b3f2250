#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cover/table.hpp"

namespace tuner::cli::answers {

/// What a captured program spends on a problem of a kernel.
struct CapturedUse {
  cover::Sizes sizes;
  double cost = 0;  ///< ns of the GPU, or launches where none was timed
  std::uint64_t launches = 0;
};

struct CapturedUses {
  std::string capture;
  std::vector<CapturedUse> sizes;  ///< those that cost most first
  double cost = 0;                 ///< of all
  double program_ns = 0;           ///< of all kernels; 0: none was timed
};

/// What the program gains by the answers for its kernel, as far as its sizes were measured with the default's
/// time; sentences for people.
std::vector<std::string> gain_sentences(const db::BestAnswers& all, const CapturedUses& uses);

}  // namespace tuner::cli::answers
