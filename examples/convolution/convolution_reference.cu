__global__ void convolve_exactly(const float* image, const float* filter, double* expected, double* magnitude,
                                 int width, int height, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  double sum = 0, size = 0;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int from_x = x + j - side / 2, from_y = y + i - side / 2;
      if (from_x < 0 || from_x >= width || from_y < 0 || from_y >= height) continue;
      const double product = double(filter[i * side + j]) * image[from_y * width + from_x];
      sum += product;
      size += fabs(product);
    }
  }
  expected[y * width + x] = sum;
  magnitude[y * width + x] = size;
}
