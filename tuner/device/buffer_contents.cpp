#include "tuner/device/buffer_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <limits>
#include <vector>

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

namespace {

/// `Bits` is as wide as a number of the request's type.
template <typename Bits>
Comparison compare_numbers(const CompareRequest& request) {
  const auto* got = reinterpret_cast<const Bits*>(request.got);
  const auto* expected = reinterpret_cast<const double*>(request.expected);
  const auto* magnitude = reinterpret_cast<const double*>(request.magnitude);
  const int type = static_cast<int>(model::component_type(request.type));
  const CompareRule rule = rule_of(request);
  const double most = most_error(rule);
  const std::int64_t numbers = request.elements * model::components(request.type);
  Comparison out;
  for (std::int64_t i = 0; i < numbers; ++i) {
    const Word bits = got[i];
    const bool poison = bits == poison_bits(type, static_cast<Word>(i), request.other_poison);
    const double error = error_of(rule, type, value_of(type, bits), poison, expected[i], magnitude[i],
                                  request.ignore_unwritten);
    out.largest_error = std::max(out.largest_error, error);
    if (error <= most) continue;
    if (out.wrong_elements++ == 0) out.first_wrong = i;
  }
  return out;
}

Comparison compare_in_order(const CompareRequest& request) {
  switch (model::size_bytes(model::component_type(request.type))) {
    case 1:
      return compare_numbers<std::uint8_t>(request);
    case 2:
      return compare_numbers<std::uint16_t>(request);
    case 4:
      return compare_numbers<std::uint32_t>(request);
    default:
      return compare_numbers<std::uint64_t>(request);
  }
}

/// Copies of what a request compares, its groups in ascending order. Elements for which the reference wrote
/// nothing stay where they are.
struct Sorted {
  explicit Sorted(const CompareRequest& request)
      : m_rule(rule_of(request)),
        m_components(static_cast<std::size_t>(model::components(request.type))),
        m_type(static_cast<int>(model::component_type(request.type))),
        m_bytes(static_cast<std::size_t>(model::size_bytes(model::component_type(request.type)))) {
    const auto elements = static_cast<std::size_t>(request.elements);
    const std::size_t numbers = elements * m_components;
    const auto* bytes = reinterpret_cast<const std::byte*>(request.got);
    got.assign(bytes, bytes + numbers * m_bytes);
    const auto* doubles = reinterpret_cast<const double*>(request.expected);
    expected.assign(doubles, doubles + numbers);
    doubles = reinterpret_cast<const double*>(request.magnitude);
    magnitude.assign(doubles, doubles + numbers);
    const auto group = static_cast<std::size_t>(request.unordered_within);
    for (std::size_t first = 0; first < elements; first += group)
      sort_group(first, std::min(elements, first + group));
  }

  std::vector<std::byte> got;
  std::vector<double> expected;
  std::vector<double> magnitude;

 private:
  Word bits(std::size_t number) const {
    Word word = 0;
    std::memcpy(&word, got.data() + number * m_bytes, m_bytes);
    return word;
  }

  /// NaN behind all numbers.
  static bool less(double a, double b) { return a < b || (a == a && b != b); }

  /// The elements of `places` in ascending order of `number_of`, component by component.
  template <typename NumberOf>
  std::vector<std::size_t> ordered(std::vector<std::size_t> places, NumberOf number_of) const {
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      for (std::size_t c = 0; c < m_components; ++c) {
        const double left = number_of(a * m_components + c);
        const double right = number_of(b * m_components + c);
        if (less(left, right) || less(right, left)) return less(left, right);
      }
      return false;
    });
    return places;
  }

  void sort_group(std::size_t first, std::size_t end) {
    std::vector<std::size_t> places;
    for (std::size_t i = first; i < end; ++i) {
      if (bits_of_double(expected[i * m_components]) != poison_double) places.push_back(i);
    }
    auto of_got = ordered(places, [&](std::size_t number) { return value_of(m_type, bits(number)); });
    auto of_expected = ordered(places, [&](std::size_t number) { return expected[number]; });
    const std::size_t matched = m_rule.excuses ? match(of_got, of_expected) : 0;
    if (m_components > 1 && most_error(m_rule) > 0) pair(of_got, of_expected, matched);
    const std::size_t element_bytes = m_components * m_bytes;
    const std::vector<std::byte> all_got(got.begin() + static_cast<std::ptrdiff_t>(first * element_bytes),
                                         got.begin() + static_cast<std::ptrdiff_t>(end * element_bytes));
    const auto begin = static_cast<std::ptrdiff_t>(first * m_components);
    const auto count = static_cast<std::ptrdiff_t>((end - first) * m_components);
    const std::vector<double> all_expected(expected.begin() + begin, expected.begin() + begin + count);
    const std::vector<double> all_magnitude(magnitude.begin() + begin, magnitude.begin() + begin + count);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(got.data() + places[i] * element_bytes,
                  all_got.data() + (of_got[i] - first) * element_bytes, element_bytes);
      for (std::size_t c = 0; c < m_components; ++c) {
        const std::size_t from = (of_expected[i] - first) * m_components + c;
        expected[places[i] * m_components + c] = all_expected[from];
        magnitude[places[i] * m_components + c] = all_magnitude[from];
      }
    }
  }

  /// Whether all numbers of an element are what is expected of another place.
  bool fits(std::size_t got_element, std::size_t expected_element) const {
    for (std::size_t c = 0; c < m_components; ++c) {
      const std::size_t to = expected_element * m_components + c;
      const double value = value_of(m_type, bits(got_element * m_components + c));
      if (!(error_of(m_rule, m_type, value, false, expected[to], magnitude[to], false) <= most_error(m_rule)))
        return false;
    }
    return true;
  }

  /// Moves elements that have what is expected to the front of both, in pairs, and says how many there are:
  /// by rank one excused element would push the others from their places.
  std::size_t match(std::vector<std::size_t>& of_got, std::vector<std::size_t>& of_expected) const {
    std::vector<std::size_t> pairs_got, pairs_expected, rest_got, rest_expected;
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < of_got.size() && k < of_expected.size()) {
      if (fits(of_got[i], of_expected[k])) {
        pairs_got.push_back(of_got[i++]);
        pairs_expected.push_back(of_expected[k++]);
      } else if (is_before(of_got[i], of_expected[k])) {
        rest_got.push_back(of_got[i++]);
      } else {
        rest_expected.push_back(of_expected[k++]);
      }
    }
    rest_got.insert(rest_got.end(), of_got.begin() + static_cast<std::ptrdiff_t>(i), of_got.end());
    rest_expected.insert(rest_expected.end(), of_expected.begin() + static_cast<std::ptrdiff_t>(k),
                         of_expected.end());
    of_got = pairs_got;
    of_got.insert(of_got.end(), rest_got.begin(), rest_got.end());
    of_expected = pairs_expected;
    of_expected.insert(of_expected.end(), rest_expected.begin(), rest_expected.end());
    return pairs_got.size();
  }

  /// In the order of ordered().
  bool is_before(std::size_t got_element, std::size_t expected_element) const {
    for (std::size_t c = 0; c < m_components; ++c) {
      const double left = value_of(m_type, bits(got_element * m_components + c));
      const double right = expected[expected_element * m_components + c];
      if (less(left, right) || less(right, left)) return less(left, right);
    }
    return false;
  }

  /// Vectors whose first numbers are nearly the same may sort otherwise once they are rounded: each is paired
  /// with one nearby that fits, where there is one, from place `first` on.
  void pair(std::vector<std::size_t>& of_got, const std::vector<std::size_t>& of_expected,
            std::size_t first) const {
    constexpr std::size_t tries_each = 128;
    std::size_t tries = tries_each * of_got.size();
    for (std::size_t i = first; i < of_got.size(); ++i) {
      const std::size_t end = std::min(of_got.size(), i + tries);
      std::size_t at = i;
      while (at < end && !fits(of_got[at], of_expected[i])) ++at;
      tries -= at - i;
      if (at == i || at == end) continue;
      const auto begin = of_got.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(begin, of_got.begin() + static_cast<std::ptrdiff_t>(at),
                  of_got.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
  }

  CompareRule m_rule;
  std::size_t m_components;
  int m_type;
  std::size_t m_bytes;
};

/// 0 for no error even where the unit is 0: an exact check gives 0 or infinity.
double in_units_of(double error, double unit) {
  if (error == 0) return 0;
  return unit > 0 ? error / unit : std::numeric_limits<double>::infinity();
}

}  // namespace

model::Verification to_verification(const Comparison& comparison, const CompareRequest& request) {
  model::Verification out;
  out.checked = true;
  const CompareRule rule = rule_of(request);
  out.error_ratio = in_units_of(comparison.largest_error, most_error(rule));
  if (is_plain(rule))
    out.error_ulp_scale = in_units_of(comparison.largest_error, model::unit_roundoff(request.type));
  out.wrong_elements = comparison.wrong_elements;
  out.first_wrong = comparison.first_wrong;
  return out;
}

CompareRule rule_of(const CompareRequest& request) {
  const model::Tolerance& t = request.tolerance;
  return {request.bound_factor, t.absolute, t.relative, t.ulps, t.share > 0};
}

model::Verification compare_on_host(const CompareRequest& request) {
  if (request.unordered_within == 0) return to_verification(compare_in_order(request), request);
  const Sorted sorted(request);
  CompareRequest in_order = request;
  in_order.got = reinterpret_cast<Address>(sorted.got.data());
  in_order.expected = reinterpret_cast<Address>(sorted.expected.data());
  in_order.magnitude = reinterpret_cast<Address>(sorted.magnitude.data());
  return to_verification(compare_in_order(in_order), request);
}

bool accepts(const CompareRequest& request, const model::Verification& verification) {
  if (verification.wrong_elements == 0) return true;
  const double numbers = static_cast<double>(request.elements * model::components(request.type));
  return std::isfinite(verification.error_ratio) &&
         static_cast<double>(verification.wrong_elements) <= request.tolerance.share * numbers;
}

std::uint64_t checksum_on_host(const void* memory, std::int64_t bytes) {
  const auto* in = static_cast<const std::byte*>(memory);
  const auto length = static_cast<std::size_t>(bytes);
  Word sum = checksum_start(length);
  for (std::size_t first = 0; first < length; first += sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, in + first, std::min(sizeof(Word), length - first));
    sum += checksum_term(word, first / sizeof(Word));
  }
  return sum;
}

namespace {

constexpr auto poison_byte = std::byte{0xFF};

/// Calls `copy(structs, field, bytes)` with where each field of each struct is in both images.
template <typename Copy>
void for_each_field(const model::BufferPlan& buffer, std::vector<std::byte>& structs,
                    const model::FieldPlan& field, std::vector<std::byte>& values, const Copy& copy) {
  const std::int64_t count = buffer.elements / buffer.struct_bytes;
  if (count == 0) return;
  const std::int64_t bytes = static_cast<std::int64_t>(values.size()) / count;
  for (std::int64_t i = 0; i < count; ++i)
    copy(structs.data() + i * buffer.struct_bytes + field.offset_bytes, values.data() + i * bytes, bytes);
}

std::vector<std::byte> image_of(const model::BufferPlan& buffer) {
  return std::vector<std::byte>(static_cast<std::size_t>(buffer.bytes()), poison_byte);
}

}  // namespace

void assemble_structs(Device& device, const model::Plan& plan, std::size_t index, const Bindings& bindings) {
  const model::BufferPlan& buffer = plan.buffers.at(index);
  std::vector<std::byte> structs = image_of(buffer);
  for (const model::FieldPlan& field : buffer.fields) {
    const auto of_field = static_cast<std::size_t>(field.buffer);
    std::vector<std::byte> values = image_of(plan.buffers.at(of_field));
    device.read(bindings.buffers.at(of_field), values);
    for_each_field(buffer, structs, field, values,
                   [](std::byte* to, const std::byte* from, std::int64_t n) { std::copy_n(from, n, to); });
  }
  device.write(bindings.buffers.at(index), structs);
}

void disassemble_structs(Device& device, const model::Plan& plan, std::size_t index,
                         const Bindings& bindings) {
  const model::BufferPlan& buffer = plan.buffers.at(index);
  std::vector<std::byte> structs = image_of(buffer);
  device.read(bindings.buffers.at(index), structs);
  for (const model::FieldPlan& field : buffer.fields) {
    const auto of_field = static_cast<std::size_t>(field.buffer);
    std::vector<std::byte> values = image_of(plan.buffers.at(of_field));
    for_each_field(buffer, structs, field, values,
                   [](const std::byte* from, std::byte* to, std::int64_t n) { std::copy_n(from, n, to); });
    device.write(bindings.buffers.at(of_field), values);
  }
}

std::vector<std::byte> read_contents(const model::FileContents& file) {
  if (model::digest_of_file(file.path) != file.digest)
    refuse(fmt::format("{} has changed since the spec was read", file.path));
  std::vector<std::byte> contents(static_cast<std::size_t>(file.elements * model::size_bytes(file.type)));
  std::ifstream in(file.path, std::ios::binary);
  in.seekg(file.first_byte);
  in.read(reinterpret_cast<char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
  if (!in) refuse(fmt::format("{} cannot be read", file.path));
  return contents;
}

}  // namespace tuner::device
