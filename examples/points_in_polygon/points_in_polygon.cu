// Which points lie in a polygon: an edge that a ray to the right crosses changes inside to outside.
__device__ bool crosses(float2 point, float2 from, float2 to) {
#if METHOD == METHOD_division
  return (from.y > point.y) != (to.y > point.y) &&
         point.x < (to.x - from.x) * (point.y - from.y) / (to.y - from.y) + from.x;
#else
  const float side = (to.x - from.x) * (point.y - from.y) - (point.x - from.x) * (to.y - from.y);
  return (from.y > point.y) != (to.y > point.y) && (to.y > from.y ? side > 0 : side < 0);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    points_in_polygon(const float2* points, const float2* corners, int* inside, int N, int CORNERS) {
  const int first = blockIdx.x * BLOCK_SIZE * POINTS + threadIdx.x;
  float2 point[POINTS];
  int crossed[POINTS] = {};
#pragma unroll
  for (int j = 0; j < POINTS; ++j) point[j] = points[min(first + j * BLOCK_SIZE, N - 1)];
  float2 from = corners[CORNERS - 1];
  for (int i = 0; i < CORNERS; ++i) {
    const float2 to = corners[i];
#pragma unroll
    for (int j = 0; j < POINTS; ++j) crossed[j] += crosses(point[j], from, to);
    from = to;
  }
#pragma unroll
  for (int j = 0; j < POINTS; ++j) {
    if (first + j * BLOCK_SIZE < N) inside[first + j * BLOCK_SIZE] = crossed[j] % 2;
  }
}
