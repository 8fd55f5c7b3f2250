#include <cuda_fp16.h>

extern "C" __global__ void batched_gemm_reference(const __half* A, const __half* B, double* expected,
                                                  double* magnitude, int M, int N, int K) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  const long long batch = blockIdx.z;
  if (column >= N) return;
  double sum = 0, absolute = 0;
  for (int k = 0; k < K; ++k) {
    const double product = static_cast<double>(__half2float(A[(batch * M + row) * K + k])) *
                           static_cast<double>(__half2float(B[(batch * K + k) * N + column]));
    sum += product;
    absolute += fabs(product);
  }
  expected[(batch * M + row) * N + column] = sum;
  magnitude[(batch * M + row) * N + column] = absolute;
}
