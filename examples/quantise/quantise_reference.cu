extern "C" __global__ void quantise_reference(const float* in, double* expected, double* magnitude, float scale,
                                              int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const double exact = static_cast<double>(in[i]) * scale;
  expected[i] = fmax(-448.0, fmin(448.0, exact));
  magnitude[i] = fabs(exact);
}
