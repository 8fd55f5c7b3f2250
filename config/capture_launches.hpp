#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/capture_plan.hpp"

namespace config {

/// How much memory a buffer of a spec has.
struct CapturedExtent {
  std::string text;       ///< an expression over sizes
  std::string from;       ///< for the comment
  bool is_fixed = false;  ///< it is as in the reference, whatever the sizes are
};

/// The kept launches that one spec is held against: one of each size, the reference first. What is no size
/// they were passed alike.
class CapturedLaunches {
 public:
  CapturedLaunches(DraftSource& source, const CapturePlan& planned);

  const std::vector<const tuner::model::CapturedLaunch*>& all() const { return m_alike; }
  /// Of one of them, as `--sizes` takes them.
  std::string sizes_text(std::size_t launch) const;
  /// In names of files: `.{M}x{N}`, or with the sizes of a launch `.100x60`; empty where there is one launch.
  std::string file_part() const;
  std::string file_part(std::size_t launch) const;
  /// Bytes of a buffer of this extent in one of them.
  std::int64_t bytes(std::size_t launch, const CapturedExtent& extent, tuner::model::ElementType type) const;

  /// What fits in all kept launches, or else all that the pointer reached in the reference.
  CapturedExtent extent(const tuner::model::CapturedRegion& region, const std::string& name,
                        tuner::model::ElementType type) const;
  /// The memory behind an argument; null: none.
  static const tuner::model::CapturedRegion* region_of(const tuner::model::CapturedLaunch& launch,
                                                       std::size_t argument);
  /// The same memory in another launch; null: it has none.
  const tuner::model::CapturedRegion* same_region(const tuner::model::CapturedLaunch& launch,
                                                  const tuner::model::CapturedRegion& like,
                                                  const std::string& name) const;

 private:
  void choose();
  /// Why the spec cannot be held against a kept launch; empty: it can.
  std::string why_not(std::size_t kept) const;
  bool is_passed_alike(std::size_t argument, std::size_t kept) const;
  std::map<std::string, std::int64_t> sizes_of(std::size_t kept) const;
  std::optional<std::string> largest_within(const std::string& fitted,
                                            const std::vector<std::int64_t>& elements) const;
  bool holds(const std::string& extent, const std::vector<std::int64_t>& elements) const;
  std::string reach_of(const tuner::model::CapturedRegion& region) const;

  DraftSource& m_source;
  const CapturePlan& m_planned;
  DraftTypes m_types;
  std::vector<const tuner::model::CapturedLaunch*> m_alike;
  std::vector<std::size_t> m_places;  ///< of each among the kept ones
};

/// Bytes where a spec has no such elements: they are compared as they are.
tuner::model::ElementType captured_element(const std::string& type);

}  // namespace config
