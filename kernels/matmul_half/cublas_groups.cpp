// Several products in bfloat16, sums in float: cublasGemmStridedBatchedEx, or where groups have unlike
// numbers of rows, cublasGemmGroupedBatchedEx. It wants to know on the host how many these are; that is found
// out at the first call, and not timed. Loaded at run time.
#include <stdio.h>

#include <array>
#include <map>
#include <vector>

#include "../matmul/library.h"
#include "tuner_baseline.h"

namespace {

// cublas_api.h, library_types.h
constexpr int no_transpose = 0, real_bfloat16 = 14, compute_float = 68, default_algorithm = -1;

struct CuBlas {
  int (*create)(void** handle);
  int (*get_version)(void* handle, int* version);
  int (*set_stream)(void* handle, void* stream);
  int (*set_workspace)(void* handle, void* memory, size_t bytes);
  int (*batched)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, long long stride_a, const void* b, int type_b, int ldb,
                 long long stride_b, const void* beta, void* c, int type_c, int ldc, long long stride_c,
                 int count, int compute, int algorithm);
  int (*grouped)(void* handle, const int* transpose_a, const int* transpose_b, const int* m, const int* n,
                 const int* k, const void* alpha, const void* const* a, int type_a, const int* lda,
                 const void* const* b, int type_b, const int* ldb, const void* beta, void* const* c,
                 int type_c, const int* ldc, int count, const int* sizes, int compute);
  int (*allocate)(unsigned long long* to, size_t bytes);
  int (*to_host)(void* to, unsigned long long from, size_t bytes);
  int (*to_device)(unsigned long long to, const void* from, size_t bytes);
  void* handle = nullptr;
  const char* why_not = nullptr;
  char version[64] = "";
  char message[96] = "";

  CuBlas() {
    Functions functions{open_cuda_library("libcublas", &why_not)};
    Functions driver{dlopen("libcuda.so.1", RTLD_NOW)};
    if (functions.library == nullptr) return;
    functions.find("cublasCreate_v2", create);
    functions.find("cublasGetVersion_v2", get_version);
    functions.find("cublasSetStream_v2", set_stream);
    functions.find("cublasSetWorkspace_v2", set_workspace);
    functions.find("cublasGemmStridedBatchedEx", batched);
    functions.find("cublasGemmGroupedBatchedEx", grouped);
    if (driver.library != nullptr) {
      driver.find("cuMemAlloc_v2", allocate);
      driver.find("cuMemcpyDtoH_v2", to_host);
      driver.find("cuMemcpyHtoD_v2", to_device);
    }
    if (!functions.complete || driver.library == nullptr || !driver.complete || create(&handle) != 0) {
      why_not = "libcublas lacks a function that it has since CUDA 12.5, or cublasCreate failed";
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

struct Call {
  const char *a, *b;
  char* d;
  const int* starts;
  int groups, m, n, k, lda, ldb, ldd;
  explicit Call(const tuner_call& call)
      : a(get<const char*>(call, 0)),
        b(get<const char*>(call, 1)),
        d(get<char*>(call, 2)),
        starts(get<const int*>(call, 3)),
        groups(get<int>(call, 4)),
        m(get<int>(call, 5)),
        n(get<int>(call, 6)),
        k(get<int>(call, 7)),
        lda(get<int>(call, 8)),
        ldb(get<int>(call, 9)),
        ldd(get<int>(call, 10)) {}

 private:
  template <typename T>
  static T get(const tuner_call& call, int index) {
    return *static_cast<const T*>(call.arguments[index]);
  }
};

/// What cuBLAS is told of each group that has rows. By columns, as it has them, rows of D are those of B
/// times A.
struct Description {
  std::vector<int> none, rows, columns, depth, lda, ldb, ldd, ones;
  std::vector<float> alpha, beta;
  unsigned long long pointers = 0;  // on the device: of all B, all A, all D

  /// Says whether all went well.
  bool describe(const Call& call) {
    CuBlas& blas = cublas();
    std::vector<int> starts(call.groups + 1);
    if (blas.to_host(starts.data(), reinterpret_cast<unsigned long long>(call.starts), starts.size() * 4) !=
        0) {
      return false;
    }
    std::vector<const char*> of_a, of_b, of_d;
    for (int group = 0; group < call.groups; ++group) {
      if (starts[group + 1] <= starts[group]) continue;
      rows.push_back(starts[group + 1] - starts[group]);
      of_a.push_back(call.a + 2LL * starts[group] * call.lda);
      of_b.push_back(call.b + 2LL * group * call.k * call.ldb);
      of_d.push_back(call.d + 2LL * starts[group] * call.ldd);
    }
    const size_t count = rows.size(), bytes = count * sizeof(char*);
    const auto all = [count](int value) { return std::vector<int>(count, value); };
    none = all(no_transpose), columns = all(call.n), depth = all(call.k), ones = all(1);
    lda = all(call.lda), ldb = all(call.ldb), ldd = all(call.ldd);
    alpha.assign(count, 1), beta.assign(count, 0);
    return blas.allocate(&pointers, 3 * bytes) == 0 && blas.to_device(pointers, of_b.data(), bytes) == 0 &&
           blas.to_device(pointers + bytes, of_a.data(), bytes) == 0 &&
           blas.to_device(pointers + 2 * bytes, of_d.data(), bytes) == 0;
  }

  int run() const {
    CuBlas& blas = cublas();
    const size_t count = rows.size();
    const auto* const of_b = reinterpret_cast<const void* const*>(pointers);
    return blas.grouped(blas.handle, none.data(), none.data(), columns.data(), rows.data(), depth.data(),
                        alpha.data(), of_b, real_bfloat16, ldb.data(), of_b + count, real_bfloat16,
                        lda.data(), beta.data(), reinterpret_cast<void* const*>(pointers) + 2 * count,
                        real_bfloat16, ldd.data(), static_cast<int>(count), ones.data(), compute_float);
  }
};

int run_grouped(const Call& call) {
  static std::map<std::array<const void*, 4>, Description> known;
  Description& description = known[{call.a, call.b, call.d, call.starts}];
  if (description.pointers == 0 && !description.describe(call)) return -1;
  return description.run();
}

int run_batched(const Call& call) {
  CuBlas& blas = cublas();
  const float one = 1, zero = 0;
  return blas.batched(blas.handle, no_transpose, no_transpose, call.n, call.m, call.k, &one, call.b,
                      real_bfloat16, call.ldb, 1LL * call.k * call.ldb, call.a, real_bfloat16, call.lda,
                      1LL * call.m * call.lda, &zero, call.d, real_bfloat16, call.ldd,
                      1LL * call.m * call.ldd, call.groups, compute_float, default_algorithm);
}

}  // namespace

const char* tuner_baseline(const tuner_call* call) {
  CuBlas& blas = cublas();
  if (blas.handle == nullptr) return blas.why_not;
  const Call product(*call);
  blas.set_stream(blas.handle, call->stream);
  blas.set_workspace(blas.handle, call->workspace, call->workspace_bytes);
  const int status = product.starts == nullptr ? run_batched(product) : run_grouped(product);
  if (status == 0) return nullptr;
  snprintf(blas.message, sizeof blas.message, "cuBLAS failed: status %d", status);
  return blas.message;
}

const char* tuner_baseline_version(const char** why_not) {
  const CuBlas& blas = cublas();
  *why_not = blas.why_not;
  return blas.handle == nullptr ? nullptr : blas.version;
}
