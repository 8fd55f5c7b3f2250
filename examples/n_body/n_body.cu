// Gravity of m bodies at n points: a tile of bodies at a time in shared memory, POINTS of them a thread.
// A body is x, y, z and its mass.
constexpr int unroll = UNROLL;  // nvcc expands no macro in a pragma

__device__ void attract(float3& pull, float4 on, float4 by, float softening) {
  const float x = by.x - on.x, y = by.y - on.y, z = by.z - on.z;
  const float inverse = rsqrtf(x * x + y * y + z * z + softening);
  const float strength = by.w * inverse * inverse * inverse;
  pull.x += x * strength;
  pull.y += y * strength;
  pull.z += z * strength;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    n_body(const float4* points, const float4* bodies, float4* pulls, float softening, int n, int m) {
  __shared__ float4 tile[BLOCK_SIZE];
  float4 own[POINTS];
  float3 pull[POINTS];
  const int first = blockIdx.x * BLOCK_SIZE * POINTS + threadIdx.x;
  for (int k = 0; k < POINTS; ++k) {
    own[k] = first + k * BLOCK_SIZE < n ? points[first + k * BLOCK_SIZE] : make_float4(0, 0, 0, 0);
    pull[k] = make_float3(0, 0, 0);
  }
  for (int start = 0; start < m; start += BLOCK_SIZE) {
    // A body without mass pulls nobody.
    tile[threadIdx.x] = start + threadIdx.x < m ? bodies[start + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll unroll
    for (int j = 0; j < BLOCK_SIZE; ++j) {
      for (int k = 0; k < POINTS; ++k) attract(pull[k], own[k], tile[j], softening);
    }
    __syncthreads();
  }
  for (int k = 0; k < POINTS; ++k) {
    const int i = first + k * BLOCK_SIZE;
    if (i < n) pulls[i] = make_float4(pull[k].x, pull[k].y, pull[k].z, 0);
  }
}
