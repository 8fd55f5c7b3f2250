extern "C" __global__ void thirty_seconds(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i == 0) {
    unsigned long long begin;
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do {
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - begin < 30'000'000'000ull);
  }
  if (i < N) C[i] = A[i] + B[i];
}
