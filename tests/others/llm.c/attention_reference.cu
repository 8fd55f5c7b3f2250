/// Scores of one row of queries; `inp` is (B, T, 3, NH, HS).
__device__ double score(const float* inp, int b, int head, int t, int t2, int T, int NH, int HS) {
  const float* q = inp + ((size_t)(b * T + t) * 3 * NH + head) * HS;
  const float* k = inp + ((size_t)(b * T + t2) * 3 * NH + NH + head) * HS;
  double sum = 0;
  for (int i = 0; i < HS; ++i) sum += (double)q[i] * k[i];
  return sum / sqrt((double)HS);
}

extern "C" __global__ void attention_reference(const float* inp, double* out, int B, int T, int NH, int HS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * NH * T) return;
  const int t = i % T, head = i / T % NH, b = i / T / NH;
  double most = -1e300, sum = 0;
  for (int t2 = 0; t2 <= t; ++t2) most = fmax(most, score(inp, b, head, t, t2, T, NH, HS));
  double* row = out + ((size_t)(b * T + t) * NH + head) * HS;
  for (int d = 0; d < HS; ++d) row[d] = 0;
  for (int t2 = 0; t2 <= t; ++t2) {
    const double weight = exp(score(inp, b, head, t, t2, T, NH, HS) - most);
    sum += weight;
    const float* v = inp + ((size_t)(b * T + t2) * 3 * NH + 2 * NH + head) * HS;
    for (int d = 0; d < HS; ++d) row[d] += weight * v[d];
  }
  for (int d = 0; d < HS; ++d) row[d] /= sum;
}

/// Row t of each (T, T): softmax of its first t + 1 numbers, the rest left alone.
extern "C" __global__ void triangle_softmax_reference(const float* inp, double* out, int N, int T, int HS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * T) return;
  const float* x = inp + (size_t)i * T;
  const double scale = 1 / sqrt((double)HS);
  double most = -1e300, sum = 0;
  for (int t = 0; t <= i % T; ++t) most = fmax(most, scale * x[t]);
  for (int t = 0; t <= i % T; ++t) sum += exp(scale * x[t] - most);
  for (int t = 0; t <= i % T; ++t) out[(size_t)i * T + t] = exp(scale * x[t] - most) / sum;
}

extern "C" __global__ void triangle_backward_reference(const float* datt, const float* att, double* dpreatt, int N, int T,
                                                       int HS) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * T) return;
  const size_t first = (size_t)i * T;
  const double scale = 1 / sqrt((double)HS);
  double sum = 0;
  for (int t = 0; t <= i % T; ++t) sum += (double)att[first + t] * datt[first + t];
  for (int t = 0; t <= i % T; ++t) dpreatt[first + t] = scale * att[first + t] * (datt[first + t] - sum);
}

/// Products of queries and keys, those behind the diagonal 0 or left alone.
extern "C" __global__ void scores_reference(const float* inp, double* out, int B, int T, int NH, int HS) {
  const int t2 = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y, head = blockIdx.z % NH, b = blockIdx.z / NH;
  if (t2 <= t) out[((size_t)blockIdx.z * T + t) * T + t2] = score(inp, b, head, t, t2, T, NH, HS);
}
