#include "tests/kernels/cpu_machine.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tuner/compile/compiler.hpp"

namespace tuner::test {

bool has_toolkit() {
  if (!compile::find_header_folder().empty()) return true;
  MESSAGE("skipped: no CUDA toolkit on this machine");
  return false;
}

CpuMachine::CpuMachine(int workers) : m_device({.workers = workers}) {}

std::shared_ptr<compile::BinaryCache> shared_cache() {
  static const util::TemporaryFolder own;
  static const char* const shared = std::getenv("XDG_CACHE_HOME");
  static const auto cache = std::make_shared<compile::BinaryCache>(
      shared == nullptr ? own.path() : std::filesystem::path(shared) / "tuner");
  return cache;
}

std::unique_ptr<compile::Compiler> caching_compiler(compile::host::Instrument instrument) {
  const compile::host::HostCompilerOptions options{.instrument = instrument, .cache = shared_cache()};
  return std::make_unique<compile::CachingCompiler>(std::make_unique<compile::host::HostCompiler>(options),
                                                    shared_cache());
}

model::Compilation CpuMachine::compile(const KernelRun& run) {
  using compile::host::HostCompiler;
  static std::map<std::pair<compile::host::Instrument, bool>, std::unique_ptr<compile::Compiler>> compilers;
  std::unique_ptr<compile::Compiler>& known = compilers[{run.instrument, run.reads_headers_anew}];
  if (known == nullptr && run.reads_headers_anew)
    known = std::make_unique<HostCompiler>(compile::host::HostCompilerOptions{.instrument = run.instrument});
  if (known == nullptr) known = caching_compiler(run.instrument);
  compile::Compiler& compiler = *known;
  model::CompileJob job;
  job.source = {{"kernel.cu", run.source}};
  job.macros = run.macros;
  job.entries = {run.entry};
  job.architecture = "host";
  job.compiler = compiler.name();
  return compiler.compile(job);
}

void CpuMachine::run_on(const KernelRun& run, void* contents, std::int64_t bytes) {
  const model::Compilation compilation = compile(run);
  if (compilation.status != model::TrialStatus::ok) throw std::runtime_error(compilation.log);
  const auto module = m_device.load(compilation.binary);
  const auto buffer = m_device.allocate(bytes);
  std::memcpy(reinterpret_cast<void*>(buffer->address()), contents, static_cast<std::size_t>(bytes));
  model::Step step;
  step.entry = run.entry;
  step.grid = run.grid;
  step.block = run.block;
  step.dynamic_shared_bytes = run.dynamic_shared_bytes;
  step.cooperative = run.cooperative;
  step.cluster = run.cluster;
  step.operands = {{.kind = model::Operand::Kind::buffer, .buffer = 0}};
  const device::Bindings bindings{{buffer->address()}, {}, {}};
  const std::vector<model::BufferPlan> buffers = {
      {"data", model::ElementType::uint8, bytes, model::Access::inout, {}, {}}};
  m_device.bind(*module, compilation.kernels, {step}, buffers, bindings)->run(1);
  m_races = m_device.take_races(*module);
  std::memcpy(contents, reinterpret_cast<const void*>(buffer->address()), static_cast<std::size_t>(bytes));
}

}  // namespace tuner::test
