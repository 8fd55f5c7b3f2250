// A filter over an image, zeros around it. All threads read the same weight at once, which is what constant memory is for.
constexpr int radius = SIDE / 2;
constexpr int tile_width = TILE_X + 2 * radius;
constexpr int tile_height = TILE_Y * ROWS + 2 * radius;

__constant__ float weights[SIDE * SIDE];

__device__ float pixel(const float* image, int x, int y, int width, int height) {
  return 0 <= x && x < width && 0 <= y && y < height ? image[y * width + x] : 0;
}

__global__ void convolve(const float* image, float* result, int width, int height) {
  const int left = blockIdx.x * TILE_X - radius, top = blockIdx.y * TILE_Y * ROWS - radius;
#if STAGED
  __shared__ float tile[tile_height][tile_width];
  for (int y = threadIdx.y; y < tile_height; y += TILE_Y)
    for (int x = threadIdx.x; x < tile_width; x += TILE_X)
      tile[y][x] = pixel(image, left + x, top + y, width, height);
  __syncthreads();
#endif
  for (int row = threadIdx.y; row < TILE_Y * ROWS; row += TILE_Y) {
    const int x = left + radius + threadIdx.x, y = top + radius + row;
    if (x >= width || y >= height) continue;
    float sum = 0;
    for (int i = 0; i < SIDE; ++i) {
      for (int j = 0; j < SIDE; ++j) {
#if STAGED
        const float value = tile[row + i][threadIdx.x + j];
#else
        const float value = pixel(image, x + j - radius, y + i - radius, width, height);
#endif
        sum += weights[i * SIDE + j] * value;
      }
    }
    result[y * width + x] = sum;
  }
}
