#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tuner/model/device.hpp"

/// The keys of steps and of tensor maps whose values are expressions, each described once: for the reader of
/// specs, the compiler of expressions, the planner, the digests, and what is sent to the process that
/// measures.
namespace tuner::model {

/// A grid or a block, x fastest.
struct Dim3 {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;
  std::int64_t count() const { return x * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// Values as expressions: in a spec (One: Expression), or compiled (One: space::Compiled).
template <class One>
struct AsExpressions {
  using Number = std::optional<One>;
  using Flag = std::optional<One>;
  using Extents = std::vector<One>;
  using List = std::vector<One>;
  static Number initially(std::int64_t) { return std::nullopt; }
};

/// Values as numbers: in a plan.
struct AsNumbers {
  using Number = std::int64_t;
  using Flag = bool;
  using Extents = Dim3;
  using List = std::vector<std::int64_t>;
  static constexpr std::int64_t initially(std::int64_t value) { return value; }
};

/// A new key of a launch takes a line here, a line in each_key(), and the device that follows it.
template <class Form>
struct StepKeys {
  typename Form::Extents grid{};
  typename Form::Extents block{};
  /// Per block.
  typename Form::Number dynamic_shared_bytes = Form::initially(0);
  /// The launch may begin before the previous one in its stream has ended (programmatic dependent launch).
  /// The kernel itself must wait before it reads or writes memory.
  typename Form::Flag overlap{};
  /// All blocks run at once and may wait for each other (cooperative launch).
  typename Form::Flag cooperative{};
  /// Blocks that share a cluster; 1x1x1: none, or as the kernel itself says.
  typename Form::Extents cluster{};
  /// How often this step and the `repeat_steps` - 1 behind it run in turn; see launch_order().
  typename Form::Number repeat = Form::initially(1);
  /// Preferred shared memory of a multiprocessor, in percent of the maximum; -1: the driver chooses.
  typename Form::Number shared_carveout_percent = Form::initially(-1);
  /// First element to copy or set, and the number of elements; absent in a spec: all of them.
  typename Form::Number first = Form::initially(0);
  typename Form::Number count = Form::initially(0);
  /// The value of each byte of a memset.
  typename Form::Number byte = Form::initially(0);
  bool operator==(const StepKeys&) const = default;
};

/// Properties of a key, the same in every step.
struct StepKey {
  enum class Of { launches, calls, copies, memsets, all };
  const char* name;  ///< in a spec
  Of of = Of::launches;
  const char* example = "";  ///< of a key that each launch must have
  /// Bounds of a number; `most_on` is the device's. `range` says them in words.
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t DeviceLimits::*most_on = nullptr;
  const char* range = "";
  /// The word before the value in digests of specs and plans. They include the value only where a spec has
  /// the key, so a new key changes no identity. Empty: an older key; spec_digest.cpp and plan.cpp place its
  /// value.
  const char* spec_word = "";
  const char* plan_word = "";
};

/// `visit(key, value...)` for each key, with its values in `steps`; ends where it returns false.
template <class Visit, class... Steps>
bool each_key(const Visit& visit, Steps&... steps) {
  using Of = StepKey::Of;
  return visit(StepKey{.name = "block", .example = "block = [\"BLOCK_SIZE\"], threads in x, y and z"},
               steps.block...) &&
         visit(
             StepKey{.name = "grid", .example = "grid = [\"ceil_div(N, BLOCK_SIZE)\"], blocks in x, y and z"},
             steps.grid...) &&
         visit(StepKey{.name = "dynamic_shared_bytes",
                       .least = 0,
                       .most_on = &DeviceLimits::shared_bytes_per_block_optin},
               steps.dynamic_shared_bytes...) &&
         visit(StepKey{.name = "overlap", .spec_word = "overlap", .plan_word = "overlaps"},
               steps.overlap...) &&
         visit(StepKey{.name = "cooperative", .spec_word = "cooperative", .plan_word = "cooperative"},
               steps.cooperative...) &&
         visit(StepKey{.name = "cluster", .spec_word = "cluster", .plan_word = "cluster"},
               steps.cluster...) &&
         visit(StepKey{.name = "repeat", .of = Of::all, .plan_word = "repeat"}, steps.repeat...) &&
         visit(StepKey{.name = "shared_carveout",
                       .least = -1,
                       .most = 100,
                       .range = "it is a percentage, or -1 for the driver's choice",
                       .spec_word = "carveout",
                       .plan_word = "carveout"},
               steps.shared_carveout_percent...) &&
         visit(StepKey{.name = "first", .of = Of::copies}, steps.first...) &&
         visit(StepKey{.name = "count", .of = Of::copies}, steps.count...) &&
         visit(StepKey{.name = "value", .of = Of::memsets}, steps.byte...);
}

/// The fields of a CUtensorMap, dimensions innermost first (cuTensorMapEncodeTiled in cuda.h).
template <class Form>
struct TensorMapKeys {
  typename Form::List shape{};    ///< elements
  typename Form::List strides{};  ///< bytes, of each dimension but the innermost; absent in a spec: no gaps
  typename Form::List box{};      ///< elements that one copy takes
  typename Form::List element_strides{};                  ///< a copy keeps each n-th of them; absent: 1
  typename Form::Number interleave = Form::initially(0);  ///< bytes, here and below
  typename Form::Number swizzle = Form::initially(0);
  typename Form::Number l2_promotion = Form::initially(0);
  bool nan_outside = false;  ///< what lies outside of the shape is read as NaN, else as 0
  bool operator==(const TensorMapKeys&) const = default;
};

struct TensorMapKey {
  const char* name;            ///< in a spec
  const char* example = "";    ///< of a key that each map must have
  std::int64_t most = 0;       ///< of the numbers of a list, which are 1 or more
  std::vector<int> allowed{};  ///< of a number of bytes
};

/// As the each_key() of steps.
template <class Visit, class... Maps>
bool each_map_key(const Visit& visit, Maps&... maps) {
  using Key = TensorMapKey;
  return visit(Key{"shape", "shape = [\"K\", \"M\"], elements in each dimension, innermost first",
                   std::int64_t{1} << 32U},
               maps.shape...) &&
         visit(Key{"strides", "", (std::int64_t{1} << 40U) - 1}, maps.strides...) &&
         visit(
             Key{"box", "box = [\"TILE_K\", \"TILE_M\"], elements that one copy takes, innermost first", 256},
             maps.box...) &&
         visit(Key{"element_strides", "", 8}, maps.element_strides...) &&
         visit(Key{"interleave", "", 0, {0, 16, 32}}, maps.interleave...) &&
         visit(Key{"swizzle", "", 0, {0, 32, 64, 128}}, maps.swizzle...) &&
         visit(Key{"l2_promotion", "", 0, {0, 64, 128, 256}}, maps.l2_promotion...);
}

}  // namespace tuner::model
