#pragma once
#include <optional>

#include "tuner/sweep/compile_ahead.hpp"

namespace tuner::sweep {

/// A trial of the past that is to be measured again: in a final, or to compare its GPU with one of here.
struct Finalist {
  const Work* work = nullptr;
  model::TrialRecord record;
  std::optional<CompiledTrial> compiled;  ///< without it its binary is on its way
};

/// The time of a trial that was measured.
inline double time_ns(const model::TrialRecord& trial) {
  return trial.outcome.measurement->median_ns;
}

/// Has finalists compiled whose binaries are not at hand. The arguments must outlive the object.
class FinalistCompiler {
 public:
  FinalistCompiler(const Request& request, Services& services, CompileAhead& compiling)
      : m_request(request), m_services(services), m_compiling(compiling) {}

  /// Whether it is the same trial today, and so is compiled.
  bool submit(const Finalist& finalist);
  /// Whether it has its binary now, or cannot have it.
  enum class Binary { awaited, there, unsound };
  Binary fetch(Finalist& finalist);

 private:
  const Request& m_request;
  Services& m_services;
  CompileAhead& m_compiling;
};

}  // namespace tuner::sweep
