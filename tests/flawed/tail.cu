// Blocks take columns in turn. More than 32 registers leave room for one block on a multiprocessor, and there is one
// block more than multiprocessors.
extern "C" __global__ void sums(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out,
                                int N, int K) {
  constexpr int together = 32;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS) {
    float sum[together] = {};
    int k = 0;
    for (; k + together <= K; k += together) {
#pragma unroll
      for (int j = 0; j < together; ++j) sum[j] += in[(k + j) * N + i];
    }
    for (; k < K; ++k) sum[0] += in[k * N + i];
#pragma unroll
    for (int j = 1; j < together; ++j) sum[0] += sum[j];
    out[i] = sum[0] * weight[0];
  }
}
