// y = A x for a matrix of K columns: the exact value, and the magnitude that scales the error bound.
extern "C" __global__ void product_reference(const float* A, const float* x, double* expected, double* magnitude,
                                             int rows, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.0;
  double absolute = 0.0;
  for (int k = 0; k < K; ++k) {
    const double product = static_cast<double>(A[row * K + k]) * x[k];
    sum += product;
    absolute += fabs(product);
  }
  expected[row] = sum;
  magnitude[row] = absolute;
}
