// Sums of columns in FP64, and the magnitude that scales the error bound.
extern "C" __global__ void sums_reference(const float* in, const float* weight, double* expected, double* magnitude, int N,
                                          int K) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  double sum = 0;
  double size = 0;
  for (int k = 0; k < K; ++k) {
    const double x = static_cast<double>(in[k * N + i]) * weight[0];
    sum += x;
    size += fabs(x);
  }
  expected[i] = sum;
  magnitude[i] = size;
}
