extern "C" __global__ void n_body_reference(const float4* points, const float4* bodies, double* expected,
                                            double* magnitude, float softening, int N, int M) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  double pull[4] = {}, absolute[4] = {};
  for (int j = 0; j < M; ++j) {
    const double off[3] = {double(bodies[j].x) - points[i].x, double(bodies[j].y) - points[i].y,
                           double(bodies[j].z) - points[i].z};
    const double distance = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2] + softening);
    for (int k = 0; k < 3; ++k) {
      const double part = off[k] * bodies[j].w / (distance * distance * distance);
      pull[k] += part;
      absolute[k] += fabs(part);
    }
  }
  for (int k = 0; k < 4; ++k) {
    expected[4 * i + k] = pull[k];
    magnitude[4 * i + k] = absolute[k];
  }
}
