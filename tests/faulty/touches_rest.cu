extern "C" __global__ void touches_rest(const float* A, float* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) C[i] = i % 2 == 0 ? 2 * A[i] : 12345.0f;
}

extern "C" __global__ void even_reference(const float* A, double* expected, double* magnitude, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N || i % 2 != 0) return;
  expected[i] = 2 * static_cast<double>(A[i]);
  magnitude[i] = fabs(expected[i]);
}
