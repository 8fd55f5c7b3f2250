#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/layout.hpp"

namespace reports {

bool matches(const model::TrialRecord& trial, const Filter& filter);

/// One entry of an axis: what it is called, which trials it stands for.
struct AxisEntry {
  Axis::Kind kind = Axis::Kind::size;
  std::string label;
  std::string kernel;                    ///< kernel and choice
  std::vector<model::Assignment> where;  ///< parameter and choice

  bool matches(const model::TrialRecord& trial) const;
};

/// The entries of `axis` among `trials`, which match `filter` already. Listed ones appear whether found or
/// not.
std::vector<AxisEntry> axis_entries(const Axis& axis, const Filter& filter, const Trials& trials);

/// Headings of the columns that a row axis takes.
std::string axis_heading(const Axis& axis);

/// A point of the table: one entry from each axis. The product of no axes is one empty point.
using Coordinates = std::vector<AxisEntry>;
std::vector<Coordinates> product(const std::vector<Axis>& axes, const Filter& filter, const Trials& trials);

/// What the point fixes `parameter` to, if it does.
std::optional<std::int64_t> fixed_value(const Coordinates& at, const Filter& filter,
                                        const std::string& parameter);

/// The extent of `dimension` at the point: that of the trials of its size, or the size itself where it is one
/// number.
std::optional<std::int64_t> fixed_extent(const Coordinates& at, const Trials& trials,
                                         const std::string& dimension);

}  // namespace reports
