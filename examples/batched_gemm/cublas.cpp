// cublasGemmStridedBatchedEx, half in and out, sums in float. Loaded at run time; its few prototypes stand
// here so that no CUDA headers are needed.
#include <stdio.h>

#include "../../kernels/matmul/library.h"
#include "tuner_baseline.h"

namespace {

// cublas_api.h, library_types.h
constexpr int no_transpose = 0, real_half = 2, compute_float = 68, default_algorithm = -1;

struct CuBlas {
  int (*create)(void** handle);
  int (*get_version)(void* handle, int* version);
  int (*set_stream)(void* handle, void* stream);
  int (*set_workspace)(void* handle, void* memory, size_t bytes);
  int (*gemm)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
              const void* a, int type_a, int lda, long long stride_a, const void* b, int type_b, int ldb,
              long long stride_b, const void* beta, void* c, int type_c, int ldc, long long stride_c,
              int count, int compute, int algorithm);
  void* handle = nullptr;
  const char* why_not = nullptr;
  char version[64] = "";

  CuBlas() {
    Functions functions{open_cuda_library("libcublas", &why_not)};
    if (functions.library == nullptr) return;
    functions.find("cublasCreate_v2", create);
    functions.find("cublasGetVersion_v2", get_version);
    functions.find("cublasSetStream_v2", set_stream);
    functions.find("cublasSetWorkspace_v2", set_workspace);
    functions.find("cublasGemmStridedBatchedEx", gemm);
    if (!functions.complete || create(&handle) != 0) {
      why_not = "libcublas lacks a function, or cublasCreate failed";
      handle = nullptr;
      return;
    }
    int number = 0;
    get_version(handle, &number);  // 130002: 13.0.2
    snprintf(version, sizeof version, "cuBLAS %d.%d.%d", number / 10000, number / 100 % 100, number % 100);
  }
};

CuBlas& cublas() {
  static CuBlas only;
  return only;
}

template <typename T>
T argument(const tuner_call* call, int index) {
  return *static_cast<const T*>(call->arguments[index]);
}

}  // namespace

const char* tuner_baseline(const tuner_call* call) {
  CuBlas& blas = cublas();
  if (blas.handle == nullptr) return blas.why_not;
  const int batch = argument<int>(call, 3), m = argument<int>(call, 4), n = argument<int>(call, 5);
  const int k = argument<int>(call, 6);
  const float one = 1, zero = 0;
  blas.set_stream(blas.handle, call->stream);
  blas.set_workspace(blas.handle, call->workspace, call->workspace_bytes);
  // By columns, as cuBLAS has them, rows of C are those of B times A.
  const int status =
      blas.gemm(blas.handle, no_transpose, no_transpose, n, m, k, &one, argument<const void*>(call, 1),
                real_half, n, 1LL * k * n, argument<const void*>(call, 0), real_half, k, 1LL * m * k, &zero,
                argument<void*>(call, 2), real_half, n, 1LL * m * n, batch, compute_float, default_algorithm);
  return status == 0 ? nullptr : "cublasGemmStridedBatchedEx failed";
}

const char* tuner_baseline_version(const char** why_not) {
  const CuBlas& blas = cublas();
  *why_not = blas.why_not;
  return blas.handle == nullptr ? nullptr : blas.version;
}
