// Nothing says that out is apart from in and weight, so each turn reads all three and writes one.
extern "C" __global__ void sums(const float* in, const float* weight, float* out, int N, int K) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= N) return;
  out[i] = 0;
  for (int k = 0; k < K; ++k) out[i] += in[k * N + i] * weight[0];
}
