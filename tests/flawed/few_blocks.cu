// Right for any number of blocks, and launched with 8.
extern "C" __global__ void sums(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out,
                                int N, int K) {
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += in[k * N + i];
    out[i] = sum * weight[0];
  }
}
