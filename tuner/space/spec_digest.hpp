#pragma once
#include "tuner/model/digest.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::space {

/// Identity of all that decides what one configuration of a kernel runs and what is right: sources and the
/// reference's, parameters without their values, derived values, launches, arguments, verification, compiler
/// options. Expressions count by their words, not by their blanks.
model::Digest definition_of(const model::KernelSpec& spec);

/// The same, and what selects configurations: value lists, constraints, element types, devices. Not what
/// merely describes: descriptions, metrics, workloads, defaults.
model::Digest spec_digest(const model::KernelSpec& spec);

}  // namespace tuner::space
