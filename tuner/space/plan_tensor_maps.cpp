// The part of Planner that is about tensor maps. What cuTensorMapEncodeTiled (cuda.h) would refuse is told
// here with the reason, so that a configuration is left out before it is compiled; of what depends on the
// device the driver has the last word.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/space/plan_text.hpp"
#include "tuner/space/planner.hpp"

namespace tuner::space {
namespace {

constexpr std::int64_t most_elements_of_dimension = std::int64_t{1} << 32U;
constexpr std::int64_t most_stride_bytes = std::int64_t{1} << 40U;
constexpr std::int64_t most_of_box = 256;
constexpr std::int64_t most_element_stride = 8;
constexpr std::int64_t copied_bytes = 16;

bool has_tensor_maps(model::ElementType type) {
  return model::components(type) == 1;
}

}  // namespace

bool Planner::set_tensor_map(model::Operand& operand, const model::ArgumentSpec& argument,
                             const CompiledTensorMap& compiled) {
  const auto buffer_argument = static_cast<std::size_t>(compiled.argument);
  operand.kind = model::Operand::Kind::tensor_map;
  operand.buffer = m_compiled.arguments[buffer_argument].buffer;
  const model::BufferPlan& buffer = m_buffers[static_cast<std::size_t>(operand.buffer)];
  operand.type = buffer.type;
  const auto refuse = [&](const std::string& why) {
    reject(fmt::format("tensor map `{}`: {}", argument.name, why));
    return false;
  };
  if (!has_tensor_maps(buffer.type))
    return refuse(fmt::format("there are none over {}", model::cuda_name(buffer.type)));
  model::TensorMap& map = operand.tensor.emplace();
  const auto read = [&](const std::vector<Compiled>& expressions, std::vector<std::int64_t>& numbers,
                        const char* what, std::int64_t most) {
    for (const Compiled& expression : expressions) {
      const std::optional<std::int64_t> value = number(expression, argument.name);
      if (!value) return false;
      if (*value < 1 || *value > most)
        return refuse(fmt::format("{} {}, allowed are 1 to {}", what, shown(expression, *value), most));
      numbers.push_back(*value);
    }
    return true;
  };
  const auto read_bytes = [&](const std::optional<Compiled>& expression, int& bytes, const char* what,
                              std::initializer_list<int> allowed) {
    if (!expression) return true;
    const std::optional<std::int64_t> value = number(*expression, argument.name);
    if (!value) return false;
    bytes =
        std::find(allowed.begin(), allowed.end(), *value) != allowed.end() ? static_cast<int>(*value) : -1;
    if (bytes >= 0) return true;
    return refuse(
        fmt::format("{} {}, allowed are {}", what, shown(*expression, *value), fmt::join(allowed, ", ")));
  };
  map.nan_outside = argument.tensor->nan_outside;
  if (!read(compiled.shape, map.shape, "shape", most_elements_of_dimension) ||
      !read(compiled.strides, map.strides, "stride", most_stride_bytes - 1) ||
      !read(compiled.box, map.box, "box", most_of_box) ||
      !read(compiled.element_strides, map.element_strides, "element stride", most_element_stride) ||
      !read_bytes(compiled.interleave, map.interleave_bytes, "interleave", {0, 16, 32}) ||
      !read_bytes(compiled.swizzle, map.swizzle_bytes, "swizzle", {0, 32, 64, 128}) ||
      !read_bytes(compiled.l2_promotion, map.l2_promotion_bytes, "l2_promotion", {0, 64, 128, 256}))
    return false;
  map.element_strides.resize(map.shape.size(), 1);
  const std::int64_t element = model::size_bytes(buffer.type);
  if (compiled.strides.empty()) {
    std::int64_t stride = element;
    for (std::size_t i = 0; i + 1 < map.shape.size(); ++i) {
      if (__builtin_mul_overflow(stride, map.shape[i], &stride) || stride >= most_stride_bytes)
        return refuse("it is larger than any device's memory");
      map.strides.push_back(stride);
    }
  }
  const std::string why = why_not(map, buffer, element);
  return why.empty() || refuse(why);
}

/// How the parts of a map must fit together, and into the buffer; empty where they do.
std::string Planner::why_not(const model::TensorMap& map, const model::BufferPlan& buffer,
                             std::int64_t element) {
  const std::int64_t unit = map.interleave_bytes == 32 ? 32 : copied_bytes;
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
  if (map.interleave_bytes != 0) {
    return map.shape.size() >= 3
               ? ""
               : fmt::format("interleaving takes 3 dimensions, here are {}", map.shape.size());
  }
  const std::int64_t row = map.box.front() * element;
  if (row % copied_bytes != 0)
    return fmt::format("a row of the box has {} bytes, no multiple of {}", row, copied_bytes);
  if (map.swizzle_bytes != 0 && row > map.swizzle_bytes)
    return fmt::format("a row of the box has {} bytes, more than the {} of the swizzle", row,
                       map.swizzle_bytes);
  return "";
}

}  // namespace tuner::space
