#include "tuner/device/cuda/texture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/device/cuda/view_limits.hpp"

namespace tuner::device::cuda {

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

}  // namespace tuner::device::cuda
