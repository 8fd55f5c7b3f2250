// A square of 32 rows and 32 columns lies in shared memory with its columns as rows: lane l reads word 32 l + k.
extern "C" __global__ void sums(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out,
                                int N, int K) {
  __shared__ float square[32 * 32];
  const int lane = threadIdx.x;
  const int i = blockIdx.x * 32 + lane;
  float sum = 0;
  for (int first = 0; first < K; first += 32) {
    for (int k = 0; k < 32; ++k) square[lane * 32 + k] = first + k < K && i < N ? in[(first + k) * N + i] : 0.0f;
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; ++k) sum += *const_cast<volatile float*>(&square[lane * 32 + k]);
    __syncthreads();
  }
  if (i < N) out[i] = sum * weight[0];
}
