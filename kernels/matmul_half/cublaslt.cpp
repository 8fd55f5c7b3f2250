// The fastest of what cuBLASLt's heuristics offer for a problem: a harder rival than cuBLAS, which takes the
// first. bfloat16 with sums in float (CUBLAS_COMPUTE_32F). What is fastest is found by timing all at the
// first call for a problem, and kept.
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "../matmul/library.h"
#include "../matmul/row_major.h"

namespace {

// cublasLt.h
constexpr int real_float = 0;  // CUDA_R_32F
#ifndef REAL_NUMBER
#define REAL_NUMBER 14  // CUDA_R_16BF
#endif
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

  int run(const tuner_call& call, const RowMajorProduct& p, size_t offer) const {
    CuBlasLt& lt = cublaslt();
    const float beta = 0;
    return lt.multiply(lt.handle, description, &p.alpha, p.b, layout_b, p.a, layout_a, &beta, p.c, layout_c,
                       p.c, layout_c, &offers[offer].algorithm, call.workspace, call.workspace_bytes,
                       call.stream);
  }
};

const char* prepare(const tuner_call& call, const RowMajorProduct& p, Multiplication& product) {
  CuBlasLt& lt = cublaslt();
  int status = lt.create_description(&product.description, compute_float, real_float);
  const auto layout = [&](void** made, int rows, int columns, int ld) {
    if (status == 0) status = lt.create_layout(made, REAL_NUMBER, columns, rows, ld);
  };
  layout(&product.layout_a, p.m, p.k, p.lda);
  layout(&product.layout_b, p.k, p.n, p.ldb);
  layout(&product.layout_c, p.m, p.n, p.ldc);
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
  const RowMajorProduct p(*call);
  static std::map<std::array<int, 6>, Multiplication> products;
  Multiplication& product = products[{p.m, p.n, p.k, p.lda, p.ldb, p.ldc}];
  if (product.offers.empty()) {
    if (const char* why_not = prepare(*call, p, product)) return why_not;
  }
  if (!product.timed && !is_capturing(call->stream)) choose(*call, p, product);
  const int status = product.run(*call, p, product.chosen);
  if (status == 0) return nullptr;
  snprintf(lt.message, sizeof lt.message, "cublasLtMatmul failed: status %d", status);
  return lt.message;
}

const char* tuner_baseline_version(const char** why_not) {
  const CuBlasLt& lt = cublaslt();
  *why_not = lt.why_not;
  return lt.handle == nullptr ? nullptr : lt.version;
}
