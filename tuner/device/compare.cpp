#include "tuner/device/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace tuner::device {
namespace {

/// `Bits` is as wide as a number of the request's type.
template <typename Bits>
Comparison compare_numbers(const CompareRequest& request, std::int64_t begin, std::int64_t end) {
  const auto* got = reinterpret_cast<const Bits*>(request.got);
  const auto* expected = reinterpret_cast<const double*>(request.expected);
  const auto* magnitude = reinterpret_cast<const double*>(request.magnitude);
  const int type = static_cast<int>(model::component_type(request.type));
  const CompareRule rule = rule_of(request);
  const double most = most_error(rule);
  Comparison out;
  for (std::int64_t i = begin; i < end; ++i) {
    const Word bits = got[i];
    const bool poison = bits == poison_bits(type, static_cast<Word>(i));
    const double error = error_of(rule, type, value_of(type, bits), poison, expected[i], magnitude[i],
                                  request.ignore_unwritten);
    out.largest_error = std::max(out.largest_error, error);
    if (error <= most) continue;
    if (out.wrong_elements++ == 0) out.first_wrong = i;
  }
  return out;
}

/// Copies of what a request compares, its groups in ascending order. Elements of which the reference wrote
/// nothing stay where they are.
struct Sorted {
  explicit Sorted(const CompareRequest& request)
      : m_components(static_cast<std::size_t>(model::components(request.type))),
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
    const auto of_got = ordered(places, [&](std::size_t number) { return value_of(m_type, bits(number)); });
    const auto of_expected = ordered(places, [&](std::size_t number) { return expected[number]; });
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

Comparison compare_range_on_host(const CompareRequest& request, std::int64_t begin, std::int64_t end) {
  switch (model::size_bytes(model::component_type(request.type))) {
    case 1:
      return compare_numbers<std::uint8_t>(request, begin, end);
    case 2:
      return compare_numbers<std::uint16_t>(request, begin, end);
    case 4:
      return compare_numbers<std::uint32_t>(request, begin, end);
    default:
      return compare_numbers<std::uint64_t>(request, begin, end);
  }
}

Comparison merge(const Comparison& left, const Comparison& right) {
  Comparison out{std::max(left.largest_error, right.largest_error),
                 left.wrong_elements + right.wrong_elements, std::max(left.first_wrong, right.first_wrong)};
  if (left.first_wrong >= 0 && right.first_wrong >= 0)
    out.first_wrong = std::min(left.first_wrong, right.first_wrong);
  return out;
}

model::Verification compare_on_host(const CompareRequest& request) {
  const std::int64_t numbers = request.elements * model::components(request.type);
  if (request.unordered_within == 0)
    return to_verification(compare_range_on_host(request, 0, numbers), request);
  const Sorted sorted(request);
  CompareRequest in_order = request;
  in_order.got = reinterpret_cast<Address>(sorted.got.data());
  in_order.expected = reinterpret_cast<Address>(sorted.expected.data());
  in_order.magnitude = reinterpret_cast<Address>(sorted.magnitude.data());
  return to_verification(compare_range_on_host(in_order, 0, numbers), request);
}

bool accepts(const CompareRequest& request, const model::Verification& verification) {
  if (verification.wrong_elements == 0) return true;
  const double numbers = static_cast<double>(request.elements * model::components(request.type));
  return std::isfinite(verification.error_ratio) &&
         static_cast<double>(verification.wrong_elements) <= request.tolerance.share * numbers;
}

}  // namespace tuner::device
