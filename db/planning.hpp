#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/case_finder.hpp"
#include "db/connection.hpp"
#include "db/statement.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// Reads whom a final of a case would be between, and what the finals before have considered.
class PossibleFinalReader {
 public:
  explicit PossibleFinalReader(const Connection& db);

  /// The median of the fastest trial that may win.
  std::optional<double> best_ns(const tuner::model::Digest& tuning_case);
  /// See ResultSource::least_ns().
  std::optional<double> least_ns(const std::vector<tuner::model::Digest>& trials);
  /// See ResultSource::least_ns_beside().
  std::optional<double> least_ns_beside(const std::set<std::string>& kernels,
                                        const tuner::model::Digest& tuning_case);
  /// See ResultSource::possible_final().
  tuner::model::PossibleFinal read(const tuner::model::Digest& tuning_case, double within, int most);

 private:
  /// What a trial takes in a race.
  struct Raced {
    tuner::model::Digest trial;
    double ns = 0;
  };
  /// Finalists of the finals that count. `unsettled_ns`: how slow one of them is without a rival, if the
  /// race says otherwise.
  std::vector<Raced> finalists(const tuner::model::Digest& tuning_case,
                               const std::vector<tuner::model::Digest>& finals, double& unsettled_ns);
  std::vector<Raced> finalists(const tuner::model::Digest& tuning_case, std::vector<Raced> finalists,
                               double within, double unsettled_ns);

  Statement m_fastest, m_least, m_least_by_kernel, m_finalists, m_coverage, m_last_finals, m_considered,
      m_entries, m_newcomer;
  CaseFinder m_cases;
  FinalChecker m_checker;
};

/// See model::ResultSource::elsewhere(). What it reads is bounded, whatever the database holds.
std::vector<tuner::model::Elsewhere> find_elsewhere(const Connection& db,
                                                    const tuner::model::ElsewhereQuery& query);

/// All results of a kernel in a case, see tuner::model::ResultSource::tried().
std::vector<tuner::model::TriedConfiguration> find_tried(const Connection& db,
                                                         const tuner::model::Digest& tuning_case,
                                                         const std::string& kernel);

// What results of before tell of work to come.

struct CompileTime {
  tuner::model::Configuration configuration;
  double compile_ms = 0;
};
/// What compiling configurations of a kernel by this compiler took for devices of `device`'s architecture, or
/// of an unknown one: another's instructions may take long, or not be there. At most `most` of them: of
/// `device` first, then the newest.
std::vector<CompileTime> compile_times(const Connection& db, const std::string& family,
                                       const std::string& kernel, const std::string& compiler,
                                       const tuner::model::DeviceInfo& device, int most);

/// How fast a device went from trial to trial.
struct Pace {
  tuner::model::Problem problem;
  tuner::model::Environment environment;
  double seconds = 0;        ///< from one result to the next, the median
  std::int64_t results = 0;  ///< it is the median of
  double median_ns = 0;      ///< of their times, the median; 0: none has one
  bool has_energy = false;   ///< the energy of each was measured, for an objective
};
/// Whether a trial takes as long in both: of one device, method, policy of the L2 cache and execution.
bool measures_alike(const tuner::model::Environment& a, const tuner::model::Environment& b);
/// Of the results of the problem's family on the device of `environment`: those that were measured like it,
/// or else otherwise, at the size that is nearest by the logarithm of their ratio, and with or without energy
/// as it is asked for, where there are both. Nothing where none was measured.
std::optional<Pace> pace(const Connection& db, const tuner::model::Problem& problem,
                         const tuner::model::Environment& environment, bool has_energy);

}  // namespace db
