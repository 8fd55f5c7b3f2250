#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/draft_plan.hpp"
#include "config/fit_expression.hpp"

/// The parts of a draft that is made from a capture, in the order in which they are found.
namespace config {

using model::CapturedArgument;
using model::CapturedLaunch;
using model::CapturedRegion;
using model::CapturedSize;

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
  const model::CapturedLaunch& reference() const { return *kept.front(); }
  /// How many elements the argument led to in each kept launch; empty: not in all of them to any.
  std::vector<std::int64_t> elements(std::size_t argument, model::ElementType type) const;
  /// Leaves the kept ones.
  void forget_others();

  std::vector<const model::CapturedLaunch*> kept;  ///< the reference first
  std::size_t different = 0;                       ///< of the launches
  std::vector<RecordedLaunch> launches;  ///< the kept ones, then others that differ from them, once each
  std::vector<RecordedInteger> integers;
};

/// Bytes of an argument as the integer that its type says.
std::optional<std::int64_t> integer_in(const std::string& bytes, model::ElementType type);

/// `int`, `float` of what a kernel is passed; none where a spec has no such type.
std::optional<model::ElementType> known_type(const std::string& type);

/// The parameters of a plan with the values that they had in recorded launches, as far as is known.
class RecordedParameters {
 public:
  explicit RecordedParameters(DraftPlan& plan) : m_plan(plan) {}

  /// What the kernel's mangled name says: template arguments, and types that the source leaves open.
  void set_template_arguments(const DraftSource& source, const model::CapturedKernel& captured);
  /// Each parameter that the source has a default for had it in so many launches.
  void take_defaults(std::size_t launches);
  /// The parameter had these values. The first becomes its default, and its values go about them.
  void record(const std::string& name, const std::vector<std::int64_t>& values);
  void add_block(const std::string& name, const std::vector<std::int64_t>& values);

  bool is_known(const std::string& name) const { return m_values.contains(name); }
  const std::map<std::string, std::vector<std::int64_t>>& values() const { return m_values; }
  /// Those whose values are known and that count.
  std::vector<FitName> names(const std::function<bool(const std::string&)>& counts) const;

 private:
  DraftPlan& m_plan;
  std::map<std::string, std::vector<std::int64_t>> m_values;
};

/// What of a kernel's integers is a size, and what follows from sizes.
struct RecordedSizes {
  std::vector<FitName> sizes;
  std::vector<std::string> integers;  ///< what the spec writes for each integer of the launches
};

/// Integers become sizes but for those that are a product of others, or say how data lies and are equal to
/// one. A kernel without integers has one size, which is how much
/// an output holds; then `launches` are left with those in which that is known.
RecordedSizes find_recorded_sizes(const DraftSource& source, const DraftTypes& types, const DraftPlan& plan,
                                  RecordedLaunches& launches);

/// A kernel's recorded launches in the words of a spec.
struct CapturePlan {
  DraftPlan plan;
  RecordedLaunches launches;
  std::vector<std::string> integers;  ///< what the spec writes for each of `launches.integers`
  FitNames names;                     ///< of the plan, in the kept launches
};

/// Parameters are those that the source has, with the values of the recorded launch as default. Sizes are
/// integers that grids and extents follow, or that differ between launches. Blocks and grids are as in the
/// launch of the source where that gives the recorded numbers, or else expressions fitted to them.
CapturePlan plan_capture(DraftSource& source, const CapturedSource& captured);

/// How much memory a buffer of a spec has.
struct CapturedExtent {
  std::string text;               ///< an expression over sizes
  std::string from;               ///< for the comment
  bool is_fixed = false;          ///< it is as in the reference, whatever the sizes are
  std::set<std::string> by = {};  ///< parameters that it follows, as they were in the launches
};

/// The kept launches that one spec is held against: one of each size, the reference first. What is no size
/// they were passed alike.
class CapturedLaunches {
 public:
  CapturedLaunches(DraftSource& source, const CapturePlan& planned);

  const std::vector<const model::CapturedLaunch*>& all() const { return m_alike; }
  /// Of one of them, as `--sizes` takes them.
  std::string sizes_text(std::size_t launch) const;
  /// Of one dimension, in any of them.
  std::int64_t largest_size(std::size_t dimension) const;
  /// In names of files: `.{M}x{N}`, or with the sizes of a launch `.100x60`; empty where there is one launch.
  std::string file_part() const;
  std::string file_part(std::size_t launch) const;
  /// Bytes of a buffer of this extent in one of them.
  std::int64_t bytes(std::size_t launch, const CapturedExtent& extent, model::ElementType type) const;

  /// What fits in all kept launches, or else all that the pointer reached in the reference.
  CapturedExtent extent(const model::CapturedRegion& region, const std::string& name,
                        model::ElementType type) const;
  /// The memory behind an argument; null: none.
  static const model::CapturedRegion* region_of(const model::CapturedLaunch& launch, std::size_t argument);
  /// The same memory in another launch; null: it has none.
  const model::CapturedRegion* same_region(const model::CapturedLaunch& launch,
                                           const model::CapturedRegion& like, const std::string& name) const;

 private:
  void choose();
  /// Why the spec cannot be held against a kept launch; empty: it can.
  std::string why_not(std::size_t kept) const;
  bool is_passed_alike(std::size_t argument, std::size_t kept) const;
  std::map<std::string, std::int64_t> sizes_of(std::size_t kept) const;
  std::optional<std::string> largest_within(const std::string& fitted,
                                            const std::vector<std::int64_t>& elements) const;
  bool holds(const std::string& extent, const std::vector<std::int64_t>& elements) const;
  /// Each kept launch had so many.
  bool gives(const std::string& extent, const std::vector<std::int64_t>& elements) const;
  /// By the kernel's indices; empty: they do not say.
  std::string indexed(const std::string& name) const;
  /// Of a buffer with so many elements a block, as in the launches.
  std::optional<CapturedExtent> of_blocks(const std::string& name,
                                          const std::vector<std::int64_t>& elements) const;
  std::optional<std::size_t> place_of(const std::string& name) const;
  std::string reach_of(const model::CapturedRegion& region) const;

  DraftSource& m_source;
  const CapturePlan& m_planned;
  DraftTypes m_types;
  std::vector<const model::CapturedLaunch*> m_alike;
  std::vector<std::size_t> m_places;  ///< of each among the kept ones
};

/// Bytes where a spec has no such elements: they are compared as they are.
model::ElementType captured_element(const std::string& type);

/// The arguments of a captured kernel that it is passed by value, as they were recorded.
class CapturedValues {
 public:
  CapturedValues(DraftSource& source, const CapturedSource& captured, const CapturePlan& planned)
      : m_source(source),
        m_captured(captured),
        m_planned(planned),
        m_launch(planned.launches.reference()),
        m_types(source, planned.plan) {}

  /// TOML of one argument.
  std::string table(std::size_t argument, const std::string& name);
  /// TOML of the structs that the source does not show, for the arguments so far.
  const std::string& structs() const { return m_structs; }

 private:
  std::string scalar(std::size_t argument, model::ElementType type, const std::string& name);
  std::string number_text(const std::string& bytes, model::ElementType type);
  std::string fields(std::size_t argument, const SourceStruct& one);
  std::optional<std::string> field_size(std::size_t argument, const std::string& field) const;
  std::string raw_struct(const model::CapturedArgument& passed, const std::string& type,
                         const std::string& name);

  DraftSource& m_source;
  const CapturedSource& m_captured;
  const CapturePlan& m_planned;
  const model::CapturedLaunch& m_launch;
  DraftTypes m_types;
  std::string m_structs;
};

/// The arguments of a captured kernel, with recorded values and files. Outputs are held against what the
/// recorded launch left. How exactly follows from launches with the same inputs, where the capture has some.
DraftArguments capture_arguments(DraftSource& source, const CapturedSource& captured,
                                 const CapturePlan& planned);

}  // namespace config
