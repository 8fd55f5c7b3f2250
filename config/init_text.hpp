#pragma once
#include <optional>
#include <string_view>

#include "config/mistakes.hpp"
#include "config/node.hpp"
#include "tuner/model/plan.hpp"

namespace config {

/// `uniform(-1, 1)`, `integers(-8, 8)`, `odd_integers(1, 9)`, `signs(2048)`, `constant(0)` or `iota(0, 1)`,
/// the value of `key`; reports anything else.
std::optional<tuner::model::Init> read_init(const Node& node, std::string_view key, Mistakes& mistakes);

/// Whether elements of `type` can hold what `init` makes; reports at `where` when not.
bool check_init(const tuner::model::Init& init, tuner::model::ElementType type,
                const tuner::model::SourceLocation& where, Mistakes& mistakes);

}  // namespace config
