// Small kernels with a flaw each, whose machine code is recorded beside this file:
//   for a in sm_80 sm_90a sm_100a sm_120; do
//     nvcc -arch=$a -maxrregcount 32 -cubin -o k.cubin kernels.cu && nvdisasm -c k.cubin | grep -v 'NOP;$' >recorded/$a.txt
//   done
// with nvcc 13.0 and nvdisasm 13.2; sm_120 with line numbers (-lineinfo, nvdisasm -g) and nvdisasm 13.5.

extern "C" __global__ void nested(const float* a, float* b, int n, int m) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    float product = a[i];
#pragma unroll 1
    for (int j = 0; j < m; ++j) product = product * a[j] + b[j];
    sum += product;
  }
  b[threadIdx.x] = sum;
}

extern "C" __global__ void unrolled(const float* a, float* b, int n) {
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < n; ++i) sum = sum * 0.5f + a[i];
  b[threadIdx.x] = sum;
}

extern "C" __global__ void straight(const float4* a, float4* b) {
  b[threadIdx.x] = a[threadIdx.x];
}

extern "C" __global__ void narrow(const unsigned char* a, float* b, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 32) sum += a[i] * b[i];
  b[threadIdx.x] = sum;
}

extern "C" __global__ void to_double(const float* a, float* b, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += a[i] * 1.1;
  b[threadIdx.x] = sum;
}

// 40 values live through the loop.
extern "C" __global__ void spills(float* b, int n) {
  float x[40];
#pragma unroll
  for (int i = 0; i < 40; ++i) x[i] = b[i * 1024 + threadIdx.x];
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < 40; ++i) x[i] = x[i] * x[(i + 7) % 40] + b[j];
  }
#pragma unroll
  for (int i = 0; i < 40; ++i) b[i * 1024 + threadIdx.x] = x[i];
}

__device__ __noinline__ float power(float x, int n) {
  float result = 1;
#pragma unroll 1
  for (int i = 0; i < n; ++i) result *= x;
  return result;
}

extern "C" __global__ void calls(float* b, int n) {
#pragma unroll 1
  for (int i = 0; i < n; ++i) b[i] = power(b[i], i);
}

extern "C" __global__ void choice(float* b, int n) {
  float x = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    switch (i % 8) {
      case 0: x += 1; break;
      case 1: x = sqrtf(x); break;
      case 2: b[i] = x; break;
      case 3: x = exp2f(x); break;
      case 4: x = fmaxf(x, b[i]); break;
      case 5: x *= b[2 * i]; break;
      case 6: b[3 * i] = -x; break;
      default: x -= 3;
    }
  }
  b[threadIdx.x] = x;
}

extern "C" __global__ void tensor(const unsigned* a, float* d, int n) {
  float sums[4] = {};
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[i]), "r"(a[i + 1]), "r"(a[i + 2]), "r"(a[i + 3]), "r"(a[i + 4]), "r"(a[i + 5]));
  }
  for (int i = 0; i < 4; ++i) d[threadIdx.x * 4 + i] = sums[i];
}

extern "C" __global__ void staged(const float4* a, float* b, int n) {
  __shared__ float4 stage[256];
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&stage[threadIdx.x]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + i * 256 + threadIdx.x));
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;");
    __syncthreads();
    const float4 x = stage[255 - threadIdx.x];
    sum += x.x * x.y + x.z * x.w;
    __syncthreads();
  }
  b[threadIdx.x] = sum;
}
