// The fastest of what cuBLASLt's heuristics offer for a problem: a harder rival than cuBLAS, which takes the
// first. Sums in float, of FP32 without TF32 (CUBLAS_COMPUTE_32F). What is fastest is found by timing all at
// the first call for a problem, and kept.
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "library.h"
#include "row_major.h"
#ifdef SCALE_MODE  // A and B have scales
#include "padded_fp8.h"
#define B_BY_COLUMNS
#endif

namespace {

// cublasLt.h
constexpr int real_float = 0;  // CUDA_R_32F
#ifndef REAL_NUMBER
#define REAL_NUMBER 0  // CUDA_R_32F
#endif
#ifndef RESULT_NUMBER
#define RESULT_NUMBER REAL_NUMBER
#endif
// Of a description: CUBLASLT_MATMUL_DESC_TRANSA, _TRANSB, _A_SCALE_POINTER, _B_SCALE_POINTER, _A_SCALE_MODE,
// _B_SCALE_MODE.
[[maybe_unused]] constexpr int transpose_first = 3, transpose_second = 4;
[[maybe_unused]] constexpr int scale_of_first = 17, scale_of_second = 18;
[[maybe_unused]] constexpr int scale_mode_first = 31, scale_mode_second = 32;
constexpr int compute_float = 68;  // CUBLAS_COMPUTE_32F
constexpr int most_workspace = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr int algorithms_asked = 16;
struct Algorithm {  // cublasLtMatmulAlgo_t
  uint64_t data[8];
};
struct Offer {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

struct Driver {  // cuda.h
  int (*event_create)(void** event, unsigned flags);
  int (*event_record)(void* event, void* stream);
  int (*event_synchronize)(void* event);
  int (*event_elapsed_time)(float* milliseconds, void* start, void* end);
  int (*is_capturing)(void* stream, int* status);
};

struct CuBlasLt {
  int (*create)(void** handle);
  size_t (*get_version)();
  int (*create_description)(void** description, int compute, int scale);
  int (*describe)(void* description, int attribute, const void* value, size_t bytes);
  int (*create_layout)(void** layout, int type, uint64_t rows, uint64_t columns, int64_t ld);
  int (*create_preference)(void** preference);
  int (*set_preference)(void* preference, int attribute, const void* value, size_t bytes);
  int (*destroy_preference)(void* preference);
  int (*ask)(void* handle, void* description, void* a, void* b, void* c, void* d, void* preference,
             int wanted, Offer* offers, int* count);
  int (*multiply)(void* handle, void* description, const void* alpha, const void* a, void* layout_a,
                  const void* b, void* layout_b, const void* beta, const void* c, void* layout_c, void* d,
                  void* layout_d, const Algorithm* algorithm, void* workspace, size_t workspace_bytes,
                  void* stream);
  Driver driver;
  void* start = nullptr;  ///< events
  void* end = nullptr;
  void* handle = nullptr;
  const char* why_not = nullptr;
  char version[64] = "";
  char message[96] = "";

  CuBlasLt() {
    Functions functions{open_cuda_library("libcublasLt", &why_not)};
    if (functions.library == nullptr) return;
    functions.find("cublasLtCreate", create);
    functions.find("cublasLtGetVersion", get_version);
    functions.find("cublasLtMatmulDescCreate", create_description);
    functions.find("cublasLtMatmulDescSetAttribute", describe);
    functions.find("cublasLtMatrixLayoutCreate", create_layout);
    functions.find("cublasLtMatmulPreferenceCreate", create_preference);
    functions.find("cublasLtMatmulPreferenceSetAttribute", set_preference);
    functions.find("cublasLtMatmulPreferenceDestroy", destroy_preference);
    functions.find("cublasLtMatmulAlgoGetHeuristic", ask);
    functions.find("cublasLtMatmul", multiply);
    Functions of_driver{dlopen("libcuda.so.1", RTLD_NOW)};
    if (of_driver.library != nullptr) {
      of_driver.find("cuEventCreate", driver.event_create);
      of_driver.find("cuEventRecord", driver.event_record);
      of_driver.find("cuEventSynchronize", driver.event_synchronize);
      of_driver.find("cuEventElapsedTime", driver.event_elapsed_time);
      of_driver.find("cuStreamIsCapturing", driver.is_capturing);
    }
    if (of_driver.library == nullptr) {
      why_not = "libcuda.so.1 is not there";
      return;
    }
    if (!functions.complete || !of_driver.complete) {
      why_not = "libcublasLt or libcuda lacks a function that it has since CUDA 11";
      return;
    }
    if (driver.event_create(&start, 0) != 0 || driver.event_create(&end, 0) != 0) {
      why_not = "there is no CUDA context to make events in";
      return;
    }
    if (const int status = create(&handle)) {
      snprintf(message, sizeof message, "cublasLtCreate failed: status %d", status);
      handle = nullptr;
      why_not = message;
      return;
    }
    const size_t number = get_version();
    snprintf(version, sizeof version, "cuBLASLt %zu.%zu.%zu", number / 10000, number / 100 % 100,
             number % 100);
  }
};

CuBlasLt& cublaslt() {
  static CuBlasLt only;
  return only;
}

/// One problem, and the algorithm chosen for it.
struct Multiplication {
  void* description = nullptr;
  void* layout_a = nullptr;
  void* layout_b = nullptr;
  void* layout_c = nullptr;
  std::vector<Offer> offers;
  size_t chosen = 0;
  bool timed = false;

#ifdef SCALE_MODE
  /// Where scales lie may change from call to call.
  int set_scales(const PaddedFp8& of) const {
    CuBlasLt& lt = cublaslt();
    const int status = lt.describe(description, scale_of_first, &of.scale_b, sizeof of.scale_b);
    return status != 0 ? status : lt.describe(description, scale_of_second, &of.scale_a, sizeof of.scale_a);
  }
  const PaddedFp8* scales = nullptr;
#endif

  int run(const tuner_call& call, const RowMajorProduct& p, size_t offer) const {
    CuBlasLt& lt = cublaslt();
#ifdef WITH_ADDEND
    const float beta = *static_cast<const float*>(call.arguments[11]);
    const void* const addend = *static_cast<const void* const*>(call.arguments[10]);
#else
    const float beta = 0;
    const void* const addend = p.c;
#endif
    return lt.multiply(lt.handle, description, &p.alpha, p.b, layout_b, p.a, layout_a, &beta, addend,
                       layout_c, p.c, layout_c, &offers[offer].algorithm, call.workspace,
                       call.workspace_bytes, call.stream);
  }
};

const char* prepare(const tuner_call& call, const RowMajorProduct& p, Multiplication& product) {
  CuBlasLt& lt = cublaslt();
  int status = lt.create_description(&product.description, compute_float, real_float);
  const auto layout = [&](void** made, int type, int rows, int columns, int ld) {
    if (status == 0) status = lt.create_layout(made, type, columns, rows, ld);
  };
  [[maybe_unused]] const auto describe = [&](int attribute, int value) {
    if (status == 0) status = lt.describe(product.description, attribute, &value, sizeof value);
  };
#ifdef A_BY_COLUMNS
  describe(transpose_second, 1);
  layout(&product.layout_a, REAL_NUMBER, p.k, p.m, p.lda);
#else
  layout(&product.layout_a, REAL_NUMBER, p.m, p.k, p.lda);
#endif
#ifdef SCALE_MODE
  if (SCALE_MODE != 0) describe(scale_mode_first, SCALE_MODE);
  if (SCALE_MODE != 0) describe(scale_mode_second, SCALE_MODE);
  if (status == 0) status = product.set_scales(*product.scales);
#endif
#ifdef B_BY_COLUMNS
  describe(transpose_first, 1);
  layout(&product.layout_b, REAL_NUMBER, p.n, p.k, p.ldb);
#else
  layout(&product.layout_b, REAL_NUMBER, p.k, p.n, p.ldb);
#endif
  layout(&product.layout_c, RESULT_NUMBER, p.m, p.n, p.ldc);
  void* preference = nullptr;
  if (status == 0) status = lt.create_preference(&preference);
  if (status == 0) {
    status =
        lt.set_preference(preference, most_workspace, &call.workspace_bytes, sizeof call.workspace_bytes);
  }
  int count = 0;
  product.offers.resize(algorithms_asked);
  if (status == 0) {
    status = lt.ask(lt.handle, product.description, product.layout_b, product.layout_a, product.layout_c,
                    product.layout_c, preference, algorithms_asked, product.offers.data(), &count);
  }
  product.offers.resize(status == 0 ? count : 0);
  if (preference != nullptr) lt.destroy_preference(preference);
  if (!product.offers.empty()) return nullptr;
  snprintf(lt.message, sizeof lt.message, "cuBLASLt has no algorithm for it: status %d", status);
  return lt.message;
}

/// Microseconds a launch, of `count` back to back; a great many where it fails.
float time_us(const tuner_call& call, const RowMajorProduct& p, const Multiplication& product, size_t offer,
              int count) {
  CuBlasLt& lt = cublaslt();
  bool good = lt.driver.event_record(lt.start, call.stream) == 0;
  for (int i = 0; i < count && good; ++i) good = product.run(call, p, offer) == 0;
  float milliseconds = 0;
  good = lt.driver.event_record(lt.end, call.stream) == 0 && good;
  good = lt.driver.event_synchronize(lt.end) == 0 && good;
  good = good && lt.driver.event_elapsed_time(&milliseconds, lt.start, lt.end) == 0;
  return good ? milliseconds * 1000 / static_cast<float>(count) : 1e30F;
}

/// Those that are not far behind are timed in turn, so that a clock that is still rising favours none.
void choose(const tuner_call& call, const RowMajorProduct& p, Multiplication& product) {
  constexpr float far_behind = 1.5F;
  constexpr float enough_us = 300;
  constexpr int rounds = 4;
  std::vector<float> best(product.offers.size(), 1e30F);
  for (size_t i = 0; i < best.size(); ++i) {
    time_us(call, p, product, i, 1);  // loads its code
    best[i] = time_us(call, p, product, i, 1);
  }
  const float first = *std::min_element(best.begin(), best.end());
  const int count = std::clamp(static_cast<int>(enough_us / std::max(first, 1.0F)), 1, 50);
  std::vector<bool> rival(best.size());
  for (size_t i = 0; i < best.size(); ++i) {
    rival[i] = best[i] < first * far_behind;
    best[i] = 1e30F;  // a single launch says less than several
  }
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < best.size(); ++i) {
      if (rival[i]) best[i] = std::min(best[i], time_us(call, p, product, i, count));
    }
  }
  product.chosen = static_cast<size_t>(std::min_element(best.begin(), best.end()) - best.begin());
  product.timed = true;
}

bool is_capturing(void* stream) {
  int status = 0;
  return cublaslt().driver.is_capturing(stream, &status) != 0 || status != 0;
}

}  // namespace

const char* tuner_baseline(const tuner_call* call) {
  CuBlasLt& lt = cublaslt();
  if (lt.handle == nullptr) return lt.why_not;
  if (!is_product(*call)) return product_arguments;
#ifdef SCALE_MODE
  PaddedFp8 padded(*call);
  RowMajorProduct p(*call);
  int status = padded.begin(p, SCALE_MODE != 0);
  tuner_call with_half = *call;
  with_half.workspace_bytes /= 2;
  call = &with_half;
#else
  const RowMajorProduct p(*call);
  int status = 0;
#endif
  static std::map<std::array<int, 6>, Multiplication> products;
  Multiplication& product = products[{p.m, p.n, p.k, p.lda, p.ldb, p.ldc}];
#ifdef SCALE_MODE
  product.scales = &padded;
#endif
  if (product.offers.empty()) {
    if (const char* why_not = prepare(*call, p, product)) return why_not;
  }
#ifdef SCALE_MODE
  if (status == 0) status = product.set_scales(padded);
#endif
  if (!product.timed && !is_capturing(call->stream)) choose(*call, p, product);
  if (status == 0) status = product.run(*call, p, product.chosen);
#ifdef SCALE_MODE
  if (status == 0) status = padded.end();
#endif
  if (status == 0) return nullptr;
  snprintf(lt.message, sizeof lt.message, "cublasLtMatmul failed: status %d", status);
  return lt.message;
}

const char* tuner_baseline_version(const char** why_not) {
  const CuBlasLt& lt = cublaslt();
  *why_not = lt.why_not;
  return lt.handle == nullptr ? nullptr : lt.version;
}
