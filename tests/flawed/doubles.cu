// 1e-12 is a double, and so is all that it touches.
extern "C" __global__ void sums(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out,
                                int N, int K) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= N) return;
  const float w = weight[0];
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += in[k * N + i] * (w + 1e-12);
  out[i] = sum;
}
