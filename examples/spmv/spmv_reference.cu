extern "C" __global__ void spmv_reference(const int* row_start, const int* column, const float* value, const float* x,
                                          double* expected, double* magnitude, int ROWS) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= ROWS) return;
  double sum = 0;
  double size = 0;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i) {
    const double product = static_cast<double>(value[i]) * x[column[i]];
    sum += product;
    size += fabs(product);
  }
  expected[row] = sum;
  magnitude[row] = size;
}
