#pragma once
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "tests/support/fake_device.hpp"
#include "tuner/measure/runner.hpp"

namespace tests {

/// Trials of y = 2x on a fake device: buffer 0 is x, 1 is y, 2 a workspace. Arguments are those and n.
class TrialFixture {
 public:
  static constexpr std::int64_t elements = 1003;

  TrialFixture() {
    script.kernels["reference"] = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < arguments.integer(3); ++i) {
        arguments.pointer<double>(1)[i] = 2.0 * static_cast<double>(arguments.pointer<float>(0)[i]);
        arguments.pointer<double>(2)[i] = std::fabs(arguments.pointer<double>(1)[i]);
      }
    };
    script.kernels["kernel"] = twice;
    script.time_ns = [](const std::string&, int) { return 1e6; };
  }

  /// What a correct kernel does.
  static void twice(const FakeArguments& arguments) {
    for (std::int64_t i = 0; i < arguments.integer(3); ++i) {
      arguments.pointer<float>(1)[i] = 2 * arguments.pointer<float>(0)[i];
    }
  }

  static tuner::model::Operand buffer(
      int index, tuner::model::Operand::Kind kind = tuner::model::Operand::Kind::buffer) {
    tuner::model::Operand operand;
    operand.kind = kind;
    operand.buffer = index;
    return operand;
  }

  static tuner::model::Operand number(std::int64_t value) {
    tuner::model::Operand operand;
    operand.kind = tuner::model::Operand::Kind::scalar;
    operand.integer = value;
    return operand;
  }

  static tuner::model::TrialJob job(std::int64_t n = elements, std::int64_t workspace = 16) {
    using namespace tuner::model;
    TrialJob job;
    job.plan.buffers = {
        {"x", ElementType::float32, n, Access::in, {Init::Kind::uniform, -1, 1}, {}},
        {"y", ElementType::float32, n, Access::out, {}, {}},
        {"scratch", ElementType::int32, workspace, Access::workspace, {}, {}},
    };
    Step step;
    step.entry = "kernel";
    step.operands = {buffer(0), buffer(1), buffer(2), number(n)};
    job.plan.steps = {step};
    step.entry = "reference";
    step.operands = {buffer(0), buffer(1, Operand::Kind::expected), buffer(1, Operand::Kind::magnitude),
                     number(n)};
    job.plan.verify.reference = {step};
    job.plan.verify.rounding_terms = 1;
    job.kernels = {named("kernel")};
    job.reference_kernels = {named("reference")};
    job.reference_key = DigestBuilder().add("reference").finish();
    job.seed = 7;
    return job;
  }

  static tuner::model::KernelResources named(const std::string& name) {
    tuner::model::KernelResources out;
    out.entry = name;
    out.symbol = name;
    return out;
  }

  tuner::measure::DeviceTrialRunner& runner() {
    if (!m_runner) {
      tuner::measure::Surroundings surroundings;
      surroundings.now_ns = [this] { return script.clock_ns; };
      surroundings.max_sm_clock_mhz = 1980;
      surroundings.reading = [] { return tuner::measure::Reading{1755, 51, 333}; };
      surroundings.counters = counters;
      surroundings.joules = joules;
      surroundings.pause = [this](double ns) { script.clock_ns += ns; };
      m_runner = std::make_unique<tuner::measure::DeviceTrialRunner>(std::make_unique<FakeDevice>(script),
                                                                     std::move(surroundings));
    }
    return *m_runner;
  }
  tuner::model::TrialOutcome run(const tuner::model::TrialJob& what = job()) { return runner().run(what); }
  tuner::model::TrialOutcome run_kernel(FakeScript::Kernel kernel) {
    script.kernels["kernel"] = std::move(kernel);
    return run();
  }

  FakeScript script;
  std::function<std::unique_ptr<tuner::device::Counters>()> counters;
  std::function<std::optional<double>()> joules;

 private:
  std::unique_ptr<tuner::measure::DeviceTrialRunner> m_runner;
};

}  // namespace tests
