extern "C" __global__ void matmul_reference(const float* inp, const float* weight, const float* bias, double* out,
                                            double* magnitude, int BT, int C, int OC) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= OC) return;
  double sum = bias[column], size = fabs(sum);
  for (int i = 0; i < C; ++i) {
    const double product = (double)inp[(size_t)row * C + i] * weight[(size_t)column * C + i];
    sum += product;
    size += fabs(product);
  }
  out[(size_t)row * OC + column] = sum;
  magnitude[(size_t)row * OC + column] = size;
}
