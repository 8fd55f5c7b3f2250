#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/draft_source.hpp"

namespace config {

/// A parameter of a drafted spec.
struct DraftParameter {
  std::string name;
  std::string values;  ///< TOML
  std::string why;     ///< for the comment
  std::string usual;   ///< its value in the source; empty: not known
};

struct PlannedArgument {
  std::string value;                ///< of a value, as the spec writes it; empty: not known
  std::vector<std::string> extent;  ///< of a buffer; empty: not known
  std::string extent_from;          ///< for the comment
  std::string init;                 ///< empty: the usual one
  bool is_null = false;
  std::string type;  ///< of a parameter whose type a template gives; empty: as it is declared
};

/// A launch in the words of a spec.
struct DraftPlan {
  std::vector<std::string> sizes;
  std::vector<std::optional<std::int64_t>> present;  ///< of each size, what the program has
  std::vector<DraftParameter> parameters;
  std::vector<std::string> constraints;
  std::vector<std::string> block, grid;  ///< `?`: not known
  std::string shared_bytes;
  bool cooperative = false;
  std::array<std::int64_t, 3> cluster = {1, 1, 1};
  std::string launch_from;                    ///< for the comment above it
  std::map<std::string, std::string> doubts;  ///< of its keys, for comments
  bool is_guess = false;                      ///< nothing shows how the kernel is launched
  std::vector<PlannedArgument> arguments;
  std::vector<std::string> template_arguments;
  std::set<std::string> element_types;  ///< template parameters that [kernel] types stands for
  std::vector<std::string> notes;       ///< what the source fixes, for comments
  /// Symbols of the program as the spec writes them, for other expressions over them.
  std::map<std::string, std::string> names;
  std::map<std::string, tuner::source::Value> fixed;
  std::vector<std::pair<tuner::source::Value, tuner::source::Value>> products;  ///< and the sizes they are

  /// A value of the program in the words of the spec, over its sizes alone; none where it has others.
  std::optional<std::string> over_sizes(const tuner::source::HostCode& host,
                                        tuner::source::Value value) const;
};

/// The plan of a kernel that the source launches. Sizes are the variables that grids, extents and integer
/// arguments depend on; parameters those that set the block, macros that the build may give, and template
/// arguments.
DraftPlan plan_launch(DraftSource& source);

/// The plan of a kernel that it does not launch: integers passed by value are sizes, open macros and template
/// parameters are parameters, and one thread an element is assumed.
DraftPlan guess_plan(DraftSource& source);

/// The first sizes of a plan, for a buffer that nothing is known of; asks once where nothing launches the
/// kernel.
std::vector<std::string> guessed_extent(DraftSource& source, const DraftPlan& plan);

}  // namespace config
