#include <stdio.h>

extern "C" __global__ void printf_flood(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  printf("thread %d of %d has something to say, and says it at length\n", i, N);
  if (i < N) C[i] = A[i] + B[i];
}
