#pragma once

namespace tuner::worker {

/// How a message says what it is; in the order of the variant Message, whose index it is.
enum class MessageKind {
  compiler_ready,
  runner_ready,
  failure,
  compile_job,
  compilation,
  trial_request,
  phase_report,
  trial_outcome,
  final_request,
  final_outcome,
  prepare,
  proceed,
};

}  // namespace tuner::worker
