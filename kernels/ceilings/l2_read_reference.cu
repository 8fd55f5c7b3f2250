extern "C" __global__ void l2_read_reference(const float* in, double* expected, double* magnitude, int n, int reads,
                                             int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int read = 0; read < reads; ++read) {
    sum += in[(i + static_cast<long long>(read) * shift) % n];
  }
  expected[i] = sum;
  magnitude[i] = 0;
}
