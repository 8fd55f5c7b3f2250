#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/results.hpp"

namespace db {

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
/// What compiling configurations of a kernel by this compiler took, at most `most` of them: of `device`
/// first, then the newest.
std::vector<CompileTime> compile_times(const Connection& db, const std::string& family,
                                       const std::string& kernel, const std::string& compiler,
                                       const std::string& device, int most);

/// How fast a device went from trial to trial.
struct Pace {
  tuner::model::Problem problem;
  double seconds = 0;        ///< from one result to the next, the median
  std::int64_t results = 0;  ///< it is the median of
};
/// Of the problem that is nearest to `problem` (by the logarithm of their sizes' ratio) among those of its
/// family that were measured on `device`; nothing where none was.
std::optional<Pace> pace(const Connection& db, const tuner::model::Problem& problem,
                         const std::string& device);

}  // namespace db
