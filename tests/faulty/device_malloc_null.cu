extern "C" __global__ void device_malloc_null(const float* A, const float* B, float* C, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i == 0) {
    for (;;) {
      volatile float* block = static_cast<float*>(malloc(1 << 20));
      *block = A[i];  // null once the device heap is full
    }
  }
  if (i < N) C[i] = A[i] + B[i];
}
