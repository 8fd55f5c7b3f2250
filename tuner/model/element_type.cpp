#include "tuner/model/element_type.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tuner::model {
namespace {

struct Row {
  ElementType type;
  std::string_view cuda;
  std::string_view brief;
  std::int64_t bytes;
  ElementType component;
  int components;
};
constexpr std::array rows = {
    Row{ElementType::float32, "float", "float32", 4, ElementType::float32, 1},
    Row{ElementType::float64, "double", "float64", 8, ElementType::float64, 1},
    Row{ElementType::int8, "signed char", "int8", 1, ElementType::int8, 1},
    Row{ElementType::uint8, "unsigned char", "uint8", 1, ElementType::uint8, 1},
    Row{ElementType::int32, "int", "int32", 4, ElementType::int32, 1},
    Row{ElementType::uint32, "unsigned int", "uint32", 4, ElementType::uint32, 1},
    Row{ElementType::int64, "long long", "int64", 8, ElementType::int64, 1},
    Row{ElementType::uint64, "unsigned long long", "uint64", 8, ElementType::uint64, 1},
    Row{ElementType::int16, "short", "int16", 2, ElementType::int16, 1},
    Row{ElementType::uint16, "unsigned short", "uint16", 2, ElementType::uint16, 1},
    Row{ElementType::boolean, "bool", "boolean", 1, ElementType::boolean, 1},
    Row{ElementType::float16, "__half", "float16", 2, ElementType::float16, 1},
    Row{ElementType::bfloat16, "__nv_bfloat16", "bfloat16", 2, ElementType::bfloat16, 1},
    Row{ElementType::float8_e4m3, "__nv_fp8_e4m3", "float8_e4m3", 1, ElementType::float8_e4m3, 1},
    Row{ElementType::float8_e5m2, "__nv_fp8_e5m2", "float8_e5m2", 1, ElementType::float8_e5m2, 1},
    Row{ElementType::char2, "char2", "char2", 2, ElementType::int8, 2},
    Row{ElementType::char3, "char3", "char3", 3, ElementType::int8, 3},
    Row{ElementType::char4, "char4", "char4", 4, ElementType::int8, 4},
    Row{ElementType::uchar2, "uchar2", "uchar2", 2, ElementType::uint8, 2},
    Row{ElementType::uchar3, "uchar3", "uchar3", 3, ElementType::uint8, 3},
    Row{ElementType::uchar4, "uchar4", "uchar4", 4, ElementType::uint8, 4},
    Row{ElementType::short2, "short2", "short2", 4, ElementType::int16, 2},
    Row{ElementType::short3, "short3", "short3", 6, ElementType::int16, 3},
    Row{ElementType::short4, "short4", "short4", 8, ElementType::int16, 4},
    Row{ElementType::ushort2, "ushort2", "ushort2", 4, ElementType::uint16, 2},
    Row{ElementType::ushort3, "ushort3", "ushort3", 6, ElementType::uint16, 3},
    Row{ElementType::ushort4, "ushort4", "ushort4", 8, ElementType::uint16, 4},
    Row{ElementType::int2, "int2", "int2", 8, ElementType::int32, 2},
    Row{ElementType::int3, "int3", "int3", 12, ElementType::int32, 3},
    Row{ElementType::int4, "int4", "int4", 16, ElementType::int32, 4},
    Row{ElementType::uint2, "uint2", "uint2", 8, ElementType::uint32, 2},
    Row{ElementType::uint3, "uint3", "uint3", 12, ElementType::uint32, 3},
    Row{ElementType::uint4, "uint4", "uint4", 16, ElementType::uint32, 4},
    Row{ElementType::longlong2, "longlong2", "longlong2", 16, ElementType::int64, 2},
    Row{ElementType::ulonglong2, "ulonglong2", "ulonglong2", 16, ElementType::uint64, 2},
    Row{ElementType::float2, "float2", "float2", 8, ElementType::float32, 2},
    Row{ElementType::float3, "float3", "float3", 12, ElementType::float32, 3},
    Row{ElementType::float4, "float4", "float4", 16, ElementType::float32, 4},
    Row{ElementType::double2, "double2", "double2", 16, ElementType::float64, 2},
    Row{ElementType::double3, "double3", "double3", 24, ElementType::float64, 3},
    Row{ElementType::double4, "double4", "double4", 32, ElementType::float64, 4},
    Row{ElementType::half2, "__half2", "half2", 4, ElementType::float16, 2},
    Row{ElementType::bfloat162, "__nv_bfloat162", "bfloat162", 4, ElementType::bfloat16, 2},
};
static_assert(rows.size() == static_cast<std::size_t>(last_element_type) + 1);

/// Other names of the same.
constexpr std::array<std::pair<std::string_view, ElementType>, 24> aliases = {{
    {"unsigned", ElementType::uint32},
    {"char", ElementType::int8},
    {"short int", ElementType::int16},
    {"ushort", ElementType::uint16},
    {"uint", ElementType::uint32},
    {"long", ElementType::int64},
    {"unsigned long", ElementType::uint64},
    {"size_t", ElementType::uint64},
    {"int8_t", ElementType::int8},
    {"uint8_t", ElementType::uint8},
    {"int16_t", ElementType::int16},
    {"uint16_t", ElementType::uint16},
    {"int32_t", ElementType::int32},
    {"uint32_t", ElementType::uint32},
    {"int64_t", ElementType::int64},
    {"uint64_t", ElementType::uint64},
    {"half", ElementType::float16},
    {"nv_bfloat16", ElementType::bfloat16},
    {"nv_bfloat162", ElementType::bfloat162},
    {"fp8_e4m3", ElementType::float8_e4m3},
    {"fp8_e5m2", ElementType::float8_e5m2},
    {"cuComplex", ElementType::float2},
    {"cuFloatComplex", ElementType::float2},
    {"cuDoubleComplex", ElementType::double2},
}};

/// A floating format: `digits` significant bits, exponents from `least` to `greatest` of a significand in
/// [1, 2), and the largest significand at the greatest exponent.
struct Format {
  ElementType type;
  int digits;
  int least;
  int greatest;
  double top;
};
constexpr std::array formats = {
    Format{ElementType::float32, 24, -126, 127, 2 - 0x1p-23},
    Format{ElementType::float64, 53, -1022, 1023, 2 - 0x1p-52},
    Format{ElementType::float16, 11, -14, 15, 2 - 0x1p-10},
    Format{ElementType::bfloat16, 8, -126, 127, 2 - 0x1p-7},
    Format{ElementType::float8_e4m3, 4, -6, 8, 1.75},  // without infinity; the last significand is NaN
    Format{ElementType::float8_e5m2, 3, -14, 15, 1.75},
};

const Row& row_of(ElementType type) {
  return rows[static_cast<std::size_t>(type)];
}

/// Null for integers.
const Format* format_of(ElementType type) {
  for (const Format& format : formats) {
    if (format.type == component_type(type)) return &format;
  }
  return nullptr;
}

}  // namespace

std::string_view cuda_name(ElementType type) {
  return row_of(type).cuda;
}

std::optional<ElementType> parse_element_type(std::string_view name) {
  for (const Row& row : rows) {
    if (row.cuda == name || row.brief == name) return row.type;
  }
  for (const auto& [alias, type] : aliases) {
    if (alias == name) return type;
  }
  return std::nullopt;
}

std::string element_type_names() {
  std::string names;
  for (const Row& row : rows) {
    if (!names.empty()) names += ", ";
    names += row.cuda;
  }
  return names;
}

std::int64_t size_bytes(ElementType type) {
  return row_of(type).bytes;
}

std::int64_t alignment_bytes(ElementType type) {
  const Row& row = row_of(type);
  constexpr std::int64_t most = 16;
  return row.components == 3 ? size_bytes(row.component) : std::min(row.bytes, most);
}

ElementType component_type(ElementType type) {
  return row_of(type).component;
}

int components(ElementType type) {
  return row_of(type).components;
}

bool is_floating(ElementType type) {
  return format_of(type) != nullptr;
}

double unit_roundoff(ElementType type) {
  const Format* format = format_of(type);
  return format == nullptr ? 0 : std::ldexp(1.0, -format->digits);
}

double underflow(ElementType type) {
  const Format* format = format_of(type);
  const bool narrow = format != nullptr && size_bytes(format->type) < size_bytes(ElementType::float32);
  return narrow ? std::ldexp(1.0, format->least - format->digits) : 0;
}

double largest(ElementType type) {
  const Format* format = format_of(type);
  return format == nullptr ? 0 : std::ldexp(format->top, format->greatest);
}

double most_whole(ElementType type) {
  const Format* format = format_of(type);
  return format == nullptr ? 0 : std::ldexp(1.0, format->digits);
}

}  // namespace tuner::model
