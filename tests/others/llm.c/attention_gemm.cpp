// The two products of cuBLAS that llm.c's attention calls between its launches; plain loops on the CPU
// device.
#include <string>

#include "tuner_baseline.h"

#if TUNER_ON_CPU

namespace {

struct Library {
  std::string version = "plain loops";
  const char* why_not = nullptr;
  /// scores[t][s] = q[t] k[s], of each of `batch` heads.
  const char* scores(const tuner_call*, const float* k, const float* q, float* out, int batch, int T,
                     int HS) {
    for (long b = 0; b < batch; ++b)
      for (long t = 0; t < T; ++t)
        for (long s = 0; s < T; ++s) {
          float sum = 0;
          for (long h = 0; h < HS; ++h) sum += q[(b * T + t) * HS + h] * k[(b * T + s) * HS + h];
          out[(b * T + t) * T + s] = sum;
        }
    return nullptr;
  }
  const char* values(const tuner_call*, const float* v, const float* att, float* out, int batch, int T,
                     int HS) {
    for (long b = 0; b < batch; ++b)
      for (long t = 0; t < T; ++t)
        for (long h = 0; h < HS; ++h) {
          float sum = 0;
          for (long s = 0; s < T; ++s) sum += att[(b * T + t) * T + s] * v[(b * T + s) * HS + h];
          out[(b * T + t) * HS + h] = sum;
        }
    return nullptr;
  }
};

}  // namespace

#else
#include "library.h"

namespace {

struct Library {
  int (*create)(void** handle);
  int (*get_version)(void* handle, int* version);
  int (*set_stream)(void* handle, void* stream);
  int (*set_workspace)(void* handle, void* memory, size_t bytes);
  int (*sgemm)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
               const float* a, int lda, long long stride_a, const float* b, int ldb, long long stride_b,
               const float* beta, float* c, int ldc, long long stride_c, int batch);
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
    functions.find("cublasSgemmStridedBatched", sgemm);
    why_not = "cuBLAS cannot be used";
    if (!functions.complete || create(&handle) != 0) return;
    int number = 0;
    get_version(handle, &number);
    version = "cuBLAS " + std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100);
  }

  const char* product(const tuner_call* call, int transpose_a, int m, int n, int k, const float* a,
                      const float* b, int ldb, float* c, int batch, int T, int HS) {
    const float one = 1, zero = 0;
    set_stream(handle, call->stream);
    set_workspace(handle, call->workspace, call->workspace_bytes);
    const long long head = 1LL * T * HS, square = 1LL * T * T;
    const int status = sgemm(handle, transpose_a, 0, m, n, k, &one, a, HS, head, b, ldb,
                             ldb == T ? square : head, &zero, c, m, 1LL * m * T, batch);
    return status == 0 ? nullptr : "cublasSgemmStridedBatched failed";
  }
  const char* scores(const tuner_call* call, const float* k, const float* q, float* out, int batch, int T,
                     int HS) {
    return product(call, 1, T, T, HS, k, q, HS, out, batch, T, HS);
  }
  const char* values(const tuner_call* call, const float* v, const float* att, float* out, int batch, int T,
                     int HS) {
    return product(call, 0, HS, T, T, v, att, T, out, batch, T, HS);
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

extern "C" const char* scores(const tuner_call* call) {
  return library().scores(call, argument<const float*>(call, 0), argument<const float*>(call, 1),
                          argument<float*>(call, 2), argument<int>(call, 3), argument<int>(call, 4),
                          argument<int>(call, 5));
}

extern "C" const char* values(const tuner_call* call) {
  return library().values(call, argument<const float*>(call, 0), argument<const float*>(call, 1),
                          argument<float*>(call, 2), argument<int>(call, 3), argument<int>(call, 4),
                          argument<int>(call, 5));
}

const char* tuner_baseline_version(const char** why_not) {
  *why_not = library().why_not;
  return library().version.empty() ? nullptr : library().version.c_str();
}
