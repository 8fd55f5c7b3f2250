#include "tuner/sweep/finalist.hpp"

#include "tuner/sweep/sweep.hpp"

namespace tuner::sweep {

bool FinalistCompiler::submit(const Finalist& finalist) {
  auto trial = make_again(m_request, *finalist.work, finalist.record);
  if (trial) m_compiling.submit_apart(std::move(*trial));
  return trial.has_value();
}

FinalistCompiler::Binary FinalistCompiler::fetch(Finalist& finalist) {
  auto compiled = m_compiling.take_apart(finalist.record.key);
  if (!compiled) return Binary::awaited;
  add_compilation(compiled->trial, *compiled->binary, m_services.oracle);
  const bool sound = compiled->trial.record.outcome.status == model::TrialStatus::ok &&
                     (!compiled->reference || compiled->reference->status == model::TrialStatus::ok);
  if (!sound) return Binary::unsound;
  compiled->trial.record.outcome = finalist.record.outcome;
  finalist.compiled = std::move(compiled);
  return Binary::there;
}

}  // namespace tuner::sweep
