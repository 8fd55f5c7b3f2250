#include "tuner/cli/pack_compiler.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "tuner/cli/backend.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/compile/compiler.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {

void PackCompiler::start(const model::DeviceInfo& device, model::CompileJob job) {
  Kind& kind = of(device);
  const model::Digest key = job.key();
  if (m_results.try_emplace(key).second) kind.jobs[kind.pool->submit(std::move(job))] = key;
}

std::shared_ptr<const model::Compilation> PackCompiler::compiled(const model::DeviceInfo& device,
                                                                 const model::Digest& job,
                                                                 const std::string& what) {
  constexpr std::chrono::milliseconds patience{200};
  Kind& kind = of(device);
  while (!m_results.at(job)) {
    if (const auto finished = kind.pool->take_for(patience)) {
      m_results[kind.jobs.at(finished->ticket)] = finished->compilation;
      ++m_done;
    }
    m_printer.status(fmt::format("{} of {} compiled", m_done, m_results.size()),
                     static_cast<double>(m_done) / static_cast<double>(m_results.size()));
  }
  const model::Compilation& compilation = *m_results.at(job);
  if (compilation.status == model::TrialStatus::ok) return m_results.at(job);
  throw model::Error(fmt::format("{} does not compile: {}", what, compile::gist(compilation.log)),
                     compilation.status == model::TrialStatus::timeout
                         ? "--compile-timeout-s gives it longer"
                         : "it did when it was measured; was the toolkit another, or a header?");
}

PackCompiler::Kind& PackCompiler::of(const model::DeviceInfo& device) {
  const std::string name(model::device_kind(device.kind).compiler);
  if (name.empty()) {
    throw NothingFound(fmt::format("{} was replayed from a recording, which has no binaries", device.name),
                       "--gpu names another device; or pack from a database of the device itself");
  }
  Kind& kind = m_kinds[name];
  if (kind.pool) return kind;
  const Backend backend = compiling_backend(m_settings, device);
  kind.name = backend.compiler;
  kind.pool = std::make_unique<compile::CompilePool>(backend.compile_jobs, backend.make_compiler);
  return kind;
}

}  // namespace tuner::cli
