#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cover/table.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::cli::answers {

/// The times of one family in one environment, as a cover is made from them. Configurations that another
/// makes superfluous are left out, but for defaults.
struct CoverTable {
  cover::Table times;
  std::vector<db::Case> cases;  ///< of the sizes
  /// A trial of each configuration, for its kernel and values; `is_default` counts, its figures do not.
  std::vector<model::TrialRecord> configurations;
  std::vector<std::vector<model::Digest>> trials;  ///< by size, then configuration; empty: none with a time
  std::size_t tried = 0;                           ///< configurations, before any was left out
};

/// Of answers at different sizes of one family in one environment. Times are by the final where the trial was
/// in it, else by the race, relative to the answer's. `query` names the kernel, where it names one.
CoverTable cover_table(const db::Connection& connection, const std::vector<const db::BestAnswer*>& answers,
                       const db::BestQuery& query);

/// Marks where a spec keeps a configuration from being run: `spaces` by kernel, each of the definition that
/// was measured.
void mark_excluded(const std::map<std::string, space::KernelSpace>& spaces, const model::DeviceLimits& limits,
                   CoverTable& table);

/// Whether a configuration may run at `problem`, as far as a spec says; without one nothing is known against
/// it.
bool may_run(const std::map<std::string, space::KernelSpace>& spaces, const model::DeviceLimits& limits,
             const model::TrialRecord& configuration, const model::Problem& problem);

}  // namespace tuner::cli::answers
