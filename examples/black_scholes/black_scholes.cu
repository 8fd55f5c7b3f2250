// The cumulative normal distribution.
__device__ float normal(float d) {
  if (d > float(CUTOFF)) return 1.0f;
  if (d < -float(CUTOFF)) return 0.0f;
  return 0.5f * erfcf(-0.70710678f * d);
}

__global__ void price(const float* spot, const float* strike, const float* years, float* call, float* put,
                      float rate, float volatility, int n) {
  const INDEX first = static_cast<INDEX>(blockIdx.x) * STRIDE + threadIdx.x;
  for (int k = 0; k < OPTIONS_PER_THREAD; ++k) {
    const INDEX i = first + k * BLOCK_SIZE;
    if (i >= n) return;
    const float root = volatility * sqrtf(years[i]);
    const float d1 = (logf(spot[i] / strike[i]) + rate * years[i]) / root + 0.5f * root;
    const float d2 = d1 - root;
    const float discounted = strike[i] * expf(-rate * years[i]);
    call[i] = spot[i] * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - spot[i] * normal(-d1);
  }
}
