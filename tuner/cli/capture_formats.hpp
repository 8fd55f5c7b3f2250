#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tuner/capture/recording.hpp"

namespace tuner::cli {

/// For people: a row for each kernel, the one that costs most first, no line wider than `columns`.
std::string capture_table(const capture::Recording& recording, std::size_t columns);
/// A row for each shape.
std::string capture_csv(const capture::Recording& recording);

/// What must be known to read the table right: what was not captured, and how the times were taken.
std::vector<std::string> capture_remarks(const capture::Recording& recording);

}  // namespace tuner::cli
