__device__ double pixel(const float* image, int x, int y, int width, int height) {
  return image[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

__global__ void resize_exactly(const float* image, double* expected, int from_width, int from_height, int width,
                               int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  const double at_x = (x + 0.5) * from_width / width - 0.5, at_y = (y + 0.5) * from_height / height - 0.5;
  const int left = int(floor(at_x)), top = int(floor(at_y));
  const double u = at_x - left, v = at_y - top;
  const auto at = [&](int i, int j) { return pixel(image, left + i, top + j, from_width, from_height); };
  expected[y * width + x] = (1 - v) * ((1 - u) * at(0, 0) + u * at(1, 0)) + v * ((1 - u) * at(0, 1) + u * at(1, 1));
}
