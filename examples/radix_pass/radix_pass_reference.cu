// One thread for each digit of 4 bits, in the order of the keys.
extern "C" __global__ void radix_pass_reference(const unsigned int* keys, double* expected, double* magnitude,
                                                int shift, int N) {
  const unsigned int digit = threadIdx.x;
  int place = 0;
  for (int i = 0; i < N; ++i) place += ((keys[i] >> shift) & 15) < digit ? 1 : 0;
  for (int i = 0; i < N; ++i) {
    if (((keys[i] >> shift) & 15) == digit) {
      magnitude[place] = 0;
      expected[place++] = keys[i];
    }
  }
}
