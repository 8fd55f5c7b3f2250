#include <cuda_bf16.h>

extern "C" __global__ void layernorm_reference(const float* inp, const float* weight, const float* bias, double* out,
                                               double* mean, double* rstd, int N, int C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N) return;
  const float* x = inp + (size_t)row * C;
  double sum = 0, squares = 0;
  for (int i = 0; i < C; ++i) sum += x[i];
  const double m = sum / C;
  for (int i = 0; i < C; ++i) squares += (x[i] - m) * (x[i] - m);
  const double s = 1 / sqrt(squares / C + 1e-5);
  for (int i = 0; i < C; ++i) out[(size_t)row * C + i] = (x[i] - m) * s * weight[i] + bias[i];
  mean[row] = m;
  rstd[row] = s;
}

/// Of the sum as bfloat16 keeps it.
extern "C" __global__ void residual_layernorm_reference(const __nv_bfloat16* a, const __nv_bfloat16* b,
                                                        const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                                                        double* residual, double* out, double* mean, double* rstd,
                                                        int N, int C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N) return;
  const size_t first = (size_t)row * C;
  double sum = 0, squares = 0;
  for (int i = 0; i < C; ++i) {
    residual[first + i] = (float)__float2bfloat16((float)a[first + i] + (float)b[first + i]);
    sum += residual[first + i];
  }
  const double m = sum / C;
  for (int i = 0; i < C; ++i) squares += (residual[first + i] - m) * (residual[first + i] - m);
  const double s = 1 / sqrt(squares / C + 1e-5);
  for (int i = 0; i < C; ++i)
    out[first + i] = (residual[first + i] - m) * s * (double)(float)weight[i] + (double)(float)bias[i];
  mean[row] = m;
  rstd[row] = s;
}

extern "C" __global__ void layernorm_rows(const __nv_bfloat16* inp, __nv_bfloat16* mean, __nv_bfloat16* rstd, int N, int C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N) return;
  double sum = 0, squares = 0;
  for (int i = 0; i < C; ++i) sum += (double)(float)inp[(size_t)row * C + i];
  for (int i = 0; i < C; ++i) squares += pow((double)(float)inp[(size_t)row * C + i] - sum / C, 2);
  mean[row] = __float2bfloat16(sum / C);
  rstd[row] = __float2bfloat16(1 / sqrt(squares / C + 1e-5));
}

template <class T>
__device__ double number(T x) {
  return (double)(float)x;
}

/// What the kernels add to is 0 beforehand.
template <class T>
__device__ void backward_rows(const T* dout, const T* inp, const T* weight, const T* mean, const T* rstd, double* dinp,
                              int N, int C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N) return;
  const size_t first = (size_t)row * C;
  double sum = 0, products = 0;
  for (int i = 0; i < C; ++i) {
    const double normed = (number(inp[first + i]) - number(mean[row])) * number(rstd[row]);
    const double d = number(weight[i]) * number(dout[first + i]);
    sum += d;
    products += d * normed;
  }
  for (int i = 0; i < C; ++i) {
    const double normed = (number(inp[first + i]) - number(mean[row])) * number(rstd[row]);
    const double d = number(weight[i]) * number(dout[first + i]);
    dinp[first + i] = (d - sum / C - normed * products / C) * number(rstd[row]);
  }
}

template <class T>
__device__ void backward_columns(const T* dout, const T* inp, const T* mean, const T* rstd, double* dweight, double* dbias,
                                 int N, int C) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= C) return;
  double weight = 0, bias = 0;
  for (int row = 0; row < N; ++row) {
    const double d = number(dout[(size_t)row * C + i]);
    weight += d * (number(inp[(size_t)row * C + i]) - number(mean[row])) * number(rstd[row]);
    bias += d;
  }
  dweight[i] = weight;
  dbias[i] = bias;
}

extern "C" __global__ void backward_rows_float(const float* dout, const float* inp, const float* weight, const float* mean,
                                               const float* rstd, double* dinp, int N, int C) {
  backward_rows(dout, inp, weight, mean, rstd, dinp, N, C);
}
extern "C" __global__ void backward_columns_float(const float* dout, const float* inp, const float* mean, const float* rstd,
                                                  double* dweight, double* dbias, int N, int C) {
  backward_columns(dout, inp, mean, rstd, dweight, dbias, N, C);
}
extern "C" __global__ void backward_rows_bf16(const __nv_bfloat16* dout, const __nv_bfloat16* inp,
                                              const __nv_bfloat16* weight, const __nv_bfloat16* mean,
                                              const __nv_bfloat16* rstd, double* dinp, int N, int C) {
  backward_rows(dout, inp, weight, mean, rstd, dinp, N, C);
}
extern "C" __global__ void backward_columns_bf16(const __nv_bfloat16* dout, const __nv_bfloat16* inp,
                                                 const __nv_bfloat16* mean, const __nv_bfloat16* rstd, double* dweight,
                                                 double* dbias, int N, int C) {
  backward_columns(dout, inp, mean, rstd, dweight, dbias, N, C);
}
