// An image drawn larger or smaller. The texture unit interpolates between four pixels and repeats those at the edge.
__global__ void resize(cudaTextureObject_t image, float* result, int width, int height, float step_x, float step_y) {
  const int x = blockIdx.x * TILE_X + threadIdx.x;
  const int top = blockIdx.y * TILE_Y * ROWS + threadIdx.y;
  if (x >= width) return;
  for (int row = 0; row < ROWS; ++row) {
    const int y = top + row * TILE_Y;
    if (y < height) result[y * width + x] = tex2D<float>(image, (x + 0.5f) * step_x, (y + 0.5f) * step_y);
  }
}
