#pragma once
#include <string>

#include "db/json_fields.hpp"
#include "tuner/model/ceiling.hpp"
#include "tuner/model/final.hpp"

namespace db {

/// A final, and a ceiling, as one JSON object without line breaks, keys always in the same order.
std::string to_json(const tuner::model::FinalRecord& final);
std::string to_json(const tuner::model::Ceiling& ceiling);

/// The inverse. Throws model::Error that names the field and what was found.
tuner::model::FinalRecord final_from_json(const Json& value);
tuner::model::Ceiling ceiling_from_json(const Json& value);

}  // namespace db
