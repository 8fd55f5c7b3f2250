#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "db/best.hpp"
#include "tuner/cli/answers/evidence.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/explain/explain.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::cli {

/// Gathers what a database, the specs and the cache of binaries know of answers, for tuner::explain. Specs
/// are read once.
class Explainer {
 public:
  /// `spec`: of the kernels, where one was named. `may_compile`: binaries that are not cached are compiled
  /// again, which takes seconds each.
  Explainer(const db::Connection& connection, const config::Settings& settings, std::string spec,
            bool may_compile);

  /// `ranked`: the case's trials, as db::ranking() has them.
  answers::Explanation operator()(const db::BestAnswer& answer, const db::Ranking& ranked);

 private:
  /// The kernel of the spec at hand, where that is still what the trial is of.
  struct Kernel {
    std::unique_ptr<space::KernelSpace> whole;
    /// Each constraint alone.
    std::vector<std::pair<std::string, space::KernelSpace>> constraints;
  };
  const Kernel& kernel_of(const model::TrialRecord& trial);
  std::vector<explain::Listed> listed(const model::TrialRecord& winner, const model::DeviceLimits& limits);
  explain::Side side_of(const model::TrialRecord& trial, std::string& without) const;

  const db::Connection& m_connection;
  const config::Settings& m_settings;
  std::string m_spec;
  std::optional<SpecsAtHand> m_specs;  ///< once they are asked for
  bool m_may_compile;
  std::vector<model::DeviceInfo> m_devices;
  std::map<model::Digest, Kernel> m_kernels;  ///< by definition
};

}  // namespace tuner::cli
