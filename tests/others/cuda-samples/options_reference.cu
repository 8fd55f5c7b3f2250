/// What is in pairs.
extern "C" __global__ void options_reference(const float2* prices, const float2* strikes, const float2* terms, double* call,
                                             double* put, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const float *price = (const float*)prices, *strike = (const float*)strikes, *years = (const float*)terms;
  const double rate = 0.02, volatility = 0.3, s = price[i], x = strike[i], t = years[i];
  const double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * sqrt(t));
  const double d2 = d1 - volatility * sqrt(t);
  const double n1 = 0.5 * erfc(-d1 * 0.7071067811865476), n2 = 0.5 * erfc(-d2 * 0.7071067811865476), discounted = x * exp(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1 - n2) - s * (1 - n1);
}
