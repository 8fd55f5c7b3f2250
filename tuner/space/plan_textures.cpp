// The part of Planner that is about textures and surfaces: what cuTexObjectCreate (cuda.h) would refuse on
// every device.
#include <fmt/format.h>

#include "tuner/space/plan_text.hpp"
#include "tuner/space/planner.hpp"

namespace tuner::space {
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

bool Planner::set_texture(model::Operand& operand, const model::ArgumentSpec& argument,
                          const CompiledTexture& compiled) {
  operand.kind = model::Operand::Kind::texture;
  operand.buffer = m_compiled.arguments[static_cast<std::size_t>(compiled.argument)].buffer;
  const model::BufferPlan& buffer = m_buffers[static_cast<std::size_t>(operand.buffer)];
  operand.type = buffer.type;
  const auto refuse = [&](const std::string& why) {
    reject(fmt::format("{} `{}`: {}", argument.view_name(), argument.name, why));
    return false;
  };
  model::Texture& texture = operand.texture.emplace(argument.texture->kind);
  if (const std::string why = type_mismatch(texture, buffer.type); !why.empty()) return refuse(why);
  if (compiled.shape.empty()) {
    texture.shape = {buffer.elements};
    return buffer.elements > 0 || refuse("it is over nothing");
  }
  for (const Compiled& expression : compiled.shape) {
    const std::optional<std::int64_t> extent = number(expression, argument.name);
    if (!extent) return false;
    if (*extent < 1 || *extent > buffer.elements)
      return refuse(fmt::format("shape {}, and {} has {} elements", shown(expression, *extent), buffer.name,
                                buffer.elements));
    texture.shape.push_back(*extent);
  }
  const std::int64_t row = texture.shape.front() * model::size_bytes(buffer.type);
  texture.pitch_bytes = row;
  if (compiled.pitch) {
    const std::optional<std::int64_t> pitch = number(*compiled.pitch, argument.name);
    if (!pitch) return false;
    if (*pitch < row || *pitch > buffer.bytes())
      return refuse(fmt::format("pitch {}, and a row has {} bytes of {}", shown(*compiled.pitch, *pitch), row,
                                buffer.bytes()));
    texture.pitch_bytes = *pitch;
  }
  if (!texture.in_array && texture.pitch_bytes % pitch_unit_bytes != 0)
    return refuse(
        fmt::format("a row of {} bytes is no multiple of {}", texture.pitch_bytes, pitch_unit_bytes));
  if (texture.shape.back() - 1 > (buffer.bytes() - row) / texture.pitch_bytes)
    return refuse(fmt::format("{} rows of {} bytes, and {} has {}", texture.shape.back(), texture.pitch_bytes,
                              buffer.name, buffer.bytes()));
  for (const model::Operand& other : m_arguments) {
    if (other.buffer != operand.buffer || !other.texture || !other.texture->in_array || !texture.in_array)
      continue;
    if (other.texture->shape != texture.shape || other.texture->pitch_bytes != texture.pitch_bytes)
      return refuse(fmt::format("{} lies in an array of another shape already", buffer.name));
  }
  return true;
}

}  // namespace tuner::space
