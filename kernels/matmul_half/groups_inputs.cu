// Which rows are whose: M in all, so that a launch can be planned; each group has from none to twice the
// mean.
__device__ unsigned long long scrambled(unsigned long long z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

extern "C" __global__ void group_starts(int* starts, unsigned long long seed, int groups, int M) {
  const int group = blockIdx.x * blockDim.x + threadIdx.x;
  if (group > groups) return;
  const int mean = M / groups, shifted_by = static_cast<int>(scrambled(seed + group) % (mean + 1));
  starts[group] = group == 0 ? 0 : group == groups ? M : group * mean + shifted_by;
}
