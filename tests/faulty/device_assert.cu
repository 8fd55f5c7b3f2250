#include <assert.h>

extern "C" __global__ void device_assert(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  assert(i != N / 2 && "the middle is never right");
  if (i < N) C[i] = A[i] + B[i];
}
