#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tuner/device/cuda/cuda_device.hpp"

namespace tuner::device::cuda {
namespace {

static_assert(sizeof(CUtensorMap) == sizeof(OperandValue) && alignof(CUtensorMap) <= alignof(OperandValue));

[[noreturn]] void cannot(const std::string& why) {
  throw DeviceFault(model::TrialStatus::unlaunchable, false, why);
}

CUtensorMapDataType data_type(model::ElementType type) {
  using model::ElementType;
  switch (type) {
    case ElementType::int32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case ElementType::uint32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case ElementType::int64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case ElementType::uint64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case ElementType::float16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case ElementType::bfloat16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case ElementType::float32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case ElementType::float64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    default:  // what is copied as it is
      return model::size_bytes(type) == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_UINT16;
  }
}

CUtensorMapInterleave interleave(std::int64_t bytes) {
  if (bytes == 0) return CU_TENSOR_MAP_INTERLEAVE_NONE;
  return bytes == 16 ? CU_TENSOR_MAP_INTERLEAVE_16B : CU_TENSOR_MAP_INTERLEAVE_32B;
}

CUtensorMapSwizzle swizzle(std::int64_t bytes) {
  if (bytes == 0) return CU_TENSOR_MAP_SWIZZLE_NONE;
  if (bytes == 32) return CU_TENSOR_MAP_SWIZZLE_32B;
  return bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
}

CUtensorMapL2promotion l2_promotion(std::int64_t bytes) {
  if (bytes == 0) return CU_TENSOR_MAP_L2_PROMOTION_NONE;
  if (bytes == 64) return CU_TENSOR_MAP_L2_PROMOTION_L2_64B;
  return bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B : CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
}

template <typename To>
std::vector<To> converted(const std::vector<std::int64_t>& numbers) {
  std::vector<To> all;
  for (const std::int64_t number : numbers) all.push_back(static_cast<To>(number));
  return all;
}

}  // namespace

OperandValue make_tensor_map(const Driver& driver, const model::Operand& operand, Address address) {
  if (driver.tensor_map_encode_tiled == nullptr) cannot("the driver has no tensor maps");
  const model::TensorMap& map = operand.tensor.value();
  const auto shape = converted<cuuint64_t>(map.shape);
  // The driver refuses a null pointer, also where there is no stride to read.
  auto strides = converted<cuuint64_t>(map.strides);
  if (strides.empty())
    strides.push_back((map.shape.front() * model::size_bytes(operand.type) + 15) / 16 * 16);
  const auto box = converted<cuuint32_t>(map.box);
  const auto element_strides = converted<cuuint32_t>(map.element_strides);
  CUtensorMap encoded;
  const CUresult result = driver.tensor_map_encode_tiled(
      &encoded, data_type(operand.type), static_cast<cuuint32_t>(shape.size()),
      reinterpret_cast<void*>(address), shape.data(), strides.data(), box.data(), element_strides.data(),
      interleave(map.interleave), swizzle(map.swizzle), l2_promotion(map.l2_promotion),
      map.nan_outside ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                      : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS && !is_fatal(result)) {
    cannot(fmt::format("the driver refuses a tensor map of shape {}, strides {} and box {}: {}",
                       fmt::join(map.shape, "x"), fmt::join(map.strides, ", "), fmt::join(map.box, "x"),
                       describe(driver, result)));
  }
  check(driver, result, "making a tensor map");
  OperandValue out;
  std::memcpy(out.words.data(), &encoded, sizeof encoded);
  return out;
}

CUarray_format format_of(model::ElementType type) {
  using model::ElementType;
  switch (model::component_type(type)) {
    case ElementType::int8:
      return CU_AD_FORMAT_SIGNED_INT8;
    case ElementType::uint8:
      return CU_AD_FORMAT_UNSIGNED_INT8;
    case ElementType::int16:
      return CU_AD_FORMAT_SIGNED_INT16;
    case ElementType::uint16:
      return CU_AD_FORMAT_UNSIGNED_INT16;
    case ElementType::int32:
      return CU_AD_FORMAT_SIGNED_INT32;
    case ElementType::uint32:
      return CU_AD_FORMAT_UNSIGNED_INT32;
    case ElementType::float16:
      return CU_AD_FORMAT_HALF;
    default:
      return CU_AD_FORMAT_FLOAT;
  }
}

namespace {

CUaddress_mode mode_of(model::Texture::Outside outside) {
  switch (outside) {
    case model::Texture::Outside::border:
      return CU_TR_ADDRESS_MODE_BORDER;
    case model::Texture::Outside::wrap:
      return CU_TR_ADDRESS_MODE_WRAP;
    case model::Texture::Outside::mirror:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case model::Texture::Outside::clamp:
      break;
  }
  return CU_TR_ADDRESS_MODE_CLAMP;
}

CUDA_RESOURCE_DESC resource_of(CUarray array) {
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

CUDA_RESOURCE_DESC resource_of(const model::Operand& operand, Address address) {
  const model::Texture& texture = *operand.texture;
  const CUarray_format format = format_of(operand.type);
  const auto channels = static_cast<unsigned>(model::components(operand.type));
  CUDA_RESOURCE_DESC resource = {};
  if (texture.pitch_bytes == 0) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    auto& linear = resource.res.linear;
    linear.devPtr = address;
    linear.format = format;
    linear.numChannels = channels;
    linear.sizeInBytes = static_cast<std::size_t>(texture.shape.front() * model::size_bytes(operand.type));
    return resource;
  }
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  auto& pitched = resource.res.pitch2D;
  pitched.devPtr = address;
  pitched.format = format;
  pitched.numChannels = channels;
  pitched.width = static_cast<std::size_t>(texture.shape.front());
  pitched.height = static_cast<std::size_t>(texture.shape.back());
  pitched.pitchInBytes = static_cast<std::size_t>(texture.pitch_bytes);
  return resource;
}

CUDA_TEXTURE_DESC reading_of(const model::Operand& operand) {
  const model::Texture& texture = *operand.texture;
  CUDA_TEXTURE_DESC reading = {};
  std::fill(std::begin(reading.addressMode), std::end(reading.addressMode), mode_of(texture.outside));
  reading.filterMode = texture.interpolates ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (!model::is_floating(operand.type) && !texture.reads_normalized)
    reading.flags |= CU_TRSF_READ_AS_INTEGER;
  if (texture.normalized_coordinates) reading.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  return reading;
}

/// Throws unless the driver made the `what` that `operand` asks for.
void check_made(const Session& session, CUresult result, const model::Operand& operand, const char* what) {
  if (result != CUDA_SUCCESS && !is_fatal(result))
    throw DeviceFault(model::TrialStatus::unlaunchable, false, refusal_of(session, operand, what, result));
  check(session.driver(), result, fmt::format("making {}", what).c_str());
}

}  // namespace

TextureHandle make_texture(const Session& session, const model::Operand& operand, Address address,
                           CUarray array) {
  const CUDA_RESOURCE_DESC resource =
      operand.texture->in_array ? resource_of(array) : resource_of(operand, address);
  const CUDA_TEXTURE_DESC reading = reading_of(operand);
  CUtexObject object = 0;
  check_made(session, session.driver().tex_object_create(&object, &resource, &reading, nullptr), operand,
             "a texture");
  return {session.shared_driver(), object};
}

SurfaceHandle make_surface(const Session& session, const model::Operand& operand, CUarray array) {
  const CUDA_RESOURCE_DESC resource = resource_of(array);
  CUsurfObject object = 0;
  check_made(session, session.driver().surf_object_create(&object, &resource), operand, "a surface");
  return {session.shared_driver(), object};
}

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

CUarray Arrays::array_of(const model::Operand& operand, Address address) {
  const model::Texture& view = *operand.texture;
  auto found = std::find_if(m_entries.begin(), m_entries.end(),
                            [&](const Entry& entry) { return entry.buffer == operand.buffer; });
  if (found == m_entries.end()) {
    Entry entry;
    entry.buffer = operand.buffer;
    entry.address = address;
    entry.row_bytes = static_cast<std::size_t>(view.shape.front() * model::size_bytes(operand.type));
    entry.pitch_bytes = static_cast<std::size_t>(view.pitch_bytes);
    entry.height = static_cast<std::size_t>(view.shape.back());
    entry.array = make(operand);
    found = m_entries.insert(m_entries.end(), std::move(entry));
  }
  found->has_surface |= view.is_surface;
  return found->array.get();
}

ArrayHandle Arrays::make(const model::Operand& operand) const {
  const model::Texture& view = *operand.texture;
  CUDA_ARRAY3D_DESCRIPTOR form = {};
  form.Width = static_cast<std::size_t>(view.shape.front());
  form.Height = static_cast<std::size_t>(view.shape.back());
  form.Format = format_of(operand.type);
  form.NumChannels = static_cast<unsigned>(model::components(operand.type));
  form.Flags = CUDA_ARRAY3D_SURFACE_LDST;  // a texture that shares it does not mind
  const Driver& driver = m_session->driver();
  CUarray array = nullptr;
  const CUresult result = driver.array_create(&array, &form);
  if (result == CUDA_ERROR_INVALID_VALUE) {
    throw DeviceFault(model::TrialStatus::unlaunchable, false,
                      refusal_of(*m_session, operand, "an array", result));
  }
  check(driver, result, "making an array");
  return {m_session->shared_driver(), array};
}

void Arrays::fill() const {
  const char* doing = "copying into an array";
  const Driver& driver = m_session->driver();
  for (const Entry& entry : m_entries) {
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;  // a buffer may be the host's
    copy.srcDevice = entry.address;
    copy.srcPitch = entry.pitch_bytes;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = entry.array.get();
    copy.WidthInBytes = entry.row_bytes;
    copy.Height = entry.height;
    check(driver, driver.memcpy_2d_async(&copy, m_session->stream()), doing);
  }
  if (!m_entries.empty()) m_session->synchronize(doing);
}

void Arrays::collect() const {
  const char* doing = "copying out of an array";
  const Driver& driver = m_session->driver();
  for (const Entry& entry : m_entries) {
    if (!entry.has_surface) continue;
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = entry.array.get();
    copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.dstDevice = entry.address;
    copy.dstPitch = entry.pitch_bytes;
    copy.WidthInBytes = entry.row_bytes;
    copy.Height = entry.height;
    check(driver, driver.memcpy_2d_async(&copy, m_session->stream()), doing);
  }
  if (!m_entries.empty()) m_session->synchronize(doing);
}

}  // namespace tuner::device::cuda
