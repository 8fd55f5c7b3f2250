__global__ void price_exactly(const float* spot, const float* strike, const float* years, double* call,
                              double* call_magnitude, double* put, double* put_magnitude, float rate,
                              float volatility, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double s = spot[i], x = strike[i], t = years[i], r = rate;
  const double root = volatility * sqrt(t);
  const double d1 = (log(s / x) + r * t) / root + 0.5 * root, d2 = d1 - root;
  const double discounted = x * exp(-r * t);
  const double half = sqrt(0.5);
  call[i] = 0.5 * (s * erfc(-d1 * half) - discounted * erfc(-d2 * half));
  put[i] = 0.5 * (discounted * erfc(d2 * half) - s * erfc(d1 * half));
  call_magnitude[i] = put_magnitude[i] = s + discounted;
}
