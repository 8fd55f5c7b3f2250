__device__ double distance(float3 a, float3 b) {
  const double x = double(a.x) - b.x, y = double(a.y) - b.y, z = double(a.z) - b.z;
  return x * x + y * y + z * z;
}

// Right is any centre that is no farther than the nearest, but for what rounding to floats may hide.
__global__ void compare(const float3* points, const float3* centres, const int* result, double* error,
                        int points_count, int centres_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points_count) return;
  double least = 1e300;
  for (int j = 0; j < centres_count; ++j) least = min(least, distance(points[i], centres[j]));
  const bool is_centre = 0 <= result[i] && result[i] < centres_count;
  const double excess = is_centre ? distance(points[i], centres[result[i]]) - least : 1;
  error[i] = excess / (1e-5 * least + 1e-6);
}
