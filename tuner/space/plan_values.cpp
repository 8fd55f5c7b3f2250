// The part of Planner that is about what buffers and arguments hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/parser.hpp"
#include "tuner/space/planner.hpp"

namespace tuner::space {
namespace {

/// A buffer's own element and the two doubles a number of its reference, in both input sets (see
/// Plan::device_bytes); with as many buffers as a spec may have arguments, the sum still is a 64-bit number.
constexpr std::int64_t most_bytes_per_element = 192;
constexpr std::int64_t most_elements =
    std::numeric_limits<std::int64_t>::max() / most_bytes_per_element / 1024;

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

}  // namespace

/// Of the buffer in elements, dimension by dimension; their product is a number.
std::optional<std::vector<std::int64_t>> Planner::extents_of(const model::ArgumentSpec& argument,
                                                             const CompiledArgument& compiled) {
  std::int64_t elements = argument.structure ? argument.structure->bytes : 1;
  std::vector<std::int64_t> extents;
  for (const Compiled& expression : compiled.extent) {
    const std::optional<std::int64_t> extent = number(expression, argument.name);
    if (!extent) return std::nullopt;
    if (*extent < 0)
      return reject(fmt::format("extent {} of `{}` is negative", shown(expression, *extent), argument.name));
    if (__builtin_mul_overflow(elements, *extent, &elements) || elements > most_elements)
      return reject(fmt::format("`{}` has more elements than any device can hold", argument.name));
    extents.push_back(*extent);
  }
  return extents;
}

bool Planner::make_buffers() {
  std::vector<std::int64_t> struct_extents;  // those of fields
  for (std::size_t i = 0; i < m_spec.arguments.size(); ++i) {
    const model::ArgumentSpec& argument = m_spec.arguments[i];
    if (!argument.pointer) continue;
    std::vector<std::int64_t> extents = struct_extents;
    if (argument.field_length > 1) extents.push_back(argument.field_length);
    if (!argument.is_field()) {
      const auto own_extents = extents_of(argument, m_compiled.arguments[i]);
      if (!own_extents) return false;
      extents = struct_extents = *own_extents;
    }
    if (argument.structure) extents.push_back(argument.structure->bytes);
    const std::int64_t elements =
        std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
    const model::ElementType type = argument.type.value_or(m_problem.type);
    model::BufferPlan buffer{argument.name, type, elements, argument.access, {}, {}};
    if (argument.structure) buffer.struct_bytes = argument.structure->bytes;
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
    buffer.symbol = argument.symbol;
    buffer.memory = argument.memory;
    buffer.tolerance = argument.tolerance;
    m_buffers.push_back(std::move(buffer));
  }
  for (std::size_t i = 0; i < m_spec.arguments.size(); ++i) {
    if (m_spec.arguments[i].structure && m_spec.arguments[i].pointer) set_fields(i);
  }
  return true;
}

void Planner::set_fields(std::size_t index) {
  const std::vector<std::int64_t>& offsets = m_spec.arguments[index].structure->offsets;
  model::BufferPlan& structs = m_buffers[static_cast<std::size_t>(m_compiled.arguments[index].buffer)];
  for (std::size_t i = 0; i < offsets.size(); ++i)
    structs.fields.push_back({m_compiled.arguments[index + 1 + i].buffer, offsets[i]});
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
    } else if (argument.structure) {
      operand.kind = model::Operand::Kind::scalar;
      operand.struct_bytes = argument.structure->bytes;
    } else if (compiled.tensor) {
      if (!set_tensor_map(operand, argument, *compiled.tensor)) return false;
    } else if (compiled.texture) {
      if (!set_texture(operand, argument, *compiled.texture)) return false;
    } else {
      operand.kind = model::Operand::Kind::scalar;
      operand.type = argument.type.value_or(m_problem.type);
      if (!set_value(operand, argument, compiled)) return false;
    }
    m_arguments.push_back(operand);
  }
  for (std::size_t i = 0; i < m_spec.arguments.size(); ++i) {
    if (m_arguments[i].struct_bytes != 0) set_struct(i);
  }
  return true;
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

}  // namespace tuner::space
