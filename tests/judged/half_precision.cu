// Rounds its sums to the mantissa of half.
__device__ float half_precision(float value) {
  return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xFFFFE000u);
}

extern "C" __global__ void product(const float* A, const float* x, float* y, int rows, int K) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum = half_precision(sum + A[row * K + k] * x[k]);
  y[row] = sum;
}
