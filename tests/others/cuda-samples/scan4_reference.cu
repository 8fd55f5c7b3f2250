/// Exclusive sums of every `length` numbers, which lie in fours.
extern "C" __global__ void scan4_reference(const uint4* in, double* out, int N, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N / length) return;
  const unsigned* numbers = (const unsigned*)in;
  double sum = 0;
  for (int at = i * length; at < (i + 1) * length; ++at) {
    out[at] = sum;
    sum += numbers[at];
  }
}
