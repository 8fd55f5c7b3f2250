#pragma once
#include <string>

#include "db/json_fields.hpp"
#include "tuner/model/ceiling.hpp"
#include "tuner/model/final.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/search_record.hpp"

namespace db {

/// A run, a final, a ceiling, a verdict, a search, each as one JSON object without line breaks, keys always
/// in the same order.
std::string to_json(const tuner::model::RunRecord& run);
std::string to_json(const tuner::model::FinalRecord& final);
std::string to_json(const tuner::model::Ceiling& ceiling);
std::string to_json(const tuner::model::ProbeVerdict& verdict);
std::string to_json(const tuner::model::SearchRecord& search);

/// The inverse. Throws model::Error that names the field and what was found.
tuner::model::RunRecord run_from_json(const Json& value);
tuner::model::FinalRecord final_from_json(const Json& value);
tuner::model::Ceiling ceiling_from_json(const Json& value);
tuner::model::ProbeVerdict verdict_from_json(const Json& value);
tuner::model::SearchRecord search_from_json(const Json& value);

}  // namespace db
