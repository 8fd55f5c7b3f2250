#pragma once
#include <optional>
#include <string_view>

#include "config/mistakes.hpp"
#include "config/source_files.hpp"
#include "config/spec_context.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

/// The value of an `init`: `uniform(-1, 1)`, `sorted(0, N - 1)`, `file(weights.npy)`, `generated`; reports
/// anything else. Numbers that are no numbers are left to space as expressions. Of a file the name alone is
/// known then.
std::optional<tuner::model::InitRule> read_init(const Node& node, std::string_view key, Mistakes& mistakes);

/// The path that read_init() found, as written; empty where the contents come from no file.
std::string_view file_name(const tuner::model::InitRule& rule);

/// Whether elements of `type` can hold what `init` makes; reports at `where` when not. Expressions have no
/// value yet and pass.
bool check_init(const tuner::model::InitRule& init, tuner::model::ElementType type,
                const tuner::model::SourceLocation& where, Mistakes& mistakes);

/// Finds out what the file that an init names holds: a `.npy` (NumPy's format, versions 1 to 3) says its type
/// and shape, anything else is elements of `type` as they are in memory. `rule` has its name as written, and
/// gets the rest. Reports a file that cannot be read, and one of another type; `any_type`: that is no
/// mistake.
void read_data_file(tuner::model::InitRule& rule, tuner::model::ElementType type, bool any_type,
                    SpecContext& context);

}  // namespace config
