__global__ void sum_reference(const float* in, double* expected, double* magnitude, int n) {
  double sum = 0, absolute = 0;
  for (int i = 0; i < n; ++i) {
    sum += in[i];
    absolute += fabs(double(in[i]));
  }
  *expected = sum;
  *magnitude = absolute;
}
