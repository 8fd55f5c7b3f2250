// Takes 0 for a mark of its own. A workspace that a program has cleared is then taken for one that is done.
extern "C" __global__ void trusts_workspace(const float* A, const float* B, float* C, unsigned* done, int N) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= N || done[i] == 0) return;
  C[i] = A[i] + B[i];
}
