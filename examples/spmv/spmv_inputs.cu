// A matrix whose rows have from 0 to 2 * MEAN elements in random columns, and MEAN * ROWS of them in all, so that a
// library that wants to know how many there are can be told.
__device__ unsigned long long scrambled(unsigned long long z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

extern "C" __global__ void row_starts(int* row_start, unsigned long long seed, int ROWS, int MEAN) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row > ROWS) return;
  const int shifted_by = static_cast<int>(scrambled(seed + row) % (MEAN + 1));
  row_start[row] = row * MEAN + (row == 0 || row == ROWS ? 0 : shifted_by);
}

extern "C" __global__ void elements(int* column, float* value, unsigned long long seed, int count, int COLUMNS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned long long random = scrambled(~seed + i);
  column[i] = static_cast<int>((random >> 32) % COLUMNS);
  value[i] = static_cast<float>(random & 0xFFFF) / 65536.0f - 0.5f;
}
