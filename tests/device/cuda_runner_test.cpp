#include <doctest/doctest.h>

#include "tests/device/gpu.hpp"
#include "tuner/measure/runner.hpp"
#include "tuner/measure/sampler.hpp"

using tests::gpu;
using namespace tuner::model;

TEST_SUITE("tuner::measure on a GPU") {
  namespace {

  constexpr std::int64_t n = 1 << 22;

  /// y = 2x in four ways: right, nothing done, past the end, and over its input.
  const char* const runner_source = R"(
extern "C" __global__ void reference(const float* x, double* expected, double* magnitude, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    expected[i] = 2.0 * x[i];
    magnitude[i] = fabs(2.0 * x[i]);
  }
}
extern "C" __global__ void kernel(float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FAULT == 1
  return;
#elif FAULT == 2
  if (i <= n) y[i] = 2 * x[i < n ? i : 0];
#elif FAULT == 3
  if (i < n) y[i] = 2 * x[i];
  if (i == n - 1) x[i] = 0;
#else
  if (i < n) y[i] = 2 * x[i];
#endif
}
)";

  /// Lends the program's device to a runner, which owns what it is given.
  class Borrowed final : public tuner::device::Device {
   public:
    const DeviceInfo& info() const override { return lender().info(); }
    std::unique_ptr<tuner::device::Buffer> allocate(std::int64_t bytes) override {
      return lender().allocate(bytes);
    }
    std::unique_ptr<tuner::device::Buffer> allocate_in(tuner::model::Memory memory,
                                                       std::int64_t bytes) override {
      return lender().allocate_in(memory, bytes);
    }
    void fill(tuner::device::Address address, ElementType type, std::int64_t elements, const Init& init,
              std::uint64_t seed) override {
      lender().fill(address, type, elements, init, seed);
    }
    Verification compare(const tuner::device::CompareRequest& request) override {
      return lender().compare(request);
    }
    void write(tuner::device::Address to, std::span<const std::byte> from) override {
      lender().write(to, from);
    }
    void read(tuner::device::Address from, std::span<std::byte> to) override { lender().read(from, to); }
    std::uint64_t checksum(tuner::device::Address address, std::int64_t bytes) override {
      return lender().checksum(address, bytes);
    }
    std::unique_ptr<tuner::device::Module> load(std::span<const std::byte> binary) override {
      return lender().load(binary);
    }
    std::unique_ptr<tuner::device::Sequence> bind(tuner::device::Module& module,
                                                  const std::vector<KernelResources>& kernels,
                                                  const std::vector<Step>& steps,
                                                  const std::vector<BufferPlan>& buffers,
                                                  const tuner::device::Bindings& bindings) override {
      return lender().bind(module, kernels, steps, buffers, bindings);
    }
    void flush_l2() override { lender().flush_l2(); }

   private:
    static tuner::device::Device& lender() { return *gpu().device; }
  };

  Operand operand(int buffer, Operand::Kind kind = Operand::Kind::buffer) {
    Operand out = tests::buffer_operand(buffer);
    out.kind = kind;
    return out;
  }

  TrialJob job(int fault) {
    TrialJob out;
    out.plan.buffers = {{"x", ElementType::float32, n, Access::in, {Init::Kind::uniform, -1, 1}, {}},
                        {"y", ElementType::float32, n, Access::out, {}, {}}};
    out.plan.steps = {
        tests::launch("kernel", n / 256 + 1, 256, {operand(0), operand(1), tests::integer_operand(n)})};
    out.plan.verify.reference = {
        tests::launch("reference", 1024, 256,
                      {operand(0), operand(1, Operand::Kind::expected), operand(1, Operand::Kind::magnitude),
                       tests::integer_operand(n)})};
    out.plan.verify.rounding_terms = 1;
    const auto kernel = gpu().compile(runner_source, {"kernel"}, {"-DFAULT=" + std::to_string(fault)});
    const auto reference = gpu().compile(runner_source, {"reference"}, {"-DFAULT=0"});
    out.binary = kernel.binary;
    out.kernels = kernel.kernels;
    out.reference_binary = reference.binary;
    out.reference_kernels = reference.kernels;
    out.policy = tuner::measure::policy("standard");
    return out;
  }

  /// A kernel whose time is as many multiply-adds in a row, some 0.2 ms for 100,000.
  TrialJob work(int iterations) {
    constexpr std::int64_t elements = 1 << 16;
    const char* const chain = R"(
extern "C" __global__ void chain(float* y) {
  float v = threadIdx.x;
#pragma unroll 100
  for (int i = 0; i < ITERATIONS; ++i) v = v * 0.999f + 0.5f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
)";
    TrialJob out;
    out.plan.buffers = {{"y", ElementType::float32, elements, Access::out, {}, {}}};
    out.plan.steps = {tests::launch("chain", elements / 256, 256, {operand(0)})};
    const auto compilation = gpu().compile(chain, {"chain"}, {"-DITERATIONS=" + std::to_string(iterations)});
    out.binary = compilation.binary;
    out.kernels = compilation.kernels;
    out.policy = tuner::measure::policy("standard");
    return out;
  }

  }  // namespace

  TEST_CASE("a trial ends as its kernel deserves, and spoils nothing for the next") {
    tuner::measure::DeviceTrialRunner runner(std::make_unique<Borrowed>());
    for (const auto& [fault, status] :
         {std::pair{0, TrialStatus::ok}, std::pair{1, TrialStatus::wrong_result},
          std::pair{2, TrialStatus::out_of_bounds}, std::pair{3, TrialStatus::input_modified},
          std::pair{0, TrialStatus::ok}}) {
      const TrialOutcome outcome = runner.run(job(fault));
      CAPTURE(fault);
      CAPTURE(outcome.detail);
      CHECK(outcome.status == status);
      CHECK_FALSE(outcome.device_lost);
    }
  }

  TEST_CASE("a kernel finds an input in its own constant memory, on each input set") {
    const char* const scaling = R"(
__constant__ float factors[256];
extern "C" __global__ void kernel(float* y) { y[threadIdx.x] = 2 * factors[threadIdx.x]; }
extern "C" __global__ void reference(const float* x, double* y, double* magnitude) {
  y[threadIdx.x] = 2.0 * x[threadIdx.x];
  magnitude[threadIdx.x] = fabs(y[threadIdx.x]);
}
)";
    TrialJob task;
    task.plan.buffers = {{"x", ElementType::float32, 200, Access::in, {Init::Kind::uniform, -1, 1}, {}},
                         {"y", ElementType::float32, 200, Access::out, {}, {}}};
    task.plan.buffers[0].symbol = "factors";
    task.plan.steps = {tests::launch("kernel", 1, 200, {operand(1)})};
    task.plan.verify.reference = {tests::launch(
        "reference", 1, 200,
        {operand(0), operand(1, Operand::Kind::expected), operand(1, Operand::Kind::magnitude)})};
    task.plan.verify.rounding_terms = 1;
    const auto kernel = gpu().compile(scaling, {"kernel", "&factors"});
    const auto reference = gpu().compile(scaling, {"reference"});
    task.binary = kernel.binary;
    task.kernels = kernel.kernels;
    task.reference_binary = reference.binary;
    task.reference_kernels = reference.kernels;
    task.policy = tuner::measure::policy("standard");
    tuner::measure::DeviceTrialRunner runner(std::make_unique<Borrowed>());
    const TrialOutcome outcome = runner.run(task);
    CAPTURE(outcome.detail);
    CHECK(outcome.status == TrialStatus::ok);
    CHECK(outcome.verification.checked);
  }

  TEST_CASE("a bandwidth-bound kernel reaches a sane part of the memory's speed, warm or cold") {
    tuner::measure::DeviceTrialRunner runner(std::make_unique<Borrowed>());
    for (const bool cold : {false, true}) {
      TrialJob task = job(0);
      task.policy = tuner::measure::policy("standard", cold);
      const TrialOutcome outcome = runner.run(task);
      REQUIRE(outcome.status == TrialStatus::ok);
      const Measurement& measurement = *outcome.measurement;
      MESSAGE((cold ? "cold: " : "warm: ")
              << measurement.median_ns << " ns [" << measurement.low_ns << ", " << measurement.high_ns
              << "], " << measurement.launches_per_sample << " launches a sample, "
              << 8.0 * n / measurement.median_ns << " GB/s");
      CHECK(measurement.samples_ns.size() == 10);
      CHECK(measurement.low_ns <= measurement.median_ns);
      CHECK(measurement.median_ns <= measurement.high_ns);
      CHECK((measurement.high_ns - measurement.low_ns) / measurement.median_ns < 0.2);
      CHECK(measurement.median_ns > 1'000);
      CHECK(measurement.median_ns < 1e6);
    }
  }

  TEST_CASE("a kernel is tied with itself under another name, and 1 % more work is found") {
    tuner::measure::DeviceTrialRunner runner(std::make_unique<Borrowed>());
    for (const int other : {100'000, 101'000}) {
      FinalJob task;
      task.trials = {work(100'000), work(other)};
      int tied = 0;
      double ratio = 0;
      for (task.seed = 0; task.seed < 100; ++task.seed) {
        const FinalOutcome outcome = runner.run_final(task);
        CAPTURE(outcome.failure.detail);
        REQUIRE(outcome.complete());
        tied += outcome.standings[1 - outcome.fastest].tied ? 1 : 0;
        ratio += (outcome.fastest == 0 ? outcome.standings[1].ratio : 1 / outcome.standings[0].ratio) / 100;
      }
      MESSAGE(other << " against 100000 iterations: tied in " << tied << " of 100, mean ratio " << ratio);
      if (other == 100'000) {
        CHECK(tied >= 95);
      } else {
        CHECK(tied <= 5);
        CHECK(ratio > 1.005);
      }
    }
  }
}
