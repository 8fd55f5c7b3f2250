#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/words.hpp"

namespace tuner::model {

/// A kernel's role in a sweep.
enum class Role {
  competitor,  ///< may be chosen as the best of its family
  baseline,    ///< solves the same problem and takes part in finals, but is never chosen
  ceiling,     ///< measures a limit of its device; competes within its own family only
};

template <>
struct Words<Role> {
  static constexpr std::string_view all[] = {"competitor", "baseline", "ceiling"};
  static constexpr const char* expected = "competitor, baseline or ceiling";
};
/// Whether a trial of this role may be chosen.
inline bool may_win(Role role) {
  return role != Role::baseline;
}

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

/// A limit of a device, measured once by a kernel made for it.
struct Ceiling {
  std::string device;  ///< model name
  std::string kind;    ///< `arithmetic`, `memory`, `l2`, `shared memory`, `launch`
  ElementType type = ElementType::float32;
  double value = 0;  ///< operations or bytes a second; `launch`: seconds
  std::string unit;  ///< of the metric it came from: `GFLOP/s`
  Digest trial;      ///< that measured it
  std::string measured_at;
  /// Of `l2`: what the cache holds. The device's record has it, not the ceiling's; 0: unknown.
  std::int64_t cache_bytes = 0;
};

}  // namespace tuner::model
