#pragma once
#include <string_view>

#include "config/spec_context.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

/// Finds out what the file that an init names holds: a `.npy` (NumPy's format, versions 1 to 3) says its type
/// and shape, anything else is elements of `type` as they are in memory. `rule` has its name as written, and
/// gets the rest. Reports a file that cannot be read, and one of another type; `any_type`: that is no
/// mistake.
void read_data_file(tuner::model::InitRule& rule, tuner::model::ElementType type, bool any_type,
                    SpecContext& context);

}  // namespace config
