#include "tuner/device/cuda/view_limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tuner::device::cuda {
namespace {

struct Limit {
  CUdevice_attribute attribute;
  std::int64_t found;
  const char* unit;
};

std::vector<Limit> limits_on(const model::Texture& view) {
  if (view.shape.empty()) return {};
  const std::int64_t width = view.shape.front();
  const std::int64_t height = view.shape.back();
  if (view.pitch_bytes == 0) return {{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, width, "elements"}};
  if (!view.in_array)
    return {{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, width, "columns"},
            {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, height, "rows"},
            {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, view.pitch_bytes, "bytes a row"}};
  std::vector<Limit> all = {{CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH, width, "columns"},
                            {CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT, height, "rows"}};
  if (!view.is_surface) {  // its array is one that a surface may share
    all.insert(all.begin(), {{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, width, "columns"},
                             {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, height, "rows"}});
  }
  return all;
}

}  // namespace

std::string beyond_limits(const model::Operand& operand, const AttributeQuery& attribute) {
  const model::Texture& view = *operand.texture;
  for (const Limit& limit : limits_on(view)) {
    const std::int64_t most = attribute(limit.attribute);
    if (most > 0 && limit.found > most)
      return fmt::format("a {} of {} {}; this device takes {}", view.is_surface ? "surface" : "texture",
                         limit.found, limit.unit, most);
  }
  return {};
}

std::string refusal_of(const Session& session, const model::Operand& operand, const char* what,
                       CUresult result) {
  const Driver& driver = session.driver();
  const auto attribute = [&](CUdevice_attribute which) -> std::int64_t {
    int value = 0;
    return driver.device_get_attribute(&value, which, session.device()) == CUDA_SUCCESS ? value : 0;
  };
  std::string limit = beyond_limits(operand, attribute);
  if (!limit.empty()) return limit;
  return fmt::format("the driver refuses {} of {}, {}: {}", what, fmt::join(operand.texture->shape, "x"),
                     model::cuda_name(operand.type), describe(driver, result));
}

}  // namespace tuner::device::cuda
