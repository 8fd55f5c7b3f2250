// What the driver is given, and what is refused before it is.
#include <doctest/doctest.h>

#include <cstring>

#include "tests/use/sample_pack.hpp"
#include "tests/use/stand_in.hpp"
#include "tuner/use/driver.hpp"
#include "tuner/use/tuner.hpp"

using namespace tuner::use;
using tests::Opened;
using tests::sample_pack;
using tests::StandIn;

namespace {

float* const x = reinterpret_cast<float*>(0x10000);
float* const y = reinterpret_cast<float*>(0x20000);
void* const memory = reinterpret_cast<void*>(0x40000);

template <typename Value>
Value value_in(const std::string& bytes, std::size_t at = 0) {
  Value value;
  REQUIRE(bytes.size() >= at + sizeof value);
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// A GPU with a context, a stream and an opened pack.
struct Scene {
  explicit Scene(const Pack& written = sample_pack()) : opened(written) {
    driver.current = &context;
    stream.context = &context;
    bytes = tests::Aligned(tuner::use::written(written));
    REQUIRE(!pack.view(bytes.get(), bytes.count()));
    REQUIRE(!tuner::kernel::find(pack, "scale", &kernel));
  }
  ~Scene() { pack.close(); }

  StandIn& driver = tests::fresh_stand_in();
  StandIn::Context context;
  StandIn::Stream stream;
  Opened opened;
  tests::Aligned bytes{""};
  tuner::pack pack;
  tuner::kernel kernel;
};

}  // namespace

TEST_SUITE("use") {
  TEST_CASE("a launch has the grid, block and arguments of its sizes and its device") {
    Scene scene;
    const auto error = scene.kernel.launch(&scene.stream, {1000, 999}, x, y, 2.5F);
    REQUIRE_MESSAGE(!error, error.detail());
    REQUIRE(scene.driver.launches.size() == 1);
    const StandIn::Launch& launch = scene.driver.launches[0];
    CHECK(launch.function == "plain");
    CHECK(launch.grid[0] == (1000 * 999 + 63) / 64);
    CHECK(launch.grid[1] == 1);
    CHECK(launch.block[0] == 32);
    CHECK(launch.stream == &scene.stream);
    CHECK(value_in<float*>(launch.arguments[0]) == x);
    CHECK(value_in<float*>(launch.arguments[1]) == y);
    CHECK(value_in<float>(launch.arguments[2]) == 2.5F);
    CHECK(value_in<int>(launch.arguments[3]) == 999000);
    CHECK(value_in<int>(launch.arguments[4]) == 132);
    REQUIRE(!scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0));
    CHECK(scene.driver.launches[1].block[0] == 128);
  }

  TEST_CASE("several steps run in order, with workspaces, clusters, tensor maps and structs") {
    Scene scene;
    tuner_workspace needed;
    REQUIRE(!scene.kernel.workspace_for(0, {2048, 2048}, &needed));
    CHECK(needed.bytes == 2048 * 4 + 256 + 2048);
    CHECK(needed.zero_first == 1);
    const auto error =
        scene.kernel.launch(&scene.stream, {2048, 2048}, x, y, 2.5F, tuner::workspace{memory, needed.bytes});
    REQUIRE_MESSAGE(!error, error.detail());
    const auto base = reinterpret_cast<std::uintptr_t>(memory);
    REQUIRE(scene.driver.memsets.size() == 2);
    CHECK(scene.driver.memsets[0].address == base + 2048 * 4 + 256);
    CHECK(scene.driver.memsets[0].count == 2048);
    CHECK(scene.driver.memsets[0].byte == 0);
    CHECK(scene.driver.memsets[1].address == base + 2048 * 4 + 4);
    CHECK(scene.driver.memsets[1].count == 96);
    CHECK(scene.driver.memsets[1].byte == 7);
    REQUIRE(scene.driver.launches.size() == 3);
    const StandIn::Launch& first = scene.driver.launches[0];
    CHECK(first.function == "first");
    CHECK(scene.driver.launches[1].function == "first");
    CHECK(first.grid[1] == 2048);
    CHECK(first.block[1] == 4);
    CHECK(first.cluster[0] == 2);
    CHECK(first.shared_bytes == 100 << 10);
    CHECK(first.arguments[0] == std::string(128, 0x5a));
    CHECK(value_in<void*>(first.arguments[1]) == memory);
    CHECK(value_in<float>(first.arguments[2]) == 2.5F);
    CHECK(value_in<std::int64_t>(first.arguments[2], 8) == 2048);
    const StandIn::Launch& last = scene.driver.launches[2];
    CHECK(last.function == "last");
    CHECK(last.is_cooperative);
    CHECK(last.overlaps);
    CHECK(value_in<std::uintptr_t>(last.arguments[0]) == base + 2048 * 4);
    CHECK(value_in<std::uint16_t>(last.arguments[2]) == 0x3800);  // 0.5 as a half
    REQUIRE(scene.driver.copies.size() == 2);
    const CuAddress table = scene.driver.variables.at("table");
    const auto passed = static_cast<CuAddress>(reinterpret_cast<std::uintptr_t>(y));
    CHECK(std::pair(scene.driver.copies[0].from, scene.driver.copies[0].to) == std::pair{passed, table});
    CHECK(std::pair(scene.driver.copies[1].from, scene.driver.copies[1].to) == std::pair{table, passed});
    CHECK(scene.driver.copies[0].launches == 0);
    CHECK(scene.driver.copies[1].launches == 3);
    for (const StandIn::Copy& copy : scene.driver.copies) {
      CHECK(copy.count == 2048 * 4);
      CHECK(copy.stream == &scene.stream);
    }
    REQUIRE(scene.driver.maps.size() == 2);
    const StandIn::Map& map = scene.driver.maps[0];
    CHECK(map.type == 7);
    CHECK(map.address == x);
    CHECK(map.shape == std::vector<std::uint64_t>{2048, 2048});
    CHECK(map.strides == std::vector<std::uint64_t>{8192});
    CHECK(map.box == std::vector<std::uint32_t>{32, 8});
    CHECK(map.swizzle == 3);
  }

  TEST_CASE("a memset of a variable sets the variable") {
    Pack pack = sample_pack();
    Step& clear = pack.configurations[1].steps[1];
    clear.kind = StepKind::memset_symbol;
    clear.symbol = "table";
    Scene scene(pack);
    const auto launched =
        scene.kernel.launch(nullptr, {2048, 2048}, x, y, 1.0F, tuner::workspace{memory, 1 << 20});
    REQUIRE_MESSAGE(!launched, launched.detail());
    REQUIRE(scene.driver.memsets.size() == 2);
    CHECK(scene.driver.memsets[1].address == scene.driver.variables.at("table") + 4);
    CHECK(scene.driver.memsets[1].count == 8192 - 4);
    CHECK(scene.driver.memsets[1].byte == 7);
  }

  TEST_CASE("a function is allowed its shared memory once") {
    Scene scene;
    for (int i = 0; i < 2; ++i)
      REQUIRE(!scene.kernel.launch(nullptr, {2048, 2048}, x, y, 1.0F, tuner::workspace{memory, 1 << 20}));
    REQUIRE(scene.driver.attributes.size() == 1);
    CHECK(scene.driver.attributes[0].function == "first");
    CHECK(scene.driver.attributes[0].which == function_most_dynamic_bytes);
    CHECK(scene.driver.attributes[0].value == 100 << 10);
  }

  TEST_CASE("arguments are held against the kernel's parameters") {
    Scene scene;
    const auto code = [&](const auto&... arguments) {
      return scene.kernel.launch(nullptr, {1024, 1024}, arguments...).code();
    };
    double* const doubles = reinterpret_cast<double*>(0x10000);
    CHECK(code(x, y, 1.0F) == TUNER_OK);
    CHECK(code(static_cast<void*>(x), static_cast<const float*>(y), 1.0) == TUNER_OK);
    CHECK(code(x, y) == TUNER_ARGUMENT_COUNT);
    CHECK(code(x, y, 1.0F, 2.0F) == TUNER_ARGUMENT_COUNT);
    CHECK(code(doubles, y, 1.0F) == TUNER_ARGUMENT_TYPE);
    CHECK(std::string(tuner_error_detail()) == "argument 1, X, is float*");
    CHECK(code(x, y, 1) == TUNER_ARGUMENT_TYPE);
    CHECK(code(x, y, y) == TUNER_ARGUMENT_TYPE);
    CHECK(code(x, 1.0F, y) == TUNER_ARGUMENT_TYPE);
    CHECK(code(nullptr, y, 1.0F) == TUNER_NULL_POINTER);
    CHECK(std::string(tuner_error_detail()) == "argument 1, X");
    CHECK(code(x + 1, y, 1.0F) == TUNER_MISALIGNED);
    CHECK(code(tuner::array{x, 1024 * 1024}, y, 1.0F) == TUNER_OK);
    CHECK(code(x, tuner::array{y, 1024 * 1024 - 1}, 1.0F) == TUNER_ARGUMENT_BYTES);
    CHECK(std::string(tuner_error_detail()) == "argument 2, Y, has 4194300 bytes; 4194304 are needed");
    CHECK(code(x, tuner::array{y, 0}, 1.0F) == TUNER_NULL_POINTER);
    alignas(16) float few[4] = {};
    CHECK(code(x, few, 1.0F) == TUNER_ARGUMENT_BYTES);
    CHECK(std::string(tuner_error_detail()) == "argument 2, Y, has 16 bytes; 4194304 are needed");
    CHECK(scene.driver.launches.size() == 3);
    std::uint64_t bytes = 0;
    const std::int64_t sizes[] = {10, 20};
    REQUIRE(tuner_kernel_parameter_bytes(scene.kernel.get(), 0, sizes, 2, 0, &bytes) == TUNER_OK);
    CHECK(bytes == 800);
  }

  TEST_CASE("a workspace is asked for, large enough and aligned") {
    Scene scene;
    const auto code = [&](void* pointer, std::size_t bytes) {
      return scene.kernel.launch(nullptr, {2048, 2048}, x, y, 1.0F, tuner::workspace{pointer, bytes}).code();
    };
    CHECK(scene.kernel.launch(nullptr, {2048, 2048}, x, y, 1.0F).code() == TUNER_SMALL_WORKSPACE);
    CHECK(code(memory, 10495) == TUNER_SMALL_WORKSPACE);
    CHECK(std::string(tuner_error_detail()) == "10496 bytes are needed, and 10495 were given");
    CHECK(code(nullptr, 1 << 20) == TUNER_SMALL_WORKSPACE);
    CHECK(code(static_cast<char*>(memory) + 8, 1 << 20) == TUNER_MISALIGNED);
    CHECK(scene.driver.launches.empty());
    CHECK(scene.driver.memsets.empty());
    CHECK(code(memory, 10496) == TUNER_OK);
  }

  TEST_CASE("modules are loaded once for a context, and unloaded with the pack") {
    Scene scene;
    REQUIRE(!scene.kernel.prepare(nullptr));
    CHECK(scene.driver.loads == 3);
    REQUIRE(!scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0F));
    CHECK(scene.driver.loads == 3);
    StandIn::Context other;
    other.id = 2;
    CHECK(scene.kernel.prepare(&other, {1024}).code() == TUNER_SIZE_COUNT);
    CHECK(scene.kernel.prepare(&other, {1024, 1024, 2048, 2048}).code() == TUNER_SIZE_COUNT);
    CHECK(scene.driver.loads == 3);
    REQUIRE(!scene.kernel.prepare(&other, {1024, 1024}));
    CHECK(scene.driver.current == &scene.context);
    CHECK(scene.driver.loads == 4);
    const std::int64_t problems[] = {1024, 1024, 2048, 2048, 1024, 1028};
    REQUIRE(!scene.kernel.prepare(&other, problems, 3));
    CHECK(scene.driver.loads == 5);
    // A context may be made anew where an old one was; its number tells them apart.
    scene.context.id = 3;
    REQUIRE(!scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0F));
    CHECK(scene.driver.loads == 6);
    // The modules of the old one went with it: only those of contexts that are there are unloaded.
    scene.pack.close();
    CHECK(scene.driver.unloads == 3);
    CHECK(scene.driver.current == &scene.context);
  }

  TEST_CASE("without sizes all is prepared that may be picked, also in place of another") {
    Pack pack = sample_pack();
    pack.kernels[0].targets[0].measured.clear();
    pack.kernels[0].targets[0].rule[2].otherwise = {1};
    Scene scene(pack);
    REQUIRE(!scene.kernel.prepare(nullptr));
    CHECK(scene.driver.loads == 3);
  }

  TEST_CASE("modules of a context that is gone are left alone") {
    Scene scene;
    StandIn::Context other;
    other.id = 2;
    REQUIRE(!scene.kernel.prepare(&other, {1024, 1024}));
    REQUIRE(!scene.kernel.prepare(nullptr, {1024, 1024}));
    other.is_gone = true;
    CHECK(scene.kernel.prepare(&other, {1024, 1024}).code() == TUNER_NO_CONTEXT);
    CHECK(scene.driver.current == &scene.context);
    scene.stream.context = &other;
    CHECK(scene.kernel.launch(&scene.stream, {1024, 1024}, x, y, 1.0F).code() == TUNER_OTHER_CONTEXT);
    scene.pack.close();
    CHECK(scene.driver.unloads == 1);
    CHECK(scene.driver.current == &scene.context);
  }

  TEST_CASE("two contexts of one GPU have modules of their own, and each its own streams") {
    Scene scene;
    StandIn::Context other;
    other.id = 2;
    StandIn::Stream of_other{&other};
    REQUIRE(!scene.kernel.launch(&scene.stream, {1024, 1024}, x, y, 1.0F));
    CHECK(scene.kernel.launch(&of_other, {1024, 1024}, x, y, 1.0F).code() == TUNER_OTHER_CONTEXT);
    CHECK(scene.driver.loads == 1);
    scene.driver.current = &other;
    CHECK(scene.kernel.launch(&scene.stream, {1024, 1024}, x, y, 1.0F).code() == TUNER_OTHER_CONTEXT);
    REQUIRE(!scene.kernel.launch(&of_other, {1024, 1024}, x, y, 1.0F));
    CHECK(scene.driver.loads == 2);
    CHECK(scene.driver.launches.back().stream == &of_other);
    // A default stream is of whichever context is current.
    REQUIRE(!scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0F));
    CHECK(scene.driver.loads == 2);
    scene.pack.close();
    CHECK(scene.driver.unloads == 2);
    CHECK(scene.driver.current == &other);
  }

  TEST_CASE("a captured stream takes what is prepared, and nothing is loaded meanwhile") {
    Scene scene;
    scene.stream.is_captured = true;
    CHECK(scene.kernel.launch(&scene.stream, {1024, 1024}, x, y, 1.0F).code() == TUNER_NOT_PREPARED);
    CHECK(scene.driver.loads == 0);
    REQUIRE(!scene.kernel.prepare(nullptr, {1024, 1024}));
    CHECK(!scene.kernel.launch(&scene.stream, {1024, 1024}, x, y, 1.0F));
    scene.stream.is_captured = false;
    CHECK(!scene.kernel.launch(&scene.stream, {1024, 1027}, x, y, 1.0F));
  }

  TEST_CASE("a stream of another context is refused, and so is a thread without one") {
    Scene scene;
    StandIn::Context other;
    scene.stream.context = &other;
    CHECK(scene.kernel.launch(&scene.stream, {1024, 1024}, x, y, 1.0F).code() == TUNER_OTHER_CONTEXT);
    scene.driver.current = nullptr;
    CHECK(scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0F).code() == TUNER_NO_CONTEXT);
    CHECK(scene.kernel.prepare(nullptr).code() == TUNER_NO_CONTEXT);
    CHECK(scene.driver.launches.empty());
  }

  TEST_CASE("each of two GPUs has answers and modules of its own") {
    Scene scene;
    scene.driver.gpus.push_back({"NVIDIA A100", 8, 0, 108});
    StandIn::Context second;
    second.id = 2;
    second.gpu = 1;
    REQUIRE(!scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0F));
    scene.driver.current = &second;
    REQUIRE(!scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0F));
    CHECK(scene.driver.launches[0].block[0] == 128);
    CHECK(scene.driver.launches[1].block[0] == 32);
    CHECK(value_in<int>(scene.driver.launches[1].arguments[4]) == 108);
    CHECK(scene.kernel.pick(0, {1024, 1024}).known == TUNER_MEASURED);
    CHECK(scene.kernel.pick(1, {1024, 1024}).known == TUNER_BY_DEFAULT);
  }

  TEST_CASE("what an expression cannot say is an error with its reason") {
    const auto code = [](const auto& change) {
      Pack pack = sample_pack();
      change(pack.configurations[0].steps[0], pack.configurations[0]);
      Scene scene(pack);
      return scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0F).code();
    };
    CHECK(code([](Step& step, auto&) { step.grid = {binary(Op::divide, size(0), constant(0))}; }) ==
          TUNER_UNDEFINED);
    CHECK(std::string(tuner_error_detail()) == "grid: division by zero");
    CHECK(code([](Step& step, auto&) { step.grid = {constant(0)}; }) == TUNER_BEYOND_LIMITS);
    CHECK(code([](Step& step, auto&) { step.grid = {constant(1), constant(65536)}; }) == TUNER_BEYOND_LIMITS);
    CHECK(code([](Step& step, auto&) { step.block = {constant(1024), constant(2)}; }) == TUNER_BEYOND_LIMITS);
    CHECK(code([](Step& step, auto&) { step.dynamic_shared_bytes = constant(1 << 20); }) ==
          TUNER_BEYOND_LIMITS);
    CHECK(code([](Step& step, auto&) { step.cluster = {constant(3)}; }) == TUNER_BEYOND_LIMITS);
    CHECK(code([](Step& step, auto&) { step.operands[3].value = constant(std::int64_t{1} << 31); }) ==
          TUNER_BEYOND_LIMITS);
    CHECK(code([](Step& step, auto&) { step.when = constant(0); }) == TUNER_OK);
    const auto looped = [&](std::int64_t times) {
      return code([times](Step& step, auto&) {
        step.repeat = constant(times);
        step.repeat_steps = 1;
      });
    };
    CHECK(looped(0) == TUNER_OK);
    CHECK(looped(65537) == TUNER_BEYOND_LIMITS);
    // As the tuner itself refuses it: to leave the step out would be to launch something else.
    CHECK(looped(-1) == TUNER_BEYOND_LIMITS);
    CHECK(std::string(tuner_error_detail()) == "a loop of -1 rounds");
    // A derived value without a value harms only who reads it.
    CHECK(code([](Step&, Configuration& one) {
            one.derived.push_back(binary(Op::remainder, size(0), constant(0)));
          }) == TUNER_OK);
  }

  TEST_CASE("a variable that the binary lacks, or that is too small, is named") {
    const auto detail_with = [](const std::string& variable, tuner_error expected) {
      Pack pack = sample_pack();
      std::string& cubin = pack.images[1].bytes;
      cubin.replace(cubin.find("variable table 8192"), 19, variable);
      Scene scene(pack);
      const auto error =
          scene.kernel.launch(nullptr, {2048, 2048}, x, y, 1.0F, tuner::workspace{memory, 1 << 20});
      CHECK(error.code() == expected);
      CHECK(scene.driver.launches.empty());
      return std::string(error.detail());
    };
    CHECK(detail_with("variable other 8192", TUNER_CANNOT_LOAD).find("while table") != std::string::npos);
    CHECK(detail_with("variable table 8191", TUNER_BEYOND_LIMITS) == "8192 bytes for a variable of 8191");
  }

  TEST_CASE("a binary that the driver refuses, or whose functions are others, is named") {
    const auto code = [](const std::string& cubin) {
      Pack pack = sample_pack();
      pack.images[0].bytes = cubin;
      Scene scene(pack);
      const tuner_error error = scene.kernel.launch(nullptr, {1024, 1024}, x, y, 1.0F).code();
      CHECK(scene.driver.loads == scene.driver.unloads);
      return error;
    };
    CHECK(code("no cubin\n\n") == TUNER_CANNOT_LOAD);
    CHECK(std::string(tuner_error_detail()) ==
          "CUDA_ERROR_INVALID_IMAGE (200): the stand-in says no, while loading a binary");
    CHECK(code("cubin sm_90\nother 8\n\n") == TUNER_CANNOT_LOAD);
    CHECK(code("cubin sm_90\nplain 8 8 4 4\n\n") == TUNER_CANNOT_LOAD);
    CHECK(code("cubin sm_90\nplain 8 8 4 4 8\n\n") == TUNER_CANNOT_LOAD);
    CHECK(std::string(tuner_error_detail()) == "plain: its parameter 5 is not what the pack says");
  }

  TEST_CASE("handles that are none are refused") {
    CHECK(tuner_kernel_launch(nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr, 0) == TUNER_BAD_CALL);
    CHECK(tuner_kernel_prepare(nullptr, nullptr, nullptr, 0) == TUNER_BAD_CALL);
    Scene scene;
    CHECK(tuner_kernel_prepare(scene.kernel.get(), nullptr, nullptr, 2) == TUNER_BAD_CALL);
    const std::int64_t sizes[] = {1024, 1024};
    CHECK(tuner_kernel_launch(scene.kernel.get(), nullptr, sizes, 2, nullptr, 3, nullptr, 0) ==
          TUNER_ARGUMENT_COUNT);
    tuner::kernel none;
    CHECK(none.pick(0, {1, 1}).error.code() == TUNER_BAD_CALL);
  }
}
