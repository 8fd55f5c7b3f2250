#pragma once

// The centre nearest to a point; of several the first.
__device__ int nearest(float x, float y, const float* centres, int k) {
  int best = 0;
  float least = 1e30f;
  for (int c = 0; c < k; ++c) {
    const float dx = x - centres[2 * c], dy = y - centres[2 * c + 1];
    const float distance = dx * dx + dy * dy;
    if (distance >= least) continue;
    least = distance;
    best = c;
  }
  return best;
}
