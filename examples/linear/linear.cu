extern "C" __global__ void scale_rows(const float* A, const float* s, float* scaled, int M, int K) {
  const int i = blockIdx.x * SCALE_BLOCK + threadIdx.x;
  if (i < M * K) scaled[i] = s[i / K] * A[i];
}

extern "C" __global__ void bias_relu(const float* bias, float* C, int M, int N) {
  const int i = blockIdx.x * BIAS_BLOCK + threadIdx.x;
  if (i < M * N) C[i] = fmaxf(C[i] + bias[i % N], 0.0f);
}

extern "C" __global__ void product_bias_relu(const float* scaled, const float* B, const float* bias, float* C,
                                             int M, int N, int K) {
  const int i = blockIdx.x * BIAS_BLOCK + threadIdx.x;
  if (i >= M * N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += scaled[i / N * K + k] * B[k * N + i % N];
  C[i] = fmaxf(sum + bias[i % N], 0.0f);
}
