#pragma once
// Products of small matrices by a warp (nvcuda::wmma). A matrix lies in the fragments of the 32 lanes row by
// row, an element a lane in turn; which lane has which is open on a GPU too.
#include "cuda_on_cpu.hpp"
#if __has_include_next(<cuda_fp16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

namespace tuner_cpu_detail {

template <class Type>
struct Stored {  // how an element is kept, and what sums of its products are kept in
  using Of = Type;
  using Sum = float;
};
template <>
struct Stored<precision::tf32> {
  using Of = float;
};
template <>
struct Stored<int> {
  using Of = int;
  using Sum = long long;
};
template <>
struct Stored<double> {
  using Of = double;
  using Sum = double;
};

template <class Use, int M, int N, int K>
struct Shape {
  static constexpr int rows = M, columns = N;
};
template <int M, int N, int K>
struct Shape<matrix_a, M, N, K> {
  static constexpr int rows = M, columns = K;
};
template <int M, int N, int K>
struct Shape<matrix_b, M, N, K> {
  static constexpr int rows = K, columns = N;
};

}  // namespace tuner_cpu_detail

template <class Use, int M, int N, int K, class Type, class Layout = void>
struct fragment {
  using Shape = tuner_cpu_detail::Shape<Use, M, N, K>;
  using element_type = Type;
  using storage_element_type = typename tuner_cpu_detail::Stored<Type>::Of;
  static constexpr int num_elements = Shape::rows * Shape::columns / 32;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

namespace tuner_cpu_detail {

/// Calls `visit` with each of the caller's elements and its place in memory.
template <class Use, int M, int N, int K, class Type, class Layout, class Visit>
inline void each_element(fragment<Use, M, N, K, Type, Layout>& of, bool by_column, unsigned stride,
                         Visit visit) {
  using S = Shape<Use, M, N, K>;
  for (int i = 0; i < of.num_elements; ++i) {
    const unsigned at = static_cast<unsigned>(i) * 32 + tuner_cpu::lane();
    const unsigned row = at / S::columns, column = at % S::columns;
    visit(of.x[i], by_column ? size_t{column} * stride + row : size_t{row} * stride + column);
  }
}

/// A sum that is no finite number of the accumulator's becomes one: NaN 0.
template <class Element, class Sum>
inline Sum saturated(Sum sum) {
  const double most = sizeof(Element) == 2 ? 65504.0 : 3.4028234663852886e38;
  return sum != sum ? Sum(0) : sum > most ? Sum(most) : sum < -most ? Sum(-most) : sum;
}
template <>
inline long long saturated<int>(long long sum) {
  return sum > 0x7fffffff ? 0x7fffffff : sum < -0x7fffffffLL - 1 ? -0x7fffffffLL - 1 : sum;
}

template <class Layout>
inline constexpr bool is_by_column = false;
template <>
inline constexpr bool is_by_column<col_major> = true;

}  // namespace tuner_cpu_detail

template <class Fragment, class Value>
inline void fill_fragment(Fragment& of, const Value& value) {
  for (auto& element : of.x) element = static_cast<typename Fragment::storage_element_type>(value);
}

template <class Use, int M, int N, int K, class Type, class Layout, class Value>
inline void load_matrix_sync(fragment<Use, M, N, K, Type, Layout>& to, const Value* from, unsigned stride) {
  __syncwarp();
  tuner_cpu_detail::each_element(to, tuner_cpu_detail::is_by_column<Layout>, stride,
                                 [from](auto& element, size_t at) { element = from[at]; });
}
template <int M, int N, int K, class Type, class Value>
inline void load_matrix_sync(fragment<accumulator, M, N, K, Type>& to, const Value* from, unsigned stride,
                             layout_t layout) {
  __syncwarp();
  tuner_cpu_detail::each_element(to, layout == mem_col_major, stride,
                                 [from](auto& element, size_t at) { element = from[at]; });
}
template <int M, int N, int K, class Type, class Value>
inline void store_matrix_sync(Value* to, const fragment<accumulator, M, N, K, Type>& from, unsigned stride,
                              layout_t layout) {
  auto copy = from;
  tuner_cpu_detail::each_element(copy, layout == mem_col_major, stride,
                                 [to](const auto& element, size_t at) { to[at] = element; });
  __syncwarp();
}

/// `c` may be of another type than the result. `saturates`: to finite numbers.
template <class Result, class A, class B, class C>
inline void mma_sync(Result& to, const A& a, const B& b, const C& c, bool saturates = false,
                     const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  using Sum = typename tuner_cpu_detail::Stored<typename Result::element_type>::Sum;
  constexpr int columns = Result::Shape::columns, inner = A::Shape::columns;
  struct Operands {
    const A* a;
    const B* b;
  };
  Operands own[32];
  // All lanes know each other's fragments by a table of the first lane, until they meet again.
  Operands* const of_lane = __shfl_sync(~0U, own, 0);
  of_lane[tuner_cpu::lane()] = {&a, &b};
  if (__ballot_sync(~0U, 1) != ~0U)
    tuner_cpu_assertion_failed("mma_sync has all 32 threads of a warp", file, line);
  Result result;
  for (int i = 0; i < Result::num_elements; ++i) {
    const int at = i * 32 + static_cast<int>(tuner_cpu::lane());
    auto sum = static_cast<Sum>(c.x[i]);
    for (int k = 0; k < inner; ++k) {
      const int left = at / columns * inner + k, right = k * columns + at % columns;
      sum += static_cast<Sum>(of_lane[left % 32].a->x[left / 32]) *
             static_cast<Sum>(of_lane[right % 32].b->x[right / 32]);
    }
    using Element = typename Result::storage_element_type;
    if (saturates) sum = tuner_cpu_detail::saturated<Element>(sum);
    result.x[i] = static_cast<Element>(sum);
  }
  __syncwarp();
  to = result;
}
/// The nearest of 11 bits; NaN stays one.
inline float __float_to_tf32(float x) {
  return x != x ? x : __uint_as_float((__float_as_uint(x) + 0x1000U) & 0xffffe000U);
}

}  // namespace wmma
}  // namespace nvcuda
