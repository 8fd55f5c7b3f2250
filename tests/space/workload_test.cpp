#include <doctest/doctest.h>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

model::DeviceLimits limits() {
  model::DeviceLimits limits;
  limits.multiprocessors = 132;
  limits.l2_bytes = 1 << 20;
  return limits;
}

/// The only mistake of `spec`.
model::Diagnostic only_mistake(const model::KernelSpec& spec) {
  const auto found = validate(spec);
  REQUIRE(found.size() == 1);
  return found.front();
}

bool says(const model::Diagnostic& diagnostic, const std::string& text) {
  return diagnostic.message.find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a workload is worked out from sizes, the element and derived values") {
  model::KernelSpec spec = scale_spec();
  spec.workload = {expression("2.0 * N"), expression("ELEMENT_BYTES * (length + N)")};
  const KernelSpace space(spec);
  const model::Workload work = space.workload(make_problem(spec, {1000}, std::nullopt, 24));
  CHECK(work.operations == 2000);
  CHECK(work.bytes == 8096);
}

TEST_CASE("what a spec does not say of the workload, or what has no value, is 0") {
  model::KernelSpec spec = scale_spec();
  const model::Problem problem = make_problem(spec, {8}, std::nullopt, 0);
  CHECK(KernelSpace(spec).workload(problem) == model::Workload{});
  spec.workload.operations = expression("N / PAD");
  spec.workload.bytes = expression("N - 9");
  CHECK(KernelSpace(spec).workload(problem) == model::Workload{});
}

TEST_CASE("a workload that depends on a parameter or a limit, even through a derived value, is a mistake") {
  model::KernelSpec spec = scale_spec();
  spec.workload.operations = expression("2.0 * N * B");
  CHECK(says(only_mistake(spec), "\"operations\" of the workload depends on a parameter"));
  spec.workload = {};
  spec.derived.push_back({"blocks", expression("ceil_div(N, B)")});
  spec.workload.bytes = expression("blocks * 4");
  CHECK(says(only_mistake(spec), "\"bytes\" of the workload depends on a parameter"));
  spec.workload.bytes = expression("1.0 * multiprocessors");
  CHECK(says(only_mistake(spec), "multiprocessors"));
}

TEST_CASE("the workload changes no trial's identity") {
  model::KernelSpec spec = scale_spec();
  const auto key = [&] {
    const KernelSpace space(spec);
    const model::Problem problem = make_problem(spec, {64}, std::nullopt, 0);
    const model::Configuration configuration({{"B", 64}});
    const auto plan = std::get<model::Plan>(space.make_plan(problem, configuration, [] {
      model::DeviceLimits wide;
      wide.max_threads_per_block = 1024;
      wide.max_block_x = wide.max_block_y = wide.max_block_z = 1024;
      wide.max_grid_x = wide.max_grid_y = wide.max_grid_z = 65535;
      return wide;
    }()));
    return model::trial_key(spec.name, configuration,
                            space.compile_job(problem, configuration, "a", "c").key(), plan, {}, problem, {});
  };
  const model::Digest before = key();
  spec.workload = {expression("2.0 * N"), expression("4.0 * N")};
  CHECK(key() == before);
}

TEST_CASE("a ceiling's problem comes from the device's limits, in the type asked for where it is offered") {
  model::KernelSpec spec = scale_spec();
  CHECK_FALSE(KernelSpace(spec).ceiling_problem(limits(), std::nullopt));
  spec.ceiling = "memory";
  spec.ceiling_sizes = {expression("l2_bytes / ELEMENT_BYTES + multiprocessors")};
  const KernelSpace space(spec);
  const auto problem = space.ceiling_problem(limits(), model::ElementType::int32);
  REQUIRE(problem);
  CHECK(problem->text() == "262276 int");
  CHECK(problem->family == "scale");
  CHECK(space.ceiling_problem(limits(), model::ElementType::float64)->type == model::ElementType::float32);
  CHECK_FALSE(space.ceiling_problem({}, std::nullopt));
}

TEST_CASE("a ceiling's sizes depend on limits alone, and there is one for each size") {
  model::KernelSpec spec = scale_spec();
  spec.ceiling = "memory";
  spec.ceiling_sizes = {expression("N * 2")};
  CHECK(says(only_mistake(spec), "depends on a size or a parameter"));
  spec.ceiling_sizes = {expression("B")};
  CHECK(says(only_mistake(spec), "depends on a size or a parameter"));
  spec.ceiling_sizes = {expression("1024"), expression("1024")};
  CHECK(says(only_mistake(spec), "has 2 values, the kernel has 1 size"));
}

TEST_SUITE_END();
