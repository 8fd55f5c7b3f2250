#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/search_record.hpp"

namespace reports {

namespace model = tuner::model;

/// `nothing gained in the last 160 trials`; with what is known of searches that ended so.
/// `where` stands behind the trials: ` at 512`.
std::string outlook_text(const model::Outlook& outlook, const std::string& where = "");

/// `searched 6 % of 205,216; nothing gained in the last 160 trials`, or that the space was searched whole.
std::string searched_text(const model::Searched& searched);

/// What is said of the configurations that were not tried; empty where no search could say. Nowhere else are
/// words for that.
std::string outlook_text(const model::Searched& searched, const std::string& where = "");

/// For a cell: `whole`, `6.1 %`; empty where nothing is known.
std::string searched_cell(const std::optional<model::Searched>& searched);

/// One sentence for several problems, each with its label: `whole at 4 of 29 sizes; 3.1 % to 12 % of the
/// configurations at 25 sizes; 1.2 % gained in the last 57 trials at 1408, and no more elsewhere`. Empty
/// where nothing is known of any.
using LabelledSearch = std::pair<std::string, std::optional<model::Searched>>;
std::string searched_summary(const std::vector<LabelledSearch>& searches);

/// `{"candidates", "tried", "whole", "outlook": {"gain", "low", "high", "estimate", "stretch", "behind",
/// "behind_at_worst", "faster", "tried"}}`; null where
/// nothing is known.
nlohmann::ordered_json searched_json(const std::optional<model::Searched>& searched);

}  // namespace reports
