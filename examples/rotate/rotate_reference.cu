__global__ void rotate_reference(const uchar4* image, double* expected, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  const uchar4 pixel = image[y * width + x];
  double* to = expected + 4 * (x * height + height - 1 - y);
  to[0] = pixel.x;
  to[1] = pixel.y;
  to[2] = pixel.z;
  to[3] = pixel.w;
}
