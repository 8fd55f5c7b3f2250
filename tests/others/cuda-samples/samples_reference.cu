// What the kernels of NVIDIA's samples should give, computed as plainly as can be.
extern "C" __global__ void add_reference(const float* a, const float* b, double* c, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) c[i] = (double)a[i] + b[i];
}

extern "C" __global__ void increment_reference(const int* x, double* out, int N, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) out[i] = x[i] + value;
}

extern "C" __global__ void product_reference(const float* a, const float* b, double* c, double* magnitude, int M, int N, int K) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= N) return;
  double sum = 0, size = 0;
  for (int k = 0; k < K; ++k) {
    const double product = (double)a[(size_t)y * K + k] * b[(size_t)k * N + x];
    sum += product;
    size += fabs(product);
  }
  c[(size_t)y * N + x] = sum;
  magnitude[(size_t)y * N + x] = size;
}

extern "C" __global__ void copy_reference(const float* in, double* out, int W, int H) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < W) out[(size_t)y * W + x] = in[(size_t)y * W + x];
}

extern "C" __global__ void transpose_reference(const float* in, double* out, int W, int H) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < W) out[(size_t)x * H + y] = in[(size_t)y * W + x];
}

/// One sum for every `part` numbers.
extern "C" __global__ void parts_reference(const float* in, double* out, int N, int part, int parts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= parts) return;
  double sum = 0;
  for (long long at = (long long)i * part; at < (long long)(i + 1) * part && at < N; ++at) sum += in[at];
  out[i] = sum;
}

/// One sum for every block: of its numbers and of those that are multiples of the grid behind them.
extern "C" __global__ void strided_reference(const float* in, double* out, int N, int block, int blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks) return;
  double sum = 0;
  for (long long first = (long long)i * block; first < N; first += (long long)blocks * block)
    for (long long at = first; at < first + block && at < N; ++at) sum += in[at];
  out[i] = sum;
}

extern "C" __global__ void scan_reference(const unsigned* in, double* out, int N, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N / length) return;
  double sum = 0;
  for (int at = i * length; at < (i + 1) * length; ++at) {
    out[at] = sum;
    sum += in[at];
  }
}

extern "C" __global__ void inclusive_reference(const int* in, double* out, int N, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N / length) return;
  double sum = 0;
  for (int at = i * length; at < (i + 1) * length; ++at) out[at] = sum += in[at];
}

extern "C" __global__ void histogram_reference(const unsigned char* data, double* bins, int N, int shift, int BINS) {
  for (int i = 0; i < BINS; ++i) bins[i] = 0;
  for (int i = 0; i < N; ++i) bins[data[i] >> shift] += 1;
}

extern "C" __global__ void rows_reference(const float* in, const float* filter, double* out, int W, int H) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= W) return;
  double sum = 0;
  for (int j = -8; j <= 8; ++j)
    if (x + j >= 0 && x + j < W) sum += (double)filter[8 - j] * in[(size_t)y * W + x + j];
  out[(size_t)y * W + x] = sum;
}

extern "C" __global__ void columns_reference(const float* in, const float* filter, double* out, int W, int H) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= W) return;
  double sum = 0;
  for (int j = -8; j <= 8; ++j)
    if (y + j >= 0 && y + j < H) sum += (double)filter[8 - j] * in[(size_t)(y + j) * W + x];
  out[(size_t)y * W + x] = sum;
}

extern "C" __global__ void dots_reference(const float* a, const float* b, double* c, int V, int E) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= V) return;
  double sum = 0;
  for (int i = 0; i < E; ++i) sum += (double)a[(size_t)v * E + i] * b[(size_t)v * E + i];
  c[v] = sum;
}

extern "C" __global__ void walsh_reference(const float* in, double* out, int N, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  double sum = 0;
  for (int j = 0; j < length; ++j) sum += (__popc(j & (i % length)) % 2 ? -1.0 : 1.0) * in[i / length * length + j];
  out[i] = sum;
}

/// Each `length` numbers, no two the same, in order, and what belongs to them.
extern "C" __global__ void sorted_reference(const unsigned* in, const unsigned* values, double* out, double* values_out, int N,
                                            int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const int first = i / length * length;
  int place = 0;
  for (int j = first; j < first + length; ++j) place += in[j] < in[i] || (in[j] == in[i] && j < i);
  out[first + place] = in[i];
  values_out[first + place] = values[i];
}
