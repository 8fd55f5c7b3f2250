// The kernels of kernels/textbook, whole: spec to verified result on the CPU device.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/kernel_file.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/measure/runner.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;

namespace {

class Workshop {
 public:
  Workshop() : m_runner(std::make_unique<device::cpu::CpuDevice>(device::cpu::CpuOptions{.workers = 2})) {
    m_policy.samples = 1;
    m_policy.least_samples = 1;
    m_policy.batch_below_ns = 0;
  }

  model::TrialOutcome run(const space::KernelSpace& kernel, const model::Problem& problem,
                          const model::Configuration& configuration) {
    model::TrialJob job;
    const auto plan = kernel.make_plan(problem, configuration, m_runner.device().limits);
    REQUIRE(std::holds_alternative<model::Plan>(plan));
    job.plan = std::get<model::Plan>(plan);
    const model::Compilation& own =
        compile(kernel.compile_job(problem, configuration, "host", m_compiler.name()));
    const auto reference_job = kernel.reference_job(problem, "host", m_compiler.name());
    REQUIRE(reference_job.has_value());
    const model::Compilation& reference = compile(*reference_job);
    job.binary = own.binary;
    job.kernels = own.kernels;
    job.reference_binary = reference.binary;
    job.reference_kernels = reference.kernels;
    job.reference_key = reference_job->key();
    job.policy = m_policy;
    job.seed = 7;
    return m_runner.run(job);
  }

  const model::DeviceLimits& limits() const { return m_runner.device().limits; }

 private:
  const model::Compilation& compile(const model::CompileJob& job) {
    const auto found = m_made.find(job.key());
    if (found != m_made.end()) return found->second;
    const model::Compilation& made = m_made.emplace(job.key(), m_compiler.compile(job)).first->second;
    CAPTURE(made.log);
    REQUIRE(made.status == model::TrialStatus::ok);
    return made;
  }

  compile::host::HostCompiler m_compiler;
  measure::DeviceTrialRunner m_runner;
  model::MeasurePolicy m_policy;
  std::map<model::Digest, model::Compilation> m_made;
};

space::KernelSpace load(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(TUNER_SOURCE_DIR) / "kernels/textbook" / (name + ".toml");
  const config::LoadedKernels loaded = config::load_kernel_file(path);
  for (const model::Diagnostic& mistake : loaded.mistakes)
    FAIL_CHECK(mistake.where.text() << ": " << mistake.message);
  REQUIRE(loaded.kernels.size() == 1);
  return space::KernelSpace(loaded.kernels[0]);
}

/// Every `step`-th configuration of the space on one size, and the first one on every other size and type.
void verify(const std::string& name, const std::vector<std::vector<std::int64_t>>& sizes, std::size_t step) {
  const space::KernelSpace kernel = load(name);
  Workshop workshop;
  const auto expect_ok = [&](const model::Problem& problem, const model::Configuration& configuration) {
    const model::TrialOutcome outcome = workshop.run(kernel, problem, configuration);
    CAPTURE(name);
    CAPTURE(problem.text());
    CAPTURE(configuration.text());
    CAPTURE(outcome.detail);
    CHECK(model::to_string(outcome.status) == "ok");
    CHECK(outcome.verification.checked);
  };
  const auto configurations = [&](const model::Problem& problem) {
    std::vector<model::Configuration> all;
    kernel.enumerate(problem, workshop.limits(), [&](const model::Configuration& configuration) {
      all.push_back(configuration);
      return true;
    });
    return all;
  };
  const model::Problem largest = space::make_problem(kernel.spec(), sizes.back(), std::nullopt, 0);
  const auto all = configurations(largest);
  REQUIRE(all.size() > 4);
  for (std::size_t i = 0; i < all.size(); i += step) expect_ok(largest, all[i]);
  for (const model::ElementType type : kernel.spec().types) {
    for (const auto& size : sizes) {
      const model::Problem problem = space::make_problem(kernel.spec(), size, type, 0);
      expect_ok(problem, configurations(problem)[3]);
      if (kernel.spec().row_padding.empty()) continue;
      const model::Problem padded = space::make_problem(kernel.spec(), size, type, 3);
      expect_ok(padded, configurations(padded)[3]);
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("kernels::textbook");

TEST_CASE("the reduction verifies") {
  verify("reduction", {{1}, {31}, {257}, {100'003}}, 5);
}
TEST_CASE("the transpose verifies") {
  verify("transpose", {{1, 1}, {37, 5}, {65, 129}}, 5);
}
TEST_CASE("the stencil verifies") {
  verify("stencil", {{1, 1}, {37, 5}, {130, 67}}, 11);
}
TEST_CASE("the histogram verifies") {
  verify("histogram", {{1}, {257}, {50'021}}, 11);
}
TEST_CASE("the scan verifies") {
  verify("scan", {{1}, {31}, {257}, {70'001}}, 5);
}

TEST_SUITE_END();
