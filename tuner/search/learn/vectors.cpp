#include "tuner/search/learn/vectors.hpp"

#include <algorithm>
#include <cmath>

// Without fused multiply-add, which rounds otherwise. Sanitizers run before a processor's kind is known.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TUNER_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TUNER_WIDE
#endif

namespace tuner::search::learn {

TUNER_WIDE void subtract(float* __restrict y, const float* __restrict x, float c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] -= c * x[i];
}

TUNER_WIDE void subtract4(float* __restrict y, const float* const* x, const float* c, std::size_t count) {
  const float* __restrict x0 = x[0], * __restrict x1 = x[1], * __restrict x2 = x[2], * __restrict x3 = x[3];
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  for (std::size_t i = 0; i < count; ++i) y[i] -= c0 * x0[i] + c1 * x1[i] + (c2 * x2[i] + c3 * x3[i]);
}

TUNER_WIDE float dot(const float* __restrict x, const float* __restrict y, std::size_t count) {
  constexpr std::size_t parts = 8;
  float sums[parts] = {};
  std::size_t i = 0;
  for (; i + parts <= count; i += parts)
    for (std::size_t part = 0; part < parts; ++part) sums[part] += x[i + part] * y[i + part];
  float sum = 0;
  for (const float part : sums) sum += part;
  for (; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

TUNER_WIDE void multiply_by_entry(float* __restrict y, const float* __restrict table,
                                  const std::uint8_t* __restrict place, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] *= table[static_cast<std::int32_t>(place[i])];
}

void factorise(float* matrix, std::size_t size, float least_pivot) {
  for (std::size_t a = 0; a < size; ++a) {
    float* row = matrix + a * size;
    for (std::size_t b = 0; b < a; ++b) {
      const float* above = matrix + b * size;
      row[b] = (row[b] - dot(row, above, b)) / above[b];
    }
    row[a] = std::sqrt(std::max(row[a] - dot(row, row, a), least_pivot));
  }
}

}  // namespace tuner::search::learn
