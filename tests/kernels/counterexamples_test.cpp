// Where a CPU device, its compiler or its sanitizer that is nearly right differs from one that is.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/kernels/cpu_machine.hpp"
#include "tests/kernels/int_kernel.hpp"
#include "tests/support/contains.hpp"
#include "tuner/device/cpu/block_runner.hpp"
#include "tuner/device/cpu/race_detector.hpp"
#include "tuner/device/cpu/sanitize/sanitizer.hpp"

using namespace tuner;
using device::cpu::RaceDetector;
using device::cpu::RawRace;
using device::cpu::WarpRendezvous;
using device::cpu::sanitize::Finding;
using device::cpu::sanitize::read_compiler_log;
using device::cpu::sanitize::read_sanitizer_log;
using device::cpu::sanitize::Sanitizer;
using tuner_cpu::Access;
using tuner_cpu::WarpOperation;

namespace {

/// Addresses, of data and of code: only their identity counts.
alignas(64) const char place[64] = {};

/// Races of a block of 64 threads in which `work` has happened.
template <typename Work>
std::vector<RawRace> races_of(const Work& work) {
  RaceDetector detector;
  detector.begin_block({}, 64);
  work(detector);
  return detector.take_races();
}

tuner_cpu::WarpRequest request(unsigned mask, WarpOperation operation, unsigned long long value = 0) {
  tuner_cpu::WarpRequest one{};
  one.mask = mask;
  one.operation = operation;
  one.value = value;
  return one;
}

device::DeviceFault fault_of(const test::KernelRun& run) {
  test::CpuMachine machine;
  try {
    machine.run(run, std::vector<int>(64, 0));
  } catch (const device::DeviceFault& fault) {
    return fault;
  }
  return {model::TrialStatus::ok, false, "no fault"};
}

/// Races alone, which need no AddressSanitizer.
std::vector<Finding> races_in(const std::string& body, const std::vector<std::int64_t>& sizes,
                              std::chrono::milliseconds compile_limit = std::chrono::seconds(60)) {
  const space::KernelSpace kernel = test::int_kernel(body);
  std::vector<model::Problem> problems;
  for (const std::int64_t size : sizes)
    problems.push_back(space::make_problem(kernel.spec(), {size}, std::nullopt, 0));
  Sanitizer sanitizer(
      {.memory = false, .run_limit = std::chrono::seconds(20), .compile_limit = compile_limit});
  return sanitizer.check(kernel, {}, problems);
}

}  // namespace

TEST_SUITE_BEGIN("tuner::device::cpu counterexamples");

TEST_CASE("two threads race on a byte where one of them writes, and reads alone do not") {
  const auto pair = [](Access first, Access second, unsigned other = 1, unsigned offset = 0) {
    return races_of([&](RaceDetector& detector) {
      detector.access(0, place, 4, first, place);
      detector.access(other, place + offset, 4, second, place + 1);
    });
  };
  CHECK(pair(Access::write, Access::write).size() == 1);
  CHECK(pair(Access::write, Access::read).size() == 1);
  CHECK(pair(Access::read, Access::write).size() == 1);
  CHECK(pair(Access::write, Access::atomic).size() == 1);
  CHECK(pair(Access::atomic, Access::write).size() == 1);
  CHECK(pair(Access::atomic, Access::read).size() == 1);
  CHECK(pair(Access::read, Access::atomic).size() == 1);
  CHECK(pair(Access::read, Access::read).empty());
  CHECK(pair(Access::atomic, Access::atomic).empty());
  CHECK(pair(Access::write, Access::write, 0).empty());
  CHECK(pair(Access::write, Access::write, 40).size() == 1);
  CHECK(pair(Access::write, Access::write, 1, 3).size() == 1);
  CHECK(pair(Access::write, Access::write, 1, 4).empty());
  const RawRace race = pair(Access::read, Access::write, 40)[0];
  CHECK(race.first.access == Access::read);
  CHECK(race.first.thread == 0);
  CHECK(race.first.code == place);
  CHECK(race.second.access == Access::write);
  CHECK(race.second.thread == 40);
  CHECK(race.address == place);
}

TEST_CASE("a barrier orders all threads of a block, an operation of a warp those that took part in it") {
  const auto between = [](unsigned other, const auto& order) {
    return races_of([&](RaceDetector& detector) {
             detector.access(0, place, 4, Access::write, place);
             order(detector);
             detector.access(other, place, 4, Access::write, place + 1);
           })
        .size();
  };
  CHECK(between(40, [](RaceDetector& detector) { detector.barrier(); }) == 0);
  CHECK(between(40, [](RaceDetector& detector) { detector.warp_operation(0, ~0U); }) == 1);
  CHECK(between(40, [](RaceDetector& detector) { detector.warp_operation(1, ~0U); }) == 1);
  CHECK(between(5, [](RaceDetector& detector) { detector.warp_operation(0, ~0U); }) == 0);
  CHECK(between(5, [](RaceDetector& detector) { detector.warp_operation(0, 0b100001); }) == 0);
  CHECK(between(5, [](RaceDetector& detector) { detector.warp_operation(0, 0b011111); }) == 1);
  CHECK(between(5, [](RaceDetector& detector) {  // by way of lane 3
          detector.warp_operation(0, 0b001001);
          detector.warp_operation(0, 0b101000);
        }) == 0);
  CHECK(between(5, [](RaceDetector& detector) {  // the other way round nothing reaches lane 5
          detector.warp_operation(0, 0b101000);
          detector.warp_operation(0, 0b001001);
        }) == 1);
  // What the thread does behind the operation is not ordered by it.
  CHECK(races_of([](RaceDetector& detector) {
          detector.warp_operation(0, ~0U);
          detector.access(0, place, 4, Access::write, place);
          detector.access(5, place, 4, Access::write, place + 1);
        }).size() == 1);
}

TEST_CASE("readers of before are remembered, whichever thread read last, and a pair of places is told once") {
  CHECK(races_of([](RaceDetector& detector) {
          for (const unsigned thread : {7U, 3U, 3U}) detector.access(thread, place, 4, Access::read, place);
          detector.access(3, place, 4, Access::write, place + 1);
        }).size() == 1);
  CHECK(races_of([](RaceDetector& detector) {
          detector.access(7, place, 4, Access::read, place);
          detector.barrier();
          detector.access(3, place, 4, Access::read, place);
          detector.access(3, place, 4, Access::write, place + 1);
        }).empty());
  CHECK(races_of([](RaceDetector& detector) {
          detector.access(0, place, 4, Access::write, place);
          detector.access(1, place, 4, Access::write, place + 1);
          detector.access(2, place, 4, Access::write, place);
          detector.access(3, place, 4, Access::write, place + 2);
        }).size() == 2);
}

TEST_CASE("races that were taken are not told again, and the block they are of is") {
  RaceDetector detector;
  for (const unsigned block : {3U, 4U}) {
    detector.begin_block({block, 0, 0}, 64);
    detector.access(0, place + 8 * block, 4, Access::write, place);
    detector.access(1, place + 8 * block, 4, Access::write, place);
    const auto races = detector.take_races();
    REQUIRE(races.size() == 1);
    CHECK(races[0].first_block.x == block);
    CHECK(races[0].second_block.x == block);
    CHECK(detector.take_races().empty());
  }
}

TEST_CASE("another block races in memory of both, where no fence and no new launch lies between") {
  const auto between = [](Access first, Access second, const auto& order) {
    return races_of([&](RaceDetector& detector) {
      detector.access(0, place, 4, first, place);
      order(detector);
      detector.begin_block({1, 0, 0}, 64);
      detector.access(0, place, 4, second, place + 1);
    });
  };
  const auto nothing = [](RaceDetector&) {};
  const auto found = between(Access::write, Access::read, nothing);
  REQUIRE(found.size() == 1);
  CHECK(found[0].first_block.x == 0);
  CHECK(found[0].second_block.x == 1);
  CHECK(between(Access::read, Access::read, nothing).empty());
  CHECK(between(Access::read, Access::write, nothing).size() == 1);
  CHECK(between(Access::atomic, Access::atomic, nothing).empty());
  CHECK(between(Access::write, Access::atomic, nothing).size() == 1);
  CHECK(between(Access::write, Access::read, [](RaceDetector& detector) { detector.barrier(); }).size() == 1);
  CHECK(
      between(Access::write, Access::read, [](RaceDetector& detector) { detector.begin_launch(); }).empty());
  CHECK(between(Access::write, Access::read, [](RaceDetector& detector) { detector.release(); }).empty());
  CHECK(between(Access::write, Access::read, [](RaceDetector& detector) {
          detector.access(1, nullptr, 0, Access::fence, place);
        }).empty());
  CHECK(between(Access::write, Access::read, [](RaceDetector& detector) {
          detector.keep_private(place, 4);
        }).empty());
  const auto counted = [](const char* first, const char* second) {
    return races_of([&](RaceDetector& detector) {
             detector.access(0, place, 4, Access::write, place);
             detector.access(0, first, 4, Access::atomic, place);
             detector.begin_block({1, 0, 0}, 64);
             detector.access(0, second, 4, Access::atomic, place);
             detector.access(0, place, 4, Access::read, place + 1);
           })
        .size();
  };
  CHECK(counted(place + 8, place + 8) == 0);  // a counter that both change
  CHECK(counted(place + 8, place + 16) == 1);
}

TEST_CASE("lanes of two masks meet apart, in whichever order they come") {
  WarpRendezvous warp;
  warp.reset(~0U);
  CHECK(warp.arrive(0, request(0b0011, WarpOperation::sum, 1)).complete == 0);
  CHECK(warp.arrive(2, request(0b1100, WarpOperation::sum, 10)).complete == 0);
  CHECK(warp.arrive(1, request(0b0011, WarpOperation::sum, 2)).complete == 0b0011);
  CHECK(warp.result(0) == 3);
  CHECK(warp.result(1) == 3);
  CHECK(warp.arrive(3, request(0b1100, WarpOperation::sum, 20)).complete == 0b1100);
  CHECK(warp.result(2) == 30);
  // Of a mask only lanes that the warp has are waited for.
  warp.reset(0b0111);
  CHECK(warp.arrive(0, request(~0U, WarpOperation::ballot, 1)).complete == 0);
  CHECK(warp.arrive(1, request(~0U, WarpOperation::ballot, 0)).complete == 0);
  CHECK(warp.arrive(2, request(~0U, WarpOperation::ballot, 5)).complete == 0b0111);
  CHECK(warp.result(1) == 0b0101);
}

TEST_CASE("lanes that meet at different operations, or that their mask does not name, are told so") {
  WarpRendezvous warp;
  warp.reset(~0U);
  CHECK(warp.arrive(4, request(0b0011, WarpOperation::sync)).misuse != nullptr);
  CHECK(warp.arrive(0, request(0b0011, WarpOperation::sync)).misuse == nullptr);
  CHECK(contains(warp.arrive(1, request(0b0011, WarpOperation::ballot)).misuse, "different warp operations"));
}

TEST_CASE("reductions of a warp keep the signs that they are asked for") {
  const auto reduced = [](WarpOperation operation) {
    WarpRendezvous warp;
    warp.reset(0b11);
    warp.arrive(0, request(0b11, operation, 0xFFFFFFF0U));
    CHECK(warp.arrive(1, request(0b11, operation, 0x14)).complete == 0b11);
    return warp.result(1);
  };
  CHECK(reduced(WarpOperation::least) == 0xFFFFFFF0U);
  CHECK(reduced(WarpOperation::greatest) == 0x14);
  CHECK(reduced(WarpOperation::least_unsigned) == 0x14);
  CHECK(reduced(WarpOperation::greatest_unsigned) == 0xFFFFFFF0U);
  CHECK(reduced(WarpOperation::bit_and) == 0x10);
  CHECK(reduced(WarpOperation::bit_or) == 0xFFFFFFF4U);
  CHECK(reduced(WarpOperation::sum) == 4);
}

TEST_CASE("extents of nothing and clusters that do not divide their grid are launch errors") {
  const std::string source = "extern \"C\" __global__ void kernel(int* out) { *out = 1; }";
  for (const test::KernelRun& run : {test::KernelRun{.source = source, .grid = {0, 1, 1}},
                                     {.source = source, .block = {32, 0, 1}},
                                     {.source = source, .dynamic_shared_bytes = -4},
                                     {.source = source, .cluster = {0, 1, 1}},
                                     {.source = source, .grid = {4, 1, 1}, .cluster = {3, 1, 1}},
                                     {.source = source, .grid = {1, 4, 1}, .cluster = {1, 3, 1}},
                                     {.source = source, .grid = {1, 1, 4}, .cluster = {1, 1, 3}}}) {
    const device::DeviceFault fault = fault_of(run);
    CAPTURE(fault.what());
    CHECK(fault.status() == model::TrialStatus::launch_error);
  }
}

TEST_CASE("a rank of a cluster that is not there is a fault, and so is a rank where there is no cluster") {
  const auto map = [](const std::string& rank, model::Dim3 cluster) {
    return std::string(fault_of({.source = R"(
    #include <cooperative_groups.h>
    __global__ void kernel(int* out) {
      __shared__ int one;
      *out = cooperative_groups::this_cluster().map_shared_rank(&one, )" +
                                           rank + R"() != nullptr;
    })",
                                 .grid = {2, 1, 1},
                                 .block = {1, 1, 1},
                                 .cluster = cluster})
                           .what());
  };
  CHECK(map("1", {2, 1, 1}) == "no fault");
  CHECK(contains(map("2", {2, 1, 1}), "of rank 2 of 2 blocks"));
  CHECK(contains(map("1", {1, 1, 1}), "of rank 1 of 1 blocks"));
}

TEST_CASE("a place in a log has its column, and one outside the kernel's files is none") {
  const std::vector<model::SourceText> sources = {{"sub/kernel.cu", ""}};
  const Finding overflow =
      read_sanitizer_log("noise\n./sub/kernel.cu:12:5: runtime error: signed integer overflow: 1\n", sources);
  CHECK(to_string(overflow.kind) == "undefined behaviour");
  CHECK(overflow.where.file == "sub/kernel.cu");
  CHECK(overflow.where.line == 12);
  CHECK(overflow.where.column == 5);
  CHECK(overflow.text == "signed integer overflow: 1");
  const Finding outside =
      read_sanitizer_log("/usr/include/vector:12:5: runtime error: index 9 out of bounds\n", sources);
  CHECK(to_string(outside.kind) == "out of bounds");
  CHECK(outside.where.file.empty());
  CHECK(read_sanitizer_log("other_sub/kernel.cu:1:1: runtime error: x\n", sources).where.file.empty());
  const Finding size = read_sanitizer_log(
      "/tmp/x/sub/kernel.cu:7:1: runtime error: store to address 0x1 with insufficient space for an object\n",
      sources);
  CHECK(to_string(size.kind) == "out of bounds");
  CHECK(size.where.file == "sub/kernel.cu");
  CHECK(read_sanitizer_log(":12: runtime error: x\n", sources).where.file.empty());
}

TEST_CASE("a division by zero and an abort are crashes, not accesses out of bounds") {
  for (const std::string signal : {"FPE", "ABRT"}) {
    const Finding finding =
        read_sanitizer_log("==1==ERROR: AddressSanitizer: " + signal +
                               " on unknown address 0x1\n    #0 0x7f in kernel kernel.cu:8\n",
                           {{"kernel.cu", ""}});
    CHECK(to_string(finding.kind) == "crash");
    CHECK(finding.where.line == 8);
    CHECK(finding.text == signal);
  }
  const Finding assertion = read_sanitizer_log(
      "kernel.cu:4: block (0, 0, 0), thread (1, 0, 0): assertion `x` failed\nAborted\n", {{"kernel.cu", ""}});
  CHECK(to_string(assertion.kind) == "crash");
  CHECK(assertion.where.line == 4);
  CHECK(assertion.text == "block (0, 0, 0), thread (1, 0, 0): assertion `x` failed");
}

TEST_CASE("of a compiler's log the first error counts, and without one its first line") {
  const Finding finding =
      read_compiler_log("kernel.cu:1:2: warning: w\nkernel.cu:3:9: error: e\nb.cu:4:1: error: f\n");
  CHECK(to_string(finding.kind) == "compile error");
  CHECK(finding.where.file == "kernel.cu");
  CHECK(finding.where.line == 3);
  CHECK(finding.where.column == 9);
  CHECK(finding.text == "e");
  CHECK(read_compiler_log(":12: error: x\n").where.line == 0);
  CHECK(read_compiler_log("no space left\non the device\n").text == "no space left");
}

TEST_CASE("a race in several sizes is one finding that counts them, of the first size that shows it") {
  const auto findings = races_in("  if (N >= 20)\n    data[0] = threadIdx.x;", {10, 20, 30, 40});
  REQUIRE(findings.size() == 1);
  CHECK(to_string(findings[0].kind) == "race");
  CHECK(findings[0].where.file == "kernel.cu");
  CHECK(findings[0].where.line == 3);
  CHECK(findings[0].problem.size_text() == "20");
  CHECK(findings[0].occurrences == 3);
  CHECK(findings[0].kernel == "kernel");
  CHECK(contains(findings[0].line(), "(and 2 more sizes)"));
  CHECK(contains(races_in("  data[0] = threadIdx.x;", {10, 20})[0].line(), "(and 1 more size)"));
  CHECK(races_in("  if (N >= 20)\n    data[0] = threadIdx.x;", {}).empty());
}

TEST_CASE("places of two kinds are two findings, and a divergence has its own") {
  const auto findings = races_in(
      "  data[0] = threadIdx.x;\n  data[1] = threadIdx.x;\n  if (threadIdx.x < 9)\n    __syncthreads();\n"
      "  else\n    __syncthreads();",
      {10});
  REQUIRE(findings.size() == 3);
  CHECK(std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
          return to_string(finding.kind) == "divergence" && finding.where.line == 5;
        }) == 1);
  for (const int line : {2, 3})
    CHECK(std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      return to_string(finding.kind) == "race" && finding.where.line == line;
    }));
}

TEST_CASE("a compilation beyond its limit is a timeout, not a mistake in the kernel") {
  const auto findings = races_in("  data[0] = N;", {10}, std::chrono::milliseconds(1));
  REQUIRE(findings.size() == 1);
  CHECK(to_string(findings[0].kind) == "timeout");
  CHECK(findings[0].problem.size_text() == "10");
}

TEST_SUITE_END();
