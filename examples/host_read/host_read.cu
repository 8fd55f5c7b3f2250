// Numbers that stay on the host, read over the bus where they are needed. More in flight hides more of the way.
__global__ void host_read(const float* far, float* near, int n) {
  const int first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;
  float values[PER_THREAD];
  for (int i = 0; i < PER_THREAD; ++i) values[i] = first + i * BLOCK < n ? far[first + i * BLOCK] : 0;
  for (int i = 0; i < PER_THREAD; ++i)
    if (first + i * BLOCK < n) near[first + i * BLOCK] = 2 * values[i];
}
