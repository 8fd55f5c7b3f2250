#pragma once
#include <optional>
#include <vector>

#include "tuner/model/diagnostic.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::space {

/// How many numbers an init is written with: uniform(a, b) has two.
int numbers_of(model::Init::Kind kind);

/// An init with its numbers in the order written: sparse(share, a, b) has the share first.
model::Init with_numbers(model::Init::Kind kind, const std::vector<double>& numbers);

/// What is wrong with an init's numbers whatever the type, or nothing; the place is the caller's.
std::optional<model::Diagnostic> mistake_in(const model::Init& init);

/// What keeps elements of `type` from holding all that the init makes, or nothing.
std::optional<model::Diagnostic> misfit(const model::Init& init, model::ElementType type);

}  // namespace tuner::space
