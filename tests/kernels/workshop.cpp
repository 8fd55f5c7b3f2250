#include "tests/kernels/workshop.hpp"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>
#include <utility>
#include <variant>

#include "config/kernel_file.hpp"
#include "kernels/shipped.hpp"

namespace tuner::test {
namespace faulty {

std::span<const model::EmbeddedFile> embedded_files();  // generated

}  // namespace faulty

space::KernelSpace load_kernel(const std::string& name) {
  for (const kernels::ShippedKernel& kernel : kernels::shipped_kernels()) {
    if (kernel.name == name)
      return space::KernelSpace(config::load_embedded(kernels::shipped(), kernel.file).kernels.at(0));
  }
  for (const model::KernelSpec& spec : config::load_embedded(faulty::embedded_files()).kernels)
    if (spec.name == name) return space::KernelSpace(spec);
  throw std::runtime_error("no kernel is called " + name);
}

Workshop::Workshop(std::unique_ptr<compile::Compiler> compiler, std::unique_ptr<device::Device> device)
    : m_compiler(std::move(compiler)), m_runner(std::move(device)) {
  m_policy.samples = 1;
  m_policy.cuts.clear();
  m_policy.batch_below_ns = 0;
}

model::TrialOutcome Workshop::run(const space::KernelSpace& kernel, const model::Problem& problem,
                                  const model::Configuration& configuration,
                                  const std::vector<model::Problem>& probes) {
  model::TrialJob job;
  job.plan = plan(kernel, problem, configuration);
  for (const model::Problem& probe : probes) job.probes.push_back(plan(kernel, probe, configuration));
  const std::string& architecture = m_runner.device().architecture;
  const model::CompileJob own_job =
      kernel.compile_job(problem, configuration, architecture, m_compiler->name());
  const model::Compilation& own = compile(own_job);
  if (!own_job.library.empty()) job.library = compile(own_job.library.front()).binary;
  const auto reference_job = kernel.reference_job(problem, architecture, m_compiler->name());
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

model::TrialOutcome Workshop::run(const space::KernelSpace& kernel, const model::Problem& problem,
                                  const std::vector<model::Problem>& probes) {
  const auto configurations = kernel.list(problem, limits());
  REQUIRE(configurations.size() > 0);
  return run(kernel, problem, configurations[0], probes);
}

model::Plan Workshop::plan(const space::KernelSpace& kernel, const model::Problem& problem,
                           const model::Configuration& configuration) const {
  const auto made = kernel.make_plan(problem, configuration, limits());
  if (const auto* rejection = std::get_if<space::Rejection>(&made)) FAIL(rejection->reason);
  return std::get<model::Plan>(made);
}

const model::Compilation& Workshop::compile(const model::CompileJob& job) {
  static std::map<model::Digest, model::Compilation> compiled;
  const auto found = compiled.find(job.key());
  if (found != compiled.end()) return found->second;
  const model::Compilation& made = compiled.emplace(job.key(), m_compiler->compile(job)).first->second;
  CAPTURE(made.log);
  REQUIRE(made.status == model::TrialStatus::ok);
  return made;
}

}  // namespace tuner::test
