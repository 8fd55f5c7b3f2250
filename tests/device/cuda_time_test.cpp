#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/device/gpu.hpp"
#include "tuner/device/cuda/cuda.hpp"

using tests::gpu;
using tests::integer_operand;
using tests::launch;
using tuner::model::Execution;

TEST_SUITE("tuner::device::cuda times") {
  namespace {

  const char* const time_source = R"(
extern "C" __global__ void nothing() {}
extern "C" __global__ void spin(int nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
}
extern "C" __global__ void sum(const float4* from, float* to, int n) {
  float total = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = from[i];
    total += v.x + v.y + v.z + v.w;
  }
  if (total == 12345.0f) *to = total;
}
)";

  tests::Loaded time_kernels() {
    return tests::load(time_source, {"nothing", "spin", "sum"});
  }

  double median_of(tuner::device::Sequence& sequence, int repetitions,
                   Execution execution = Execution::graph) {
    std::vector<double> times;
    sequence.run(repetitions, execution);
    for (int i = 0; i < 15; ++i) times.push_back(sequence.run(repetitions, execution).ns / repetitions);
    std::nth_element(times.begin(), times.begin() + 7, times.end());
    return times[7];
  }

  }  // namespace

  TEST_CASE("a long kernel takes as long singly as back to back") {
    const auto loaded = time_kernels();
    const auto sequence = tests::bind(loaded, {launch("spin", 1, 1, {integer_operand(500'000)})});
    const double single = median_of(*sequence, 1);
    const double batch = median_of(*sequence, 10);
    MESSAGE("500 us of spinning: " << single / 1e3 << " us singly, " << batch / 1e3 << " us back to back");
    CHECK(single > 499'000);
    CHECK(single < 510'000);
    CHECK(single / batch > 0.99);
    CHECK(single / batch < 1.01);
  }

  TEST_CASE("launch latency is not in the time of launches back to back") {
    const auto loaded = time_kernels();
    const auto sequence = tests::bind(loaded, {launch("nothing", 1, 32, {})});
    const double each = median_of(*sequence, 1000);
    MESSAGE("an empty kernel: " << each << " ns back to back, " << median_of(*sequence, 1) << " ns singly");
    CHECK(each > 100);
    CHECK(each < 4'000);  // the host alone needs longer to launch one
  }

  TEST_CASE("a single run's time is without the host's latency") {
    const auto loaded = time_kernels();
    const auto sequence = tests::bind(loaded, {launch("spin", 1, 1, {integer_operand(20'000)})});
    const double single = median_of(*sequence, 1);
    MESSAGE("20 us of spinning: " << single / 1e3 << " us singly");
    CHECK(single > 19'000);
    CHECK(single < 26'000);
  }

  TEST_CASE("every run tells the clock, however short it is, and taking it is not in the time") {
    const auto loaded = time_kernels();
    const double highest = tuner::device::cuda::max_sm_clock_mhz(0);
    MESSAGE("highest SM clock: " << highest << " MHz");
    CHECK(highest > 100);
    for (const int nanoseconds : {1'000, 100'000, 5'000'000}) {
      const auto sequence = tests::bind(loaded, {launch("spin", 1, 1, {integer_operand(nanoseconds)})});
      for (int i = 0; i < 20; ++i) sequence->run(std::max(1, 5'000'000 / nanoseconds));  // warms the clocks
      for (const int repetitions : {1, 10}) {
        const auto timing = sequence->run(repetitions);
        MESSAGE(repetitions << " times " << nanoseconds << " ns: " << timing.sm_clock_mhz << " MHz");
        CHECK(timing.sm_clock_mhz > 0.5 * highest);
        CHECK(timing.sm_clock_mhz < 1.06 * highest);  // the timer may step by a microsecond in twenty
      }
    }
  }

  TEST_CASE("a launch of a stream is not shorter than a graph's, and one with the host's call is longest") {
    const auto loaded = time_kernels();
    for (const int nanoseconds : {0, 20'000}) {
      const auto sequence = tests::bind(loaded, {launch("spin", 1, 1, {integer_operand(nanoseconds)})});
      const double graph = median_of(*sequence, 200);
      const double stream = median_of(*sequence, 200, Execution::stream);
      const double eager = median_of(*sequence, 200, Execution::eager);
      MESSAGE("spinning for " << nanoseconds / 1000 << " us: " << graph / 1e3 << " us in a graph, "
                              << stream / 1e3 << " us in a stream, " << eager / 1e3
                              << " us with the host's call");
      CHECK(stream > 0.95 * graph);
      CHECK(stream < nanoseconds + 5'000);  // the device was not starved
      CHECK(eager > stream);
    }
  }

  TEST_CASE("flushing the L2 cache makes a kernel that lives in it slower") {
    const auto loaded = time_kernels();
    const std::int64_t bytes = gpu().device->info().limits.l2_bytes / 4;
    const auto memory = tests::filled(tuner::model::ElementType::float32, bytes / 4, {});
    const auto sequence =
        tests::bind(loaded, {launch("sum", 4L * gpu().device->info().limits.multiprocessors, 256,
                                    {tests::address_operand(*memory), tests::address_operand(*memory),
                                     integer_operand(bytes / 16)})});
    const double warm = median_of(*sequence, 1);
    std::vector<double> cold;
    for (int i = 0; i < 15; ++i) {
      gpu().device->flush_l2();
      cold.push_back(sequence->run(1).ns);
    }
    std::nth_element(cold.begin(), cold.begin() + 7, cold.end());
    MESSAGE("reading a quarter of L2: " << warm / 1e3 << " us warm, " << cold[7] / 1e3 << " us cold");
    CHECK(cold[7] > 1.2 * warm);
  }
}
