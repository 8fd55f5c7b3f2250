#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/device/device.hpp"
#include "tuner/measure/runner.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::test {

/// The kernel of that name, shipped or of tests/faulty; both travel inside the test program. Throws where
/// there is none, or its spec has mistakes.
space::KernelSpace load_kernel(const std::string& name);

/// From a kernel's spec to the outcome of a trial, in this process, which compiles each job once.
class Workshop {
 public:
  Workshop(std::unique_ptr<compile::Compiler> compiler, std::unique_ptr<device::Device> device);

  /// What a sweep would do with one configuration, its compilation included. `probes`: other problems that
  /// the same binary is verified on before.
  model::TrialOutcome run(const space::KernelSpace& kernel, const model::Problem& problem,
                          const model::Configuration& configuration,
                          const std::vector<model::Problem>& probes = {});
  /// Likewise, the first configuration there is.
  model::TrialOutcome run(const space::KernelSpace& kernel, const model::Problem& problem,
                          const std::vector<model::Problem>& probes = {});
  /// How trials are sampled from now on; at first once, and nothing is dropped.
  void measure_as(model::MeasurePolicy policy) { m_policy = std::move(policy); }
  const std::string& architecture() const { return m_runner.device().architecture; }
  const model::DeviceLimits& limits() const { return m_runner.device().limits; }

 private:
  model::Plan plan(const space::KernelSpace& kernel, const model::Problem& problem,
                   const model::Configuration& configuration) const;
  const model::Compilation& compile(const model::CompileJob& job);

  std::unique_ptr<compile::Compiler> m_compiler;
  measure::DeviceTrialRunner m_runner;
  model::MeasurePolicy m_policy;
};

/// One on the device this program tests on: the CPU, or the GPU.
Workshop make_workshop();

}  // namespace tuner::test
