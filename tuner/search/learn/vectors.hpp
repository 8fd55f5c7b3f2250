#pragma once
#include <cstddef>
#include <cstdint>

namespace tuner::search::learn {

// Loops over arrays, as wide as the processor at hand has them (AVX2 or what every x86-64 has), to the same
// bits either way. Arrays do not overlap.

/// y -= c · x
void subtract(float* y, const float* x, float c, std::size_t count);
/// y -= c[0] · x[0] + … + c[3] · x[3]: a third of the traffic.
void subtract4(float* y, const float* const* x, const float* c, std::size_t count);
/// Sum of x · y, in eight parts.
float dot(const float* x, const float* y, std::size_t count);
/// y *= table[place]
void multiply_by_entry(float* y, const float* table, const std::uint8_t* place, std::size_t count);
/// Replaces a symmetric positive matrix by its Cholesky factor, by rows; of the former only the lower half,
/// diagonal included, is read. No pivot counts as less than `least_pivot`.
void factorise(float* matrix, std::size_t size, float least_pivot);

}  // namespace tuner::search::learn
