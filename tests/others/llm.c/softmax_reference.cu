extern "C" __global__ void softmax_reference(const float* inp, double* out, int N, int C) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N) return;
  const float* x = inp + (size_t)row * C;
  double most = x[0], sum = 0;
  for (int i = 1; i < C; ++i) most = fmax(most, (double)x[i]);
  for (int i = 0; i < C; ++i) sum += exp(x[i] - most);
  for (int i = 0; i < C; ++i) out[(size_t)row * C + i] = exp(x[i] - most) / sum;
}
