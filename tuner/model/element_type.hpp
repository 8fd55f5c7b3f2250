#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tuner::model {

/// Types of buffer elements and scalar arguments, by their CUDA C++ names.
enum class ElementType { float32, float64, int8, uint8, int32, uint32, int64, uint64 };

/// CUDA C++ spelling: float, double, signed char, unsigned char, int, unsigned int, long long, unsigned long
/// long.
std::string_view cuda_name(ElementType type);
/// Accepts the CUDA spelling, and `unsigned` and `char`-less short forms: int8, uint8, int64, uint64, uint32.
std::optional<ElementType> parse_element_type(std::string_view name);
std::int64_t size_bytes(ElementType type);
bool is_floating(ElementType type);
/// Unit roundoff u of a floating type (2^-24, 2^-53); 0 for integers.
double unit_roundoff(ElementType type);

}  // namespace tuner::model
