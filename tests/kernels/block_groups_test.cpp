// Blocks that wait for each other on the CPU device: cooperative grids and clusters.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/kernels/cpu_machine.hpp"
#include "tests/support/contains.hpp"

using tuner::model::Dim3;
using tuner::test::CpuMachine;
using tuner::test::KernelRun;

namespace {

std::vector<int> run_together(const KernelRun& run, std::size_t count) {
  CpuMachine machine;
  return machine.run(run, std::vector<int>(count, 0));
}

std::string failure_of(const KernelRun& run) {
  try {
    run_together(run, 1024);
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("tuner::device::cpu block groups");

TEST_CASE("a barrier of the grid lets every block see what all have written, round after round") {
  const std::vector<int> out = run_together({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) {
      const auto grid = cooperative_groups::this_grid();
      __shared__ int own;
      for (int round = 1; round <= 5; ++round) {
        if (threadIdx.x == 0) out[grid.block_rank()] += round;
        grid.sync();
        if (threadIdx.x == 0) {
          own = 0;
          for (int i = 0; i < grid.num_blocks(); ++i) own += out[i];
        }
        __syncthreads();
        grid.sync();
        out[grid.num_blocks() + grid.thread_rank()] = own;
      }
    })",
                                             .grid = {4, 2, 2},
                                             .block = {33, 1, 1},
                                             .cooperative = true},
                                            16 + 16 * 33);
  std::vector<int> expected(16 + 16 * 33, 16 * 15);
  std::fill_n(expected.begin(), 16, 15);
  CHECK(out == expected);
}

TEST_CASE("all threads of a grid that meets hold the same sum") {
  const std::vector<int> out = run_together({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) {
      cooperative_groups::grid_group grid = cooperative_groups::this_grid();
      atomicAdd(out, 1);
      grid.sync();
      out[1 + grid.thread_rank()] = *out;
    })",
                                             .grid = {3, 2, 1},
                                             .block = {40, 1, 1},
                                             .cooperative = true},
                                            1 + 240);
  CHECK(out == std::vector<int>(241, 240));
}

TEST_CASE("a block that never comes to the grid's barrier is found out") {
  const std::string why = failure_of({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) {
      if (blockIdx.x == 1) return;
      cooperative_groups::this_grid().sync();
    })",
                                      .grid = {3, 1, 1},
                                      .cooperative = true});
  CHECK(contains(why, "not all blocks of a cooperative grid reached its barrier: kernel.cu:5"));
  const std::string first_of_block = failure_of({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) {
      if (threadIdx.x == 0) return;
      cooperative_groups::this_grid().sync();
    })",
                                                 .grid = {3, 1, 1},
                                                 .cooperative = true});
  CHECK(contains(first_of_block, "31 of 32 threads wait at kernel.cu:5"));
  CHECK(contains(first_of_block, "1 of 32 threads returned (first: (0, 0, 0))"));
  CHECK(contains(failure_of({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) { cooperative_groups::this_grid().sync(); })"}),
                 "in a launch that is not cooperative"));
}

TEST_CASE("a cooperative grid that does not fit is unlaunchable") {
  const KernelRun run{.source = "__global__ void kernel(int* out) {}",
                      .grid = {29, 1, 1},
                      .block = {1024, 1, 1},
                      .cooperative = true};
  CpuMachine machine;
  try {
    machine.run(run, std::vector<int>(1));
    FAIL("it was launched");
  } catch (const tuner::device::DeviceFault& fault) {
    CHECK(fault.status() == tuner::model::TrialStatus::unlaunchable);
    CHECK(
        contains(fault.what(), "29 blocks of 1024 threads must run at once; this device runs 28672 threads"));
  }
}

TEST_CASE("blocks of a cluster know their rank and read each other's shared memory") {
  const std::vector<int> out = run_together({.source = R"(
    #include <cooperative_groups.h>
    extern __shared__ int wide[];
    __global__ void kernel(int* out) {
      const auto cluster = cooperative_groups::this_cluster();
      __shared__ int narrow[2];
      narrow[1] = 10 * (blockIdx.x + gridDim.x * blockIdx.y);
      wide[threadIdx.x] = cluster.block_rank();
      cluster.sync();
      const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
      const int there = *cluster.map_shared_rank(&narrow[1], next);
      const int rank = cluster.map_shared_rank(wide, next)[threadIdx.x];
      cluster.sync();
      const int block = blockIdx.x + gridDim.x * blockIdx.y;
      out[block * blockDim.x + threadIdx.x] = there + 1000 * rank + 10000 * cluster.num_blocks();
    })",
                                             .grid = {4, 4, 1},
                                             .block = {3, 1, 1},
                                             .dynamic_shared_bytes = 12,
                                             .cluster = {2, 2, 1}},
                                            16 * 3);
  // Block (2, 1) has rank 2 in its cluster; the next one, of rank 3, is block (3, 1), the grid's eighth.
  CHECK(out[6 * 3 + 1] == 70 + 3000 + 40000);
  CHECK(out[0] == 10 + 1000 + 40000);
  CHECK(out[15 * 3] == 100 + 0 + 40000);  // from rank 3 on to rank 0: block (2, 2)
}

TEST_CASE("a cluster waits for no thread that has returned, and counts threads through its blocks") {
  const std::vector<int> out = run_together({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) {
      const auto cluster = cooperative_groups::this_cluster();
      __shared__ int own;
      if (threadIdx.x == 3) own = blockIdx.x;
      if (threadIdx.x < 2 + blockIdx.x) return;
      cluster.sync();
      const int there = *cluster.map_shared_rank(&own, 1 - cluster.block_rank());
      cluster.sync();
      const auto grid = cooperative_groups::this_grid();
      out[grid.thread_rank()] = there + 10 * cluster.thread_index().x + 1000 * cluster.dim_threads().x +
                                10000 * grid.thread_index().x + 1000000 * grid.dim_threads().x;
    })",
                                             .grid = {2, 1, 1},
                                             .block = {4, 1, 1},
                                             .cluster = {2, 1, 1}},
                                            8);
  CHECK(out == std::vector<int>{0, 0, 8028021, 8038031, 0, 0, 0, 8078070});
}

TEST_CASE("a cluster of one needs no launch of its own, and an address elsewhere is a fault") {
  const std::vector<int> out = run_together({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) {
      const auto cluster = cooperative_groups::this_cluster();
      __shared__ int one;
      one = 7;
      cluster.sync();
      out[threadIdx.x] = *cluster.map_shared_rank(&one, 0) * cluster.num_blocks();
    })"},
                                            32);
  CHECK(out == std::vector<int>(32, 7));
  CHECK(contains(failure_of({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) { *cooperative_groups::this_cluster().map_shared_rank(out, 1) = 1; })",
                             .grid = {2, 1, 1},
                             .cluster = {2, 1, 1}}),
                 "map_shared_rank of an address that is not in shared memory"));
}

TEST_CASE("tiles of a warp meet, shuffle and reduce") {
  const std::vector<int> out = run_together({.source = R"(
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    __global__ void kernel(int* out) {
      const cg::thread_block block = cg::this_thread_block();
      const auto tile = cg::tiled_partition<8>(block);
      const int sum = cg::reduce(tile, int(block.thread_rank()), cg::plus<int>());
      const int first = tile.shfl(int(threadIdx.x), 0);
      cg::sync(block);
      out[threadIdx.x] = sum + 1000 * first + 100000 * tile.any(threadIdx.x == 9) + tile.meta_group_rank();
    })"},
                                            32);
  CHECK(out[0] == 28);
  CHECK(out[8] == 92 + 8000 + 100000 + 1);
  CHECK(out[31] == 220 + 24000 + 3);
}

TEST_SUITE_END();
