#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace tuner::model {

/// What Ceiling::kind may be.
std::span<const std::string_view> ceiling_kinds();

/// One `unit` of a ceiling of this kind in what Ceiling::value counts: operations a second for `arithmetic`
/// (`GFLOP/s`, `Top/s`: 1e9, 1e12), seconds for `launch` (`ns`: 1e-9), bytes a second for the others
/// (`GB/s`). Absent for a unit that is none of the kind's.
std::optional<double> ceiling_unit(std::string_view kind, std::string_view unit);

/// For people: `"GFLOP/s" or "Gop/s"`.
std::string_view ceiling_unit_examples(std::string_view kind);

/// Whether less is better: true for `launch` alone.
bool is_least_best(std::string_view kind);

}  // namespace tuner::model
