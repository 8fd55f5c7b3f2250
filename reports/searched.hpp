#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/search_record.hpp"

namespace reports {

namespace model = tuner::model;

/// `0.4 % (0–1.1 %)`.
std::string gain_text(const model::Outlook& outlook);

/// `searched 6 % of 205,216; expected remaining gain 0.4 % (0–1.1 %)`, or that the space was searched whole.
std::string searched_text(const model::Searched& searched);

/// What is said of the configurations that were not tried; empty where no search could say. Nowhere else are
/// words for that.
std::string outlook_text(const model::Searched& searched);

/// For a cell: `whole`, `6.1 %`; empty where nothing is known.
std::string searched_cell(const std::optional<model::Searched>& searched);

/// One sentence for several problems, each with its label: `whole at 4 of 29 sizes; 3.1 % to 12 % of the
/// configurations at 25 sizes; expected remaining gain 1.2 % (0–3 %) at 1408, the most of all`. Empty where
/// nothing is known of any.
using LabelledSearch = std::pair<std::string, std::optional<model::Searched>>;
std::string searched_summary(const std::vector<LabelledSearch>& searches);

/// `{"candidates", "tried", "whole", "outlook": {"gain", "low", "high", "estimate", "tried"}}`; null where
/// nothing is known.
nlohmann::ordered_json searched_json(const std::optional<model::Searched>& searched);

}  // namespace reports
