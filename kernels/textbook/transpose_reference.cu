extern "C" __global__ void transpose_reference(const ELEMENT_TYPE* in, double* expected, double* magnitude, int M,
                                               int N, int ld_in, int ld_out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;  // of the result
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= N || column >= M) return;
  const size_t at = static_cast<size_t>(row) * ld_out + column;
  expected[at] = static_cast<double>(in[static_cast<size_t>(column) * ld_in + row]);
  magnitude[at] = fabs(expected[at]);
}
