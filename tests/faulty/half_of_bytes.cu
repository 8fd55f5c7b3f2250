extern "C" __global__ void half_of_bytes(unsigned char* C, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N && i % 4 < 2) C[i] = 255;
}

extern "C" __global__ void all_set_reference(double* expected, double* magnitude, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  expected[i] = 255;
  magnitude[i] = 255;
}
