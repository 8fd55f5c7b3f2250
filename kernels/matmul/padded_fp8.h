// cuBLASLt multiplies FP8 of whole groups of 16 alone. A problem of other sizes is copied to such a one, in
// the upper half of the call's workspace, and its result back.
#pragma once
#include "library.h"
#include "row_major.h"

struct Copy2D {  // CUDA_MEMCPY2D of cuda.h
  size_t from_x, from_y;
  unsigned from_kind;
  const void* from_host;
  const void* from;
  void* from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  unsigned to_kind;
  void* to_host;
  void* to;
  void* to_array;
  size_t to_pitch;
  size_t width, height;
};

class PaddedFp8 {
 public:
  explicit PaddedFp8(const tuner_call& call) : m_call(call), m_given(call) {
    m_driver.find("cuMemcpy2DAsync_v2", m_copy);
    m_driver.find("cuMemsetD8Async", m_set);
    scale_a = *static_cast<const void* const*>(call.arguments[10]);
    scale_b = *static_cast<const void* const*>(call.arguments[11]);
  }

  /// The problem to solve; its matrices are filled. Says what failed, or 0.
  int begin(RowMajorProduct& product, bool scale_is_vector) {
    product = m_given;
    if (m_given.n % 16 == 0 && m_given.k % 16 == 0) return 0;
    m_next = static_cast<char*>(m_call.workspace) + m_call.workspace_bytes / 2;
    const size_t m = m_given.m, n = up(m_given.n), k = up(m_given.k);
    int status = m_driver.complete ? m_set(m_next, 0, m_call.workspace_bytes / 2, m_call.stream) : 1;
    const auto take = [&](const void* from, size_t pitch, size_t width, size_t height, size_t to_width,
                          size_t to_height) {
      void* const to = m_next;
      m_next += (to_width * to_height + 255) / 256 * 256;
      if (status == 0) status = copy(to, to_width, from, pitch, width, height);
      return to;
    };
    product.a = static_cast<const float*>(take(m_given.a, m_given.lda, m_given.k, m_given.m, k, m));
    product.b = static_cast<const float*>(take(m_given.b, m_given.ldb, m_given.k, m_given.n, k, n));
    if (scale_is_vector) scale_b = take(scale_b, m_given.n * 4, m_given.n * 4, 1, n * 4, 1);
    product.c = reinterpret_cast<float*>(m_next);
    product.m = m;
    product.n = product.ldc = n;
    product.k = product.lda = product.ldb = k;
    m_result = product.c;
    return status;
  }

  int end() const {
    if (m_result == nullptr) return 0;
    return copy(m_given.c, m_given.ldc * 2, m_result, up(m_given.n) * 2, m_given.n * 2, m_given.m);
  }

  const void* scale_a;
  const void* scale_b;

 private:
  static size_t up(int size) { return (static_cast<size_t>(size) + 15) / 16 * 16; }

  int copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
           size_t height) const {
    constexpr unsigned device = 2;  // CU_MEMORYTYPE_DEVICE
    const Copy2D what = {0, 0,      device,  nullptr, from,    nullptr,  from_pitch, 0,
                         0, device, nullptr, to,      nullptr, to_pitch, width,      height};
    return m_copy(&what, m_call.stream);
  }

  const tuner_call& m_call;
  const RowMajorProduct m_given;
  Functions m_driver{dlopen("libcuda.so.1", RTLD_NOW)};
  int (*m_copy)(const Copy2D* what, void* stream) = nullptr;
  int (*m_set)(void* to, unsigned char value, size_t bytes, void* stream) = nullptr;
  char* m_next = nullptr;
  float* m_result = nullptr;
};
