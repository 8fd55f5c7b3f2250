#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/plan.hpp"

/// The expression language of specs
///
/// 64-bit signed integers; nonzero is true. Operators and precedence are C's: `?:  ||  &&  |  ^  &  == !=
/// < <= > >=  << >>  + -  * / %  ! - +` and parentheses; `&&`, `||` and `?:` evaluate only what they need,
/// and comparisons do not chain. Functions: min(a, b, ...), max(a, b, ...), ceil_div(a, b), round_up(a, b)
/// (the multiple of b), abs(a), is_pow2(a), log2(a) and sqrt(a) (rounded down). Division truncates. Overflow,
/// division by zero, a shift by less than 0 or more than 63, log2 below 1, sqrt below 0, and ceil_div or
/// round_up by less than 1 make a value undefined; so does using one. Words stand in single quotes and may
/// only be compared, by == and !=, with a parameter that offers them: `PARTITION == 'row'`. Metrics,
/// rounding_terms and scalars of floating type are evaluated in double precision: the same grammar plus
/// decimal numbers (`1e-9`), `/` divides exactly, `%` is fmod, log2 and sqrt are not rounded, and there are
/// no bit operations.
///
/// Names: the kernel's sizes; its parameters (inactive ones have the value `otherwise`); derived values, in
/// any order; the row_padding name; ELEMENT_BYTES and ELEMENT_IS_INTEGER of the problem's element type;
/// `time_ns` in metrics; and, everywhere but in metrics, the device's limits:
///   multiprocessors, warp_size, max_threads_per_block, max_threads_per_multiprocessor,
///   max_blocks_per_multiprocessor, max_registers_per_block, max_registers_per_multiprocessor,
///   max_static_shared_bytes (without opt-in), max_shared_bytes_per_block (with opt-in),
///   max_shared_bytes_per_multiprocessor, max_block_x, max_block_y, max_block_z, max_grid_x, max_grid_y,
///   max_grid_z, l2_bytes.
///
/// An Expression's `where` is taken as the place of its first character; a mistake inside is reported at its
/// own column.
///
/// What is asked of a sound spec's configurations is asked of a KernelSpace (kernel_space.hpp).
namespace tuner::space {

/// Why a configuration has no plan: a value, stored with the trial.
struct Rejection {
  model::TrialStatus status = model::TrialStatus::unlaunchable;
  std::string reason;
  model::Dim3 grid{0, 0, 0};  ///< of the launch that does not fit, as far as they are known: else 0
  model::Dim3 block{0, 0, 0};
};

/// Every mistake in a spec's names and expressions: unknown names, wrong operand kinds, shadowed names, words
/// no parameter offers, arguments that do not exist. Empty when the spec is sound. What `config` tells with
/// its place in the file is not looked at again: which keys there are, their types, lists and defaults.
std::vector<model::Diagnostic> validate(const model::KernelSpec& spec);

/// The problem for the numbers a user gave for the kernel's sizes (one number sets all; else one per size).
/// Throws model::UsageError where their count does not fit, or the type or padding is not offered.
model::Problem make_problem(const model::KernelSpec& spec, const std::vector<std::int64_t>& sizes,
                            std::optional<model::ElementType> type, std::int64_t row_padding);

/// The baselines of a spec as kernels of their own, of role baseline, each of one call and without
/// parameters: with the inputs and the reference of `spec`, so that trials of both share them on a device.
/// They keep the place of every buffer of the kernel, of a workspace that depends on a parameter without its
/// contents.
std::vector<model::KernelSpec> baselines(const model::KernelSpec& spec);

/// Small problems of the same type as `problem` that kernels get wrong first: every extent odd and unlike the
/// others. In the first they are smaller than most tiles, in the second no multiple of any; the second one's
/// rows are padded where the spec offers that. A configuration may be invalid on either.
std::vector<model::Problem> probe_problems(const model::KernelSpec& spec, const model::Problem& problem);

/// ELEMENT_TYPE and what is to be known of it, which every source sees.
std::vector<model::Macro> element_macros(model::ElementType type);

/// The names in the `${NAME}`s of a compiler option.
std::vector<std::string> placeholders(const std::string& option);

/// `option` with the value of each parameter it names.
std::string with_values(std::string option, const model::Configuration& configuration);

/// The parts of KernelSpace::compile_job() that need no expression.
model::CompileJob kernel_job(const model::KernelSpec& spec, const model::Problem& problem,
                             const model::Configuration& configuration, const std::string& architecture,
                             const std::string& compiler);
/// What verification_job() compiles: the reference's sources; with a generator, one that includes both.
std::vector<model::SourceText> verification_source(const model::KernelSpec& spec);
/// Of the reference and the generator, which share a binary; nothing where there is neither.
std::optional<model::CompileJob> verification_job(const model::KernelSpec& spec,
                                                  const model::Problem& problem,
                                                  const std::string& architecture,
                                                  const std::string& compiler);

/// Identity of all that decides what one configuration of a kernel runs and what is right: sources and the
/// reference's, parameters without their values, derived values, launches, arguments, verification, compiler
/// options. Expressions count by their words, not by their blanks.
model::Digest definition_of(const model::KernelSpec& spec);

/// The same, and what selects configurations: value lists, constraints, element types, devices. Not what
/// merely describes: descriptions, metrics, workloads, defaults.
model::Digest spec_digest(const model::KernelSpec& spec);

/// A name that a condition may use, and the words it may be compared with; without words it is a number.
struct ConditionName {
  std::string name;
  std::vector<std::string> words{};
};

/// An expression over named values, usually a condition, as a user writes it, in the expression language of
/// specs (space.hpp): `registers <= 64 && PARTITION == 'row'`. Sizes, limits and time are no names of it.
class NamedCondition {
 public:
  /// Of two equal names the first counts; an operand of && or || that has one of `absent` does not hold.
  /// Throws model::UsageError that points at the mistake.
  NamedCondition(std::string text, const std::vector<ConditionName>& names,
                 const std::vector<std::string>& absent = {});
  NamedCondition(NamedCondition&&) noexcept;
  NamedCondition& operator=(NamedCondition&&) noexcept;
  ~NamedCondition();

  /// `values`: parallel to the names. Nothing where it is undefined.
  std::optional<std::int64_t> value(const std::vector<model::Value>& values) const;
  /// A condition that is undefined does not hold.
  bool holds(const std::vector<model::Value>& values) const { return value(values).value_or(0) != 0; }

 private:
  struct Compiled;
  std::unique_ptr<Compiled> m_compiled;
};

/// Every name that `text` mentions, each once, in the order written. Throws model::UsageError where it cannot
/// be parsed.
std::vector<std::string> names_in(const std::string& text);

}  // namespace tuner::space
