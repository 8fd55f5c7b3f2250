#include "tuner/packing/packed_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tuner/model/error.hpp"
#include "tuner/packing/launch_limits.hpp"

namespace tuner::packing {
namespace {

using model::ElementType;

/// As model::ElementType counts what one number is.
constexpr tuner_type number_types[] = {
    TUNER_FLOAT32, TUNER_FLOAT64, TUNER_INT8,     TUNER_UINT8,       TUNER_INT32,
    TUNER_UINT32,  TUNER_INT64,   TUNER_UINT64,   TUNER_INT16,       TUNER_UINT16,
    TUNER_BOOL,    TUNER_FLOAT16, TUNER_BFLOAT16, TUNER_FLOAT8_E4M3, TUNER_FLOAT8_E5M2,
};
static_assert(std::size(number_types) == static_cast<std::size_t>(ElementType::float8_e5m2) + 1);

tuner_type number_type(ElementType type) {
  return number_types[static_cast<std::size_t>(model::component_type(type))];
}

[[noreturn]] void refuse(const model::KernelSpec& spec, const std::string& what) {
  throw model::UsageError(fmt::format("kernel `{}` cannot be packed: {}", spec.name, what));
}

/// Whether callers pass it.
bool is_parameter(const model::ArgumentSpec& argument) {
  return argument.pointer && !argument.is_field() && argument.access != model::Access::workspace;
}

/// Whether callers pass its memory among the workspaces. A variable has memory of its own.
bool is_workspace(const model::ArgumentSpec& argument) {
  return argument.pointer && !argument.is_field() && argument.access == model::Access::workspace &&
         argument.symbol.empty();
}

std::int64_t unit_bytes(const model::ArgumentSpec& argument, ElementType type) {
  return argument.structure ? argument.structure->bytes : model::size_bytes(type);
}

/// Places of the spec's arguments among what the pack has of them.
struct Places {
  std::vector<std::uint32_t> memory;  ///< among parameters or workspaces; no_index: it is neither
  explicit Places(const model::KernelSpec& spec) {
    std::uint32_t parameters = 0;
    std::uint32_t workspaces = 0;
    for (const model::ArgumentSpec& argument : spec.arguments) {
      memory.push_back(is_parameter(argument)   ? parameters++
                       : is_workspace(argument) ? workspaces++
                                                : use::no_index);
    }
  }
};

use::Expression bytes_of(const Folding& folding, const space::CompiledArgument& compiled, std::int64_t unit) {
  use::Expression bytes = use::constant(unit);
  for (const space::Compiled& extent : compiled.extent)
    bytes = use::binary(use::Op::multiply, bytes, folding.folded(extent));
  return bytes;
}

/// Of one configuration.
class Packer {
 public:
  Packer(const space::CompiledSpec& compiled, const model::Problem& like, const model::DeviceLimits& limits,
         const model::Configuration& configuration, const model::Compilation& binary)
      : m_compiled(compiled),
        m_spec(compiled.spec),
        m_like(like),
        m_binary(binary),
        m_folding(compiled, like, limits, &configuration),
        m_places(compiled.spec) {}

  use::Configuration packed() {
    use::Configuration result;
    result.kernel = m_spec.name;
    result.derived = m_folding.derived();
    result.applies = m_folding.applies();
    for (std::size_t i = 0; i < m_spec.arguments.size(); ++i) {
      const model::ArgumentSpec& argument = m_spec.arguments[i];
      if (is_workspace(argument)) result.workspaces.push_back(workspace(i));
      const bool is_inner = !argument.symbol.empty() && !is_parameter(argument);
      if (is_inner && begins_as_zeros(argument)) result.steps.push_back(memset_of_variable(i));
    }
    add_copies(use::StepKind::set_symbol, result.steps);
    for (std::size_t i = 0; i < m_spec.steps.size(); ++i)
      result.steps.push_back(step(m_spec.steps[i], m_compiled.steps[i]));
    add_copies(use::StepKind::take_symbol, result.steps);
    std::vector<Bounds> bounds;
    for (const space::CompiledArgument& argument : m_compiled.arguments)
      for (const space::Compiled& extent : argument.extent)
        bounds.push_back({{}, m_folding.folded(extent), use::constant(0), {}});
    for (std::size_t i = 0; i < m_spec.steps.size(); ++i)
      if (m_spec.steps[i].sets) add_bounds(m_compiled.steps[i], bounds);
    require_launchable(result, m_binary, bounds);
    return result;
  }

 private:
  ElementType type_of(const model::ArgumentSpec& argument) const {
    return argument.type.value_or(m_like.type);
  }

  use::Workspace workspace(std::size_t index) const {
    const model::ArgumentSpec& argument = m_spec.arguments[index];
    use::Workspace workspace;
    workspace.bytes = bytes_of(index);
    if (begins_as_zeros(argument))
      workspace.fill = argument.restore ? use::Fill::zero_always : use::Fill::zero_first;
    return workspace;
  }

  /// Of a workspace. Where it does not, it begins as anything.
  bool begins_as_zeros(const model::ArgumentSpec& argument) const {
    const model::InitRule& init = argument.init.for_type(type_of(argument));
    if (init.kind == model::Init::Kind::none) return false;
    if (init.kind != model::Init::Kind::constant || init.a != 0 || !init.expressions.empty())
      refuse(m_spec, fmt::format("workspace `{}` begins with something else than zeros", argument.name));
    return true;
  }

  /// Its name in the binary.
  std::string variable_of(const model::ArgumentSpec& argument) const {
    const model::KernelResources* const variable = m_binary.find("&" + argument.symbol);
    if (variable == nullptr) refuse(m_spec, fmt::format("its binary has no variable {}", argument.symbol));
    return variable->symbol;
  }

  use::Expression bytes_of(std::size_t index) const {
    const model::ArgumentSpec& argument = m_spec.arguments[index];
    return packing::bytes_of(m_folding, m_compiled.arguments[index], unit_bytes(argument, type_of(argument)));
  }

  /// The argument's whole extent to zeros.
  use::Step memset_of_variable(std::size_t index) const {
    use::Step step;
    step.kind = use::StepKind::memset_symbol;
    step.symbol = variable_of(m_spec.arguments[index]);
    step.byte_count = bytes_of(index);
    return step;
  }

  /// Variables of the binary get what the caller passes, whole: a kernel may leave a part as it is. The
  /// caller gets back what a kernel may have written.
  void add_copies(use::StepKind kind, std::vector<use::Step>& steps) const {
    for (std::size_t i = 0; i < m_spec.arguments.size(); ++i) {
      const model::ArgumentSpec& argument = m_spec.arguments[i];
      if (argument.symbol.empty() || !is_parameter(argument)) continue;
      if (kind == use::StepKind::take_symbol && !argument.is_written()) continue;
      use::Step copy;
      copy.kind = kind;
      copy.symbol = variable_of(argument);
      copy.target = m_places.memory[i];
      copy.byte_count = bytes_of(i);
      steps.push_back(std::move(copy));
    }
  }

  std::vector<use::Expression> folded(const std::vector<space::Compiled>& all) const {
    std::vector<use::Expression> result;
    for (const space::Compiled& one : all) result.push_back(m_folding.folded(one));
    return result;
  }
  use::Expression folded(const std::optional<space::Compiled>& one) const {
    return one ? m_folding.folded(*one) : use::Expression();
  }

  use::Step step(const model::StepSpec& spec, const space::CompiledStep& compiled) const {
    use::Step step;
    step.when = folded(compiled.when);
    step.repeat = folded(compiled.repeat);
    if (compiled.repeat) step.repeat_steps = static_cast<std::uint16_t>(spec.repeat_steps);
    if (spec.calls) refuse(m_spec, "it calls a library");
    if (compiled.upload >= 0) {
      if (!spec.sets) refuse(m_spec, fmt::format("it copies `{}` from the host", spec.upload));
      return memset(std::move(step), compiled);
    }
    const model::KernelResources* const kernel = m_binary.find(spec.entry);
    if (kernel == nullptr) refuse(m_spec, fmt::format("its binary has no {}", spec.entry));
    step.function = kernel->symbol;
    step.grid = folded(compiled.grid);
    step.block = folded(compiled.block);
    step.cluster = folded(compiled.cluster);
    step.dynamic_shared_bytes = folded(compiled.dynamic_shared_bytes);
    step.cooperative = folded(compiled.cooperative);
    step.overlap = folded(compiled.overlap);
    step.shared_carveout = folded(compiled.shared_carveout_percent);
    for (const space::CompiledOperand& one : compiled.operands)
      step.operands.push_back(operand(static_cast<std::size_t>(one.argument)));
    return step;
  }

  use::Step memset(use::Step step, const space::CompiledStep& compiled) const {
    const auto index = static_cast<std::size_t>(compiled.upload);
    const model::ArgumentSpec& argument = m_spec.arguments[index];
    const use::Expression unit = use::constant(unit_bytes(argument, type_of(argument)));
    const auto bytes = [&](const std::optional<space::Compiled>& elements) {
      return elements ? use::binary(use::Op::multiply, unit, m_folding.folded(*elements)) : use::Expression();
    };
    step.kind = use::StepKind::memset;
    step.is_workspace = argument.access == model::Access::workspace;
    step.target = m_places.memory[index];
    step.first_byte = bytes(compiled.first);
    step.byte_count = bytes(compiled.count);
    step.byte = folded(compiled.byte);
    if (argument.symbol.empty()) return step;
    step.kind = use::StepKind::memset_symbol;  // the caller's memory was copied into the variable before
    step.symbol = variable_of(argument);
    if (step.byte_count.empty()) {
      step.byte_count = bytes_of(index);
      if (!step.first_byte.empty())
        step.byte_count = use::binary(use::Op::subtract, step.byte_count, step.first_byte);
    }
    return step;
  }

  /// Of a memset, which writes nothing beyond its buffer.
  void add_bounds(const space::CompiledStep& compiled, std::vector<Bounds>& bounds) const {
    const use::Expression when = folded(compiled.when);
    use::Expression left = use::constant(1);
    for (const space::Compiled& extent :
         m_compiled.arguments[static_cast<std::size_t>(compiled.upload)].extent)
      left = use::binary(use::Op::multiply, left, m_folding.folded(extent));
    for (const std::optional<space::Compiled>* part : {&compiled.first, &compiled.count}) {
      if (!*part) continue;
      const use::Expression elements = m_folding.folded(**part);
      left = use::binary(use::Op::subtract, left, elements);
      bounds.push_back({when, elements, use::constant(0), {}});
    }
    if (compiled.first || compiled.count) bounds.push_back({when, left, use::constant(0), {}});
    if (compiled.byte)
      bounds.push_back({when, m_folding.folded(*compiled.byte), use::constant(0), use::constant(255)});
  }

  use::Operand operand(std::size_t index) const {
    const model::ArgumentSpec& argument = m_spec.arguments[index];
    const space::CompiledArgument& compiled = m_compiled.arguments[index];
    use::Operand operand;
    if (argument.pointer) {
      operand.kind = argument.access == model::Access::workspace ? use::OperandKind::workspace
                                                                 : use::OperandKind::parameter;
      operand.index = m_places.memory[index];
      return operand;
    }
    if (compiled.texture) refuse(m_spec, fmt::format("`{}` is a {}", argument.name, argument.view_name()));
    if (compiled.tensor) return tensor_map(argument, *compiled.tensor);
    const ElementType type = type_of(argument);
    if (argument.structure || model::components(type) > 1) return structure(index);
    operand.kind = use::OperandKind::number;
    operand.type = passed_type(argument, type);
    operand.value = number(compiled, type, 0);
    return operand;
  }

  /// Of what is passed by value.
  tuner_type passed_type(const model::ArgumentSpec& argument, ElementType type) const {
    const tuner_type passed = number_type(type);
    if (passed == TUNER_FLOAT8_E4M3 || passed == TUNER_FLOAT8_E5M2)
      refuse(m_spec, fmt::format("`{}` is an FP8 number by value", argument.name));
    return passed;
  }

  /// Component `k` of a value.
  use::Expression number(const space::CompiledArgument& compiled, ElementType type, std::size_t k) const {
    const bool is_real = model::is_floating(type);
    if (compiled.components.empty())
      return m_folding.folded(is_real ? *compiled.real : *compiled.integer, is_real);
    return m_folding.folded(compiled.components[compiled.components.size() == 1 ? 0 : k], is_real);
  }

  void add_fields(use::Operand& operand, std::size_t index, std::int64_t offset, std::int64_t length) const {
    const ElementType type = type_of(m_spec.arguments[index]);
    const ElementType component = model::component_type(type);
    for (std::int64_t k = 0; k < length * model::components(type); ++k) {
      use::Field field;
      field.offset = static_cast<std::uint16_t>(offset + k * model::size_bytes(component));
      field.type = passed_type(m_spec.arguments[index], component);
      field.value = number(m_compiled.arguments[index], type, static_cast<std::size_t>(k));
      operand.fields.push_back(field);
    }
  }

  /// A struct by value, whose fields are the arguments behind it, or a vector.
  use::Operand structure(std::size_t index) const {
    const model::ArgumentSpec& argument = m_spec.arguments[index];
    use::Operand operand;
    operand.kind = use::OperandKind::structure;
    operand.struct_bytes = static_cast<std::uint16_t>(unit_bytes(argument, type_of(argument)));
    if (!argument.structure) add_fields(operand, index, 0, 1);
    for (std::size_t i = 0; argument.structure && i < argument.structure->offsets.size(); ++i)
      add_fields(operand, index + 1 + i, argument.structure->offsets[i],
                 m_spec.arguments[index + 1 + i].field_length);
    return operand;
  }

  use::Operand tensor_map(const model::ArgumentSpec& argument,
                          const space::CompiledTensorMap& compiled) const {
    const auto buffer = static_cast<std::size_t>(compiled.argument);
    const ElementType type = type_of(m_spec.arguments[buffer]);
    use::Operand operand;
    operand.kind = use::OperandKind::tensor_map;
    use::TensorMap& map = operand.map;
    map.is_workspace = m_spec.arguments[buffer].access == model::Access::workspace;
    map.index = m_places.memory[buffer];
    map.type = number_type(type);
    map.shape = folded(compiled.shape);
    map.strides = folded(compiled.strides);
    map.box = folded(compiled.box);
    map.element_strides = folded(compiled.element_strides);
    map.interleave = folded(compiled.interleave);
    map.swizzle = folded(compiled.swizzle);
    map.l2_promotion = folded(compiled.l2_promotion);
    map.nan_outside = argument.tensor->nan_outside;
    use::Expression stride = use::constant(model::size_bytes(type));
    for (std::size_t i = 0; compiled.strides.empty() && i + 1 < map.shape.size(); ++i) {
      stride = use::binary(use::Op::multiply, stride, map.shape[i]);
      map.strides.push_back(stride);
    }
    return operand;
  }

  const space::CompiledSpec& m_compiled;
  const model::KernelSpec& m_spec;
  const model::Problem& m_like;
  const model::Compilation& m_binary;
  Folding m_folding;
  Places m_places;
};

}  // namespace

use::Kernel packed_kernel(const space::CompiledSpec& compiled, const model::Problem& like) {
  const model::KernelSpec& spec = compiled.spec;
  const Folding folding(compiled, like, {}, nullptr);
  const std::vector<use::Expression> derived = folding.derived();
  use::Kernel kernel;
  kernel.family = spec.family;
  kernel.type = model::cuda_name(like.type);
  kernel.sizes = spec.sizes;
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const model::ArgumentSpec& argument = spec.arguments[i];
    if (!is_parameter(argument)) continue;
    const ElementType type = argument.type.value_or(like.type);
    use::Parameter parameter;
    parameter.name = argument.name;
    parameter.type_name =
        argument.structure ? argument.structure->name + "*" : fmt::format("{}*", model::cuda_name(type));
    parameter.type = argument.structure ? TUNER_ANY : number_type(type);
    parameter.is_pointer = true;
    parameter.is_read = argument.access != model::Access::out;
    parameter.is_written = argument.is_written();
    if (!argument.symbol.empty()) parameter.alignment = 1;  // it is copied
    try {
      parameter.bytes =
          use::inlined(bytes_of(folding, compiled.arguments[i], unit_bytes(argument, type)), derived);
    } catch (const model::Error& error) {
      throw error.in_context(fmt::format("{}: the extent of {}", spec.name, argument.name));
    }
    kernel.parameters.push_back(parameter);
  }
  return kernel;
}

use::Configuration packed_configuration(const space::CompiledSpec& compiled, const model::Problem& like,
                                        const model::DeviceLimits& limits,
                                        const model::Configuration& configuration,
                                        const model::Compilation& binary, std::uint32_t image) {
  use::Configuration result = Packer(compiled, like, limits, configuration, binary).packed();
  result.name = configuration.text();
  result.image = image;
  return result;
}

}  // namespace tuner::packing
