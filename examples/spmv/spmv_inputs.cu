// A matrix whose rows have from 0 to 2 * MEAN elements, most of them few and some many, in random columns.
__device__ unsigned long long scrambled(unsigned long long z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

extern "C" __global__ void row_starts(int* row_start, unsigned long long seed, int ROWS, int MEAN) {
  int total = 0;
  for (int row = 0; row < ROWS; ++row) {
    row_start[row] = total;
    const unsigned long long random = scrambled(seed + row);
    const int most = random % 8 == 0 ? 2 * MEAN : MEAN;
    total += static_cast<int>((random >> 8) % (most + 1));
  }
  row_start[ROWS] = total;
}

extern "C" __global__ void elements(int* column, float* value, unsigned long long seed, int capacity, int COLUMNS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= capacity) return;
  const unsigned long long random = scrambled(~seed + i);
  column[i] = static_cast<int>((random >> 32) % COLUMNS);
  value[i] = static_cast<float>(random & 0xFFFF) / 65536.0f - 0.5f;
}
