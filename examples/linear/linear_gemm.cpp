// C = A B by cuBLAS, loaded at run time; its few prototypes stand here so that no CUDA headers are needed. On
// the CPU device plain loops stand in.
#include <string>

#include "tuner_baseline.h"

#if TUNER_ON_CPU

namespace {

struct Library {
  std::string version = "plain loops";
  const char* why_not = nullptr;
  const char* multiply(const tuner_call*, const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) C[i * N + j] = 0;
      for (int k = 0; k < K; ++k)
        for (int j = 0; j < N; ++j) C[i * N + j] += A[i * K + k] * B[k * N + j];
    }
    return nullptr;
  }
};

}  // namespace

#else
#include "../../kernels/matmul/library.h"

namespace {

struct Library {
  int (*create)(void** handle);
  int (*get_version)(void* handle, int* version);
  int (*set_stream)(void* handle, void* stream);
  int (*set_workspace)(void* handle, void* memory, size_t bytes);
  int (*sgemm)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
               const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
  void* handle = nullptr;
  std::string version;  // empty: it is not there
  const char* why_not = nullptr;

  Library() {
    Functions functions{open_cuda_library("libcublas", &why_not)};
    if (functions.library == nullptr) return;
    functions.find("cublasCreate_v2", create);
    functions.find("cublasGetVersion_v2", get_version);
    functions.find("cublasSetStream_v2", set_stream);
    functions.find("cublasSetWorkspace_v2", set_workspace);
    functions.find("cublasSgemm_v2", sgemm);
    why_not = "cuBLAS cannot be used";
    if (!functions.complete || create(&handle) != 0) return;
    int number = 0;
    get_version(handle, &number);
    version = "cuBLAS " + std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100);
  }

  // Rows of ours are columns of theirs: the transposed product.
  const char* multiply(const tuner_call* call, const float* A, const float* B, float* C, int M, int N,
                       int K) {
    const float one = 1, zero = 0;
    set_stream(handle, call->stream);
    set_workspace(handle, call->workspace, call->workspace_bytes);
    const int status = sgemm(handle, 0, 0, N, M, K, &one, B, N, A, K, &zero, C, N);
    return status == 0 ? nullptr : "cublasSgemm failed";
  }
};

}  // namespace
#endif

namespace {

Library& library() {
  static Library only;
  return only;
}

template <typename Value>
Value argument(const tuner_call* call, int index) {
  return *static_cast<const Value*>(call->arguments[index]);
}

}  // namespace

extern "C" const char* product(const tuner_call* call) {
  return library().multiply(call, argument<const float*>(call, 0), argument<const float*>(call, 1),
                            argument<float*>(call, 2), argument<int>(call, 3), argument<int>(call, 4),
                            argument<int>(call, 5));
}

const char* tuner_baseline_version(const char** why_not) {
  *why_not = library().why_not;
  return library().version.empty() ? nullptr : library().version.c_str();
}
