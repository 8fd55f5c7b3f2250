extern "C" __global__ void linear_reference(const float* A, const float* s, const float* B, const float* bias,
                                            double* expected, double* magnitude, int M, int N, int K) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M * N) return;
  double sum = bias[i % N];
  double size = fabs(sum);
  for (int k = 0; k < K; ++k) {
    const double term = double(s[i / N]) * double(A[i / N * K + k]) * double(B[k * N + i % N]);
    sum += term;
    size += fabs(term);
  }
  expected[i] = fmax(sum, 0.0);
  magnitude[i] = size;
}
