#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tuner::model {

/// Types of buffer elements and scalar arguments, by their CUDA C++ names. Numbers come first, then vectors
/// of them; the place of each is part of identities, so that new ones go to the end of either.
enum class ElementType {
  float32,
  float64,
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  int16,
  uint16,
  boolean,
  float16,
  bfloat16,
  float8_e4m3,
  float8_e5m2,
  char2,
  char3,
  char4,
  uchar2,
  uchar3,
  uchar4,
  short2,
  short3,
  short4,
  ushort2,
  ushort3,
  ushort4,
  int2,
  int3,
  int4,
  uint2,
  uint3,
  uint4,
  longlong2,
  ulonglong2,
  float2,
  float3,
  float4,
  double2,
  double3,
  double4,
  half2,
  bfloat162,
};
inline constexpr ElementType last_element_type = ElementType::bfloat162;

/// CUDA C++ spelling: float, unsigned int, long long, __half, __nv_fp8_e4m3, float4.
std::string_view cuda_name(ElementType type);
/// Accepts the CUDA spelling; short forms such as uint8 and float16; half, bfloat16, half2; what <cstdint>
/// and cuComplex.h call the same: uint8_t, size_t, cuFloatComplex (a float2).
std::optional<ElementType> parse_element_type(std::string_view name);
/// For messages: the names of all.
std::string element_type_names();
std::int64_t size_bytes(ElementType type);
/// As a member of a struct, in CUDA C++: float3 at a multiple of 4, float4 of 16.
std::int64_t alignment_bytes(ElementType type);
/// What a vector is made of; a number is its own.
ElementType component_type(ElementType type);
/// How many numbers an element is.
int components(ElementType type);
/// Whether its numbers are.
bool is_floating(ElementType type);
/// Unit roundoff u of a floating type's numbers, 2^-24 for float, 2^-11 for __half; 0 for integers.
double unit_roundoff(ElementType type);
/// What rounding to a number near 0 may add to the error: half the least positive number of the types
/// narrower than float, which kernels do get near to; 0 for others.
double underflow(ElementType type);
/// The largest finite number of a floating type.
double largest(ElementType type);
/// Up to which every whole number is one of the floating type's.
double most_whole(ElementType type);

}  // namespace tuner::model
