// cuBLAS as everyone calls it: cublasGemmEx with CUBLAS_COMPUTE_32F in the default math mode, which is FP32
// arithmetic without TF32. Loaded at run time; its few prototypes stand here so that no CUDA headers are
// needed.
#include <stdio.h>

#include "library.h"
#include "row_major.h"

namespace {

// cublas_api.h
constexpr int no_transpose = 0;
#ifdef B_BY_COLUMNS
constexpr int of_first = 1;  // CUBLAS_OP_T: rows of ours are columns of theirs
#else
constexpr int of_first = 0;
#endif
#ifndef REAL_NUMBER
#define REAL_NUMBER 0  // CUDA_R_32F
#endif
constexpr int compute_float = 68;  // CUBLAS_COMPUTE_32F
constexpr int default_math = 0;
constexpr int default_algorithm = -1;

struct CuBlas {
  int (*create)(void** handle);
  int (*get_version)(void* handle, int* version);
  int (*set_stream)(void* handle, void* stream);
  int (*set_workspace)(void* handle, void* memory, size_t bytes);
  int (*set_math_mode)(void* handle, int mode);
  int (*gemm_ex)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb, const void* beta,
                 void* c, int type_c, int ldc, int compute, int algorithm);
  void* handle = nullptr;
  const char* why_not = nullptr;
  char version[64] = "";
  char message[96] = "";

  CuBlas() {
    Functions functions{open_cuda_library("libcublas", &why_not)};
    if (functions.library == nullptr) return;
    functions.find("cublasCreate_v2", create);
    functions.find("cublasGetVersion_v2", get_version);
    functions.find("cublasSetStream_v2", set_stream);
    functions.find("cublasSetWorkspace_v2", set_workspace);
    functions.find("cublasSetMathMode", set_math_mode);
    functions.find("cublasGemmEx", gemm_ex);
    if (!functions.complete) {
      why_not = "libcublas lacks a function that it has since CUDA 11";
      return;
    }
    if (const int status = create(&handle)) {
      snprintf(message, sizeof message, "cublasCreate failed: status %d", status);
      handle = nullptr;
      why_not = message;
      return;
    }
    set_math_mode(handle, default_math);
    int number = 0;
    get_version(handle, &number);  // 130002: 13.0.2
    snprintf(version, sizeof version, "cuBLAS %d.%d.%d", number / 10000, number / 100 % 100, number % 100);
  }

  // Setting the stream forgets the workspace; doing neither again keeps a call short.
  void use(const tuner_call& call) {
    if (call.stream == m_stream && call.workspace == m_workspace) return;
    set_stream(handle, call.stream);
    set_workspace(handle, call.workspace, call.workspace_bytes);
    m_stream = call.stream;
    m_workspace = call.workspace;
  }

 private:
  void* m_stream = nullptr;
  void* m_workspace = nullptr;
};

CuBlas& cublas() {
  static CuBlas only;
  return only;
}

}  // namespace

const char* tuner_baseline(const tuner_call* call) {
  CuBlas& blas = cublas();
  if (blas.handle == nullptr) return blas.why_not;
  if (!is_product(*call)) return product_arguments;
  const RowMajorProduct p(*call);
  const float beta = 0;
  blas.use(*call);
  const int status =
      blas.gemm_ex(blas.handle, of_first, no_transpose, p.n, p.m, p.k, &p.alpha, p.b, REAL_NUMBER, p.ldb, p.a,
                   REAL_NUMBER, p.lda, &beta, p.c, REAL_NUMBER, p.ldc, compute_float, default_algorithm);
  if (status == 0) return nullptr;
  snprintf(blas.message, sizeof blas.message, "cublasGemmEx failed: status %d", status);
  return blas.message;
}

const char* tuner_baseline_version(const char** why_not) {
  const CuBlas& blas = cublas();
  *why_not = blas.why_not;
  return blas.handle == nullptr ? nullptr : blas.version;
}
