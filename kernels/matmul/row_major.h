// A call's arguments for C (M x N) = A (M x K) * B (K x N), in rows, as libraries for columns see them: what
// is row-major is the transpose column-major, and C^T = B^T * A^T.
#pragma once
#include "tuner_baseline.h"

struct RowMajorProduct {
  const float* a;
  const float* b;
  float* c;
  int m, n, k;
  int lda, ldb, ldc;
  float alpha = 1;  // the tenth argument, where there is one

  explicit RowMajorProduct(const tuner_call& call)
      : a(*static_cast<const float* const*>(call.arguments[0])),
        b(*static_cast<const float* const*>(call.arguments[1])),
        c(*static_cast<float* const*>(call.arguments[2])),
        m(whole(call, 3)),
        n(whole(call, 4)),
        k(whole(call, 5)),
        lda(whole(call, 6)),
        ldb(whole(call, 7)),
        ldc(whole(call, 8)) {
    if (call.argument_count > 9) alpha = *static_cast<const float*>(call.arguments[9]);
  }

 private:
  static int whole(const tuner_call& call, int index) {
    return *static_cast<const int*>(call.arguments[index]);
  }
};

constexpr const char* product_arguments =
    "takes A, B, C, M, N, K, lda, ldb, ldc and perhaps alpha, and scales or an addend and beta";
inline bool is_product(const tuner_call& call) {
  return call.argument_count >= 9 && call.argument_count <= 12;
}
