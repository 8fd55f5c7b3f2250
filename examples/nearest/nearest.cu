// For each point the nearest of the centres, which a block reads together, so many at a time.
__global__ void nearest(const float3* points, const float3* centres, int* result, int points_count, int centres_count) {
  __shared__ float3 tile[CENTRES];
  const int first = (blockIdx.x * BLOCK + threadIdx.x) * POINTS;
  float least[POINTS];
  int best[POINTS];
  for (int i = 0; i < POINTS; ++i) least[i] = 3e38f;
  for (int begin = 0; begin < centres_count; begin += CENTRES) {
    __syncthreads();
    for (int i = threadIdx.x; i < CENTRES && begin + i < centres_count; i += BLOCK) tile[i] = centres[begin + i];
    __syncthreads();
    for (int i = 0; i < POINTS && first + i < points_count; ++i) {
      const float3 point = points[first + i];
      for (int j = 0; j < CENTRES && begin + j < centres_count; ++j) {
        const float x = point.x - tile[j].x, y = point.y - tile[j].y, z = point.z - tile[j].z;
        const float distance = x * x + y * y + z * z;
        if (distance < least[i]) {
          least[i] = distance;
          best[i] = begin + j;
        }
      }
    }
  }
  for (int i = 0; i < POINTS && first + i < points_count; ++i) result[first + i] = best[i];
}
