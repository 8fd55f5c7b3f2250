#pragma once
#include <cstddef>
#include <string>

#include "db/best.hpp"

namespace tuner::cli {

/// Why this is the answer, for people, a few lines: the class, what was measured, whether the winner was
/// re-measured and by which rule it was chosen, what it cannot be told from. `size` and `gpu` as they were
/// asked for.
std::string why(const db::BestAnswer& answer, const std::string& size, const std::string& gpu);

/// How a trial did in the answer's final: `the fastest`, `1.002 (0.999–1.006) of the fastest's time`; empty
/// where it took no part.
std::string standing_text(const db::BestAnswer& answer, const model::TrialRecord& trial);

/// How many were in the answer's final that might have won it: libraries do not count.
std::size_t contestants(const db::BestAnswer& answer);

}  // namespace tuner::cli
