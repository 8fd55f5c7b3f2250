// As good as nothing: what is left is the launch. It copies, so that a launch that did not take place is found.
extern "C" __global__ void empty(const float* in, float* out, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < n) out[i] = in[i];
}
