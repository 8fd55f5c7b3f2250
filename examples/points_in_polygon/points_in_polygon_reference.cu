extern "C" __global__ void points_in_polygon_reference(const float2* points, const float2* corners, double* expected,
                                                       int N, int CORNERS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const double x = points[i].x, y = points[i].y;
  int crossed = 0;
  for (int j = 0; j < CORNERS; ++j) {
    const double2 from = make_double2(corners[j].x, corners[j].y);
    const double2 to = make_double2(corners[(j + 1) % CORNERS].x, corners[(j + 1) % CORNERS].y);
    if ((from.y > y) == (to.y > y)) continue;
    crossed += x < (to.x - from.x) * (y - from.y) / (to.y - from.y) + from.x;
  }
  expected[i] = crossed % 2;
}
