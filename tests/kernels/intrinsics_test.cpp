// Values of CUDA's device functions on the CPU device: what the CUDA Math API and the Programming Guide say.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/kernels/cpu_machine.hpp"

using tuner::compile::host::Instrument;
using tuner::test::CpuMachine;
using tuner::test::KernelRun;

namespace {

template <class Element>
std::vector<Element> values_of(const std::string& body, std::size_t count, const std::string& before = "",
                               unsigned threads = 1, Instrument instrument = Instrument::none) {
  const char* const type = std::is_same_v<Element, double>     ? "double"
                           : std::is_same_v<Element, unsigned> ? "unsigned"
                                                               : "int";
  CpuMachine machine;
  const KernelRun run{.source = before + "\n__global__ void kernel(" + type + "* out) {\n" + body + "\n}",
                      .block = {threads, 1, 1},
                      .instrument = instrument};
  std::vector<Element> out = machine.run(run, std::vector<Element>(count));
  for (const tuner::device::cpu::Race& race : machine.races()) FAIL_CHECK(race.text);
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::device::cpu intrinsics");

TEST_CASE("arithmetic and conversions round as their names say") {
  const std::vector<double> out = values_of<double>(R"(
    const float tiny = 1e-10f;
    out[0] = __fadd_rd(1.0f, tiny);
    out[1] = __fadd_ru(1.0f, tiny);
    out[2] = __fsub_rz(-1.0f, -tiny);
    out[3] = __fmul_ru(1 + 0x1p-23f, 1 + 0x1p-23f);
    out[4] = __fmul_rz(1 + 0x1p-23f, 1 + 0x1p-23f);
    out[5] = __fdiv_rd(1.0f, 3.0f) * 3.0;
    out[6] = __fmaf_ru(1.0f, 1.0f, tiny);
    out[7] = __fsqrt_rz(2.0f) < sqrt(2.0);
    out[8] = __fsqrt_ru(2.0f) > sqrt(2.0);
    out[9] = __frcp_ru(3.0f) * 3.0 > 1;
    out[10] = __uint2float_rz(0xffffffffu);
    out[11] = __int2float_ru(-16777217);
    out[12] = __ull2float_rd(~0ull);
    out[13] = __ll2double_ru(9007199254740993ll);
    out[14] = __double2float_rz(1e300);
    out[15] = __dadd_ru(1.0, 1e-300) - 1;
    out[16] = __fma_rd(1.0, 1.0, -1e-300);
    out[17] = __ddiv_rz(-1.0, 3.0) > __ddiv_rd(-1.0, 3.0);
    out[18] = __fadd_rn(1.0f, tiny) + __ull2double_rn(1);
    out[19] = __ffma2_rz(make_float2(1, 2), make_float2(3, 4), make_float2(5, tiny)).y;
    out[20] = __hiloint2double(__double2hiint(-2.5), __double2loint(-2.5));)",
                                                    21);
  const double above = 1 + 0x1p-23;
  CHECK(out[0] == 1);
  CHECK(out[1] == above);
  CHECK(out[2] == -1 + 0x1p-24);
  CHECK(out[3] == 1 + 0x1p-21 * 0.75);
  CHECK(out[4] == 1 + 0x1p-22);
  CHECK(out[5] < 1);
  CHECK(out[6] == above);
  CHECK(out[7] == 1);
  CHECK(out[8] == 1);
  CHECK(out[9] == 1);
  CHECK(out[10] == 4294967040.0);
  CHECK(out[11] == -16777216.0);
  CHECK(out[12] == 18446742974197923840.0);
  CHECK(out[13] == 9007199254740994.0);
  CHECK(out[14] == 0x1.fffffep127);
  CHECK(out[15] == 0x1p-52);
  CHECK(out[16] == 1 - 0x1p-53);
  CHECK(out[17] == 1);
  CHECK(out[18] == 2);
  CHECK(out[19] == 8);
  CHECK(out[20] == -2.5);
}

TEST_CASE("what is no number becomes 0, and where one side has 64 bits the highest bit") {
  const std::vector<unsigned> out = values_of<unsigned>(R"(
    const float x = NAN;
    const double y = NAN;
    out[0] = __float2int_rn(x) | __float2uint_rz(x);
    out[1] = __double2uint_rd(y);
    out[2] = __double2int_ru(y);
    out[3] = (__float2ll_rn(x) & __double2ull_rz(y) & __float2ull_ru(x) & __double2ll_rd(y)) >> 32;
    out[4] = __float2int_rn(1e20f);)",
                                                        5);
  CHECK(out == std::vector<unsigned>{0, 0x80000000, 0x80000000, 0x80000000, 0x7fffffff});
}

TEST_CASE("lanes of a word are added, compared and saturated each by itself") {
  const std::vector<unsigned> out = values_of<unsigned>(R"(
    out[0] = __vadd4(0x01ff7f80u, 0x01010180u);
    out[1] = __vaddus4(0x01ff7f80u, 0x01010180u);
    out[2] = __vaddss4(0x01ff7f80u, 0x01010180u);
    out[3] = __vsub2(0x00010000u, 0x00020001u);
    out[4] = __vsubus2(0x00050000u, 0x00020001u);
    out[5] = __vsubss2(0x80000000u, 0x00010001u);
    out[6] = __vabs4(0xff80017fu);
    out[7] = __vabsss4(0xff80017fu);
    out[8] = __vneg2(0x00018000u);
    out[9] = __vnegss2(0x00018000u);
    out[10] = __vmaxs4(0xff7f0080u, 0x00800001u);
    out[11] = __vmaxu4(0xff7f0080u, 0x00800001u);
    out[12] = __vmins2(0xffff0005u, 0x00010004u);
    out[13] = __vcmpeq4(0x01020304u, 0x01000300u);
    out[14] = __vcmpgtu2(0x80000001u, 0x00010002u);
    out[15] = __vcmpgts2(0x80000001u, 0x00010002u);
    out[16] = __vsetles4(0x80010203u, 0x00000203u);
    out[17] = __vsadu4(0xff000102u, 0x00010305u);
    out[18] = __vsads2(0xffff0001u, 0x00010003u);
    out[19] = __vabsdiffu4(0xff000102u, 0x00010305u);
    out[20] = __vavgu4(0x01020300u, 0x02020401u);
    out[21] = __vavgs2(0xffff0001u, 0x00000002u);
    out[22] = __vhaddu2(0x00010003u, 0x00020004u);)",
                                                        23);
  const std::vector<unsigned> expected = {
      0x02008000, 0x02ff80ff,      0x02007f80, 0xffffffff, 0x00030000, 0x8000ffff, 0x0180017f, 0x017f017f,
      0xffff8000, 0xffff7fff,      0x007f0001, 0xff800080, 0xffff0004, 0xff00ff00, 0xffff0000, 0x00000000,
      0x01000101, 255 + 1 + 2 + 3, 2 + 2,      0xff010203, 0x02020401, 0xffff0002, 0x00010003};
  for (std::size_t i = 0; i < out.size(); ++i) {
    CAPTURE(i);
    CHECK(out[i] == expected[i]);
  }
}

TEST_CASE("dynamic programming takes the largest or the least of sums, and says which") {
  const std::vector<int> out = values_of<int>(R"(
    bool first = true, high = true, low = true;
    out[0] = __vimax3_s32(-3, 2, 1);
    out[1] = __vimin3_u32(3, 0xffffffffu, 4);
    out[2] = __viaddmax_s32(5, -7, -3);
    out[3] = __viaddmax_s32_relu(5, -7, -3);
    out[4] = __vimax3_s16x2(0xffff0001u, 0x00010002u, 0xfffe0003u);
    out[5] = __viaddmin_u16x2(0xffff0001u, 0x00030002u, 0x00040009u);
    out[6] = __vimin_s16x2_relu(0xffff0001u, 0x00010002u);
    out[7] = __vibmax_s32(1, 2, &first);
    out[8] = first;
    out[9] = __vibmin_s16x2(0xffff0005u, 0x00010002u, &high, &low);
    out[10] = 10 * high + low;)",
                                              11);
  CHECK(out == std::vector<int>{2, 3, -2, 0, 0x00010003, 0x00020003, 0x00000001, 2, 0,
                                static_cast<int>(0xffff0002), 10});
}

TEST_CASE("bits, products of lanes and narrow atomics") {
  const std::vector<unsigned> out = values_of<unsigned>(R"(
    out[0] = __funnelshift_lc(0x80000000u, 1, 1);
    out[1] = __funnelshift_lc(0x12345678u, 1, 40);
    out[2] = __funnelshift_rc(7, 0x12345678u, 32);
    out[3] = __fns(0x54, 0, 2);
    out[4] = __fns(0x54, 6, -3);
    out[5] = __fns(0x54, 7, 1);
    out[6] = __dp2a_lo(0x00030002, 0x0102ff04, 10);
    out[7] = __dp2a_hi(0x00030002u, 0x0102ff04u, 10u);
    out[8] = __dp4a(make_char4(1, -2, 3, -4), make_char4(5, 6, 7, 8), 100);
    out[9] = __usad(3, 10, 1) + __uhadd(0xffffffffu, 3) + __urhadd(2, 3);
    unsigned short* narrow = reinterpret_cast<unsigned short*>(out + 10);
    narrow[0] = 5;
    narrow[1] = 6;
    const unsigned short before = atomicCAS(narrow + 1, static_cast<unsigned short>(6), static_cast<unsigned short>(9));
    out[11] = before + atomicCAS(narrow, static_cast<unsigned short>(1), static_cast<unsigned short>(9));
    float4 sums = make_float4(1, 2, 3, 4);
    const float4 old = atomicAdd(&sums, make_float4(1, 1, 1, 1));
    out[12] = sums.x + 10 * sums.w + 100 * old.z;)",
                                                        13);
  const std::vector<unsigned> expected = {3,
                                          0x12345678,
                                          0x12345678,
                                          4,
                                          2,
                                          0xffffffff,
                                          10 + 2 * 4 - 3,
                                          10 + 2 * 2 + 3,
                                          100 + 5 - 12 + 21 - 32,
                                          8 + 0x80000001 + 3,
                                          0x00090005,
                                          11,
                                          2 + 50 + 300};
  for (std::size_t i = 0; i < out.size(); ++i) {
    CAPTURE(i);
    CHECK(out[i] == expected[i]);
  }
}

TEST_CASE("functions beyond C's have the values of the tables") {
  const std::vector<double> out = values_of<double>(R"(
    out[0] = normcdf(1.0);
    out[1] = normcdfinv(0.975);
    out[2] = normcdfinvf(1e-6f);
    out[3] = erfinv(0.5);
    out[4] = erfinv(1e-3);
    out[5] = erfcinv(1e-10);
    out[6] = erfcx(30.0);
    out[7] = cyl_bessel_i0(2.0);
    out[8] = cyl_bessel_i1f(2.0f);
    out[9] = j0(1.0) + yn(0, 1.0);
    double sine, cosine;
    sincospi(0.5, &sine, &cosine);
    out[10] = sine + 10 * cosine;
    const float lengths[] = {2, 3, 6};
    out[11] = normf(3, lengths) + norm4df(1, 1, 1, 1) + rnorm3df(2, 3, 6) + rhypot(3.0, 4.0);
    float whole;
    out[12] = modf(2.75f, &whole) + whole + scalbnf(1.0f, 3) + ilogb(16.0) + llmax(1, 5);
    out[13] = erfinv(2.0);
    out[14] = erfcinvf(0.0f);
    out[15] = normcdfinv(1 - 0x1p-53);
    out[16] = norm3df(3e30f, 4e30f, 0) + normf(2, (const float[]){3e-30f, 4e-30f}) * 1e60;
    out[17] = rnorm3df(3e30f, 4e30f, 0) * 1e31 + norm4d(1e300, 1e300, 1e300, 1e300) / 1e300;
    out[18] = norm(2, (const double[]){INFINITY, NAN});
    out[19] = fabs(sinpi(1.0)) + fabs(cospi(0.5)) + fabsf(cospif(-1.5f)) + fabs(sinpi(1e10)) + sinpi(0.5) + cospi(1.0);
    out[20] = sinpi(1.0 / 6) + cospi(-1.0 / 3) + sinpi(-1.25) * sinpi(-1.25);)",
                                                    21);
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-12); };
  CHECK(out[0] == near(0.841344746068542949));
  CHECK(out[1] == near(1.959963984540054236));
  CHECK(out[2] == doctest::Approx(-4.753424).epsilon(1e-6));
  CHECK(out[3] == near(0.476936276204469873));
  CHECK(out[4] == near(0.000886227157466552772));
  CHECK(out[5] == near(4.572824967389485));
  CHECK(out[6] == near(0.018795888861416751));
  CHECK(out[7] == near(2.279585302336067268));
  CHECK(out[8] == doctest::Approx(1.590636854637329).epsilon(1e-7));
  CHECK(out[9] == near(0.765197686557966551 + 0.088256964215676957));
  CHECK(std::abs(out[10] - 1) < 1e-14);
  CHECK(out[11] == doctest::Approx(7 + 2 + 1 / 7.0 + 0.2).epsilon(1e-7));
  CHECK(out[12] == 2.75 + 8 + 4 + 5);
  CHECK(std::isnan(out[13]));
  CHECK(out[14] == INFINITY);
  CHECK(out[15] == doctest::Approx(8.2095361516).epsilon(1e-9));
  CHECK(out[16] == doctest::Approx(1e31).epsilon(1e-6));
  CHECK(out[17] == doctest::Approx(2 + 2).epsilon(1e-6));
  CHECK(out[18] == INFINITY);
  CHECK(out[19] == 0);
  CHECK(out[20] == near(1.5));
}

TEST_CASE("threads of a warp agree, or not, on one value") {
  const std::vector<int> out = values_of<int>(R"(
    const int lane = threadIdx.x;
    int same = -1;
    out[lane] = __match_all_sync(~0u, lane / 32, &same);
    out[lane] += 10 * same;
    const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    const unsigned who = __match_all_sync(half, lane < 16 ? 2.5 : lane / 20 * 1.0, &same);
    out[lane + 32] = (who == half) * 10 + same + 100 * (who == 0);)",
                                              64, "", 32);
  CHECK(out[7] == 9);
  CHECK(out[32 + 3] == 11);
  CHECK(out[32 + 16] == 100);
}

TEST_CASE("cooperative groups part warps, scan, reduce and copy") {
  for (const Instrument instrument : {Instrument::none, Instrument::accesses}) {
    const std::vector<int> out = values_of<int>(R"(
      const auto block = cg::this_thread_block();
      const auto warp = cg::tiled_partition<32>(block);
      const auto tile = cg::tiled_partition<8>(warp);
      const int i = threadIdx.x;
      out[i] = tile.meta_group_rank() + 10 * tile.meta_group_size();
      out[64 + i] = cg::inclusive_scan(tile, i % 8);
      out[128 + i] = cg::exclusive_scan(warp, 1);
      const auto odd = cg::labeled_partition(warp, i % 3);
      out[192 + i] = cg::reduce(odd, 1, cg::plus<int>()) + 100 * odd.thread_rank() + 10000 * odd.meta_group_rank();
      const auto side = cg::binary_partition(warp, i % 4 == 0);
      out[256 + i] = cg::reduce(side, i % 32, cg::greater<int>()) + 100 * side.shfl_down(i % 32, 1) + 10000 * side.ballot(i % 8 == 0);
      const cg::coalesced_group alone = cg::coalesced_threads();
      cg::invoke_one(alone, [&](unsigned count) { atomicAdd(out + 320, static_cast<int>(count)); }, alone.num_threads());
      out[321 + i] = sum(cg::tiled_partition(block, 4), i) + 1000 * sum(block, 1);
      __shared__ float4 copied[64];
      __shared__ float4 from[64];
      from[i] = make_float4(i, 0, 0, i);
      block.sync();
      cg::memcpy_async(block, copied, from, sizeof copied);
      cg::wait(block);
      out[385 + i] = copied[63 - i].w + width(tile);
      struct Wide { double a, b; int c; } wide = {0.5, 1.5, i};
      out[449 + i] = warp.shfl(wide, 3).c + 100 * warp.match_any(i / 16 % 2) % 100;
      out[513 + i] = cg::invoke_one_broadcast(tile, [&] { return i; });)",
                                                577, R"(
      #include <cooperative_groups.h>
      #include <cooperative_groups/memcpy_async.h>
      #include <cooperative_groups/scan.h>
      namespace cg = cooperative_groups;
      __device__ int width(cg::thread_block_tile<8> tile) { return tile.size(); }
      __device__ int sum(cg::thread_group group, int own) {
        __shared__ int places[64];
        places[threadIdx.x] = own;
        group.sync();
        int total = 0;
        for (unsigned i = 0; i < group.size(); ++i) total += places[threadIdx.x - group.thread_rank() + i];
        group.sync();
        return total;
      })",
                                                64, instrument);
    CHECK(out[41] == 1 + 40);
    CHECK(out[64 + 13] == 15);
    CHECK(out[128 + 33] == 1);
    CHECK(out[192 + 4] == 11 + 100 + 10000);
    CHECK(out[256 + 4] == 28 + 800 + 10000 * 0x55);
    CHECK(out[256 + 31] == 31 + 3100);
    CHECK(out[320] == 64);
    CHECK(out[321 + 5] == 4 + 5 + 6 + 7 + 64000);
    CHECK(out[385 + 10] == 53 + 8);
    CHECK(out[449 + 40] == 35 + 0xffff * 100 % 100);
    CHECK(out[513 + 47] == 40);
  }
}

TEST_CASE("copies of a pipeline arrive, and a thread that sleeps lets others go on") {
  const std::vector<int> out = values_of<int>(R"(
    __shared__ int4 tile[2];
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    const int4 from = make_int4(1, 2, 3, 4);
    if (threadIdx.x < 2) __pipeline_memcpy_async(tile + threadIdx.x, &from, 16, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (threadIdx.x == 0) while (atomicAdd(&flag, 0) < 63) __nanosleep(100);
    else atomicAdd(&flag, 1);
    __syncthreads();
    out[threadIdx.x] = flag + 1000 * tile[1].z + 10000 * tile[0].w;)",
                                              64, "#include <cuda_pipeline.h>\n", 64);
  CHECK(out == std::vector<int>(64, 3063));
}

TEST_CASE("CUDA's C++ library works: atomics, barriers and pipelines between threads of a block") {
  if (!tuner::test::has_toolkit()) return;
  for (const Instrument instrument : {Instrument::none, Instrument::accesses}) {
    const std::vector<int> out = values_of<int>(
        R"(
      using barrier = cuda::barrier<cuda::thread_scope_block>;
      __shared__ barrier met;
      __shared__ int places[64];
      if (threadIdx.x == 0) init(&met, blockDim.x);
      __syncthreads();
      int sum = 0;
      for (int round = 1; round < 4; ++round) {
        places[threadIdx.x] = round * threadIdx.x;
        met.arrive_and_wait();
        sum += places[63 - threadIdx.x];
        met.arrive_and_wait();
      }
      cuda::memcpy_async(&places[threadIdx.x], &sum, sizeof(int), met);
      met.wait(met.arrive());
      out[threadIdx.x] = places[threadIdx.x ^ 1];
      met.arrive_and_wait();
      cuda::memcpy_async(cooperative_groups::this_thread_block(), places, out, cuda::aligned_size_t<4>(64 * 4), met);
      met.arrive_and_wait();
      out[threadIdx.x] = places[threadIdx.x];
      cuda::atomic_ref<int, cuda::thread_scope_device>(out[64]).fetch_add(2, cuda::memory_order_relaxed);
      auto pipe = cuda::make_pipeline();
      pipe.producer_acquire();
      cuda::memcpy_async(places + threadIdx.x, out + 65 + threadIdx.x, sizeof(int), pipe);
      pipe.producer_commit();
      pipe.consumer_wait();
      places[threadIdx.x] += 1;
      pipe.consumer_release();
      out[65 + threadIdx.x] = places[threadIdx.x];
      namespace cg = cooperative_groups;
      const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
      const cuda::atomic_ref<int, cuda::thread_scope_device> total(out[129]);
      const int inclusive = cg::inclusive_scan_update(tile, total, 2);
      const int exclusive = cg::exclusive_scan_update(tile, total, 1, cg::plus<int>());
      atomicAdd(out + 130, inclusive > 0 && inclusive % 2 == 0 && exclusive % 16 == threadIdx.x % 16);
      cg::reduce_update_async(tile, total, 3, cg::plus<int>());
      cg::reduce_store_async(tile, out + 131 + tile.meta_group_rank(), 5, cg::plus<int>());)",
        135,
        "#include <cuda/atomic>\n#include <cuda/barrier>\n#include <cuda/pipeline>\n#include "
        "<cooperative_groups/scan.h>\n",
        64, instrument);
    CHECK(out[0] == 6 * 62);
    CHECK(out[63] == 6 * 1);
    CHECK(out[64] == 128);
    CHECK(out[65 + 7] == 1);
    CHECK(out[129] == 64 * (2 + 1 + 3));
    CHECK(out[130] == 64);
    CHECK(out[134] == 80);
  }
}

TEST_CASE("random numbers are those of cuRAND's generators") {
  if (!tuner::test::has_toolkit()) return;
  const std::vector<unsigned> out = values_of<unsigned>(R"(
    curandStatePhilox4_32_10_t state;
    curand_init(0, 0, 0, &state);
    out[0] = curand(&state);
    out[1] = curand(&state);
    const float chance = curand_uniform(&state);
    out[2] = chance > 0 && chance <= 1;)",
                                                        3, "#include <curand_kernel.h>");
  // Of the known answers of Random123, philox4x32 10 with counter and key 0.
  CHECK(out == std::vector<unsigned>{0x6627e8d5, 0xe169c58d, 1});
}

TEST_CASE("warps multiply small matrices") {
  if (!tuner::test::has_toolkit()) return;
  for (const Instrument instrument : {Instrument::none, Instrument::accesses}) {
    const std::vector<double> out = values_of<double>(R"(
      using namespace nvcuda;
      __shared__ half a[16 * 16], b[16 * 16];
      __shared__ float c[16 * 24];
      __shared__ signed char bytes[32 * 16];
      __shared__ int whole[32 * 8];
      for (int i = threadIdx.x; i < 256; i += 32) {
        a[i] = __float2half(i / 16 + 0.5f * (i % 16));
        b[i] = __float2half(i % 16 - 2.0f * (i / 16));  // by columns: element (k, n) is at 16 n + k
        bytes[i] = bytes[i + 256] = i % 11 - 5;
      }
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
      wmma::fill_fragment(sum, 1.0f);
      wmma::load_matrix_sync(left, a, 16);
      wmma::load_matrix_sync(right, b, 16);
      wmma::mma_sync(sum, left, right, sum);
      for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
      wmma::store_matrix_sync(c, sum, 24, wmma::mem_row_major);
      wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> tall;
      wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> flat;
      wmma::fragment<wmma::accumulator, 32, 8, 16, int> count;
      wmma::fill_fragment(count, 0);
      wmma::load_matrix_sync(tall, bytes, 16);
      wmma::load_matrix_sync(flat, bytes, 8);
      wmma::mma_sync(count, tall, flat, count);
      wmma::store_matrix_sync(whole, count, 8, wmma::mem_row_major);
      __syncwarp();
      double wrong = 0;
      for (int at = threadIdx.x; at < 256; at += 32) {
        double expected = 1;
        for (int k = 0; k < 16; ++k) expected += (at / 16 + 0.5 * k) * (k - 2.0 * (at % 16));
        wrong += c[at / 16 * 24 + at % 16] != 2 * expected;
        int product = 0;
        for (int k = 0; k < 16; ++k) product += bytes[at / 8 * 16 + k] * bytes[8 * k + at % 8];
        wrong += whole[at] != product;
      }
      out[threadIdx.x] = wrong + __half2float(a[17]);)",
                                                      32, "#include <mma.h>\n", 32, instrument);
    CHECK(out == std::vector<double>(32, 1.5));
  }
}

TEST_CASE("sums of a warp's product saturate where it is asked for, and NaN is one in TF32") {
  if (!tuner::test::has_toolkit()) return;
  const std::vector<double> out = values_of<double>(R"(
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum, wrapped;
    wmma::fill_fragment(left, 100);
    wmma::fill_fragment(right, 100);
    wmma::fill_fragment(sum, 0x7fffffff);
    wmma::mma_sync(wrapped, left, right, sum);
    wmma::mma_sync(sum, left, right, sum, true);
    out[0] = sum.x[3] == 0x7fffffff && wrapped.x[3] < 0;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> c;
    wmma::fill_fragment(a, __float2half(-300));
    wmma::fill_fragment(b, __float2half(300));
    wmma::fill_fragment(c, __float2half(0));
    wmma::mma_sync(c, a, b, c, true);
    out[1] = __half2float(c.x[0]);
    out[2] = isnan(wmma::__float_to_tf32(__uint_as_float(0x7fffffff)));
    out[3] = isnan(wmma::__float_to_tf32(__uint_as_float(0xffffffff)));
    out[4] = wmma::__float_to_tf32(1.0f + 0x1p-11f) - 1;
    out[5] = wmma::__float_to_tf32(INFINITY);)",
                                                    6, "#include <mma.h>\n", 32);
  CHECK(out == std::vector<double>{1, -65504, 1, 1, 0x1p-10, INFINITY});
}

TEST_SUITE_END();
