// The part of Planner that is about what buffers and arguments hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/space/planner.hpp"

namespace tuner::space {
namespace {

/// A buffer's own element and the two doubles a number of its reference, in both input sets (see
/// Plan::device_bytes); with as many buffers as a spec may have arguments, the sum still is a 64-bit number.
constexpr std::int64_t most_bytes_per_element = 192;
constexpr std::int64_t most_elements =
    std::numeric_limits<std::int64_t>::max() / most_bytes_per_element / 1024;

}  // namespace

/// Of the buffer in elements, dimension by dimension; their product is a number.
std::vector<std::int64_t> Planner::extents_of(const model::ArgumentSpec& argument,
                                              const CompiledArgument& compiled) {
  std::int64_t elements = argument.structure ? argument.structure->bytes : 1;
  std::vector<std::int64_t> extents;
  for (const Compiled& expression : compiled.extent) {
    const std::int64_t extent = extents.emplace_back(number(expression, argument.name));
    if (extent < 0)
      reject(fmt::format("extent {} of `{}` is negative", shown(expression, extent), argument.name));
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > most_elements)
      reject(fmt::format("`{}` has more elements than any device can hold", argument.name));
  }
  return extents;
}

void Planner::make_buffers() {
  std::vector<std::int64_t> struct_extents;  // those of fields
  for (std::size_t i = 0; i < m_spec.arguments.size() && !is_rejected(); ++i) {
    const model::ArgumentSpec& argument = m_spec.arguments[i];
    if (!argument.pointer) continue;
    std::vector<std::int64_t> extents = struct_extents;
    if (argument.field_length > 1) extents.push_back(argument.field_length);
    if (!argument.is_field()) extents = struct_extents = extents_of(argument, m_compiled.arguments[i]);
    if (argument.structure) extents.push_back(argument.structure->bytes);
    if (!is_rejected()) m_buffers.push_back(make_buffer(argument, m_compiled.arguments[i], extents));
  }
  for (std::size_t i = 0; i < m_spec.arguments.size() && !is_rejected(); ++i) {
    if (m_spec.arguments[i].structure && m_spec.arguments[i].pointer) set_fields(i);
  }
}

model::BufferPlan Planner::make_buffer(const model::ArgumentSpec& argument, const CompiledArgument& compiled,
                                       const std::vector<std::int64_t>& extents) {
  const std::int64_t elements =
      std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  const model::ElementType type = argument.type.value_or(m_problem.type);
  model::BufferPlan buffer{argument.name, type, elements, argument.access, {}, {}};
  if (argument.structure) buffer.struct_bytes = argument.structure->bytes;
  const model::InitRule& first = file_of(argument.init.for_type(type));
  buffer.init = resolved(argument, compiled, first, buffer, extents);
  buffer.file = first.contents;
  if (argument.second_init) {
    const model::InitRule& second = file_of(argument.second_init->for_type(type));
    buffer.second_init = resolved(argument, compiled, second, buffer, extents);
    buffer.second_file = second.contents;
  }
  if (argument.expected) {
    const model::InitRule& expected = file_of(*argument.expected);
    check_file(expected, buffer, extents);
    buffer.expected = expected.contents;
  }
  if (compiled.unordered) {
    buffer.unordered_within = number(*compiled.unordered, argument.name);
    if (buffer.unordered_within < 1)
      reject(fmt::format("unordered {} of `{}` is no number of elements",
                         shown(*compiled.unordered, buffer.unordered_within), argument.name));
  }
  buffer.ignores_unwritten = argument.ignores_unwritten;
  buffer.restored = argument.restore;
  buffer.symbol = argument.symbol;
  buffer.memory = argument.memory;
  buffer.tolerance = argument.tolerance;
  return buffer;
}

void Planner::set_fields(std::size_t index) {
  const std::vector<std::int64_t>& offsets = m_spec.arguments[index].structure->offsets;
  model::BufferPlan& structs = m_buffers[static_cast<std::size_t>(m_compiled.arguments[index].buffer)];
  for (std::size_t i = 0; i < offsets.size(); ++i)
    structs.fields.push_back({m_compiled.arguments[index + 1 + i].buffer, offsets[i]});
}

model::Init Planner::resolved(const model::ArgumentSpec& argument, const CompiledArgument& compiled,
                              const model::InitRule& rule, const model::BufferPlan& buffer,
                              const std::vector<std::int64_t>& extents) {
  using Kind = model::Init::Kind;
  model::Init init = rule;
  if (rule.kind == Kind::file) check_file(rule, buffer, extents);
  const auto refuse = [&](const model::Diagnostic& mistake, const char* mark) {
    reject(fmt::format("init of `{}`: {}{} {}", argument.name, mistake.message, mark, mistake.hint));
  };
  const auto numbers = compiled.inits.find(&rule);
  if (numbers != compiled.inits.end()) {
    std::vector<double> values;
    for (const Compiled& expression : numbers->second) values.push_back(real(expression, argument.name));
    init = space::with_numbers(rule.kind, values);
    if (const auto mistake = mistake_in(init)) refuse(*mistake, ";");
  }
  const auto count = static_cast<double>(buffer.numbers());
  if (rule.kind == Kind::permutation || rule.kind == Kind::sorted) init.c = std::max(1.0, count);
  const bool counts_up = rule.kind == Kind::iota && !argument.structure;  // its fields have numbers
  if (counts_up || numbers != compiled.inits.end() || rule.kind == Kind::permutation) {
    model::Init counted = init;
    if (counts_up) counted.c = count;  // of the check alone: an init's numbers are part of what was measured
    if (const auto mistake = misfit(counted, buffer.type)) refuse(*mistake, ":");
  }
  if (rule.kind != Kind::signs) return init;
  // A spec's `signs` has the most non-zeros of a column; a plan's has the distance between them and the
  // length of a row. Rows are what the first extent counts.
  double row_length = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) row_length *= static_cast<double>(extents[i]);
  const double rows = extents.empty() ? 1 : static_cast<double>(extents.front());
  return model::Init{init.kind, std::max(1.0, std::ceil(rows / init.a)), std::max(1.0, row_length)};
}

const model::InitRule& Planner::file_of(const model::InitRule& rule) {
  if (rule.of_sizes.empty()) return rule;
  const auto size_of = [this](const std::string& name) {
    return std::ranges::find(m_problem.sizes, name, &model::Dimension::name)->value;
  };
  for (const model::InitRule& one : rule.of_sizes) {
    if (std::ranges::all_of(one.sizes, [&](const auto& size) { return size_of(size.first) == size.second; }))
      return one;
  }
  reject(fmt::format("there is no {} for {}", rule.contents.path, m_problem.size_text()));
  return rule.of_sizes.front();
}

void Planner::check_file(const model::InitRule& rule, const model::BufferPlan& buffer,
                         const std::vector<std::int64_t>& extents) {
  const model::FileContents& file = rule.contents;
  std::vector<std::int64_t> shape = rule.shape;
  const std::int64_t width = model::components(buffer.type);
  if (width > 1 && shape.size() == extents.size() + 1 && shape.back() == width) shape.pop_back();
  const std::int64_t numbers = file.elements * model::components(file.type);
  if (numbers == buffer.numbers() && (shape.empty() || shape == extents)) return;
  const std::string found = rule.shape.empty()
                                ? fmt::format("{} elements of {}", file.elements, model::cuda_name(file.type))
                                : fmt::format("{}", fmt::join(rule.shape, " x "));
  reject(fmt::format("`{}` is {}, and its file {} holds {}", buffer.name, fmt::join(extents, " x "),
                     file.path, found));
}

void Planner::make_scalars() {
  for (std::size_t i = 0; i < m_spec.arguments.size() && !is_rejected(); ++i) {
    const model::ArgumentSpec& argument = m_spec.arguments[i];
    const CompiledArgument& compiled = m_compiled.arguments[i];
    model::Operand operand;
    std::string why_not;
    if (argument.pointer) {
      operand.buffer = compiled.buffer;
    } else if (argument.structure) {
      operand.kind = model::Operand::Kind::scalar;
      operand.struct_bytes = argument.structure->bytes;
    } else if (compiled.tensor) {
      why_not = set_tensor_map(operand, argument, *compiled.tensor);
    } else if (compiled.texture) {
      why_not = set_texture(operand, argument, *compiled.texture);
    } else {
      operand.kind = model::Operand::Kind::scalar;
      operand.type = argument.type.value_or(m_problem.type);
      set_value(operand, argument, compiled);
    }
    if (!why_not.empty()) reject(fmt::format("{} `{}`: {}", argument.view_name(), argument.name, why_not));
    m_arguments.push_back(operand);
  }
  for (std::size_t i = 0; i < m_spec.arguments.size() && !is_rejected(); ++i) {
    if (m_arguments[i].struct_bytes != 0) set_struct(i);
  }
}

void Planner::set_struct(std::size_t index) {
  const std::vector<std::int64_t>& offsets = m_spec.arguments[index].structure->offsets;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const model::Operand& field = m_arguments[index + 1 + i];
    const model::ElementType type = model::component_type(field.type);
    const std::int64_t count = m_spec.arguments[index + 1 + i].field_length * model::components(field.type);
    for (std::int64_t k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      m_arguments[index].numbers.push_back({type, offsets[i] + k * model::size_bytes(type),
                                            field.integers.empty() ? field.integer : field.integers[at],
                                            field.reals.empty() ? field.real : field.reals[at]});
    }
  }
}

void Planner::set_value(model::Operand& operand, const model::ArgumentSpec& argument,
                        const CompiledArgument& compiled) {
  const bool is_real = model::is_floating(operand.type);
  const auto whole = [&](const Compiled& expression, const char* verb) {
    const std::int64_t value = number(expression, argument.name);
    if (!fits(operand.type, value))
      reject(fmt::format("argument `{}` {} {}, more than its type {} holds", argument.name, verb,
                         shown(expression, value), model::cuda_name(operand.type)));
    return value;
  };
  for (const Compiled& component : compiled.components) {
    if (is_real)
      operand.reals.push_back(real(component, argument.name));
    else
      operand.integers.push_back(whole(component, "has"));
  }
  if (!compiled.components.empty()) return;
  if (is_real)
    operand.real = real(*compiled.real, argument.name);
  else
    operand.integer = whole(*compiled.integer, "is");
}

model::Operand Planner::whole_number(const Compiled& expression) {
  model::Operand operand;
  operand.kind = model::Operand::Kind::scalar;
  operand.integer = number(expression, expression.source->text);
  if (!fits(operand.type, operand.integer))
    reject(
        fmt::format("`{}` is passed as an int, which {} does not fit; declare an argument of type long long "
                    "for it",
                    expression.source->text, operand.integer));
  return operand;
}

}  // namespace tuner::space
