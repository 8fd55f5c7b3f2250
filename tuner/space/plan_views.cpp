#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/space/planner.hpp"

// The part of Planner that is about tensor maps. What cuTensorMapEncodeTiled (cuda.h) would refuse is told
// here with the reason, so that a configuration is left out before it is compiled; of what depends on the
// device the driver has the last word.

namespace tuner::space {
namespace {

constexpr std::int64_t most_stride_bytes = std::int64_t{1} << 40U;
constexpr std::int64_t copied_bytes = 16;

bool has_tensor_maps(model::ElementType type) {
  return model::components(type) == 1;
}

}  // namespace

std::string Planner::set_tensor_map(model::Operand& operand, const model::ArgumentSpec& argument,
                                    const CompiledTensorMap& compiled) {
  operand.kind = model::Operand::Kind::tensor_map;
  operand.buffer = m_compiled.arguments[static_cast<std::size_t>(compiled.argument)].buffer;
  const model::BufferPlan& buffer = m_buffers[static_cast<std::size_t>(operand.buffer)];
  operand.type = buffer.type;
  if (!has_tensor_maps(buffer.type))
    return fmt::format("there are none over {}", model::cuda_name(buffer.type));
  model::TensorMap& map = operand.tensor.emplace();
  std::string wrong;
  const auto set = [&]<typename Value>(const model::TensorMapKey& key, const auto& written, Value& value) {
    for (const Compiled& expression : expressions_of(written)) {
      const std::int64_t found = number(expression, argument.name);
      if (is_rejected()) return false;
      std::string allowed;
      if constexpr (std::is_same_v<Value, std::int64_t>) {
        value = found;
        if (std::ranges::count(key.allowed, found) == 0)
          allowed = fmt::format("{}", fmt::join(key.allowed, ", "));
      } else {
        value.push_back(found);
        if (found < 1 || found > key.most) allowed = fmt::format("1 to {}", key.most);
      }
      if (allowed.empty()) continue;
      wrong = fmt::format("{} {}, allowed are {}", key.name, shown(expression, found), allowed);
      return false;
    }
    return true;
  };
  map.nan_outside = argument.tensor->nan_outside;
  if (!model::each_map_key(set, compiled, map)) return wrong;
  map.element_strides.resize(map.shape.size(), 1);
  const std::int64_t element = model::size_bytes(buffer.type);
  if (compiled.strides.empty()) {
    std::int64_t stride = element;
    for (std::size_t i = 0; i + 1 < map.shape.size(); ++i) {
      if (__builtin_mul_overflow(stride, map.shape[i], &stride) || stride >= most_stride_bytes)
        return "it is larger than any device's memory";
      map.strides.push_back(stride);
    }
  }
  return why_not(map, buffer, element);
}

/// How the parts of a map must fit together, and into the buffer; empty where they do.
std::string Planner::why_not(const model::TensorMap& map, const model::BufferPlan& buffer,
                             std::int64_t element) {
  const std::int64_t unit = map.interleave == 32 ? 32 : copied_bytes;
  for (const std::int64_t stride : map.strides) {
    if (stride % unit != 0) return fmt::format("a stride of {} bytes is no multiple of {}", stride, unit);
  }
  std::int64_t reach = map.shape.front() * element;
  for (std::size_t i = 0; i < map.strides.size(); ++i) {
    std::int64_t more = 0;
    if (__builtin_mul_overflow(map.shape[i + 1] - 1, map.strides[i], &more) ||
        __builtin_add_overflow(reach, more, &reach))
      return "it is larger than any device's memory";
  }
  if (reach > buffer.bytes())
    return fmt::format("it reaches over {} bytes, and {} has {}", reach, buffer.name, buffer.bytes());
  if (map.nan_outside && !model::is_floating(buffer.type))
    return fmt::format("outside = \"nan\", and {} has no NaN", model::cuda_name(buffer.type));
  if (map.interleave != 0) {
    return map.shape.size() >= 3
               ? ""
               : fmt::format("interleaving takes 3 dimensions, here are {}", map.shape.size());
  }
  const std::int64_t row = map.box.front() * element;
  if (row % copied_bytes != 0)
    return fmt::format("a row of the box has {} bytes, no multiple of {}", row, copied_bytes);
  if (map.swizzle != 0 && row > map.swizzle)
    return fmt::format("a row of the box has {} bytes, more than the {} of the swizzle", row, map.swizzle);
  return "";
}

// Textures and surfaces: what cuTexObjectCreate (cuda.h) would refuse on every device.

namespace {

/// CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT of all devices so far.
constexpr std::int64_t pitch_unit_bytes = 32;

/// Why a texture cannot be over elements of `type`; empty where it can.
std::string type_mismatch(const model::Texture& texture, model::ElementType type) {
  if (!has_textures(type)) return fmt::format("there are none over {}", model::cuda_name(type));
  const bool is_narrow_integer =
      !model::is_floating(type) && model::size_bytes(model::component_type(type)) <= 2;
  if (texture.reads_normalized && !is_narrow_integer)
    return fmt::format("read = \"normalized\" is for integers of 8 and 16 bits, not {}",
                       model::cuda_name(type));
  if (texture.interpolates && !model::is_floating(type) && !texture.reads_normalized)
    return fmt::format(
        "filter = \"linear\" reads floating numbers, and {} has none; read = \"normalized\" "
        "makes some",
        model::cuda_name(type));
  return "";
}

}  // namespace

bool has_textures(model::ElementType type) {
  const int components = model::components(type);
  const model::ElementType number = model::component_type(type);
  const bool is_known = number != model::ElementType::bfloat16 && number != model::ElementType::boolean &&
                        number != model::ElementType::float8_e4m3 &&
                        number != model::ElementType::float8_e5m2;
  return is_known && components != 3 && model::size_bytes(number) <= 4;
}

std::string Planner::set_texture(model::Operand& operand, const model::ArgumentSpec& argument,
                                 const CompiledTexture& compiled) {
  operand.kind = model::Operand::Kind::texture;
  operand.buffer = m_compiled.arguments[static_cast<std::size_t>(compiled.argument)].buffer;
  const model::BufferPlan& buffer = m_buffers[static_cast<std::size_t>(operand.buffer)];
  operand.type = buffer.type;
  model::Texture& texture = operand.texture.emplace(argument.texture->kind);
  if (const std::string why = type_mismatch(texture, buffer.type); !why.empty()) return why;
  if (compiled.shape.empty()) {
    texture.shape = {buffer.elements};
    return buffer.elements > 0 ? "" : "it is over nothing";
  }
  for (const Compiled& expression : compiled.shape) {
    const std::int64_t extent = texture.shape.emplace_back(number(expression, argument.name));
    if (extent < 1 || extent > buffer.elements)
      return fmt::format("shape {}, and {} has {} elements", shown(expression, extent), buffer.name,
                         buffer.elements);
  }
  const std::int64_t row = texture.shape.front() * model::size_bytes(buffer.type);
  texture.pitch_bytes = compiled.pitch ? number(*compiled.pitch, argument.name) : row;
  if (compiled.pitch && (texture.pitch_bytes < row || texture.pitch_bytes > buffer.bytes()))
    return fmt::format("pitch {}, and a row has {} bytes of {}", shown(*compiled.pitch, texture.pitch_bytes),
                       row, buffer.bytes());
  if (!texture.in_array && texture.pitch_bytes % pitch_unit_bytes != 0)
    return fmt::format("a row of {} bytes is no multiple of {}", texture.pitch_bytes, pitch_unit_bytes);
  if (texture.shape.back() - 1 > (buffer.bytes() - row) / texture.pitch_bytes)
    return fmt::format("{} rows of {} bytes, and {} has {}", texture.shape.back(), texture.pitch_bytes,
                       buffer.name, buffer.bytes());
  for (const model::Operand& other : m_arguments) {
    if (other.buffer != operand.buffer || !other.texture || !other.texture->in_array || !texture.in_array)
      continue;
    if (other.texture->shape != texture.shape || other.texture->pitch_bytes != texture.pitch_bytes)
      return fmt::format("{} lies in an array of another shape already", buffer.name);
  }
  return "";
}

}  // namespace tuner::space
