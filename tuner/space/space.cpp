#include "tuner/space/space.hpp"

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::space {

std::vector<model::Diagnostic> validate(const model::KernelSpec& spec) {
  std::vector<model::Diagnostic> diagnostics;
  compile_spec(spec, diagnostics);
  return diagnostics;
}

void enumerate(const model::KernelSpec& spec, const model::Problem& problem,
               const model::DeviceLimits& limits,
               const std::function<bool(const model::Configuration&)>& visit) {
  KernelSpace(spec).enumerate(problem, limits, visit);
}

std::vector<model::Configuration> configurations(const model::KernelSpec& spec, const model::Problem& problem,
                                                 const model::DeviceLimits& limits) {
  std::vector<model::Configuration> all;
  enumerate(spec, problem, limits, [&](const model::Configuration& configuration) {
    all.push_back(configuration);
    return true;
  });
  return all;
}

std::int64_t count(const model::KernelSpec& spec, const model::Problem& problem,
                   const model::DeviceLimits& limits) {
  return KernelSpace(spec).count(problem, limits);
}

std::variant<model::Plan, Rejection> make_plan(const model::KernelSpec& spec, const model::Problem& problem,
                                               const model::Configuration& configuration,
                                               const model::DeviceLimits& limits) {
  return KernelSpace(spec).make_plan(problem, configuration, limits);
}

model::CompileJob compile_job(const model::KernelSpec& spec, const model::Problem& problem,
                              const model::Configuration& configuration, const std::string& architecture,
                              const std::string& compiler) {
  return KernelSpace(spec).compile_job(problem, configuration, architecture, compiler);
}

std::optional<model::CompileJob> reference_job(const model::KernelSpec& spec, const model::Problem& problem,
                                               const std::string& architecture, const std::string& compiler) {
  return KernelSpace(spec).reference_job(problem, architecture, compiler);
}

model::Metrics metrics(const model::KernelSpec& spec, const model::Problem& problem,
                       const model::Configuration& configuration, double time_ns) {
  return KernelSpace(spec).metrics(problem, configuration, time_ns);
}

bool is_default(const model::KernelSpec& spec, const model::Configuration& configuration) {
  return KernelSpace(spec).is_default(configuration);
}

}  // namespace tuner::space
