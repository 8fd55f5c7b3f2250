#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/problem.hpp"

namespace db {

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
