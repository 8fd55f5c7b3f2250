#include "tuner/space/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "tuner/space/init_numbers.hpp"
#include "tuner/space/lexer.hpp"
#include "tuner/space/slots.hpp"
#include "tuner/space/step_order.hpp"

namespace tuner::space {
namespace {

/// A buffer's own element and the two doubles a number of its reference, in both draws (see
/// Plan::device_bytes); with as many buffers as a spec may have arguments, the sum still is a 64-bit number.
constexpr std::int64_t most_bytes_per_element = 192;
constexpr std::int64_t most_elements =
    std::numeric_limits<std::int64_t>::max() / most_bytes_per_element / 1024;

/// Steps of one run, loops written out: a host queues some hundred thousand in a second.
constexpr std::int64_t most_launches = 65536;

/// The portable cluster size of the CUDA C++ programming guide.
constexpr std::int64_t most_cluster_blocks = 8;

/// Whether an integer type holds `value`.
bool fits(model::ElementType type, std::int64_t value) {
  const auto within = [value]<typename T>(T) { return std::in_range<T>(value); };
  switch (model::component_type(type)) {
    case model::ElementType::boolean:
      return value == 0 || value == 1;
    case model::ElementType::int16:
      return within(std::int16_t{});
    case model::ElementType::uint16:
      return within(std::uint16_t{});
    case model::ElementType::int8:
      return within(std::int8_t{});
    case model::ElementType::uint8:
      return within(std::uint8_t{});
    case model::ElementType::int32:
      return within(std::int32_t{});
    case model::ElementType::uint32:
      return within(std::uint32_t{});
    case model::ElementType::uint64:
      return within(std::uint64_t{});
    default:
      return true;
  }
}

/// An expression beside its value, as in "`ceil_div(M, TILE)` = 0".
template <typename Number>
std::string shown(const Compiled& expression, Number value) {
  const std::string text = excerpt(expression.source->text);
  const std::string number = fmt::format("{}", value);
  return text == number ? number : fmt::format("`{}` = {}", text, number);
}

}  // namespace

std::optional<model::Plan> Planner::plan() {
  if (!check_macros() || !make_buffers() || !make_scalars()) return std::nullopt;
  model::Plan plan;
  std::optional<std::vector<model::Step>> run = steps(m_spec.steps, m_compiled.steps);
  if (!run) return std::nullopt;
  plan.steps = std::move(*run);
  if (m_spec.generator) {
    std::optional<std::vector<model::Step>> generator = steps(m_spec.generator->steps, m_compiled.generator);
    if (!generator) return std::nullopt;
    plan.generator = std::move(*generator);
  }
  if (m_compiled.verify) {
    if (!m_spec.verify->steps.empty()) {
      std::optional<std::vector<model::Step>> reference =
          steps(m_spec.verify->steps, m_compiled.verify->steps);
      if (!reference) return std::nullopt;
      plan.verify.reference = std::move(*reference);
    }
    const std::optional<double> terms = real(m_compiled.verify->rounding_terms, "rounding_terms");
    if (!terms) return std::nullopt;
    if (*terms < 0) {
      return reject(
          fmt::format("rounding_terms {} is negative", shown(m_compiled.verify->rounding_terms, *terms)));
    }
    plan.verify.rounding_terms = *terms;
    plan.verify.second_is_exact = m_spec.verify->second_is_exact;
    plan.verify.tolerance = m_spec.verify->tolerance;
    plan.verify.accumulator = m_spec.verify->accumulator;
  }
  plan.buffers = std::move(m_buffers);
  plan.deterministic = m_spec.deterministic;
  return plan;
}

bool Planner::make_buffers() {
  for (std::size_t i = 0; i < m_spec.arguments.size(); ++i) {
    const model::ArgumentSpec& argument = m_spec.arguments[i];
    if (!argument.pointer) continue;
    std::int64_t elements = 1;
    std::vector<std::int64_t> extents;
    for (const Compiled& expression : m_compiled.arguments[i].extent) {
      const std::optional<std::int64_t> extent = number(expression, argument.name);
      if (!extent) return false;
      if (*extent < 0) {
        reject(fmt::format("extent {} of `{}` is negative", shown(expression, *extent), argument.name));
        return false;
      }
      if (__builtin_mul_overflow(elements, *extent, &elements) || elements > most_elements) {
        reject(fmt::format("`{}` has more elements than any device can hold", argument.name));
        return false;
      }
      extents.push_back(*extent);
    }
    const model::ElementType type = argument.type.value_or(m_problem.type);
    model::BufferPlan buffer{argument.name, type, elements, argument.access, {}, {}};
    const CompiledArgument& own = m_compiled.arguments[i];
    const model::InitRule& first = argument.init.for_type(type);
    const auto init = resolved(argument, own, first, buffer, extents);
    if (!init) return false;
    buffer.init = *init;
    buffer.file = first.contents;
    if (argument.second_init) {
      const model::InitRule& second = argument.second_init->for_type(type);
      const auto second_init = resolved(argument, own, second, buffer, extents);
      if (!second_init) return false;
      buffer.second_init = *second_init;
      buffer.second_file = second.contents;
    }
    if (argument.expected) {
      if (!fits_file(*argument.expected, buffer, extents)) return false;
      buffer.expected = argument.expected->contents;
    }
    buffer.ignores_unwritten = argument.ignores_unwritten;
    if (own.unordered) {
      const std::optional<std::int64_t> group = number(*own.unordered, argument.name);
      if (!group) return false;
      if (*group < 1) {
        reject(fmt::format("unordered {} of `{}` is no number of elements", shown(*own.unordered, *group),
                           argument.name));
        return false;
      }
      buffer.unordered_within = *group;
    }
    buffer.restored = argument.restore;
    m_buffers.push_back(std::move(buffer));
  }
  return true;
}

std::optional<model::Init> Planner::resolved(const model::ArgumentSpec& argument,
                                             const CompiledArgument& compiled, const model::InitRule& rule,
                                             const model::BufferPlan& buffer,
                                             const std::vector<std::int64_t>& extents) {
  using Kind = model::Init::Kind;
  model::Init init = rule;
  if (rule.kind == Kind::file && !fits_file(rule, buffer, extents)) return std::nullopt;
  const auto numbers = compiled.inits.find(&rule);
  if (numbers != compiled.inits.end()) {
    std::vector<double> values;
    for (const Compiled& expression : numbers->second) {
      const std::optional<double> value = real(expression, argument.name);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    init = space::with_numbers(rule.kind, values);
    if (const auto mistake = mistake_in(init)) {
      return reject(fmt::format("init of `{}`: {}; {}", argument.name, mistake->message, mistake->hint));
    }
  }
  const auto count = static_cast<double>(buffer.numbers());
  if (rule.kind == Kind::permutation || rule.kind == Kind::sorted) init.c = std::max(1.0, count);
  const bool is_late = numbers != compiled.inits.end() || rule.kind == Kind::permutation;
  if (is_late) {
    if (const auto mistake = misfit(init, buffer.type))
      return reject(fmt::format("init of `{}`: {}: {}", argument.name, mistake->message, mistake->hint));
  }
  if (rule.kind != Kind::signs) return init;
  // A spec's `signs` has the most non-zeros of a column; a plan's has the distance between them and the
  // length of a row. Rows are what the first extent counts.
  double row_length = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) row_length *= static_cast<double>(extents[i]);
  const double rows = extents.empty() ? 1 : static_cast<double>(extents.front());
  return model::Init{init.kind, std::max(1.0, std::ceil(rows / init.a)), std::max(1.0, row_length)};
}

bool Planner::fits_file(const model::InitRule& rule, const model::BufferPlan& buffer,
                        const std::vector<std::int64_t>& extents) {
  const model::FileContents& file = rule.contents;
  std::vector<std::int64_t> shape = rule.shape;
  const std::int64_t width = model::components(buffer.type);
  if (width > 1 && shape.size() == extents.size() + 1 && shape.back() == width) shape.pop_back();
  const std::int64_t numbers = file.elements * model::components(file.type);
  if (numbers == buffer.numbers() && (shape.empty() || shape == extents)) return true;
  const std::string found = rule.shape.empty()
                                ? fmt::format("{} elements of {}", file.elements, model::cuda_name(file.type))
                                : fmt::format("{}", fmt::join(rule.shape, " x "));
  reject(fmt::format("`{}` is {}, and its file {} holds {}", buffer.name, fmt::join(extents, " x "),
                     file.path, found));
  return false;
}

bool Planner::make_scalars() {
  for (std::size_t i = 0; i < m_spec.arguments.size(); ++i) {
    const model::ArgumentSpec& argument = m_spec.arguments[i];
    const CompiledArgument& compiled = m_compiled.arguments[i];
    model::Operand operand;
    if (argument.pointer) {
      operand.buffer = compiled.buffer;
    } else {
      operand.kind = model::Operand::Kind::scalar;
      operand.type = argument.type.value_or(m_problem.type);
      if (!set_value(operand, argument, compiled)) return false;
    }
    m_arguments.push_back(operand);
  }
  return true;
}

bool Planner::set_value(model::Operand& operand, const model::ArgumentSpec& argument,
                        const CompiledArgument& compiled) {
  if (!compiled.components.empty()) return set_components(operand, argument, compiled);
  if (model::is_floating(operand.type)) {
    const std::optional<double> value = real(*compiled.real, argument.name);
    operand.real = value.value_or(0);
    return value.has_value();
  }
  const std::optional<std::int64_t> value = number(*compiled.integer, argument.name);
  if (!value) return false;
  operand.integer = *value;
  if (fits(operand.type, *value)) return true;
  reject(fmt::format("argument `{}` is {}, more than its type {} holds", argument.name,
                     shown(*compiled.integer, *value), model::cuda_name(operand.type)));
  return false;
}

bool Planner::set_components(model::Operand& operand, const model::ArgumentSpec& argument,
                             const CompiledArgument& compiled) {
  for (const Compiled& component : compiled.components) {
    if (model::is_floating(operand.type)) {
      const std::optional<double> value = real(component, argument.name);
      if (!value) return false;
      operand.reals.push_back(*value);
      continue;
    }
    const std::optional<std::int64_t> value = number(component, argument.name);
    if (!value) return false;
    if (!fits(operand.type, *value)) {
      reject(fmt::format("argument `{}` has {}, more than its type {} holds", argument.name,
                         shown(component, *value), model::cuda_name(operand.type)));
      return false;
    }
    operand.integers.push_back(*value);
  }
  return true;
}

std::optional<model::Operand> Planner::whole_number(const Compiled& expression) {
  const std::optional<std::int64_t> value = number(expression, expression.source->text);
  if (!value) return std::nullopt;
  model::Operand operand;
  operand.kind = model::Operand::Kind::scalar;
  operand.integer = *value;
  if (fits(operand.type, *value)) return operand;
  return reject(
      fmt::format("`{}` is passed as an int, which {} does not fit; declare an argument of type long long "
                  "for it",
                  expression.source->text, *value));
}

std::optional<Planner::Course> Planner::course(const std::vector<model::StepSpec>& specs,
                                               const std::vector<CompiledStep>& compiled) {
  Course course;
  course.repeat.resize(specs.size(), 1);
  std::int64_t launches = 0;
  std::int64_t times = 1;
  for (std::size_t i = 0, loop_end = 0; i < specs.size(); ++i) {
    if (i >= loop_end) times = 1;
    if (compiled[i].repeat) {
      const std::optional<std::int64_t> repeat = number(*compiled[i].repeat, "repeat");
      if (!repeat) return std::nullopt;
      if (*repeat < 0 || *repeat > most_launches) {
        return reject(fmt::format("repeat {}; a loop runs 0 to {} times", shown(*compiled[i].repeat, *repeat),
                                  most_launches));
      }
      times = *repeat;
      loop_end = i + static_cast<std::size_t>(specs[i].repeat_steps);
      course.repeat[i] = static_cast<int>(times);
    }
    const std::optional<std::int64_t> applies = compiled[i].when ? number(*compiled[i].when, "when") : 1;
    if (!applies) return std::nullopt;
    course.kept.push_back(*applies != 0 && times != 0);
    launches += course.kept.back() ? times : 0;
  }
  if (launches <= most_launches) return course;
  return reject(fmt::format("a run of {} steps; at most {} are allowed", launches, most_launches));
}

std::optional<std::vector<model::Step>> Planner::steps(const std::vector<model::StepSpec>& specs,
                                                       const std::vector<CompiledStep>& compiled) {
  const std::optional<Course> planned = course(specs, compiled);
  if (!planned) return std::nullopt;
  const std::vector<bool>& kept = planned->kept;
  const std::vector<std::vector<int>> after = waits_of_kept(specs, kept);
  std::vector<model::Step> all;
  std::size_t loop = 0;  // the first of the loop's steps in `all`, where one goes on
  for (std::size_t i = 0, loop_end = 0, loop_begin = 0; i < specs.size(); ++i) {
    if (compiled[i].repeat) {
      loop_begin = i;
      loop_end = i + static_cast<std::size_t>(specs[i].repeat_steps);
      loop = all.size();
    }
    if (!kept[i]) continue;
    std::optional<model::Step> step = specs[i].calls           ? call(specs[i], compiled[i])
                                      : compiled[i].upload < 0 ? launch(specs[i], compiled[i])
                                                               : upload(specs[i], compiled[i]);
    if (!step) return std::nullopt;
    step->stream = specs[i].stream;
    step->after = after[all.size()];
    all.push_back(std::move(*step));
    if (i >= loop_end) continue;
    all[loop].repeat = planned->repeat[loop_begin];
    all[loop].repeat_steps = static_cast<int>(all.size() - loop);
  }
  if (all.empty()) return reject("no step applies to this configuration and problem");
  return all;
}

std::optional<model::Step> Planner::launch(const model::StepSpec& spec, const CompiledStep& compiled) {
  model::Step step;
  step.entry = spec.entry;
  const std::optional<model::Dim3> grid = extents(compiled.grid, "grid");
  if (!grid) return std::nullopt;
  const std::optional<model::Dim3> block = extents(compiled.block, "block");
  if (!block) return std::nullopt;
  m_rejection.grid = step.grid = *grid;
  m_rejection.block = step.block = *block;
  const bool fits = fit(*grid, compiled.grid, "grid", spec.entry,
                        {m_limits.max_grid_x, m_limits.max_grid_y, m_limits.max_grid_z}) &&
                    fit(*block, compiled.block, "block", spec.entry,
                        {m_limits.max_block_x, m_limits.max_block_y, m_limits.max_block_z});
  if (!fits) return std::nullopt;
  if (block->count() > m_limits.max_threads_per_block) {
    return reject(fmt::format("block of `{}` is {}x{}x{} = {} threads; this device allows {}", spec.entry,
                              block->x, block->y, block->z, block->count(), m_limits.max_threads_per_block));
  }
  if (compiled.dynamic_shared_bytes) {
    const std::optional<std::int64_t> bytes = number(*compiled.dynamic_shared_bytes, "dynamic_shared_bytes");
    if (!bytes) return std::nullopt;
    if (*bytes < 0 || *bytes > m_limits.shared_bytes_per_block_optin) {
      return reject(fmt::format("dynamic_shared_bytes {} of `{}`; this device allows 0 to {}",
                                shown(*compiled.dynamic_shared_bytes, *bytes), spec.entry,
                                m_limits.shared_bytes_per_block_optin));
    }
    step.dynamic_shared_bytes = *bytes;
  }
  if (!set_attributes(compiled, step) || !add_operands(compiled, step)) return std::nullopt;
  return step;
}

bool Planner::set_attributes(const CompiledStep& compiled, model::Step& step) {
  for (const auto& [expression, what, into] :
       {std::tuple{&compiled.overlap, "overlap", &step.overlaps},
        std::tuple{&compiled.cooperative, "cooperative", &step.cooperative}}) {
    if (!*expression) continue;
    const std::optional<std::int64_t> value = number(**expression, what);
    if (!value) return false;
    *into = *value != 0;
  }
  if (compiled.shared_carveout_percent) {
    const Compiled& expression = *compiled.shared_carveout_percent;
    const std::optional<std::int64_t> percent = number(expression, "shared_carveout");
    if (!percent) return false;
    if (*percent < -1 || *percent > 100) {
      reject(fmt::format("shared_carveout {} of `{}`; it is a percentage, or -1 for the driver's choice",
                         shown(expression, *percent), step.entry));
      return false;
    }
    step.shared_carveout_percent = static_cast<int>(*percent);
  }
  return set_cluster(compiled, step);
}

/// Only what is wrong on every device with clusters; whether this one has them is asked with its limits.
bool Planner::set_cluster(const CompiledStep& compiled, model::Step& step) {
  if (compiled.cluster.empty()) return true;
  const std::optional<model::Dim3> cluster = extents(compiled.cluster, "cluster");
  if (!cluster) return false;
  const auto divides = [](std::int64_t part, std::int64_t whole) { return part >= 1 && whole % part == 0; };
  if (!divides(cluster->x, step.grid.x) || !divides(cluster->y, step.grid.y) ||
      !divides(cluster->z, step.grid.z)) {
    reject(fmt::format("a cluster of {}x{}x{} does not divide the grid of `{}`, {}x{}x{}", cluster->x,
                       cluster->y, cluster->z, step.entry, step.grid.x, step.grid.y, step.grid.z));
    return false;
  }
  step.cluster = *cluster;
  if (cluster->count() <= most_cluster_blocks) return true;
  reject(
      fmt::format("a cluster of `{}` has {}x{}x{} = {} blocks; {} is the most that every device with "
                  "clusters can launch",
                  step.entry, cluster->x, cluster->y, cluster->z, cluster->count(), most_cluster_blocks));
  return false;
}

/// A macro without a value would silently be another source.
bool Planner::check_macros() {
  return std::all_of(m_spec.macros.begin(), m_spec.macros.end(), [&](const model::PlacedName& macro) {
    const auto derived = std::find_if(
        m_compiled.derived.begin(), m_compiled.derived.end(),
        [&](const CompiledDerived& one) { return one.slot == m_compiled.scope.find(macro.name)->slot; });
    return number(derived->value, macro.name).has_value();
  });
}

bool Planner::add_operands(const CompiledStep& compiled, model::Step& step) {
  step.operands.reserve(compiled.operands.size());
  for (const CompiledOperand& operand : compiled.operands) {
    if (operand.value) {
      const std::optional<model::Operand> value = whole_number(*operand.value);
      if (!value) return false;
      step.operands.push_back(*value);
      continue;
    }
    if (operand.kind == model::Operand::Kind::seed) {
      step.operands.emplace_back().kind = operand.kind;
      continue;
    }
    step.operands.push_back(m_arguments[static_cast<std::size_t>(operand.argument)]);
    if (operand.kind != model::Operand::Kind::buffer) step.operands.back().kind = operand.kind;
  }
  return true;
}

std::optional<model::Step> Planner::call(const model::StepSpec& spec, const CompiledStep& compiled) {
  model::Step step;
  step.kind = model::Step::Kind::call;
  step.entry = spec.entry;
  if (compiled.workspace >= 0) step.buffer = m_arguments[static_cast<std::size_t>(compiled.workspace)].buffer;
  if (!add_operands(compiled, step)) return std::nullopt;
  return step;
}

std::optional<model::Step> Planner::upload(const model::StepSpec& spec, const CompiledStep& compiled) {
  model::Step step;
  step.kind = model::Step::Kind::upload;
  step.buffer = m_arguments[static_cast<std::size_t>(compiled.upload)].buffer;
  const std::int64_t elements = m_buffers[static_cast<std::size_t>(step.buffer)].elements;
  const std::optional<std::int64_t> first = compiled.first ? number(*compiled.first, "first") : 0;
  if (!first) return std::nullopt;
  if (*first < 0 || *first > elements) {
    return reject(fmt::format("upload of `{}` from element {}; it has {}", spec.upload,
                              shown(*compiled.first, *first), elements));
  }
  const std::optional<std::int64_t> count =
      compiled.count ? number(*compiled.count, "count") : elements - *first;
  if (!count) return std::nullopt;
  if (*count < 0 || *count > elements - *first) {
    return reject(fmt::format("upload of {} elements of `{}`; it has {} from element {} on",
                              shown(*compiled.count, *count), spec.upload, elements - *first, *first));
  }
  step.first = *first;
  step.elements = *count;
  return step;
}

std::optional<model::Dim3> Planner::extents(const std::vector<Compiled>& expressions, std::string_view what) {
  model::Dim3 result;
  std::int64_t* const sides[] = {&result.x, &result.y, &result.z};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::optional<std::int64_t> side = number(expressions[i], what);
    if (!side) return std::nullopt;
    *sides[i] = *side;
  }
  return result;
}

bool Planner::fit(const model::Dim3& extents, const std::vector<Compiled>& expressions, std::string_view what,
                  const std::string& entry, const model::Dim3& most) {
  const std::int64_t sides[] = {extents.x, extents.y, extents.z};
  const std::int64_t limits[] = {most.x, most.y, most.z};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (sides[i] >= 1 && sides[i] <= limits[i]) continue;
    reject(fmt::format("{}.{} of `{}` is {}; this device allows 1 to {}", what, "xyz"[i], entry,
                       shown(expressions[i], sides[i]), limits[i]));
    return false;
  }
  return true;
}

std::optional<std::int64_t> Planner::number(const Compiled& expression, std::string_view what) {
  const Evaluated<std::int64_t> result = evaluate(expression.program, m_slots);
  if (result.fault == Fault::none) return result.value;
  return reject(
      fmt::format("{}: {}", what, explain(m_compiled, expression, m_slots, result.fault, result.slot)));
}

std::optional<double> Planner::real(const Compiled& expression, std::string_view what) {
  const Evaluated<double> result = evaluate_real(expression.program, m_slots);
  if (result.fault == Fault::none) return result.value;
  return reject(
      fmt::format("{}: {}", what, explain(m_compiled, expression, m_slots, result.fault, result.slot)));
}

std::nullopt_t Planner::reject(std::string reason) {
  if (m_rejection.reason.empty()) m_rejection.reason = std::move(reason);
  return std::nullopt;
}

}  // namespace tuner::space
