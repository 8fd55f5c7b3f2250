// Chains of multiply-adds in registers and nothing else. Factor and addend come from memory, so that the compiler
// cannot work a chain out.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    arithmetic(const ELEMENT_TYPE* __restrict__ start, const ELEMENT_TYPE* __restrict__ factor,
               const ELEMENT_TYPE* __restrict__ addend, ELEMENT_TYPE* __restrict__ end, int chains, int steps) {
  constexpr int unroll = UNROLL;
  const ELEMENT_TYPE a = *factor;
  const ELEMENT_TYPE b = *addend;
  const int first = blockIdx.x * BLOCK_SIZE * CHAINS_PER_THREAD + threadIdx.x;
  ELEMENT_TYPE x[CHAINS_PER_THREAD];
#pragma unroll
  for (int c = 0; c < CHAINS_PER_THREAD; ++c) {
    const int chain = first + c * BLOCK_SIZE;
    x[c] = chain < chains ? start[chain] : 0;
  }
#pragma unroll unroll
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int c = 0; c < CHAINS_PER_THREAD; ++c) x[c] = x[c] * a + b;
  }
#pragma unroll
  for (int c = 0; c < CHAINS_PER_THREAD; ++c) {
    const int chain = first + c * BLOCK_SIZE;
    if (chain < chains) end[chain] = x[c];
  }
}
