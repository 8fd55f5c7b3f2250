// y = A x with A in compressed sparse rows: LANES threads share a row.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv(const int* row_start, const int* column, const float* value, const float* x, float* y, int rows) {
  const int row = (blockIdx.x * BLOCK_SIZE + threadIdx.x) / LANES;
  const int lane = threadIdx.x % LANES;
  float sum = 0;
  if (row < rows) {
    for (int i = row_start[row] + lane; i < row_start[row + 1]; i += LANES) sum += value[i] * x[column[i]];
  }
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(~0U, sum, distance, LANES);
  if (row < rows && lane == 0) y[row] = sum;
}
