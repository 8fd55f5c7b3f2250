#include "bench/support/imagined.hpp"

#include <optional>
#include <string>

#include "tuner/space/space.hpp"

namespace bench {
namespace {

using namespace tuner;

model::ParameterSpec parameter(const std::string& name, std::int64_t values) {
  model::ParameterSpec out;
  out.name = name;
  for (std::int64_t i = 1; i <= values; ++i) out.values.emplace_back(i);
  return out;
}

model::KernelSpec spec(const std::array<std::int64_t, 3>& values) {
  model::KernelSpec out;
  out.name = "imagined";
  out.family = "imagined";
  out.source = {{"imagined.cu", "extern \"C\" __global__ void imagined(float* x) {}"}};
  out.sizes = {"N"};
  out.types = {model::ElementType::float32};
  out.parameters = {parameter("TILE", values[0]), parameter("UNROLL", values[1]),
                    parameter("VECTOR", values[2])};
  model::ArgumentSpec x;
  x.name = "x";
  x.type = model::ElementType::float32;
  x.pointer = true;
  x.access = model::Access::out;
  x.extent = {{"N", {}}};
  out.arguments = {x};
  model::StepSpec launch;
  launch.entry = "imagined";
  launch.grid = {{"ceil_div(N, 32 * TILE)", {}}};
  launch.block = {{"32", {}}};
  out.steps = {launch};
  out.metrics = {{"elements/ns", {"1.0 * N / time_ns", {}}}};
  return out;
}

}  // namespace

sweep::Request imagined_request(const std::array<std::int64_t, 3>& values,
                                const std::vector<std::int64_t>& sizes) {
  sweep::Request request;
  sweep::Work work{space::KernelSpace(spec(values)), {}};
  for (const std::int64_t size : sizes)
    work.problems.push_back(space::make_problem(work.kernel.spec(), {size}, std::nullopt, 0));
  request.work = {work};
  request.device.id = "cuda:0";
  request.device.kind = "cuda";
  request.device.name = "Imagined GPU";
  request.device.architecture = "sm_90";
  request.compiler = "quick 1";
  request.run.id = model::Digest::random();
  request.run.state = "running";
  request.run.device = request.device;
  request.run.toolkit = request.compiler;
  return request;
}

void add_library(sweep::Request& request, const std::string& name) {
  model::KernelSpec with = request.work.front().kernel.spec();
  model::BaselineSpec library;
  library.name = name;
  library.source = {{name + ".cpp", "calls " + name}};
  library.arguments = {{"x", {}}};
  with.baselines = {library};
  request.work.push_back({space::KernelSpace(space::baselines(with).front()), request.work.front().problems});
}

model::Measurement measured(double time_ns) {
  model::Measurement out;
  out.samples_ns.assign(20, time_ns);
  out.median_ns = out.low_ns = out.high_ns = out.min_ns = time_ns;
  return out;
}

model::Compilation QuickCompiler::compile(const model::CompileJob& job) {
  model::Compilation out;
  out.binary.resize(50'000);
  out.log = std::string(500, 'x');
  model::KernelResources& kernel = out.kernels.emplace_back();
  kernel.entry = job.entries.front();
  kernel.symbol = kernel.entry;
  return out;
}

}  // namespace bench
