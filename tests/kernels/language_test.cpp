// What CUDA C++ of ordinary kernels means on the CPU device, one small kernel a feature.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/kernels/cpu_machine.hpp"
#include "tuner/util/processors.hpp"

using tuner::test::CpuMachine;
using tuner::test::KernelRun;

namespace {

std::vector<int> run_ints(const KernelRun& run, std::size_t count) {
  CpuMachine machine;
  return machine.run(run, std::vector<int>(count, -7));
}

}  // namespace

TEST_SUITE_BEGIN("tuner::device::cpu");

TEST_CASE("the CPU describes itself as a device of its own kind") {
  const tuner::model::DeviceInfo info = tuner::device::cpu::describe_cpu({.workers = 3});
  CHECK(info.id == "cpu");
  CHECK(info.kind == "cpu");
  CHECK(info.architecture == "host");
  CHECK_FALSE(info.name.empty());
  CHECK(info.driver == "cpu-2 with 3 workers");
  CHECK(info.free_memory_bytes > 0);
  CHECK(info.free_memory_bytes <= info.memory_bytes);
  CHECK(info.limits.multiprocessors == 3);
  CHECK(tuner::device::cpu::describe_cpu().limits.multiprocessors ==
        std::min(28, tuner::util::usable_processors()));
}

TEST_CASE("every thread of every block runs once, with its own indices") {
  const std::vector<int> out = run_ints({.source = R"(
    extern "C" __global__ void kernel(int* out) {
      const int x = blockIdx.x * blockDim.x + threadIdx.x;
      const int y = blockIdx.y * blockDim.y + threadIdx.y;
      const int z = blockIdx.z * blockDim.z + threadIdx.z;
      const int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
      out[(z * height + y) * width + x] = x + 100 * y + 10000 * z;
    })",
                                         .grid = {3, 2, 2},
                                         .block = {4, 3, 2}},
                                        12 * 6 * 4);
  int wrong = 0;
  for (int z = 0; z < 4; ++z) {
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 12; ++x) {
        wrong += out[static_cast<std::size_t>((z * 6 + y) * 12 + x)] != x + 100 * y + 10000 * z;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("parameters may have the names of what the runtime declares") {
  const std::vector<int> out = run_ints({.source = R"(
    template <int Number>
    __global__ void run(int* out) {
      out[threadIdx.x] = Number + kernel + Kernel + bytes + Value + invoke + visibility;
    })",
                                         .entry = "run<kernel>",
                                         .block = {1, 1, 1},
                                         .macros = {{"kernel", "1"},
                                                    {"Kernel", "2"},
                                                    {"bytes", "4"},
                                                    {"Value", "8"},
                                                    {"invoke", "16"},
                                                    {"visibility", "32"}}},
                                        1);
  CHECK(out[0] == 64);
}

TEST_CASE(
    "parameters may have the names of members that the runtime reads where a kernel asks for its place") {
  const std::vector<int> out =
      run_ints({.source = R"(
    extern "C" __global__ void kernel(int* out) {
      const int at = blockIdx.x * blockDim.x + threadIdx.x;
      out[at] = 1000 * gridDim.x + index + block + size + grid;
    })",
                .grid = {2, 1, 1},
                .block = {2, 1, 1},
                .macros = {{"block", "10"}, {"grid", "200"}, {"index", "1"}, {"size", "3"}}},
               4);
  CHECK(out == std::vector<int>(4, 2214));
}

TEST_CASE("barriers in a loop order the accesses of all threads") {
  const std::vector<int> out = run_ints({.source = R"(
    extern "C" __global__ void kernel(int* out) {
      __shared__ int ring[96];
      ring[threadIdx.x] = threadIdx.x;
      for (int step = 0; step < 50; ++step) {
        __syncthreads();
        const int next = ring[(threadIdx.x + 1) % blockDim.x];
        __syncthreads();
        ring[threadIdx.x] = next;
      }
      out[blockIdx.x * blockDim.x + threadIdx.x] = ring[threadIdx.x];
    })",
                                         .grid = {40, 1, 1},
                                         .block = {96, 1, 1}},
                                        40 * 96);
  int wrong = 0;
  for (int i = 0; i < 40 * 96; ++i) wrong += out[static_cast<std::size_t>(i)] != (i % 96 + 50) % 96;
  CHECK(wrong == 0);
}

TEST_CASE("barriers count, and and or predicates") {
  const std::vector<int> out = run_ints({.source = R"(
    extern "C" __global__ void kernel(int* out) {
      const int count = __syncthreads_count(threadIdx.x % 3 == 0);
      const int some = __syncthreads_or(threadIdx.x == 70), none = __syncthreads_or(0);
      const int all = __syncthreads_and(1), most = __syncthreads_and(threadIdx.x != 70);
      out[threadIdx.x] = count * 10000 + some * 1000 + none * 100 + all * 10 + most;
    })",
                                         .block = {71, 1, 1}},
                                        71);
  CHECK(out == std::vector<int>(71, 24 * 10000 + 1010));
}

TEST_CASE("nobody waits for threads that have returned, at barriers of the block or the warp") {
  for (const std::string returns : {"threadIdx.x >= 40", "threadIdx.x < 24", "threadIdx.x % 3 == 1"}) {
    CAPTURE(returns);
    const std::vector<int> out = run_ints({.source = R"(
      extern "C" __global__ void kernel(int* out) {
        __shared__ int sum;
        sum = 0;
        __syncthreads();
        if (RETURNS) return;
        for (int round = 0; round < 2; ++round) {
          const int of_warp = __reduce_add_sync(0xffffffff, 1);
          __syncwarp();
          atomicAdd(&sum, 1);
          __syncthreads();
          const int there = __syncthreads_count(1);
          const bool agree = __syncthreads_and(threadIdx.x < 64) && __all_sync(0xffffffff, of_warp <= there);
          if (round == 1) out[threadIdx.x] = sum + 1000 * there * agree;
        }
      })",
                                           .block = {64, 1, 1},
                                           .macros = {{"RETURNS", returns}}},
                                          64);
    const auto gone = static_cast<int>(std::count(out.begin(), out.end(), -7));
    CHECK(gone == (returns == "threadIdx.x % 3 == 1" ? 21 : 24));
    CHECK(std::count(out.begin(), out.end(), (64 - gone) * 1002) == 64 - gone);
  }
}

TEST_CASE("a static shared array may say its alignment behind __shared__") {
  for (const bool is_watched : {false, true}) {
    const std::vector<int> out =
        run_ints({.source = R"(
      __shared__ alignas(128) int outside[3];
      extern "C" __global__ void kernel(int* out) {
        __shared__ alignas(64) int tile[32], next;
        tile[threadIdx.x] = outside[0] = 1;
        __syncthreads();
        out[threadIdx.x] = tile[threadIdx.x ^ 1] + reinterpret_cast<size_t>(outside) % 128 +
                           reinterpret_cast<size_t>(tile) % 64 + reinterpret_cast<size_t>(&next) % 64;
      })",
                  .instrument = is_watched ? tuner::compile::host::Instrument::accesses
                                           : tuner::compile::host::Instrument::none},
                 32);
    CHECK(out == std::vector<int>(32, 1));
  }
}

TEST_CASE("dynamic shared memory can be declared in every usual way") {
  for (const std::string declaration :
       {"extern __shared__ int data[];", "extern __shared__ __align__(16) int data[];",
        "extern __shared__ alignas(16) int data[];", "__shared__ extern int data[];",
        "extern __shared__ char raw[]; int* data = reinterpret_cast<int*>(raw);",
        "extern __shared__ volatile int data[];", "extern __shared__ int pairs[][2]; int* data = pairs[0];",
        "extern __shared__\n  // a comment; with a semicolon\n  int data /* name */ [];",
        "DYNAMIC(int, data);"}) {
    CAPTURE(declaration);
    const std::vector<int> out = run_ints({.source = R"(
      #define DYNAMIC(type, name) extern __shared__ type name[]
      template <class Type> __global__ void kernel(Type* out) {
        )" + declaration + R"(
        data[threadIdx.x] = threadIdx.x;
        __syncthreads();
        out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
      })",
                                           .entry = "kernel<int>",
                                           .block = {33, 1, 1},
                                           .dynamic_shared_bytes = 34 * 4},
                                          33);
    CHECK(out.front() == 32);
    CHECK(out.back() == 0);
  }
}

TEST_CASE("dynamic shared memory can be declared outside functions") {
  const std::vector<int> out = run_ints({.source = R"(
    namespace room { extern __shared__ alignas(8) int data[]; }
    __device__ int sum(const int* from, int count) {
      int total = 0;
      for (int i = 0; i < count; ++i) total += from[i];
      return total;
    }
    extern "C" __global__ void kernel(int* out) {
      room::data[threadIdx.x] = threadIdx.x;
      __syncthreads();
      out[threadIdx.x] = sum(room::data, blockDim.x) + *(room::data + 1);
    })",
                                         .block = {10, 1, 1},
                                         .dynamic_shared_bytes = 40},
                                        10);
  CHECK(out == std::vector<int>(10, 46));
}

TEST_CASE("dynamic shared memory of all functions is cast, passed and kept as any array") {
  const std::vector<int> out = run_ints({.source = R"(
    extern __shared__ char memory[];
    template <class T> __device__ T* second(T* of) { return of + 1; }
    __device__ int own(const int* memory) { return memory[0] + sizeof(memory); }
    extern "C" __global__ void kernel(int* out) {
      int* words = (int*)memory;
      words[threadIdx.x] = threadIdx.x;
      __syncthreads();
      auto* bytes = memory;
      out[threadIdx.x] = reinterpret_cast<int*>(memory)[3] + *second(memory) + bytes[4] + (*&memory)[8] +
                         own((const int*)memory) + ((size_t)memory == (size_t)&memory[0]);
    })",
                                         .block = {10, 1, 1},
                                         .dynamic_shared_bytes = 40},
                                        10);
  CHECK(out == std::vector<int>(10, 3 + 0 + 1 + 2 + 8 + 1));
}

TEST_CASE("shared memory is not zero, and each block has its own") {
  const std::vector<int> out = run_ints({.source = R"(
    extern "C" __global__ void kernel(int* out) {
      extern __shared__ int dynamic[];
      __shared__ int fixed[4];
      if (threadIdx.x == 0) out[blockIdx.x] = (dynamic[0] == -1) + (fixed[3] == -1);
      __syncthreads();
      dynamic[0] = fixed[3] = 0;
    })",
                                         .grid = {500, 1, 1},
                                         .block = {2, 1, 1},
                                         .dynamic_shared_bytes = 4},
                                        500);
  CHECK(out == std::vector<int>(500, 2));
}

TEST_CASE("shuffles move values between lanes, within their width") {
  const std::vector<int> out = run_ints({.source = R"(
    extern "C" __global__ void kernel(int* out) {
      const int i = threadIdx.x, all = 0xffffffff;
      out[i] = __shfl_sync(all, i, 5);
      out[i + 64] = __shfl_up_sync(all, i, 3);
      out[i + 128] = __shfl_down_sync(all, i, 3);
      out[i + 192] = __shfl_xor_sync(all, i, 16);
      out[i + 256] = __shfl_sync(all, i, 1, 8);
      out[i + 320] = __shfl_down_sync(all, i, 3, 8);
      out[i + 384] = __shfl_up_sync(all, i, 3, 8);
      out[i + 448] = static_cast<int>(__shfl_xor_sync(all, i + 0.5, 1) * 2);
    })",
                                         .block = {64, 1, 1}},
                                        512);
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    const int lane = i % 32;
    const int expected[8] = {i - lane + 5,  lane < 3 ? i : i - 3,  lane > 28 ? i : i + 3, i ^ 16,
                             i - i % 8 + 1, i % 8 > 4 ? i : i + 3, i % 8 < 3 ? i : i - 3, 2 * (i ^ 1) + 1};
    for (int k = 0; k < 8; ++k) wrong += out[static_cast<std::size_t>(i + 64 * k)] != expected[k];
  }
  CHECK(wrong == 0);
}

TEST_CASE("votes, matches and reductions see the lanes of their mask") {
  const std::vector<int> out = run_ints({.source = R"(
    extern "C" __global__ void kernel(int* out) {
      const unsigned lane = threadIdx.x, low = 0x0000ffff, high = 0xffff0000;
      const unsigned half = lane < 16 ? low : high;
      out[lane] = __ballot_sync(half, lane % 2);
      out[lane + 32] = __any_sync(half, lane == 3) * 10 + __all_sync(half, lane > 15);
      out[lane + 64] = __match_any_sync(0xffffffff, lane / 8);
      out[lane + 96] = __reduce_add_sync(half, lane) * 100 + __reduce_max_sync(half, static_cast<int>(lane) - 40) + 40;
      __syncwarp();
      out[lane + 128] = __activemask() >> lane & 1;
    })"},
                                        160);
  CHECK(static_cast<unsigned>(out[0]) == 0x0000aaaaU);
  CHECK(static_cast<unsigned>(out[31]) == 0xaaaa0000U);
  CHECK(out[32] == 10);
  CHECK(out[63] == 1);
  CHECK(out[64 + 9] == 0xff00);
  CHECK(out[96] == 120 * 100 + 15);
  CHECK(out[127] == 376 * 100 + 31);
  CHECK(std::accumulate(out.begin() + 128, out.end(), 0) == 32);
}

TEST_CASE("warps move on independently: one may shuffle often while others wait at a barrier") {
  const std::vector<int> out = run_ints({.source = R"(
    extern "C" __global__ void kernel(int* out) {
      __shared__ int total;
      if (threadIdx.x < 32) {
        int sum = threadIdx.x;
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
        if (threadIdx.x == 0) total = sum;
      }
      __syncthreads();
      out[threadIdx.x] = total;
    })",
                                         .block = {1024, 1, 1}},
                                        1024);
  CHECK(out == std::vector<int>(1024, 496));
}

TEST_CASE("atomics of blocks that run at the same time lose nothing") {
  CpuMachine machine(4);
  const std::vector<double> out = machine.run<double>({.source = R"(
    extern "C" __global__ void kernel(double* out) {
      int* ints = reinterpret_cast<int*>(out);
      atomicAdd(out + 8, 0.5);
      atomicAdd(reinterpret_cast<float*>(out + 9), 1.0f);
      atomicAdd(ints, 1);
      atomicSub(ints + 1, 1);
      atomicMax(ints + 2, static_cast<int>(blockIdx.x));
      atomicMin(ints + 3, -static_cast<int>(blockIdx.x));
      atomicOr(reinterpret_cast<unsigned*>(ints + 4), 1u << (blockIdx.x % 31));
      atomicXor(reinterpret_cast<unsigned*>(ints + 5), 3u);
      atomicInc(reinterpret_cast<unsigned*>(ints + 6), 9u);
      atomicAdd(reinterpret_cast<unsigned long long*>(out + 4), 1ull);
      int* lock = ints + 10;  // a counter kept with compare-and-swap
      for (int seen = *lock, old; (old = atomicCAS(lock, seen, seen + 2)) != seen; seen = old) {}
    })",
                                                       .grid = {200, 1, 1},
                                                       .block = {50, 1, 1}},
                                                      std::vector<double>(16, 0.0));
  const int* ints = reinterpret_cast<const int*>(out.data());
  CHECK(out[8] == 5000.0);
  CHECK(*reinterpret_cast<const float*>(&out[9]) == 10000.0F);
  CHECK(ints[0] == 10000);
  CHECK(ints[1] == -10000);
  CHECK(ints[2] == 199);
  CHECK(ints[3] == -199);
  CHECK(ints[4] == 0x7fffffff);
  CHECK(ints[5] == 0);
  CHECK(ints[6] == 0);
  CHECK(*reinterpret_cast<const long long*>(&out[4]) == 10000);
  CHECK(ints[10] == 20000);
}

TEST_CASE("vector types have CUDA's sizes and alignments") {
  const std::vector<int> out = run_ints({.source = R"(
    static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "");
    static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(double4) == 16, "");
    static_assert(alignof(int2) == 8 && sizeof(uchar4) == 4 && alignof(double2) == 16 && sizeof(long3) == 24, "");
    extern "C" __global__ void kernel(int* out) {
      const int4 v = make_int4(1, 2, 3, 4);
      const float2 f = make_float2(0.5f, 1.5f);
      const dim3 d(7, 8);
      reinterpret_cast<int4*>(out)[threadIdx.x] = make_int4(v.x + v.w, d.x * d.y * d.z, f.x + f.y, 0);
    })",
                                         .block = {2, 1, 1}},
                                        8);
  CHECK(out == std::vector<int>{5, 56, 2, 0, 5, 56, 2, 0});
}

TEST_CASE("mathematics keeps CUDA's types and names") {
  CpuMachine machine;
  const std::vector<float> out = machine.run<float>({.source = R"(
    template <class A, class B> struct Same { static constexpr bool value = false; };
    template <class A> struct Same<A, A> { static constexpr bool value = true; };
    static_assert(Same<decltype(sqrt(1.0f)), float>::value && Same<decltype(sqrt(1)), double>::value, "");
    static_assert(Same<decltype(min(1u, 2)), unsigned>::value && Same<decltype(max(1.0f, 2.0)), double>::value, "");
    extern "C" __global__ void kernel(float* out) {
      out[0] = fmaf(2.0f, 3.0f, 1.0f) + __fmaf_rn(1.0f, 1.0f, 1.0f) + rsqrtf(0.25f) + fabs(-1.0f);
      out[1] = __expf(0.0f) + exp2f(3.0f) + powf(2.0f, 2.0f) + fmodf(5.0f, 3.0f) + floor(1.5f);
      out[2] = fminf(1.0f, 2.0f) + max(3, 4) + abs(-5) + __popc(255) + __clz(1) + __ffs(8) + __brev(1u) / 2147483648u;
      out[3] = __ldg(out + 4) + __int_as_float(__float_as_int(2.5f)) + __float2int_rn(2.5f) + __float2int_rz(-2.7f);
      out[5] = isnan(NAN) + isinf(-INFINITY) + __saturatef(7.0f) + __mulhi(1 << 30, 8) + __umul24(3, 5) + __byte_perm(1, 2, 0x1114);
    })",
                                                     .block = {1, 1, 1}},
                                                    std::vector<float>(8, 1.0F));
  CHECK(out[0] == 7.0F + 2.0F + 2.0F + 1.0F);
  CHECK(out[1] == 1.0F + 8.0F + 4.0F + 2.0F + 1.0F);
  CHECK(out[2] == 1.0F + 4.0F + 5.0F + 8.0F + 31.0F + 4.0F + 1.0F);
  CHECK(out[3] == 1.0F + 2.5F + 2.0F - 2.0F);
  CHECK(out[5] == 1.0F + 1.0F + 1.0F + 2.0F + 15.0F + 2.0F);
}

TEST_CASE("functions that have to be inlined may be specialised templates") {
  const std::vector<int> out = run_ints({.source = R"(
    template <class T> __device__ __forceinline__ T next(T x);
    template <> __device__ __forceinline__ int next<int>(int x) { return x + 1; }
    extern "C" __global__ void kernel(int* out) { out[threadIdx.x] = next((int)threadIdx.x); })",
                                         .grid = {1, 1, 1},
                                         .block = {3, 1, 1}},
                                        3);
  CHECK(out == std::vector<int>{1, 2, 3});
}

TEST_CASE("qualifiers, constants, templates, pragmas and standard includes of nvcc sources are accepted") {
  const std::vector<int> out = run_ints({.source = R"(
    #include <cuda_runtime.h>
    #include <math.h>
    #include <stdio.h>
    #include <cstdio>
    __constant__ int table[3] = {10, 20, 30};
    __device__ int counter = 5;
    template <int N> static __device__ __forceinline__ int twice(int x) { return N * x; }
    __host__ __device__ inline __noinline__ int identity(int x) { return x; }
    template <class T, int N>
    __global__ void __launch_bounds__(128, 2) kernel(T* __restrict__ out) {
    #ifdef __CUDA_ARCH__
      asm volatile("bar.sync 0;");
    #endif
      __shared__ T values[N], more[N][2];
      T sum = 0;
      #pragma unroll
      for (int i = 0; i < 3; ++i) sum += table[i];
      #pragma unroll 4
      for (int i = 0; i < N; ++i) values[i] = more[i][1] = i;
      printf("dropped %d\n", sum);
      const long long ticks = clock64();
      assert(ticks > 0);
      out[threadIdx.x] = twice<2>(sum) + counter + identity(values[N - 1] + more[1][1]) + warpSize;
    })",
                                         .entry = "kernel<int, 4>",
                                         .block = {1, 1, 1}},
                                        1);
  CHECK(out[0] == 120 + 5 + 4 + 32);
}

TEST_SUITE_END();
