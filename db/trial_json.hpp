#pragma once
#include <string>
#include <vector>

#include "db/json.hpp"
#include "db/stored_records.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// A trial as one JSON object without line breaks, keys always in the same order. Every field is kept:
/// from_json of it is equal, except that bytes which are not UTF-8 become U+FFFD. JSON has no infinity: it is
/// the string "inf".
std::string to_json(const tuner::model::TrialRecord& trial,
                    const std::vector<StoredMeasurement>& earlier = {});

struct TrialWithPast {
  tuner::model::TrialRecord trial;
  std::vector<StoredMeasurement> earlier;
};

/// The inverse. Throws model::Error that names the field and what was found.
TrialWithPast trial_from_json(const Json& value);

}  // namespace db
