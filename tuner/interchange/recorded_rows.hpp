#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/configuration.hpp"

namespace tuner::interchange {

using Json = nlohmann::ordered_json;

/// What a record says of a configuration, in names and values.
struct Row {
  std::vector<std::pair<std::string, model::Value>> values;
  model::TrialStatus status = model::TrialStatus::ok;
  double time_ms = 0;  ///< where status is ok
  std::vector<double> samples_ms;
  double compile_ms = 0;
  std::string measured_at;  ///< as RecordedSpace::Entry
};

/// What a recording was searched for, as a time: the less the better, and above 0.
struct Objective {
  enum class Kind { time, cost, rate, score };
  std::string name;
  Kind kind = Kind::time;
  double best = 0;  ///< of scores, set by rows_of(): two files with other bests have other times

  double as_time(double value) const;  ///< of a score itself: rows_of() turns all of a file
  std::string text() const;            ///< as RecordedSpace::instead_of_time
};

/// Of a parsed file; `name` is for messages. Throws model::Error for an unknown objective.
Objective objective_of(const Json& file, const std::string& name);

/// What a file of any of the three formats says, configuration by configuration. Throws Json::exception where
/// it does not follow its format.
std::vector<Row> rows_of(const Json& file, Objective& objective);

}  // namespace tuner::interchange
