/// 3 times (B, NH, T, HS) -> (B, T, 3, NH, HS).
extern "C" __global__ void heads_backward_reference(const float* dq, const float* dk, const float* dv, double* dinp, int B, int T,
                                                    int NH, int HS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * NH * T * HS) return;
  const int d = i % HS, t = i / HS % T, head = i / HS / T % NH, b = i / HS / T / NH;
  double* at = dinp + ((size_t)(b * T + t) * 3 * NH + head) * HS + d;
  at[0] = dq[i];
  at[NH * HS] = dk[i];
  at[2 * NH * HS] = dv[i];
}

/// (B, T, NH, HS) -> (B, NH, T, HS).
extern "C" __global__ void unheads_backward_reference(const float* dout, double* dinp, int B, int T, int NH, int HS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * NH * T * HS) return;
  const int d = i % HS, t = i / HS % T, head = i / HS / T % NH, b = i / HS / T / NH;
  dinp[i] = dout[((size_t)(b * T + t) * NH + head) * HS + d];
}

extern "C" __global__ void add_bias_reference(const float* out, const float* bias, double* sum, int BT, int OC) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < BT * OC) sum[i] = (double)out[i] + bias[i % OC];
}

extern "C" __global__ void permute_reference(const float* in, double* out, int D1, int D2, int D3, int D4) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= (long long)D1 * D2 * D3 * D4) return;
  const long long d4 = i % D4, d3 = i / D4 % D3, d2 = i / D4 / D3 % D2, d1 = i / D4 / D3 / D2;
  out[((d4 * D3 + d3) * D1 + d1) * D2 + d2] = in[i];
}

/// (B, T, 3, NH, HS) -> 3 times (B, NH, T, HS).
extern "C" __global__ void heads_reference(const float* inp, double* q, double* k, double* v, int B, int T, int NH, int HS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * NH * T * HS) return;
  const int d = i % HS, t = i / HS % T, head = i / HS / T % NH, b = i / HS / T / NH;
  const float* at = inp + ((size_t)(b * T + t) * 3 * NH + head) * HS + d;
  q[i] = at[0];
  k[i] = at[NH * HS];
  v[i] = at[2 * NH * HS];
}

/// (B, NH, T, HS) -> (B, T, NH, HS).
extern "C" __global__ void unheads_reference(const float* inp, double* out, int B, int T, int NH, int HS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * NH * T * HS) return;
  const int d = i % HS, t = i / HS % T, head = i / HS / T % NH, b = i / HS / T / NH;
  out[((size_t)(b * T + t) * NH + head) * HS + d] = inp[i];
}
