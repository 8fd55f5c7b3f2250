// An image turned by a right angle. Reading goes along rows and writing down columns; both arrays keep near pixels together.
__global__ void rotate(cudaTextureObject_t image, cudaSurfaceObject_t turned, int width, int height) {
  const int x = blockIdx.x * TILE_X + threadIdx.x;
  const int top = blockIdx.y * TILE_Y * ROWS + threadIdx.y;
  if (x >= width) return;
  for (int row = 0; row < ROWS; ++row) {
    const int y = top + row * TILE_Y;
    if (y >= height) return;
    const uchar4 pixel = tex2D<uchar4>(image, x + 0.5f, y + 0.5f);
    surf2Dwrite(pixel, turned, (height - 1 - y) * int(sizeof(uchar4)), x);  // in bytes
  }
}
