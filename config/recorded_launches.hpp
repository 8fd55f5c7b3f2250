#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/captured_source.hpp"
#include "config/draft_plan.hpp"
#include "config/fit_expression.hpp"

namespace config {

/// An integer that the kernel is passed by value: a parameter, or a field of a struct.
struct RecordedInteger {
  std::size_t parameter = 0;
  std::string field;                 ///< empty: the parameter itself
  std::string name;                  ///< in the source
  std::vector<std::int64_t> values;  ///< in each launch
};

struct RecordedLaunch {
  std::array<std::int64_t, 3> grid;
  std::array<std::int64_t, 3> block;
  std::int64_t dynamic_shared_bytes = 0;
};

/// The launches of a captured kernel, in the words of its source.
struct RecordedLaunches {
  /// Throws model::UsageError where the kernel of the source takes other arguments, or no launch was kept.
  RecordedLaunches(DraftSource& source, const DraftTypes& types, const CapturedSource& captured);

  /// The one that a draft is made from: of the kept ones that whose like cost most.
  const tuner::model::CapturedLaunch& reference() const { return *kept.front(); }
  /// How many elements the argument led to in each kept launch; empty: not in all of them to any.
  std::vector<std::int64_t> elements(std::size_t argument, tuner::model::ElementType type) const;
  /// Leaves the kept ones.
  void forget_others();

  std::vector<const tuner::model::CapturedLaunch*> kept;  ///< the reference first
  std::size_t different = 0;                              ///< of the launches
  std::vector<RecordedLaunch> launches;  ///< the kept ones, then others that differ from them, once each
  std::vector<RecordedInteger> integers;
};

/// Bytes of an argument as the integer that its type says.
std::optional<std::int64_t> integer_in(const std::string& bytes, tuner::model::ElementType type);

/// `int`, `float` of what a kernel is passed; none where a spec has no such type.
std::optional<tuner::model::ElementType> known_type(const std::string& type);

}  // namespace config
