#include "tuner/device/cuda/tensor_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <vector>

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

CUtensorMapInterleave interleave(int bytes) {
  if (bytes == 0) return CU_TENSOR_MAP_INTERLEAVE_NONE;
  return bytes == 16 ? CU_TENSOR_MAP_INTERLEAVE_16B : CU_TENSOR_MAP_INTERLEAVE_32B;
}

CUtensorMapSwizzle swizzle(int bytes) {
  if (bytes == 0) return CU_TENSOR_MAP_SWIZZLE_NONE;
  if (bytes == 32) return CU_TENSOR_MAP_SWIZZLE_32B;
  return bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
}

CUtensorMapL2promotion l2_promotion(int bytes) {
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
      interleave(map.interleave_bytes), swizzle(map.swizzle_bytes), l2_promotion(map.l2_promotion_bytes),
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

}  // namespace tuner::device::cuda
