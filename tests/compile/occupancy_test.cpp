#include "tuner/device/cuda/occupancy/occupancy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace cuda = tuner::device::cuda;
using tuner::model::DeviceInfo;
using tuner::model::Dim3;
using tuner::model::KernelResources;
using tuner::model::Occupancy;
using Names = std::vector<std::string>;

namespace {

KernelResources kernel(int registers, int shared = 0, int bounds = 0) {
  KernelResources resources;
  resources.entry = "k";
  resources.registers = registers;
  resources.static_shared_bytes = shared;
  resources.max_threads_per_block = bounds;
  return resources;
}

std::optional<Occupancy> on(const DeviceInfo& device, const KernelResources& resources, const Dim3& block,
                            std::int64_t dynamic = 0) {
  return cuda::occupancy(device.limits, device.compute_major, device.compute_minor, resources, block,
                         dynamic);
}

bool available() {
  return on(*cuda::known_device("sm_90"), kernel(32), {32, 1, 1}).has_value();
}

}  // namespace

TEST_SUITE_BEGIN("tuner::device::cuda occupancy");

TEST_CASE("a block beyond the bounds that its kernel was compiled for has no share of any resource") {
  if (!available()) return;
  const DeviceInfo h100 = *cuda::known_device("sm_90");
  const auto shares = [&](int threads) {
    return cuda::resource_shares(h100.limits, 9, 0, kernel(32, 0, 256), {threads, 1, 1}, 0);
  };
  CHECK_FALSE(shares(256).empty());
  CHECK(shares(257).empty());
  CHECK(shares(0).empty());
  CHECK(on(h100, kernel(32, 0, 256), {257, 1, 1})->limited_by == Names{"launch bounds"});
}

TEST_CASE("each limiting resource is named, ties too" * doctest::skip(!available())) {
  const DeviceInfo h200 = *cuda::known_device("sm_90");
  struct Case {
    KernelResources resources;
    Dim3 block;
    std::int64_t dynamic;
    int blocks;
    Names limited_by;
  };
  // By hand from the programming guide: 2048 threads, 65536 registers, 233472 bytes, 32 blocks an SM;
  // registers in units of 256 a warp, shared memory in units of 128 with 1024 reserved a block.
  const Case cases[] = {
      {kernel(32), {1024, 1, 1}, 0, 2, {"warps", "registers"}},
      {kernel(30), {32, 16, 1}, 0, 4, {"warps", "registers"}},
      {kernel(16), {256, 1, 1}, 0, 8, {"warps"}},
      {kernel(128), {256, 1, 1}, 0, 2, {"registers"}},
      {kernel(65), {16, 16, 1}, 0, 3, {"registers"}},
      {kernel(16), {32, 1, 1}, 0, 32, {"blocks"}},
      {kernel(32, 49152), {256, 1, 1}, 0, 4, {"shared memory"}},
      {kernel(32), {256, 1, 1}, 100'000, 2, {"shared memory"}},
      {kernel(32), {256, 1, 1}, 232'448, 1, {"shared memory"}},
      {kernel(32),
       {256, 1, 1},
       57'344,
       4,
       {"shared memory"}},  // 58368 with what is reserved, exactly a quarter
      {kernel(32), {256, 1, 1}, 57'345, 3, {"shared memory"}},
      {kernel(64, 16384), {128, 1, 1}, 40'960, 4, {"shared memory"}},
  };
  for (const Case& c : cases) {
    const auto occupancy = on(h200, c.resources, c.block, c.dynamic);
    REQUIRE(occupancy.has_value());
    CAPTURE(c.resources.registers);
    CAPTURE(c.dynamic);
    CHECK(occupancy->blocks_per_multiprocessor == c.blocks);
    CHECK(occupancy->limited_by == c.limited_by);
    const int warps = c.blocks * static_cast<int>((c.block.count() + 31) / 32);
    CHECK(occupancy->active_warps_per_multiprocessor == warps);
    CHECK(occupancy->fraction == doctest::Approx(warps / 64.0));
  }
}

TEST_CASE("a block that is no multiple of 32 threads takes whole warps, and their registers" *
          doctest::skip(!available())) {
  const DeviceInfo h200 = *cuda::known_device("sm_90");
  struct Case {
    std::int64_t threads;
    int registers;
    int blocks;
    int warps;  ///< of a block
    std::int64_t registers_of_block;
    Names limited_by;
  };
  // By hand: 64 warps and 65536 registers a multiprocessor. A warp's registers come in units of 256; of them
  // a sub-partition holds a quarter, so that a block's warps count as a multiple of four.
  const Case cases[] = {
      {33, 16, 32, 2, 2 * 512, {"warps", "blocks"}}, {65, 16, 21, 3, 3 * 512, {"warps"}},
      {97, 128, 4, 4, 4 * 4096, {"registers"}},      {257, 32, 7, 9, 9 * 1024, {"warps", "registers"}},
      {1000, 16, 2, 32, 32 * 512, {"warps"}},        {1, 16, 32, 1, 512, {"blocks"}},
      {31, 255, 8, 1, 8192, {"registers"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.threads);
    const auto occupancy = on(h200, kernel(c.registers), {c.threads, 1, 1});
    REQUIRE(occupancy);
    CHECK(occupancy->blocks_per_multiprocessor == c.blocks);
    CHECK(occupancy->active_warps_per_multiprocessor == c.blocks * c.warps);
    CHECK(occupancy->fraction == doctest::Approx(c.blocks * c.warps / 64.0));
    CHECK(occupancy->limited_by == c.limited_by);
    const auto shares = cuda::resource_shares(h200.limits, 9, 0, kernel(c.registers), {c.threads, 1, 1}, 0);
    REQUIRE(shares.size() >= 3);
    CHECK(shares[0].resource == "warps");
    CHECK(shares[0].per_block == c.warps);
    CHECK(shares[0].available == 64);
    CHECK(shares[1].resource == "registers");
    CHECK(shares[1].per_block == c.registers_of_block);
    CHECK(shares[1].available == 65536);
  }
}

TEST_CASE("what the shares allow is the occupancy, for any block" * doctest::skip(!available())) {
  std::mt19937 random(20261123);
  const auto below = [&](unsigned count) { return static_cast<std::int64_t>(random() % count); };
  for (int i = 0; i < 3000; ++i) {
    CAPTURE(i);
    const auto architectures = cuda::known_architectures();
    const DeviceInfo device = *cuda::known_device(architectures[random() % architectures.size()]);
    const KernelResources resources =
        kernel(1 + static_cast<int>(random() % 255), static_cast<int>(random() % 20'000));
    const Dim3 block{below(64) + 1, below(8) + 1, below(2) + 1};
    const std::int64_t dynamic = below(3) == 0 ? 0 : below(60'000);
    const auto occupancy = on(device, resources, block, dynamic);
    REQUIRE(occupancy);
    const auto shares = cuda::resource_shares(device.limits, device.compute_major, device.compute_minor,
                                              resources, block, dynamic);
    if (occupancy->blocks_per_multiprocessor == 0) {
      CHECK(cuda::why_unlaunchable(device.limits, resources, block, dynamic));
      continue;
    }
    const std::int64_t warps = (block.count() + 31) / 32;
    int least = std::numeric_limits<int>::max();
    Names tightest;
    for (const auto& share : shares) least = std::min(least, share.blocks);
    for (const auto& share : shares) {
      if (share.blocks == least) tightest.push_back(share.resource);
      CHECK(share.blocks <= share.available / share.per_block);
      if (share.resource == "warps") {
        CHECK(share.per_block == warps);
        CHECK(share.available == device.limits.max_threads_per_multiprocessor / 32);
        CHECK(occupancy->fraction ==
              doctest::Approx(static_cast<double>(occupancy->active_warps_per_multiprocessor) /
                              static_cast<double>(share.available)));
      }
      if (share.resource == "registers") CHECK(share.available == device.limits.registers_per_multiprocessor);
      if (share.resource == "shared memory")
        CHECK(share.available == device.limits.shared_bytes_per_multiprocessor);
      if (share.resource == "blocks") {
        CHECK(share.per_block == 1);
        CHECK(share.available == device.limits.max_blocks_per_multiprocessor);
      }
    }
    CHECK(least == occupancy->blocks_per_multiprocessor);
    CHECK(tightest == occupancy->limited_by);
    CHECK(occupancy->active_warps_per_multiprocessor == least * warps);
  }
}

TEST_CASE("a launch that does not fit has no blocks" * doctest::skip(!available())) {
  const DeviceInfo h200 = *cuda::known_device("sm_90");
  CHECK(on(h200, kernel(32), {256, 1, 1}, 232'449)->blocks_per_multiprocessor == 0);
  CHECK(on(h200, kernel(96), {1024, 1, 1})->blocks_per_multiprocessor == 0);
  CHECK(on(h200, kernel(16), {1025, 1, 1})->blocks_per_multiprocessor == 0);
  CHECK(on(h200, kernel(16, 0, 128), {256, 1, 1})->limited_by == Names{"launch bounds"});
  CHECK(on(h200, kernel(16, 0, 256), {256, 1, 1})->blocks_per_multiprocessor == 8);
  CHECK(on(h200, kernel(16), {1, 1, 65})->blocks_per_multiprocessor == 0);
  CHECK(on(h200, kernel(16), {1, 1, 64})->blocks_per_multiprocessor > 0);
  CHECK(on(h200, kernel(16), {1, 1025, 1})->blocks_per_multiprocessor == 0);
  CHECK(on(h200, kernel(16), {1, 1, 1}, std::int64_t{1} << 40)->blocks_per_multiprocessor == 0);
  CHECK(on(h200, kernel(16), {0, 1, 1})->blocks_per_multiprocessor == 0);
  CHECK(on(h200, kernel(16), {1, 1, 1}, -1)->blocks_per_multiprocessor == 0);
  CHECK(
      on(h200, kernel(16), {std::int64_t{1} << 62, 4, 4}, std::int64_t{1} << 62)->blocks_per_multiprocessor ==
      0);
}

TEST_CASE("an unknown compute capability has no occupancy") {
  const DeviceInfo h200 = *cuda::known_device("sm_90");
  CHECK_FALSE(cuda::occupancy(h200.limits, 99, 0, kernel(32), {32, 1, 1}, 0).has_value());
}

TEST_CASE("what is said to be unlaunchable is what the calculator gives no block to" *
          doctest::skip(!available())) {
  for (const std::string& architecture : cuda::known_architectures()) {
    const DeviceInfo device = *cuda::known_device(architecture);
    for (int registers = 1; registers <= 257; registers += 8) {
      for (std::int64_t threads = 1; threads <= 1200; threads += 33) {
        for (const std::int64_t dynamic :
             {0, 49'152, 65'536, 98'304, 101'376, 101'377, 166'912, 232'448, 232'449}) {
          const Dim3 block{threads, 1, 1};
          const auto why = cuda::why_unlaunchable(device.limits, kernel(registers), block, dynamic);
          const auto occupancy = on(device, kernel(registers), block, dynamic);
          REQUIRE(occupancy.has_value());
          REQUIRE_MESSAGE(
              why.has_value() == (occupancy->blocks_per_multiprocessor == 0),
              architecture << " registers " << registers << " threads " << threads << " dynamic " << dynamic);
        }
      }
    }
  }
}

TEST_CASE("reasons are sentences with both numbers") {
  const tuner::model::DeviceLimits limits = cuda::known_device("sm_90")->limits;
  const auto why = [&](const KernelResources& resources, const Dim3& block, std::int64_t dynamic = 0) {
    return cuda::why_unlaunchable(limits, resources, block, dynamic).value_or("fits");
  };
  CHECK(why(kernel(32), {256, 1, 1}) == "fits");
  CHECK(why(kernel(32), {256, 1, 1}, 263'168) ==
        "needs 263168 bytes of shared memory per block, the device allows 232448");
  CHECK(why(kernel(32, 4096), {256, 1, 1}, 230'000) ==
        "needs 4096 static + 230000 dynamic bytes of shared memory per block, the device allows 232448");
  CHECK(why(kernel(96), {1024, 1, 1}) ==
        "1024 threads x 96 registers = 98304; the device allows 65536 registers per block");
  CHECK(why(kernel(65), {1000, 1, 1}) ==
        "1000 threads x 65 registers = 65000, 73728 as they are allocated; the device allows 65536 registers "
        "per block");
  CHECK(why(kernel(32), {64, 64, 1}) == "the block has 4096 threads (64 x 64 x 1), the device allows 1024");
  CHECK(why(kernel(32), {2048, 1, 1}) == "the block has 2048 in x, the device allows 1024");
  CHECK(why(kernel(32), {1, 1, 65}) == "the block has 65 in z, the device allows 64");
  CHECK(why(kernel(32), {0, 1, 1}) == "the block has 0 in x, at least 1 is needed");
  CHECK(why(kernel(32, 0, 512), {512, 1, 1}) == "fits");
  CHECK(why(kernel(256), {32, 1, 1}) == "fits");
  CHECK(why(kernel(257), {32, 1, 1}) == "the kernel has 257 registers per thread, the device allows 256");
  CHECK(why(kernel(32, 0, 256), {512, 1, 1}) ==
        "the block has 512 threads (512 x 1 x 1), the launch bounds of 'k' allow 256");
  CHECK(why(kernel(32), {32, 1, 1}, -4) == "-4 bytes of dynamic shared memory, at least 0 is needed");
  CHECK(cuda::why_unlaunchable(limits, kernel(32), {1, 70'000, 1}, {32, 1, 1}, 0).value_or("") ==
        "the grid has 70000 in y, the device allows 65535");
  CHECK_FALSE(cuda::why_unlaunchable(limits, kernel(32), {1, 65'535, 1}, {32, 1, 1}, 0).has_value());
  CHECK(cuda::why_unlaunchable(limits, kernel(32), {1, 1, 70'000}, {32, 1, 1}, 0).value_or("") ==
        "the grid has 70000 in z, the device allows 65535");
  CHECK(cuda::why_unlaunchable(limits, kernel(32), {0, 1, 1}, {32, 1, 1}, 0).value_or("") ==
        "the grid has 0 in x, at least 1 is needed");
  tuner::model::DeviceLimits plain = limits;
  plain.shared_bytes_per_block_optin = 0;  // of a device that does not say
  CHECK_FALSE(cuda::why_unlaunchable(plain, kernel(32), {32, 1, 1}, 49'152));
  CHECK(cuda::why_unlaunchable(plain, kernel(32), {32, 1, 1}, 49'153));
}

TEST_CASE("a cooperative grid must fit at once" * doctest::skip(!available())) {
  const DeviceInfo device = *cuda::known_device("sm_90");  // 132 multiprocessors
  tuner::model::Step step;
  step.block = {1024, 1, 1};
  step.grid = {264, 1, 1};
  step.cooperative = true;
  CHECK_FALSE(cuda::why_unlaunchable(device, kernel(32), step));
  step.grid = {265, 1, 1};
  CHECK(cuda::why_unlaunchable(device, kernel(32), step) ==
        "a cooperative grid of 265 blocks; the device runs 264 at once: 2 on each of 132 multiprocessors");
  CHECK(cuda::why_unlaunchable(device, kernel(64), step) ==
        "a cooperative grid of 265 blocks; the device runs 132 at once: 1 on each of 132 multiprocessors");
  step.cooperative = false;
  CHECK_FALSE(cuda::why_unlaunchable(device, kernel(64), step));
}

TEST_CASE("clusters need a device that has them") {
  tuner::model::Step step;
  step.block = {128, 1, 1};
  step.grid = {8, 1, 1};
  step.cluster = {4, 1, 1};
  CHECK_FALSE(cuda::why_unlaunchable(*cuda::known_device("sm_90"), kernel(32), step));
  CHECK(cuda::why_unlaunchable(*cuda::known_device("sm_89"), kernel(32), step) ==
        "clusters need compute capability 9.0, the device has 8.9");
  step.cluster = {1, 1, 1};
  CHECK_FALSE(cuda::why_unlaunchable(*cuda::known_device("sm_89"), kernel(32), step));
}

TEST_CASE("flagship parts stand in for a device that is not there") {
  const auto h200 = cuda::known_device("sm_90a");
  REQUIRE(h200.has_value());
  CHECK(h200->name == "NVIDIA H200");
  CHECK(h200->architecture == "sm_90a");
  CHECK(h200->limits.multiprocessors == 132);
  CHECK(h200->limits.shared_bytes_per_block_optin == 232'448);
  CHECK(h200->limits.shared_bytes_per_multiprocessor == 233'472);
  CHECK(h200->limits.reserved_shared_bytes_per_block == 1024);
  CHECK(cuda::known_device("sm_75")->limits.max_threads_per_multiprocessor == 1024);
  CHECK(cuda::known_device("sm_70")->limits.reserved_shared_bytes_per_block == 0);
  CHECK_FALSE(cuda::known_device("sm_61").has_value());
  CHECK_FALSE(cuda::known_device("").has_value());
  CHECK_FALSE(cuda::known_device("a").has_value());
  const auto architectures = cuda::known_architectures();
  for (const std::string& architecture : architectures) CHECK(cuda::known_device(architecture));
  for (const char* recent : {"sm_87", "sm_103", "sm_110", "sm_121"})
    CHECK(std::ranges::count(architectures, recent) == 1);
}

TEST_SUITE_END();
