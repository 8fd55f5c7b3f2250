extern "C" __global__ void fft_step_reference(const float2* in, double* expected, double* magnitude, int N) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = N / 2;
  if (k >= half) return;
  const double ax = in[k].x, ay = in[k].y, bx = in[k + half].x, by = in[k + half].y;
  const double cosine = cospi(static_cast<double>(k) / half);
  const double sine = -sinpi(static_cast<double>(k) / half);
  const double dx = ax - bx, dy = ay - by;
  const double result[4] = {ax + bx, ay + by, dx * cosine - dy * sine, dx * sine + dy * cosine};
  const double size = fabs(ax) + fabs(ay) + fabs(bx) + fabs(by);
  for (int i = 0; i < 4; ++i) {
    expected[4 * k + i] = result[i];  // two complex numbers of two parts
    magnitude[4 * k + i] = size;
  }
}
