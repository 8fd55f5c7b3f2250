#include <doctest/doctest.h>

#include "tests/device/gpu.hpp"
#include "tuner/device/cuda/cuda.hpp"

using tests::address_operand;
using tests::filled;
using tests::gpu;
using tests::integer_operand;
using tests::launch;
using tests::load;
using tuner::device::DeviceFault;
using tuner::model::ElementType;
using tuner::model::Init;
using tuner::model::Step;
using tuner::model::TrialStatus;

TEST_SUITE("tuner::device::cuda launches") {
  namespace {

  const char* const source = R"(
extern "C" __global__ void add(float* y, int n, float much) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += much;
}
extern "C" __global__ void scalars(double* out, signed char a, unsigned char b, int c, unsigned d, long long e,
                                   unsigned long long f, float g, double h) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = h;
}
extern "C" __global__ void through_shared(float* y, int floats) {
  extern __shared__ float buffer[];
  for (int i = threadIdx.x; i < floats; i += blockDim.x) buffer[i] = i;
  __syncthreads();
  for (int i = threadIdx.x; i < floats; i += blockDim.x) y[i] = buffer[floats - 1 - i];
}
extern "C" __global__ void copy(float* to, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
)";

  tests::Loaded kernels() {
    return load(source, {"add", "scalars", "through_shared", "copy"});
  }

  tuner::model::Operand real_operand(ElementType type, double value) {
    tuner::model::Operand out = integer_operand(0);
    out.type = type;
    out.real = value;
    return out;
  }

  tuner::model::Operand typed_operand(ElementType type, std::int64_t value) {
    tuner::model::Operand out = integer_operand(value);
    out.type = type;
    return out;
  }

  /// Wrong elements of `got` against 0 + 1 i, that is against `init` as doubles.
  std::int64_t wrong(const tuner::device::Buffer& got, ElementType type, std::int64_t elements,
                     const Init& init) {
    const auto expected = filled(ElementType::float64, elements, init);
    const auto magnitude = filled(ElementType::float64, elements, {Init::Kind::constant, 1, 0});
    return gpu()
        .device->compare({got.address(), type, elements, expected->address(), magnitude->address(), 0})
        .wrong_elements;
  }

  void check_refused(const std::vector<Step>& steps, const std::string& part) {
    const auto loaded = kernels();
    try {
      tests::bind(loaded, steps)->run(1);
      FAIL("it ran");
    } catch (const DeviceFault& fault) {
      CHECK(fault.status() == TrialStatus::launch_error);
      CHECK_FALSE(fault.lost());
      CAPTURE(fault.what());
      CHECK(std::string(fault.what()).find(part) != std::string::npos);
    }
  }

  }  // namespace

  TEST_CASE("the device tells what it is") {
    const auto listed = tuner::device::cuda::devices();
    REQUIRE_FALSE(listed.empty());
    const auto& info = gpu().device->info();
    CHECK(info.id == "cuda:0");
    CHECK(info.uuid == listed[0].uuid);
    CHECK(info.architecture.substr(0, 3) == "sm_");
    CHECK(info.uuid.size() == 40);
    CHECK(info.limits.multiprocessors > 0);
    CHECK(info.limits.l2_bytes > 0);
    CHECK(info.limits.shared_bytes_per_block_optin >= info.limits.shared_bytes_per_block);
    CHECK(info.free_memory_bytes > 0);
    CHECK(info.free_memory_bytes <= info.memory_bytes);
    MESSAGE(info.name << ", driver " << info.driver << ", " << info.uuid);
  }

  TEST_CASE("scalars of every type arrive as they are") {
    const auto loaded = kernels();
    const auto out = filled(ElementType::float64, 8, Init{});
    tests::bind(loaded,
                {launch("scalars", 1, 1,
                        {address_operand(*out), typed_operand(ElementType::int8, 0),
                         typed_operand(ElementType::uint8, 10), typed_operand(ElementType::int32, 20),
                         typed_operand(ElementType::uint32, 30), typed_operand(ElementType::int64, 40),
                         typed_operand(ElementType::uint64, 50), real_operand(ElementType::float32, 60),
                         real_operand(ElementType::float64, 70)})})
        ->run(1);
    CHECK(wrong(*out, ElementType::float64, 8, {Init::Kind::iota, 0, 10}) == 0);
  }

  TEST_CASE("repetitions run as often as asked, singly and as a graph, whatever was asked before") {
    const auto loaded = kernels();
    const auto y = filled(ElementType::float32, 1000, {Init::Kind::constant, 0, 0});
    const auto sequence = tests::bind(
        loaded,
        {launch("add", 4, 256,
                {address_operand(*y), integer_operand(1000), real_operand(ElementType::float32, 1)})});
    int total = 0;
    for (const int repetitions : {1, 7, 7, 1, 100, 7}) {
      CHECK(sequence->run(repetitions).ns > 0);
      total += repetitions;
      CHECK(wrong(*y, ElementType::float32, 1000, {Init::Kind::constant, static_cast<double>(total), 0}) ==
            0);
    }
  }

  TEST_CASE("launches that overlap still see what those before them wrote") {
    // Many blocks, which read what another block of the launch before has written.
    const auto loaded = load(R"(
extern "C" __global__ void turn(float* to, const float* from, int n) {
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[n - 1 - i] + 1;
}
)",
                             {"turn"});
    constexpr std::int64_t n = 1 << 20;
    const auto x = filled(ElementType::float32, n, {Init::Kind::constant, 0, 0});
    const auto y = filled(ElementType::float32, n, {Init::Kind::constant, 0, 0});
    Step there = launch("turn", 1000, 256, {address_operand(*y), address_operand(*x), integer_operand(n)});
    Step back = launch("turn", 1000, 256, {address_operand(*x), address_operand(*y), integer_operand(n)});
    there.overlap = back.overlap = true;
    const auto sequence = tests::bind(loaded, {there, back});
    sequence->run(1);
    sequence->run(200);
    CHECK(wrong(*x, ElementType::float32, n, {Init::Kind::constant, 402, 0}) == 0);
  }

  TEST_CASE("a kernel may use all the dynamic shared memory there is") {
    const auto loaded = kernels();
    const std::int64_t bytes = gpu().device->info().limits.shared_bytes_per_block_optin;
    const std::int64_t floats = bytes / 4;
    const auto y = filled(ElementType::float32, floats, Init{});
    Step step = launch("through_shared", 1, 256, {address_operand(*y), integer_operand(floats)});
    step.dynamic_shared_bytes = bytes;
    const auto sequence = tests::bind(loaded, {step});
    CHECK(sequence->blocks_per_multiprocessor() == 1);
    sequence->run(1);
    sequence->run(3);
    CHECK(wrong(*y, ElementType::float32, floats, {Init::Kind::iota, static_cast<double>(floats - 1), -1}) ==
          0);
  }

  TEST_CASE("streams wait for each other where told, and repetitions for what came before") {
    constexpr std::int64_t n = 1 << 20;
    constexpr std::int64_t half = n / 2;
    const auto loaded = kernels();
    const auto x = filled(ElementType::float32, n, {Init::Kind::iota, 0, 1});
    const auto y = filled(ElementType::float32, n, Init{});
    const std::vector<tuner::model::BufferPlan> buffers = {
        {"x", ElementType::float32, n, tuner::model::Access::in, {}, {}},
        {"y", ElementType::float32, n, tuner::model::Access::out, {}, {}}};
    const tuner::device::Bindings bindings{{x->address(), y->address()}, {0, 0}, {0, 0}};
    std::vector<Step> steps;
    for (int part = 0; part < 2; ++part) {
      Step upload;
      upload.kind = Step::Kind::upload;
      upload.buffer = 0;
      upload.first = part * half;
      upload.count = half;
      upload.stream = 1;
      steps.push_back(upload);
    }
    for (int part = 0; part < 2; ++part) {
      auto to = address_operand(*y);
      auto from = address_operand(*x);
      to.integer += part * half * 4;
      from.integer += part * half * 4;
      Step copy = launch("copy", half / 256, 256, {to, from, integer_operand(half)});
      copy.stream = 2 + part;
      copy.after = {part};
      steps.push_back(copy);
    }
    const auto sequence =
        gpu().device->bind(*loaded.module, loaded.compilation.kernels, steps, buffers, bindings);
    for (const int repetitions : {1, 5}) {
      gpu().device->fill(x->address(), ElementType::float32, n, Init{},
                         0);  // what is uploaded is what was there
      gpu().device->fill(y->address(), ElementType::float32, n, Init{}, 0);
      CHECK(sequence->run(repetitions).ns > 0);
      CHECK(wrong(*y, ElementType::float32, n, {Init::Kind::iota, 0, 1}) == 0);
    }
  }

  TEST_CASE("a memset sets bytes before each repetition") {
    constexpr std::int64_t n = 1001;
    const auto loaded = kernels();
    const auto y = filled(ElementType::float32, n, {Init::Kind::constant, 5, 0});
    const std::vector<tuner::model::BufferPlan> buffers = {
        {"y", ElementType::float32, n, tuner::model::Access::inout, {}, {}}};
    const tuner::device::Bindings bindings{{y->address()}, {0}, {0}};
    Step set;
    set.kind = Step::Kind::memset;
    set.buffer = 0;
    set.count = n;
    const Step add = launch("add", (n + 255) / 256, 256,
                            {address_operand(*y), integer_operand(n), real_operand(ElementType::float32, 2)});
    const auto sequence =
        gpu().device->bind(*loaded.module, loaded.compilation.kernels, {set, add}, buffers, bindings);
    for (const int repetitions : {1, 4}) {
      sequence->run(repetitions);
      CHECK(wrong(*y, ElementType::float32, n, {Init::Kind::constant, 2, 0}) == 0);
    }
  }

  TEST_CASE("what does not fit the kernel or the device is refused, and the device goes on") {
    const auto y = filled(ElementType::float32, 8, {Init::Kind::constant, 0, 0});
    const auto address = address_operand(*y);
    const auto n = integer_operand(8);
    const auto much = real_operand(ElementType::float32, 1);
    check_refused({launch("add", 1, 8, {address, n})}, "more than the 2 arguments");
    check_refused({launch("add", 1, 8, {address, n, much, n})}, "takes 3 arguments, and is given 4");
    check_refused({launch("add", 1, 8, {address, n, real_operand(ElementType::float64, 1)})},
                  "takes 4 bytes");
    check_refused({launch("nowhere", 1, 8, {})}, "no kernel nowhere");
    check_refused({launch("add", 1, 2048, {address, n, much})}, "CUDA_ERROR_INVALID_VALUE");
    check_refused({launch("add", 0, 8, {address, n, much})}, "grid 0x1x1");
    Step greedy = launch("add", 1, 8, {address, n, much});
    greedy.dynamic_shared_bytes = 1 << 20;
    check_refused({greedy}, "allowing the shared memory");

    const auto loaded = kernels();
    tests::bind(loaded, {launch("add", 1, 8, {address, n, much})})->run(1);
    CHECK(wrong(*y, ElementType::float32, 8, {Init::Kind::constant, 1, 0}) == 0);
  }

  TEST_CASE("garbage is no binary") {
    const std::vector<std::byte> garbage(1000, std::byte{42});
    CHECK_THROWS_AS(static_cast<void>(gpu().device->load(garbage)), DeviceFault);
    std::vector<std::byte> truncated = kernels().compilation.binary;
    truncated.resize(8);
    CHECK_THROWS_AS(static_cast<void>(gpu().device->load(truncated)), DeviceFault);
  }
}
