// Kernels under AddressSanitizer, UndefinedBehaviorSanitizer and the race detector. The first case runs the
// others in a copy of this program that has AddressSanitizer's library loaded.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/kernel_file.hpp"
#include "tests/kernels/cpu_machine.hpp"
#include "tests/kernels/int_kernel.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/device/cpu/sanitize/sanitizer.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;
using namespace tuner::device::cpu::sanitize;
using Kind = Finding::Kind;

namespace {

std::vector<Finding> check(const std::string& body, std::int64_t size = 64) {
  const space::KernelSpace kernel = test::int_kernel(body);
  Sanitizer sanitizer({.run_limit = std::chrono::seconds(10), .cache = test::shared_cache()});
  return sanitizer.check(kernel, {}, {space::make_problem(kernel.spec(), {size}, std::nullopt, 0)});
}

void expect(const std::vector<Finding>& findings, Kind kind, int line, const std::string& text) {
  REQUIRE(findings.size() == 1);
  CAPTURE(findings[0].line());
  CHECK(to_string(findings[0].kind) == to_string(kind));
  CHECK(findings[0].where.file == "kernel.cu");
  CHECK(findings[0].where.line == line);
  CHECK(findings[0].text.find(text) != std::string::npos);
}

std::vector<Finding> check_file(const std::filesystem::path& relative, int every) {
  const auto loaded = config::load_kernel_file(std::filesystem::path(TUNER_SOURCE_DIR) / relative);
  REQUIRE(loaded.kernels.size() == 1);
  const space::KernelSpace kernel(loaded.kernels[0]);
  Sanitizer sanitizer({.run_limit = std::chrono::seconds(5), .cache = test::shared_cache()});
  std::vector<Finding> findings;
  const model::Problem problem = space::make_problem(
      kernel.spec(), std::vector<std::int64_t>(kernel.spec().sizes.size(), 64), std::nullopt, 0);
  int index = 0;
  kernel.enumerate(problem, sanitizer.limits(), [&](const model::Configuration& configuration) {
    if (index++ % every != 0) return true;
    const auto problems = awkward_problems(kernel, configuration, problem.type, sanitizer.limits());
    for (Finding& finding : sanitizer.check(kernel, configuration, problems))
      findings.push_back(std::move(finding));
    return true;
  });
  return findings;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::device::cpu::sanitize");

TEST_CASE("everything below, with AddressSanitizer loaded first" *
          doctest::skip(address_sanitizer_loaded())) {
  const std::string library = compile::host::HostCompiler().address_sanitizer_library();
  const ChildEnd end = run_isolated(
      [&](const auto&) {
        setenv("LD_PRELOAD", preload_variable(library).c_str(), 1);
        setenv("ASAN_OPTIONS", address_options().c_str(), 1);
        setenv("UBSAN_OPTIONS", undefined_options().c_str(), 1);
        std::vector<std::string> words = {"test_kernels", "--test-suite=tuner::device::cpu::sanitize"};
        std::vector<char*> arguments = {words[0].data(), words[1].data(), nullptr};
        execv("/proc/self/exe", arguments.data());
      },
      std::chrono::minutes(5));
  CAPTURE(end.output);
  CHECK(end.finished);
  CHECK(end.output.find("SUCCESS!") != std::string::npos);
  CHECK(end.output.find("| 0 passed") == std::string::npos);
}

TEST_CASE("without the library the sanitizer says what to do" * doctest::skip(address_sanitizer_loaded())) {
  CHECK_THROWS_WITH(Sanitizer(), "AddressSanitizer's library is not loaded in this process");
}

TEST_CASE("a clean kernel has no findings" * doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  for (const Finding& finding : check(R"(  __shared__ int tile[64];
  extern __shared__ int more[];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = i < N ? data[i] : 0;
  more[63 - threadIdx.x] = 1;
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) tile[threadIdx.x] += __shfl_xor_sync(0xffffffff, tile[threadIdx.x], step);
  __threadfence_block();
  if (i < N) data[i] = tile[threadIdx.x] + more[threadIdx.x];
  __threadfence();
  __threadfence_system();)",
                                      1000)) {
    FAIL_CHECK(finding.line());
  }
}

TEST_CASE("functions that have to be inlined may be templates" * doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  const std::string body = R"(  __device__ int more(int);
  if (threadIdx.x < N) data[threadIdx.x] = more(data[threadIdx.x]);
}
template <class T> __device__ __forceinline__ T next(T x);
template <> __device__ __forceinline__ int next<int>(int x) { return x + 1; }
extern "C" __device__ int more(int x) { return next(x);)";
  for (const Finding& finding : check(body)) FAIL_CHECK(finding.line());
}

TEST_CASE("accesses out of bounds are found in every kind of memory" *
          doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  SUBCASE("global, past the end") {
    expect(check("  data[blockIdx.x * 64 + threadIdx.x] = 1;", 63), Kind::out_of_bounds, 2,
           "WRITE of size 4");
  }
  SUBCASE("global, before the start") {
    expect(check("  if (threadIdx.x == 0)\n    data[0] = data[-1];"), Kind::out_of_bounds, 3,
           "READ of size 4");
  }
  SUBCASE("static shared") {
    expect(check("  __shared__ int tile[63];\n\n  tile[threadIdx.x] = 1;"), Kind::out_of_bounds, 4,
           "index 63 out of bounds for type 'int [63]'");
  }
  SUBCASE("static shared, through a pointer") {
    expect(check("  __shared__ int tile[63];\n  int* volatile at = tile;\n  at[threadIdx.x] = 1;"),
           Kind::out_of_bounds, 4, "to the right of 252-byte region");
  }
  SUBCASE("dynamic shared") {
    expect(check("  extern __shared__ int tile[];\n  tile[threadIdx.x + 1] = 1;\n  __syncthreads();\n"
                 "  if (threadIdx.x == 0) data[0] = tile[1];"),
           Kind::out_of_bounds, 3, "WRITE of size 4");
  }
  SUBCASE("a local array") {
    expect(check("  int local[8];\n  for (int i = 0; i < 8; ++i) local[i] = data[i];\n  __syncthreads();\n"
                 "  if (threadIdx.x == 0) data[0] = local[N / 8];"),
           Kind::out_of_bounds, 5, "index 8 out of bounds");
  }
}

TEST_CASE("static shared arrays of templates have bounds too" * doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  model::KernelSpec spec = test::int_kernel("").spec();
  spec.source = {{"kernel.cu",
                  "template <int Size> __global__ void kernel(int* data, int N) {\n"
                  "  __shared__ int tile[Size];\n"
                  "  int* volatile at = tile;\n"
                  "  at[threadIdx.x] = 1;\n"
                  "}\n"}};
  spec.steps[0].entry = "kernel<60>";
  const space::KernelSpace kernel(spec);
  Sanitizer sanitizer({.races = false});
  expect(sanitizer.check(kernel, {}, {space::make_problem(spec, {64}, std::nullopt, 0)}), Kind::out_of_bounds,
         4, "to the right of 240-byte region");
}

TEST_CASE("undefined behaviour is found" * doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  expect(check("  if (threadIdx.x == 5)\n    data[5] = 1 << (N - 24);"), Kind::undefined_behaviour, 3,
         "shift exponent 40");
  expect(check("  if (threadIdx.x == 5) data[5] = 2147483647 + N;"), Kind::undefined_behaviour, 2,
         "signed integer overflow");
  expect(check("  if (threadIdx.x == 0)\n    *reinterpret_cast<int2*>(data + 1) = make_int2(1, 2);"),
         Kind::undefined_behaviour, 3, "misaligned address");
}

TEST_CASE("a missing barrier is found as a race, a divergent one as a divergence" *
          doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  expect(check("  __shared__ int tile[64];\n  tile[threadIdx.x] = N;\n  data[threadIdx.x] = tile[63 - "
               "threadIdx.x];"),
         Kind::race, 4, "write by thread");
  expect(check("  if (threadIdx.x < 40)\n    __syncthreads();\n  else\n    __syncthreads();"),
         Kind::divergence, 3, "not all threads of a block reached the same __syncthreads");
}

TEST_CASE("a crash, an endless loop and a compile error have their lines where there are any" *
          doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  expect(check("  assert(threadIdx.x != 9);"), Kind::crash, 2,
         "thread (9, 0, 0): assertion `threadIdx.x != 9` failed");
  expect(check("  data[0] = nothing;"), Kind::compilation, 2, "nothing");
  const space::KernelSpace kernel =
      test::int_kernel("  while (*reinterpret_cast<volatile int*>(data) == 0) {}");
  Sanitizer sanitizer({.races = false, .run_limit = std::chrono::milliseconds(500)});
  const auto findings =
      sanitizer.check(kernel, {}, {space::make_problem(kernel.spec(), {64}, std::nullopt, 0)});
  REQUIRE(findings.size() == 1);
  CHECK(to_string(findings[0].kind) == "timeout");
}

TEST_CASE("a death in one size does not hide what other sizes show" *
          doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  const space::KernelSpace kernel = test::int_kernel(
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (N == 65)\n    data[i] = 1;\n"
      "  if (N == 63 && i <= N)\n    data[i] = 2;");
  Sanitizer sanitizer;
  const auto problems = awkward_problems(kernel, {}, model::ElementType::int32, sanitizer.limits());
  const auto findings = sanitizer.check(kernel, {}, problems);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].where.line == 6);
  CHECK(findings[0].problem.size_text() == "63");
  CHECK(findings[1].where.line == 4);
  CHECK(findings[1].problem.size_text() == "65");
}

TEST_CASE("the textbook kernels are clean" * doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  for (const auto& [name, every] :
       {std::pair("reduction", 29), std::pair("transpose", 19), std::pair("stencil", 61),
        std::pair("histogram", 67), std::pair("scan", 29)}) {
    for (const Finding& finding :
         check_file(std::filesystem::path("kernels/textbook") / (std::string(name) + ".toml"), every)) {
      FAIL_CHECK(finding.line());
    }
  }
}

TEST_CASE("faulty kernels are caught with their lines" * doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  for (const std::string name :
       {"write_past_end", "write_before_start", "illegal_address", "misaligned_address", "missing_barrier",
        "device_assert", "syntax_error", "static_assert"}) {
    const auto findings = check_file("tests/faulty/" + name + ".toml", 1);
    CAPTURE(name);
    CHECK(findings.size() >= 1);
    for (const Finding& finding : findings) {
      CAPTURE(finding.line());
      CHECK(finding.where.file == name + ".cu");
    }
  }
}

std::vector<std::string> awkward_sizes_of(const space::KernelSpace& kernel) {
  std::vector<std::string> sizes;
  for (const model::Problem& problem :
       awkward_problems(kernel, {}, model::ElementType::int32, device::cpu::describe_cpu().limits)) {
    sizes.push_back(problem.size_text());
  }
  return sizes;
}

TEST_CASE("awkward sizes surround the tile that the grid shows") {
  CHECK(awkward_sizes_of(test::int_kernel("")) == std::vector<std::string>{"1", "1009", "63", "65"});
}

TEST_CASE("of a kernel that takes large sizes alone the least are run, where sanitizers can afford them") {
  const auto sizes_where = [](const std::string& constraint) {
    model::KernelSpec spec = test::int_kernel("").spec();
    spec.sizes = {"M", "N", "K"};
    spec.constraints = {{constraint, {}}};
    return awkward_sizes_of(space::KernelSpace(spec));
  };
  CHECK(sizes_where("M >= 2048 && K % 96 == 0") ==
        std::vector<std::string>{"2048x37x96", "2049x37x96", "2049x38x96"});
  CHECK(sizes_where("M % 256 == 0 && N % 256 == 0 && K % 256 == 0") == std::vector<std::string>{"256"});
  CHECK(sizes_where("M >= 2048 && N >= 2048 && K >= 2048").empty());
}

TEST_CASE("awkward sizes are those that the spec allows: nobody else runs a kernel at others") {
  const space::KernelSpace kernel = test::int_kernel("", 64, {{"N % 4 == 1", {}}});
  CHECK(awkward_sizes_of(kernel) == std::vector<std::string>{"1", "1009", "65"});
}

TEST_CASE("a kernel that takes multiples alone is run at the least of them") {
  CHECK(awkward_sizes_of(test::int_kernel("", 64, {{"N % 8 == 0", {}}})) ==
        std::vector<std::string>{"8", "16", "24"});
  CHECK(awkward_sizes_of(test::int_kernel("", 64, {{"N % 3000 == 0", {}}})) ==
        std::vector<std::string>{"3000"});
  CHECK(awkward_sizes_of(test::int_kernel("", 64, {{"N % 16384 == 0", {}}})) ==
        std::vector<std::string>{"16384", "32768", "65536"});
}

TEST_CASE("logs of sanitizers become a kind, a place among the kernel's files, and a line of text") {
  const std::vector<model::SourceText> sources = {{"kernel.cu", ""}, {"tile.cuh", ""}};
  const Finding address = read_sanitizer_log(
      "=====\n==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x7f\n"
      "WRITE of size 4 at 0x60 thread T0\n    #0 0x7f in operator= runtime/vector_types.hpp:12\n"
      "    #1 0x7f in f ./tile.cuh:33\n    #2 0x7f in kernel kernel.cu:8\n\n"
      "0x60 is located 0 bytes to the right of 400-byte region [0x10,0x60)\n",
      sources);
  CHECK(to_string(address.kind) == "out of bounds");
  CHECK(address.where.file == "tile.cuh");
  CHECK(address.where.line == 33);
  CHECK(address.text == "heap-buffer-overflow, WRITE of size 4, 0 bytes to the right of 400-byte region");
  const Finding other = read_sanitizer_log("something\nkilled by nobody", sources);
  CHECK(to_string(other.kind) == "crash");
  CHECK(other.text == "killed by nobody");
  CHECK(read_sanitizer_log("", sources).text.empty());
}

TEST_CASE("work side by side is told in its order, whichever ends first") {
  std::vector<std::string> said;
  run_side_by_side(
      7, 3,
      [](std::size_t i) {
        if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return std::to_string(i) + std::string(i == 1 ? 100'000 : 0, '.');
      },
      [&](std::size_t i, const std::string& text) {
        CHECK(said.size() == i);
        said.push_back(text.substr(0, 1));
        CHECK(text.size() == (i == 1 ? 100'001 : 1));
      });
  CHECK(said == std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6"});
  run_side_by_side(
      0, 3, [](std::size_t) { return ""; }, [](std::size_t, const std::string&) { CHECK(false); });
}

TEST_CASE("work that fails, or whose process dies, is an error with its reason") {
  const auto why = [](const std::function<std::string(std::size_t)>& work) {
    try {
      run_side_by_side(4, 2, work, [](std::size_t, const std::string&) {});
    } catch (const model::Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was wrong");
  };
  CHECK(why([](std::size_t i) -> std::string {
          if (i == 2) throw model::Error("two is too many");
          return "";
        }) == "two is too many");
  CHECK(why([](std::size_t i) -> std::string {
          if (i == 1) kill(getpid(), SIGKILL);
          return "";
        }).find("a child process ended") == 0);
  CHECK(why([](std::size_t) { return std::string(); }) == "nothing was wrong");
}

TEST_CASE("inputs that a generator makes are there, so that what is indexed by them is in bounds" *
          doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  model::KernelSpec spec =
      test::int_kernel("const int i = threadIdx.x; if (i < N) { volatile int seen = data[data[i]]; }").spec();
  spec.arguments[0].init.usual.kind = model::Init::Kind::generated;
  model::GeneratorSpec& generator = spec.generator.emplace();
  generator.source = {{"inputs.cu",
                       "extern \"C\" __global__ void make(int* data, unsigned long long seed, int N) {\n"
                       "  if (threadIdx.x < N) data[threadIdx.x] = (threadIdx.x + seed) % N;\n}\n"}};
  model::StepSpec& step = generator.steps.emplace_back(spec.steps[0]);
  step.entry = "make";
  step.arguments = {"data", "seed", "N"};
  const space::KernelSpace kernel(spec);
  Sanitizer sanitizer({.run_limit = std::chrono::seconds(10), .cache = test::shared_cache()});
  const auto problem = space::make_problem(kernel.spec(), {64}, std::nullopt, 0);
  for (const Finding& finding : sanitizer.check(kernel, {}, {problem})) FAIL_CHECK(finding.line());
}

TEST_CASE("structs hold what their fields are filled with, so that what they index is in bounds" *
          doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  model::KernelSpec spec = test::int_kernel("").spec();
  spec.source = {{"kernel.cu",
                  "struct Place { char tag; int at; };\n"
                  "extern \"C\" __global__ void kernel(int* data, const Place* places, int N) {\n"
                  "  if (threadIdx.x == 0) data[places[N - 1].at] = 1;\n}\n"}};
  model::ArgumentSpec places = spec.arguments[0];
  places.name = "places";
  places.access = model::Access::in;
  places.type = model::ElementType::uint8;
  places.structure = model::StructLayout{"Place", 8, {0, 4}};
  model::ArgumentSpec tag = places;
  tag.name = "places.tag";
  tag.structure.reset();
  tag.extent.clear();
  tag.field_length = 1;
  model::ArgumentSpec at = tag;
  at.name = "places.at";
  at.type = model::ElementType::int32;
  at.init.usual = {model::Init::Kind::constant, 63, 0};
  tag.init.usual = {model::Init::Kind::constant, 1, 0};
  spec.arguments.insert(spec.arguments.begin() + 1, {places, tag, at});
  Sanitizer sanitizer({.run_limit = std::chrono::seconds(10), .cache = test::shared_cache()});
  const auto found = [&](double place) {
    spec.arguments[3].init.usual.a = place;
    const space::KernelSpace kernel(spec);
    return sanitizer.check(kernel, {}, {space::make_problem(kernel.spec(), {64}, std::nullopt, 0)});
  };
  for (const Finding& finding : found(63)) FAIL_CHECK(finding.line());
  CHECK(!found(64).empty());
}

TEST_CASE("variables of a kernel are filled, so that what they index is in bounds" *
          doctest::skip(!address_sanitizer_loaded())) {
  unsetenv("LD_PRELOAD");
  model::KernelSpec spec = test::int_kernel("").spec();
  spec.source = {{"kernel.cu",
                  "namespace space { __constant__ int places[64]; }\n"
                  "extern \"C\" __global__ void kernel(int* data, int N) {\n"
                  "  if (threadIdx.x == 0) data[64 - space::places[0]] = 1;\n}\n"}};
  model::ArgumentSpec places = spec.arguments[0];
  places.name = "places";
  places.access = model::Access::in;
  places.symbol = "space::places";
  spec.arguments.push_back(places);
  Sanitizer sanitizer({.run_limit = std::chrono::seconds(10), .cache = test::shared_cache()});
  const auto found = [&](std::int64_t size, double place) {
    spec.arguments.back().init.usual = {model::Init::Kind::constant, place, 0};
    const space::KernelSpace kernel(spec);
    return sanitizer.check(kernel, {}, {space::make_problem(kernel.spec(), {size}, std::nullopt, 0)});
  };
  for (const Finding& finding : found(64, 1)) FAIL_CHECK(finding.line());
  const std::vector<Finding> outside = found(64, 0);
  REQUIRE(!outside.empty());
  CHECK(to_string(outside[0].kind) == "out of bounds");
  const std::vector<Finding> small = found(65, 1);
  REQUIRE(!small.empty());
  CHECK(small[0].text == "the variable space::places has 256 bytes, and places needs 260");
}

TEST_SUITE_END();
