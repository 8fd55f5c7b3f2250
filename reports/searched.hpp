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

/// A line for each thing that is to be said, with the labels of the problems that it is said of; nothing of
/// problems of which nothing is known.
using LabelledSearch = std::pair<std::string, std::optional<model::Searched>>;
std::vector<std::pair<std::string, std::string>> searched_lines(const std::vector<LabelledSearch>& searches);

/// `{"candidates", "tried", "whole", "outlook": {"gain", "low", "high", "estimate", "tried"}}`; null where
/// nothing is known.
nlohmann::ordered_json searched_json(const std::optional<model::Searched>& searched);

}  // namespace reports
