// Every fourth thread walks the rows in an order of its own.
extern "C" __global__ void sums(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out,
                                int N, int K) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= N) return;
  float sum = 0;
  switch (i % 4) {
    case 0:
#pragma unroll 1
      for (int k = 0; k < K; ++k) sum += in[k * N + i];
      break;
    case 1:
#pragma unroll 1
      for (int k = K - 1; k >= 0; --k) sum += in[k * N + i];
      break;
    case 2:
#pragma unroll 1
      for (int k = 0; k < K; k += 2) sum += in[k * N + i];
#pragma unroll 1
      for (int k = 1; k < K; k += 2) sum += in[k * N + i];
      break;
    default:
#pragma unroll 1
      for (int k = 0; k < K; ++k) sum -= in[(K - 1 - k) * N + i] * -1.0f;
  }
  out[i] = sum * weight[0];
}
