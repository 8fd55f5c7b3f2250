#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/plan.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/space/space.hpp"

namespace tuner::space {

/// Steps of one run, loops written out: a host queues some hundred thousand in a second.
inline constexpr std::int64_t most_launches = 65536;

/// The portable cluster size of the CUDA C++ programming guide.
inline constexpr std::int64_t most_cluster_blocks = 8;

/// A way to fill a buffer as specs write it: uniform(a, b) has two numbers.
struct InitForm {
  std::string_view name;
  model::Init::Kind kind;
  int numbers;
};
std::span<const InitForm> init_forms();

/// An init with its numbers in the order written: sparse(share, a, b) has the share first.
model::Init with_numbers(model::Init::Kind kind, const std::vector<double>& numbers);

/// What is wrong with an init's numbers whatever the type, or nothing; the place is the caller's.
std::optional<model::Diagnostic> mistake_in(const model::Init& init);

/// What keeps elements of `type` from holding all that the init makes, or nothing.
std::optional<model::Diagnostic> misfit(const model::Init& init, model::ElementType type);

/// Whether an integer type holds `value`.
bool fits(model::ElementType type, std::int64_t value);

/// For each step that is kept, the kept steps (numbered among themselves) it must wait for on other streams.
/// A step that waited for a step that is left out waits for what that one would have waited for: its own
/// waits and the steps before it on its stream.
std::vector<std::vector<int>> waits_of_kept(const std::vector<model::StepSpec>& steps,
                                            const std::vector<bool>& kept);

/// An expression beside its value, as in "`ceil_div(M, TILE)` = 0".
template <typename Number>
std::string shown(const Compiled& expression, Number value) {
  const std::string text = excerpt(expression.source->text);
  const std::string number = fmt::format("{}", value);
  return text == number ? number : fmt::format("`{}` = {}", text, number);
}

/// Evaluates a compiled spec into a plan. The first reason why there is none is kept as rejection(); what a
/// member returns behind it means nothing.
class Planner {
 public:
  /// `slots`: everything set, derived values included.
  Planner(const CompiledSpec& compiled, const model::Problem& problem, const model::DeviceLimits& limits,
          Slots slots)
      : m_compiled(compiled),
        m_spec(compiled.spec),
        m_problem(problem),
        m_limits(limits),
        m_slots(std::move(slots)) {}

  std::optional<model::Plan> plan();
  const Rejection& rejection() const { return m_rejection; }

 private:
  void make_buffers();
  void make_scalars();
  model::BufferPlan make_buffer(const model::ArgumentSpec& argument, const CompiledArgument& compiled,
                                const std::vector<std::int64_t>& extents);
  /// The struct by value whose fields are the arguments behind `index`.
  void set_struct(std::size_t index);
  /// Puts the buffers behind that of structs at `index` in their places.
  void set_fields(std::size_t index);
  std::vector<std::int64_t> extents_of(const model::ArgumentSpec& argument, const CompiledArgument& compiled);
  model::Init resolved(const model::ArgumentSpec& argument, const CompiledArgument& compiled,
                       const model::InitRule& rule, const model::BufferPlan& buffer,
                       const std::vector<std::int64_t>& extents);
  /// The file of this problem, where a name has sizes in it. Rejects a problem without one.
  const model::InitRule& file_of(const model::InitRule& rule);
  /// Whether a file holds as much as `buffer`, in this shape where it has one.
  void check_file(const model::InitRule& rule, const model::BufferPlan& buffer,
                  const std::vector<std::int64_t>& extents);
  static std::string why_not(const model::TensorMap& map, const model::BufferPlan& buffer,
                             std::int64_t element);
  /// Why there is no such view; empty where there is, or where a value was rejected.
  std::string set_tensor_map(model::Operand& operand, const model::ArgumentSpec& argument,
                             const CompiledTensorMap& compiled);
  std::string set_texture(model::Operand& operand, const model::ArgumentSpec& argument,
                          const CompiledTexture& compiled);
  void set_value(model::Operand& operand, const model::ArgumentSpec& argument,
                 const CompiledArgument& compiled);
  /// What a reference or a library is passed for a value that is no argument.
  model::Operand whole_number(const Compiled& expression);
  std::vector<model::Step> steps(const std::vector<model::StepSpec>& specs,
                                 const std::vector<CompiledStep>& compiled);
  /// Which steps run, and how often each loop, by its first step.
  struct Course {
    std::vector<bool> kept;
    std::vector<std::int64_t> repeat;
  };
  std::optional<Course> course(const std::vector<model::StepSpec>& specs,
                               const std::vector<CompiledStep>& compiled);
  void check_cluster(const CompiledStep& compiled, const model::Step& step);
  void check_macros();
  std::optional<model::Step> launch(const model::StepSpec& spec, const CompiledStep& compiled);
  std::optional<model::Step> upload(const model::StepSpec& spec, const CompiledStep& compiled);
  std::optional<model::Step> call(const model::StepSpec& spec, const CompiledStep& compiled);
  void add_operands(const CompiledStep& compiled, model::Step& step);
  model::Dim3 extents(const std::vector<Compiled>& expressions, std::string_view what);
  void check_extents(const model::Dim3& extents, const std::vector<Compiled>& expressions,
                     std::string_view what, const std::string& entry, const model::Dim3& most);

  /// The value; 0 where there is none, which is the rejection then.
  std::int64_t number(const Compiled& expression, std::string_view what);
  double real(const Compiled& expression, std::string_view what);
  template <class Number>
  Number value_of(const Evaluated<Number>& result, const Compiled& expression, std::string_view what);
  std::nullopt_t reject(std::string reason);
  bool is_rejected() const { return !m_rejection.reason.empty(); }

  const CompiledSpec& m_compiled;
  const model::KernelSpec& m_spec;
  const model::Problem& m_problem;
  const model::DeviceLimits& m_limits;
  Slots m_slots;
  std::vector<model::BufferPlan> m_buffers;
  std::vector<model::Operand> m_arguments;  ///< what each argument is passed as, whichever step takes it
  Rejection m_rejection;
};

}  // namespace tuner::space
