// C = A + B: the exact value, and the magnitude that scales the error bound.
extern "C" __global__ void add_reference(const float* A, const float* B, double* expected, double* magnitude, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const double a = A[i];
  const double b = B[i];
  expected[i] = a + b;
  magnitude[i] = fabs(a) + fabs(b);
}
