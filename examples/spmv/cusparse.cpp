// cusparseSpMV of a matrix in compressed sparse rows. Loaded at run time; its few prototypes stand here so
// that no CUDA headers are needed.
#include <stdint.h>
#include <stdio.h>

#include "../../kernels/matmul/library.h"
#include "tuner_baseline.h"

namespace {

// cusparse.h, library_types.h
constexpr int index_int32 = 2, base_zero = 0, real_float = 0, as_it_is = 0, default_algorithm = 0;

struct CuSparse {
  int (*create)(void** handle);
  int (*get_version)(void* handle, int* version);
  int (*set_stream)(void* handle, void* stream);
  int (*create_csr)(void** matrix, int64_t rows, int64_t columns, int64_t elements, void* row_starts,
                    void* column_indices, void* values, int row_start_type, int column_type, int base,
                    int value_type);
  int (*create_vector)(void** vector, int64_t size, void* values, int type);
  int (*destroy_matrix)(const void* matrix);
  int (*destroy_vector)(const void* vector);
  int (*buffer_size)(void* handle, int operation, const void* alpha, const void* matrix, const void* x,
                     const void* beta, void* y, int type, int algorithm, size_t* bytes);
  int (*multiply)(void* handle, int operation, const void* alpha, const void* matrix, const void* x,
                  const void* beta, void* y, int type, int algorithm, void* buffer);
  void* handle = nullptr;
  const char* why_not = nullptr;
  char version[64] = "";

  CuSparse() {
    Functions functions{open_cuda_library("libcusparse", &why_not)};
    if (functions.library == nullptr) return;
    functions.find("cusparseCreate", create);
    functions.find("cusparseGetVersion", get_version);
    functions.find("cusparseSetStream", set_stream);
    functions.find("cusparseCreateCsr", create_csr);
    functions.find("cusparseCreateDnVec", create_vector);
    functions.find("cusparseDestroySpMat", destroy_matrix);
    functions.find("cusparseDestroyDnVec", destroy_vector);
    functions.find("cusparseSpMV_bufferSize", buffer_size);
    functions.find("cusparseSpMV", multiply);
    if (!functions.complete || create(&handle) != 0) {
      why_not = "libcusparse lacks a function, or cusparseCreate failed";
      handle = nullptr;
      return;
    }
    int number = 0;
    get_version(handle, &number);  // 12603: 12.6.3
    snprintf(version, sizeof version, "cuSPARSE %d.%d.%d", number / 1000, number / 100 % 10, number % 100);
  }
};

CuSparse& cusparse() {
  static CuSparse only;
  return only;
}

template <typename T>
T argument(const tuner_call* call, int index) {
  return *static_cast<const T*>(call->arguments[index]);
}

}  // namespace

const char* tuner_baseline(const tuner_call* call) {
  CuSparse& sparse = cusparse();
  if (sparse.handle == nullptr) return sparse.why_not;
  const int rows = argument<int>(call, 5), columns = argument<int>(call, 6), count = argument<int>(call, 7);
  const float one = 1, zero = 0;
  void* matrix = nullptr;
  void* x = nullptr;
  void* y = nullptr;
  size_t bytes = 0;
  const bool described =
      sparse.set_stream(sparse.handle, call->stream) == 0 &&
      sparse.create_csr(&matrix, rows, columns, count, argument<void*>(call, 0), argument<void*>(call, 1),
                        argument<void*>(call, 2), index_int32, index_int32, base_zero, real_float) == 0 &&
      sparse.create_vector(&x, columns, argument<void*>(call, 3), real_float) == 0 &&
      sparse.create_vector(&y, rows, argument<void*>(call, 4), real_float) == 0 &&
      sparse.buffer_size(sparse.handle, as_it_is, &one, matrix, x, &zero, y, real_float, default_algorithm,
                         &bytes) == 0;
  const char* why_not = described ? nullptr : "cuSPARSE made no descriptors of the problem";
  if (described && bytes > call->workspace_bytes) why_not = "cuSPARSE wants a larger workspace";
  if (why_not == nullptr && sparse.multiply(sparse.handle, as_it_is, &one, matrix, x, &zero, y, real_float,
                                            default_algorithm, call->workspace) != 0)
    why_not = "cusparseSpMV failed";
  if (y != nullptr) sparse.destroy_vector(y);
  if (x != nullptr) sparse.destroy_vector(x);
  if (matrix != nullptr) sparse.destroy_matrix(matrix);
  return why_not;
}

const char* tuner_baseline_version(const char** why_not) {
  const CuSparse& sparse = cusparse();
  *why_not = sparse.why_not;
  return sparse.handle == nullptr ? nullptr : sparse.version;
}
