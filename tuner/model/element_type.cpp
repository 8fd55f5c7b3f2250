#include "tuner/model/element_type.hpp"

#include <array>

namespace tuner::model {
namespace {

struct Row {
  ElementType type;
  std::string_view cuda;
  std::string_view brief;
  std::int64_t bytes;
};
constexpr std::array rows = {
    Row{ElementType::float32, "float", "float32", 4},
    Row{ElementType::float64, "double", "float64", 8},
    Row{ElementType::int8, "signed char", "int8", 1},
    Row{ElementType::uint8, "unsigned char", "uint8", 1},
    Row{ElementType::int32, "int", "int32", 4},
    Row{ElementType::uint32, "unsigned int", "uint32", 4},
    Row{ElementType::int64, "long long", "int64", 8},
    Row{ElementType::uint64, "unsigned long long", "uint64", 8},
};

const Row& row_of(ElementType type) {
  return rows[static_cast<std::size_t>(type)];
}

}  // namespace

std::string_view cuda_name(ElementType type) {
  return row_of(type).cuda;
}

std::optional<ElementType> parse_element_type(std::string_view name) {
  if (name == "unsigned") return ElementType::uint32;
  for (const Row& row : rows) {
    if (row.cuda == name || row.brief == name) return row.type;
  }
  return std::nullopt;
}

std::int64_t size_bytes(ElementType type) {
  return row_of(type).bytes;
}

bool is_floating(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float64;
}

double unit_roundoff(ElementType type) {
  if (type == ElementType::float32) return 0x1p-24;
  if (type == ElementType::float64) return 0x1p-53;
  return 0;
}

}  // namespace tuner::model
