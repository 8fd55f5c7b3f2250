#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/model/trial.hpp"

// Answers by energy. All of them are of one case, whose trials `ranked` has as db::ranking() does.
namespace tuner::cli::answers {

/// Keeps the trials whose energies can be compared, the best by `objective` first, and makes that one the
/// answer: energies of the last final, else of any final, else of races. False where no energy is known.
/// Nothing is done for Objective::time.
bool answer_by(model::Objective objective, db::BestAnswer& answer, db::Ranking& ranked);

/// What saving energy costs, as a table; empty where no energy is known.
std::string energy_front_text(db::Ranking ranked, const Style& style);

/// `trial 12ab uses 18 % less energy and takes 4 % longer`; empty where the answer's winner is the best by
/// energy, or where its energy was not measured beside others.
std::string cheaper_text(const db::BestAnswer& answer, db::Ranking ranked, const Style& style);

}  // namespace tuner::cli::answers
