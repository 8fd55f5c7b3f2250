#include "tuner/device/fill.hpp"

#include <cstring>

namespace tuner::device {
namespace {

template <typename Ours, typename Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(same(fill_float32, model::ElementType::float32) &&
              same(fill_float64, model::ElementType::float64));
static_assert(same(fill_int8, model::ElementType::int8) && same(fill_uint8, model::ElementType::uint8));
static_assert(same(fill_int32, model::ElementType::int32) && same(fill_uint32, model::ElementType::uint32));
static_assert(same(fill_int64, model::ElementType::int64) && same(fill_uint64, model::ElementType::uint64));
static_assert(same(fill_int16, model::ElementType::int16) && same(fill_uint16, model::ElementType::uint16) &&
              same(fill_boolean, model::ElementType::boolean));
static_assert(same(fill_float16, model::ElementType::float16) &&
              same(fill_bfloat16, model::ElementType::bfloat16) &&
              same(fill_float8_e4m3, model::ElementType::float8_e4m3) &&
              same(fill_float8_e5m2, model::ElementType::float8_e5m2));
static_assert(same(fill_normal, model::Init::Kind::normal) &&
              same(fill_permutation, model::Init::Kind::permutation) &&
              same(fill_sorted, model::Init::Kind::sorted) && same(fill_sparse, model::Init::Kind::sparse));
static_assert(same(fill_none, model::Init::Kind::none) && same(fill_constant, model::Init::Kind::constant));
static_assert(same(fill_uniform, model::Init::Kind::uniform) && same(fill_iota, model::Init::Kind::iota));
static_assert(same(fill_integers, model::Init::Kind::integers) &&
              same(fill_odd_integers, model::Init::Kind::odd_integers) &&
              same(fill_signs, model::Init::Kind::signs));

}  // namespace

FillRequest fill_request(model::ElementType type, const model::Init& init, std::uint64_t seed) {
  return {static_cast<int>(model::component_type(type)),
          static_cast<int>(init.kind),
          init.a,
          init.b,
          init.c,
          seed};
}

void fill_on_host(void* memory, model::ElementType type, std::int64_t elements, const model::Init& init,
                  std::uint64_t seed) {
  const FillRequest request = fill_request(type, init, seed);
  const auto size = static_cast<std::size_t>(model::size_bytes(model::component_type(type)));
  auto* out = static_cast<std::byte*>(memory);
  const std::int64_t numbers = elements * model::components(type);
  for (std::int64_t i = 0; i < numbers; ++i, out += size) {
    const Word bits = fill_bits(request, static_cast<Word>(i));
    std::memcpy(out, &bits, size);  // the low bytes: hosts of NVIDIA GPUs are little-endian
  }
}

}  // namespace tuner::device
