// A packed configuration launches what the engine plans, at every size.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <variant>

#include "config/kernel_file.hpp"
#include "kernels/shipped.hpp"
#include "tests/use/sample_pack.hpp"
#include "tests/use/stand_in.hpp"
#include "tuner/model/error.hpp"
#include "tuner/packing/packed_kernel.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;

namespace {

/// Those of the stand-in.
model::DeviceLimits h100() {
  model::DeviceLimits limits;
  limits.multiprocessors = 132;
  limits.shared_bytes_per_block_optin = 232448;
  limits.shared_bytes_per_multiprocessor = 233472;
  limits.l2_bytes = 52428800;
  return limits;
}

struct Tally {
  int launches = 0;
  int refused = 0;
  int copies = 0;
};

std::int64_t bytes_of(const model::Operand& operand) {
  using Kind = model::Operand::Kind;
  if (operand.kind == Kind::tensor_map) return 128;
  if (operand.kind != Kind::scalar) return 8;
  return operand.struct_bytes != 0 ? operand.struct_bytes : model::size_bytes(operand.type);
}

/// The binary of a configuration, as far as packs and the stand-in know binaries.
model::Compilation fake_binary(const model::Plan& plan, std::string& cubin) {
  model::Compilation binary;
  cubin = "cubin sm_90\n";
  for (const model::Step& step : plan.steps) {
    if (step.kind != model::Step::Kind::launch || binary.find(step.entry) != nullptr) continue;
    const std::string symbol = "f" + std::to_string(binary.kernels.size());
    model::KernelResources kernel;
    kernel.entry = step.entry;
    kernel.symbol = symbol;
    binary.kernels.push_back(kernel);
    cubin += symbol;
    for (const model::Operand& operand : step.operands) cubin += " " + std::to_string(bytes_of(operand));
    cubin += "\n";
  }
  for (const model::BufferPlan& buffer : plan.buffers) {
    if (buffer.symbol.empty()) continue;
    model::KernelResources variable;
    variable.entry = "&" + buffer.symbol;
    variable.symbol = "v" + std::to_string(binary.kernels.size());
    binary.kernels.push_back(variable);
    cubin += "variable " + variable.symbol + " " + std::to_string(buffer.bytes()) + "\n";
  }
  cubin += "\n";
  return binary;
}

/// Variables are set before the first launch, and what a kernel writes is taken behind the last.
void check_copies(const tests::StandIn& driver, const model::Plan& plan, Tally& tally) {
  std::vector<std::pair<std::int64_t, std::size_t>> expected;
  for (const bool is_set : {true, false})
    for (const model::BufferPlan& buffer : plan.buffers)
      if (!buffer.symbol.empty() && (is_set || buffer.access != model::Access::in))
        expected.emplace_back(buffer.bytes(), is_set ? 0 : driver.launches.size());
  std::vector<std::pair<std::int64_t, std::size_t>> seen;
  for (const tests::StandIn::Copy& copy : driver.copies)
    seen.emplace_back(static_cast<std::int64_t>(copy.count), copy.launches);
  CHECK(seen == expected);
  tally.copies += static_cast<int>(seen.size());
}

void check_launch(const tests::StandIn::Launch& launch, const model::Step& step) {
  const std::int64_t grid[] = {step.grid.x, step.grid.y, step.grid.z};
  const std::int64_t block[] = {step.block.x, step.block.y, step.block.z};
  const std::int64_t cluster[] = {step.cluster.x, step.cluster.y, step.cluster.z};
  for (int i = 0; i < 3; ++i) {
    CHECK(launch.grid[i] == grid[i]);
    CHECK(launch.block[i] == block[i]);
    CHECK(launch.cluster[i] == cluster[i]);
  }
  CHECK(launch.shared_bytes == step.dynamic_shared_bytes);
  CHECK(launch.is_cooperative == step.cooperative);
  CHECK(launch.overlaps == step.overlap);
  REQUIRE(launch.arguments.size() == step.operands.size());
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    const model::Operand& operand = step.operands[i];
    if (operand.kind != model::Operand::Kind::scalar || operand.struct_bytes != 0) continue;
    std::int64_t integer = 0;
    float real = 0;
    std::memcpy(&integer, launch.arguments[i].data(), launch.arguments[i].size());
    if (launch.arguments[i].size() == sizeof real)
      std::memcpy(&real, launch.arguments[i].data(), sizeof real);
    if (operand.type == model::ElementType::float32) CHECK(real == static_cast<float>(operand.real));
    if (!model::is_floating(operand.type)) CHECK(integer == operand.integer);
  }
}

void check_maps(const std::vector<tests::StandIn::Map>& maps, const model::Step& step, std::size_t& next) {
  for (const model::Operand& operand : step.operands) {
    if (!operand.tensor) continue;
    REQUIRE(next < maps.size());
    const tests::StandIn::Map& map = maps[next++];
    CHECK(std::vector<std::int64_t>(map.shape.begin(), map.shape.end()) == operand.tensor->shape);
    CHECK(std::vector<std::int64_t>(map.strides.begin(), map.strides.end()) == operand.tensor->strides);
    CHECK(std::vector<std::int64_t>(map.box.begin(), map.box.end()) == operand.tensor->box);
  }
}

/// Launches a configuration that was packed as of `like` at another problem.
void check_problem(const space::KernelSpace& kernel, const model::Configuration& configuration,
                   const model::Problem& problem, const tests::Opened& opened, Tally& tally) {
  tests::StandIn& driver = tests::fresh_stand_in();
  tests::StandIn::Context context;
  driver.current = &context;
  std::vector<std::int64_t> sizes;
  for (const model::Dimension& size : problem.sizes) sizes.push_back(size.value);
  std::vector<tuner_value> arguments(tuner_kernel_parameter_count(opened.kernel()));
  for (tuner_value& argument : arguments) argument = {TUNER_ANY, 1, {reinterpret_cast<void*>(1 << 20)}, 0};
  const tuner_error error =
      tuner_kernel_launch(opened.kernel(), nullptr, sizes.data(), sizes.size(), arguments.data(),
                          arguments.size(), reinterpret_cast<void*>(1 << 20), std::size_t{1} << 50);
  CAPTURE(problem.text());
  CAPTURE(configuration.text());
  const auto planned = kernel.make_plan(problem, configuration, h100());
  const auto* const plan = std::get_if<model::Plan>(&planned);
  if (plan == nullptr || !kernel.allows(problem, configuration, h100())) {
    CHECK(error != TUNER_OK);
    ++tally.refused;
    return;
  }
  REQUIRE_MESSAGE(error == TUNER_OK, tuner_error_text(error), " ", tuner_error_detail());
  std::size_t launch = 0;
  std::size_t map = 0;
  for (const std::size_t index : model::launch_order(plan->steps)) {
    const model::Step& step = plan->steps[index];
    if (step.kind != model::Step::Kind::launch) continue;
    REQUIRE(launch < driver.launches.size());
    check_launch(driver.launches[launch++], step);
    check_maps(driver.maps, step, map);
  }
  CHECK(launch == driver.launches.size());
  check_copies(driver, *plan, tally);
  ++tally.launches;
}

/// Packs some configurations of a kernel, each alone as the default of its pack, and launches them at all
/// problems.
void check_kernel(const model::KernelSpec& spec, Tally& tally) {
  CAPTURE(spec.name);
  const space::KernelSpace kernel(spec);
  std::vector<model::Diagnostic> mistakes;
  const auto compiled = space::compile_spec(spec, mistakes);
  REQUIRE(compiled != nullptr);
  std::vector<model::Problem> problems;
  for (const std::int64_t size : {1024, 1000, 4096, 16, 37})
    problems.push_back(space::make_problem(spec, {size}, {}, 0));
  for (const std::size_t from : {0, 3}) {
    const model::Problem& like = problems[from];
    int seen = 0;
    std::vector<model::Configuration> chosen;
    kernel.enumerate(like, h100(), [&](const model::Configuration& one) {
      if (seen++ % 97 == 0) chosen.push_back(one);
      return chosen.size() < 6;
    });
    for (const model::Configuration& configuration : chosen) {
      const auto planned = kernel.make_plan(like, configuration, h100());
      const auto* const plan = std::get_if<model::Plan>(&planned);
      if (plan == nullptr) continue;
      use::Pack pack;
      std::string cubin;
      const model::Compilation binary = fake_binary(*plan, cubin);
      pack.configurations = {
          packing::packed_configuration(*compiled, like, h100(), configuration, binary, 0)};
      pack.images = {{"sm_90", use::ImageKind::cubin, cubin}};
      pack.kernels = {packing::packed_kernel(*compiled, like)};
      pack.kernels[0].targets = {{"sm_90", "", {}, {}, {0}}};
      const tests::Opened opened(pack);
      for (const model::Problem& problem : problems)
        check_problem(kernel, configuration, problem, opened, tally);
    }
  }
}

model::KernelSpec naive() {
  return config::load_kernel_file(TUNER_SOURCE_DIR "/kernels/matmul/naive.toml").kernels.at(0);
}

/// Of the default configuration alone.
use::Pack default_pack(const model::KernelSpec& spec) {
  const space::KernelSpace kernel(spec);
  std::vector<model::Diagnostic> mistakes;
  const auto compiled = space::compile_spec(spec, mistakes);
  REQUIRE(compiled != nullptr);
  const model::Problem like = space::make_problem(spec, {1024}, {}, 0);
  const model::Configuration configuration = *kernel.default_configuration(like, h100());
  const auto plan = std::get<model::Plan>(kernel.make_plan(like, configuration, h100()));
  use::Pack pack;
  std::string cubin;
  const model::Compilation binary = fake_binary(plan, cubin);
  pack.configurations = {packing::packed_configuration(*compiled, like, h100(), configuration, binary, 0)};
  pack.images = {{"sm_90", use::ImageKind::cubin, cubin}};
  pack.kernels = {packing::packed_kernel(*compiled, like)};
  pack.kernels[0].targets = {{"sm_90", "", {}, {}, {0}}};
  return pack;
}

}  // namespace

TEST_SUITE("packing") {
  TEST_CASE("packed configurations of shipped kernels launch what is planned, and refuse what is not") {
    const config::LoadedKernels shipped = config::load_embedded(kernels::shipped());
    REQUIRE(shipped.mistakes.empty());
    Tally tally;
    int kernels = 0;
    for (const model::KernelSpec& spec : shipped.kernels) {
      if (spec.role != model::Role::competitor || !model::runs_on(spec.device_kinds, "cuda")) continue;
      if (spec.name == "streamed") {  // its copies from the host are not a program's
        CHECK_THROWS_AS(check_kernel(spec, tally), model::UsageError);
        continue;
      }
      check_kernel(spec, tally);
      ++kernels;
    }
    CHECK(kernels > 8);
    CHECK(tally.launches > 100);
    CHECK(tally.refused > 10);
  }

  TEST_CASE("a pack says which workspaces begin as zeros") {
    const config::LoadedKernels shipped = config::load_embedded(kernels::shipped());
    const auto sgemm = std::find_if(shipped.kernels.begin(), shipped.kernels.end(),
                                    [](const model::KernelSpec& spec) { return spec.name == "sgemm"; });
    REQUIRE(sgemm != shipped.kernels.end());
    const space::KernelSpace kernel(*sgemm);
    std::vector<model::Diagnostic> mistakes;
    const auto compiled = space::compile_spec(*sgemm, mistakes);
    const model::Problem problem = space::make_problem(*sgemm, {4096}, {}, 0);
    int looked_at = 0;
    kernel.enumerate(problem, h100(), [&](const model::Configuration& configuration) {
      const auto plan = std::get<model::Plan>(kernel.make_plan(problem, configuration, h100()));
      std::string cubin;
      const model::Compilation binary = fake_binary(plan, cubin);
      const use::Configuration packed =
          packing::packed_configuration(*compiled, problem, h100(), configuration, binary, 0);
      REQUIRE(packed.workspaces.size() == 2);
      CHECK(packed.workspaces[0].fill == use::Fill::anything);    // sums
      CHECK(packed.workspaces[1].fill == use::Fill::zero_first);  // how many of them are there
      return ++looked_at < 3;
    });
    CHECK(looked_at > 0);
  }

  TEST_CASE("a configuration is not picked where it asks too much of the device") {
    tests::fresh_stand_in();
    const tests::Opened opened(default_pack(naive()));
    tuner_choice choice{};
    CHECK(opened.pick({16 * 65535, 16, 16}, choice) == TUNER_OK);
    CHECK(opened.pick({16 * 65535 + 1, 16, 16}, choice) == TUNER_NO_CONFIGURATION);
    model::KernelSpec spec = naive();
    spec.steps.push_back(spec.steps.at(0));
    spec.steps.at(0).when = model::Expression{"M != 7", {}};
    spec.steps.at(0).grid[1].text = "4096 / (M - 7)";
    CHECK(tests::Opened(default_pack(spec)).pick({7, 16, 16}, choice) == TUNER_OK);
    spec.steps.pop_back();  // then no step is left
    CHECK(tests::Opened(default_pack(spec)).pick({7, 16, 16}, choice) == TUNER_NO_CONFIGURATION);
    CHECK(tests::Opened(default_pack(spec)).pick({8, 16, 16}, choice) == TUNER_OK);
    spec = naive();
    spec.steps.at(0).dynamic_shared_bytes = model::Expression{"4 * K", {}};
    const tests::Opened shared(default_pack(spec));
    CHECK(shared.pick({16, 16, 227 * 256}, choice) == TUNER_OK);
    CHECK(shared.pick({16, 16, 227 * 256 + 1}, choice) == TUNER_NO_CONFIGURATION);
    spec = naive();
    spec.steps.at(0).block = {{"K / 2", {}}, {"2", {}}};
    const tests::Opened block(default_pack(spec));
    CHECK(block.pick({16, 16, 1025}, choice) == TUNER_OK);
    CHECK(block.pick({16, 16, 1026}, choice) == TUNER_NO_CONFIGURATION);
    CHECK(block.pick({16, 16, 1}, choice) == TUNER_NO_CONFIGURATION);  // of no thread
    const auto picks = [&](const std::function<void(model::KernelSpec&)>& change, std::int64_t k) {
      model::KernelSpec changed = naive();
      change(changed);
      return tests::Opened(default_pack(changed)).pick({16, 16, k}, choice) == TUNER_OK;
    };
    const auto rounds = [](model::KernelSpec& one) {
      one.steps.at(0).repeat = model::Expression{"K - 100", {}};
      one.steps.at(0).repeat_steps = 1;
    };
    CHECK(picks(rounds, 101));
    CHECK_FALSE(picks(rounds, 100));  // no step
    CHECK_FALSE(picks(rounds, 99));
    CHECK_FALSE(picks(rounds, 100 + 65537));
    const auto extent = [](model::KernelSpec& one) {
      one.arguments.at(0).extent = {{"M * K", {}}, {"K - 50", {}}};
    };
    CHECK(picks(extent, 50));
    CHECK_FALSE(picks(extent, 49));
    const auto carveout = [](model::KernelSpec& one) {
      one.steps.at(0).shared_carveout_percent = model::Expression{"K / 16", {}};
    };
    CHECK(picks(carveout, 1600));
    CHECK_FALSE(picks(carveout, 1616));
    const auto cluster = [](model::KernelSpec& one) {
      one.steps.at(0).grid = {{"16", {}}, {"1", {}}};
      one.steps.at(0).cluster = {{"K == 16 ? 16 : 8", {}}};
    };
    CHECK(picks(cluster, 8));
    CHECK_FALSE(picks(cluster, 16));
    constexpr std::int64_t largest_int = 0x7fffffff;
    CHECK(opened.pick({16, 16, largest_int}, choice) == TUNER_OK);
    CHECK(opened.pick({16, 16, largest_int + 1}, choice) == TUNER_NO_CONFIGURATION);
  }

  TEST_CASE("a derived value without a value costs a configuration what reads it") {
    tests::fresh_stand_in();
    tuner_choice choice{};
    for (const char* constraint : {"ZERO == 0 || K % PART == 0", "ZERO == 0 ? K > 3 : REST == 0",
                                   "K > 3 && (K > 4 || REST == 0)", "K > 4 || 64 % PART == 0"}) {
      CAPTURE(constraint);
      model::KernelSpec spec = naive();
      spec.derived.push_back({"ZERO", {"BLOCK_X - BLOCK_X", {}}});
      spec.derived.push_back({"PART", {"64 / ZERO", {}}});
      spec.derived.push_back({"REST", {"K % PART", {}}});
      spec.constraints.push_back({constraint, {}});
      const tests::Opened opened(default_pack(spec));
      CHECK(opened.pick({16, 16, 16}, choice) == TUNER_OK);
      const bool reads_it = std::string(constraint).find("K > 4") != std::string::npos;
      CHECK(opened.pick({16, 16, 4}, choice) == (reads_it ? TUNER_NO_CONFIGURATION : TUNER_OK));
    }
  }

  TEST_CASE("FP8 numbers by value are refused") {
    model::KernelSpec spec = naive();
    spec.arguments.back().type = model::ElementType::float8_e4m3;
    CHECK_THROWS_WITH_AS(static_cast<void>(default_pack(spec)),
                         "kernel `naive` cannot be packed: `tile_y` is an FP8 number by value",
                         model::UsageError);
  }

  TEST_CASE("so do the examples, but for those that need what packs lack") {
    Tally tally;
    std::set<std::string> unlike;
    for (const auto& entry : std::filesystem::directory_iterator(TUNER_SOURCE_DIR "/examples")) {
      for (const auto& file : std::filesystem::directory_iterator(entry.path())) {
        if (file.path().extension() != ".toml") continue;
        const config::LoadedKernels loaded = config::load_kernel_file(file.path());
        REQUIRE(loaded.mistakes.empty());
        for (const model::KernelSpec& spec : loaded.kernels) {
          try {
            check_kernel(spec, tally);
          } catch (const model::UsageError& error) {
            unlike.insert(error.what());
          }
        }
      }
    }
    const std::set<std::string> expected = {"kernel `linear` cannot be packed: it calls a library",
                                            "kernel `resize` cannot be packed: `image_texture` is a texture",
                                            "kernel `rotate` cannot be packed: `image_texture` is a texture"};
    CHECK(unlike == expected);
    CHECK(tally.launches > 100);
    CHECK(tally.copies >= 10);  // of the convolution's filter
  }
}
