#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/draft_plan.hpp"

namespace config {

/// A launch of the source while its symbols become parameters and sizes of a spec, and the plan that this
/// makes. A symbol is one of the program's, or a name that the plan has given.
struct PlannedLaunch {
  explicit PlannedLaunch(DraftSource& source);

  const SymbolFacts& facts(const std::string& symbol) const { return source.host.facts(symbol); }

  /// In each value of the launch, and in those that are fixed already.
  void change_all(const std::function<Value(const Value&)>& change);
  /// The symbol is `by` from now on.
  void replace(const std::string& symbol, const Value& by);

  /// Arguments first, then grid, block and shared memory, then what buffers hold.
  std::vector<std::string> all_symbols() const;
  bool occurs_in_bytes(const std::string& symbol) const;
  /// In the block, in shared memory or, with `but_grid` not, in the grid.
  bool occurs_in_launch(const std::string& symbol, bool but_grid = false) const;
  /// To the kernel, by value.
  bool is_passed(const std::string& symbol) const;

  /// Unless there is one of its name.
  void add_parameter(DraftParameter parameter);
  /// The parameter that a number of the launch stands for: the only one that has it as its value, and takes
  /// it from a literal. None where there are several.
  std::optional<std::string> parameter_of(std::int64_t number) const;
  bool is_literal(std::int64_t number) const;
  /// `name`, made one that a spec may have and that this one has not yet.
  std::string free_name(std::string name) const;

  /// What the kernel knows as `type` where this launch runs it.
  std::string type_inside(const std::string& type) const;
  /// The name of a template's type that no call gives.
  bool is_open_type(const std::string& type) const;

  DraftSource& source;
  ProgramLaunch launch;  ///< at first the one that says most
  const Frame* inside;   ///< the kernel, called by the launch
  /// Parameters that the launch gives as a number above 1, as `kernel<4>`, and this number.
  std::map<std::string, std::int64_t> literals;
  DraftPlan plan;
};

/// A buffer's extent or the kernel's indices have the template parameter, which is `value`, and nothing of
/// the launch: with another number than the present one the kernel would do another part of the work.
bool is_dimension(const PlannedLaunch& planned, const TemplateParameter& parameter, const Value& value,
                  std::int64_t present);

// The steps of plan_launch(), in this order.

/// What may change from one configuration to the next: macros, template arguments, and what sets the block.
void find_parameters(PlannedLaunch& planned);
/// A part of find_parameters(): has factors and divisors of grid, block and shared memory that are such a
/// number, and can be nothing else, be the parameter.
void use_literals(PlannedLaunch& planned);
/// What of the rest is a size; what is none becomes the number that the program has.
void find_sizes(PlannedLaunch& planned);
/// A parameter whose number still stands in the grid or the block, for whatever, keeps its launched value, or
/// the grid becomes a question.
void settle_literals(PlannedLaunch& planned);
/// Puts grid, block, arguments and constraints into the words of a spec.
void say(PlannedLaunch& planned);

}  // namespace config
