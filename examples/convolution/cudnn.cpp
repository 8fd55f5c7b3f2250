// cudnnConvolutionForward over one image of one channel. Loaded at run time; its few prototypes stand here so
// that no CUDA headers are needed.
#include <stdio.h>

#include "../../kernels/matmul/library.h"
#include "tuner_baseline.h"

namespace {

// cudnn_graph.h, cudnn_ops.h
constexpr int data_float = 0, fma_math = 3, rows_of_channels = 0, cross_correlation = 1, algorithms = 8;

struct Tried {  // cudnnConvolutionFwdAlgoPerf_t
  int algorithm;
  int status;
  float milliseconds;
  size_t memory;
  int determinism;
  int math;
  int reserved[3];
};

struct CuDnn {
  size_t (*get_version)();
  int (*create)(void** handle);
  int (*set_stream)(void* handle, void* stream);
  int (*create_tensor)(void** tensor);
  int (*set_tensor)(void* tensor, int format, int type, int n, int c, int h, int w);
  int (*create_filter)(void** filter);
  int (*set_filter)(void* filter, int type, int format, int k, int c, int h, int w);
  int (*create_convolution)(void** convolution);
  int (*set_convolution)(void* convolution, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,
                         int dilation_w, int mode, int type);
  int (*set_math)(void* convolution, int math);
  int (*find)(void* handle, void* x_tensor, const void* x, void* filter, const void* w, void* convolution,
              void* y_tensor, void* y, int wanted, int* found, Tried* tried, void* workspace, size_t bytes);
  int (*forward)(void* handle, const void* alpha, void* x_tensor, const void* x, void* filter, const void* w,
                 void* convolution, int algorithm, void* workspace, size_t bytes, const void* beta,
                 void* y_tensor, void* y);
  void* handle = nullptr;
  void* image = nullptr;
  void* filter = nullptr;
  void* convolution = nullptr;
  const char* why_not = nullptr;
  char version[64] = "";

  CuDnn() {
    Functions functions;
    for (const std::string& folder : cuda_library_folders()) {
      if (functions.library == nullptr)
        functions.library = dlopen((folder + "libcudnn.so.9").c_str(), RTLD_NOW);
    }
    if (functions.library == nullptr) {
      why_not = "libcudnn.so.9 is not there";
      return;
    }
    functions.find("cudnnGetVersion", get_version);
    functions.find("cudnnCreate", create);
    functions.find("cudnnSetStream", set_stream);
    functions.find("cudnnCreateTensorDescriptor", create_tensor);
    functions.find("cudnnSetTensor4dDescriptor", set_tensor);
    functions.find("cudnnCreateFilterDescriptor", create_filter);
    functions.find("cudnnSetFilter4dDescriptor", set_filter);
    functions.find("cudnnCreateConvolutionDescriptor", create_convolution);
    functions.find("cudnnSetConvolution2dDescriptor", set_convolution);
    functions.find("cudnnSetConvolutionMathType", set_math);
    functions.find("cudnnFindConvolutionForwardAlgorithmEx", find);
    functions.find("cudnnConvolutionForward", forward);
    if (!functions.complete || create(&handle) != 0 || create_tensor(&image) != 0 ||
        create_filter(&filter) != 0 || create_convolution(&convolution) != 0) {
      why_not = "libcudnn lacks a function, or cudnnCreate failed";
      handle = nullptr;
      return;
    }
    const size_t number = get_version();  // 91300: 9.13.0
    snprintf(version, sizeof version, "cuDNN %zu.%zu.%zu", number / 10000, number / 100 % 100, number % 100);
  }
};

CuDnn& cudnn() {
  static CuDnn only;
  return only;
}

template <typename T>
T argument(const tuner_call* call, int index) {
  return *static_cast<const T*>(call->arguments[index]);
}

}  // namespace

const char* tuner_baseline(const tuner_call* call) {
  CuDnn& dnn = cudnn();
  if (dnn.handle == nullptr) return dnn.why_not;
  const int width = argument<int>(call, 3), height = argument<int>(call, 4), side = argument<int>(call, 5);
  const void* image = argument<const void*>(call, 0);
  const void* weights = argument<const void*>(call, 1);
  void* result = argument<void*>(call, 2);
  static int for_width = 0, for_height = 0, for_side = 0, algorithm = -1;
  if (dnn.set_stream(dnn.handle, call->stream) != 0) return "cudnnSetStream failed";
  if (width != for_width || height != for_height || side != for_side) {
    Tried tried[algorithms];
    int found = 0;
    if (dnn.set_tensor(dnn.image, rows_of_channels, data_float, 1, 1, height, width) != 0 ||
        dnn.set_filter(dnn.filter, data_float, rows_of_channels, 1, 1, side, side) != 0 ||
        dnn.set_convolution(dnn.convolution, side / 2, side / 2, 1, 1, 1, 1, cross_correlation, data_float) !=
            0 ||
        dnn.set_math(dnn.convolution, fma_math) != 0 ||
        dnn.find(dnn.handle, dnn.image, image, dnn.filter, weights, dnn.convolution, dnn.image, result,
                 algorithms, &found, tried, call->workspace, call->workspace_bytes) != 0)
      return "cuDNN found no algorithm";
    algorithm = -1;
    for (int i = 0; i < found && algorithm < 0; ++i) {  // the fastest first
      if (tried[i].status == 0 && tried[i].math == fma_math && tried[i].memory <= call->workspace_bytes)
        algorithm = tried[i].algorithm;
    }
    for_width = width;
    for_height = height;
    for_side = side;
  }
  if (algorithm < 0) return "no algorithm of cuDNN's fits the workspace";
  const float one = 1, zero = 0;
  const int status = dnn.forward(dnn.handle, &one, dnn.image, image, dnn.filter, weights, dnn.convolution,
                                 algorithm, call->workspace, call->workspace_bytes, &zero, dnn.image, result);
  return status == 0 ? nullptr : "cudnnConvolutionForward failed";
}

const char* tuner_baseline_version(const char** why_not) {
  const CuDnn& dnn = cudnn();
  *why_not = dnn.why_not;
  return dnn.handle == nullptr ? nullptr : dnn.version;
}
