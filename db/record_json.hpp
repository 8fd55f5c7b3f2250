#pragma once
#include <string>

#include "db/json.hpp"
#include "db/row_reader.hpp"
#include "db/stored_records.hpp"
#include "tuner/model/ceiling.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// A run, a final, a ceiling, a verdict, a search and so on, each as one JSON object without line breaks,
/// keys always in the same order.
std::string to_json(const tuner::model::RunRecord& run);
std::string to_json(const tuner::model::FinalRecord& final);
std::string to_json(const tuner::model::Ceiling& ceiling);
std::string to_json(const PastFailure& failure);
std::string to_json(const Probing& verdict);
std::string to_json(const StoredDeclaration& declaration);
std::string to_json(const SpecJudgements& judgements);
std::string to_json(const tuner::model::SearchRecord& search);

/// The inverse. Throws model::Error that names the field and what was found.
tuner::model::RunRecord run_from_json(const Json& value);
tuner::model::FinalRecord final_from_json(const Json& value);
tuner::model::Ceiling ceiling_from_json(const Json& value);
PastFailure failure_from_json(const Json& value);
Probing verdict_from_json(const Json& value);
StoredDeclaration declaration_from_json(const Json& value);
SpecJudgements judgements_from_json(const Json& value);
tuner::model::SearchRecord search_from_json(const Json& value);

}  // namespace db
