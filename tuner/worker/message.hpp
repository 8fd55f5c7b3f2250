#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/worker/frame.hpp"

namespace tuner::worker {

/// First word of a compile worker: the name of its compiler.
struct CompilerReady {
  std::string compiler;
};

/// First word of a measuring worker: its device.
struct RunnerReady {
  model::DeviceInfo device;
};

/// The worker cannot go on: what a model::Error said in the child, to be thrown again in the parent.
struct Failure {
  std::string message;
  std::string hint;
  model::ExitCode code = model::ExitCode::failed;
};

/// A trial to run. The reference's binary is the same for most trials, so it travels once and is kept by the
/// child.
struct TrialRequest {
  model::TrialJob job;             ///< when read: reference fields empty unless `carries_reference`
  bool carries_reference = false;  ///< keep it under job.reference_key
  bool forget_references = false;  ///< first drop all that were kept: bounds the child's memory
};

/// A final to run; as with single trials each reference travels once.
struct FinalRequest {
  std::vector<TrialRequest> trials;
  std::uint64_t seed = 0;
};

/// A trial whose steps are to be counted.
struct ProfileRequest {
  TrialRequest trial;
  std::vector<std::string> metrics;  ///< as in model::ProfileJob
};

/// Trials will follow; there is no answer.
struct Prepare {};

/// The trial that was sent may be launched: a child waits for this before the first launch of each. There is
/// no answer.
struct Proceed {};

/// The running trial has entered a phase.
struct PhaseReport {
  model::TrialPhase phase = model::TrialPhase::loading;
};

/// What cannot be understood, and why.
struct ProtocolError {
  std::string message;
};

/// A message says what it is by its place in this list.
using Message = std::variant<CompilerReady, RunnerReady, Failure, model::CompileJob, model::Compilation,
                             TrialRequest, PhaseReport, model::TrialOutcome, FinalRequest,
                             model::FinalOutcome, Prepare, Proceed, ProfileRequest, model::Profile>;

/// A CBOR map. Strings travel as byte strings, since compiler logs need not be UTF-8; numbers are exact,
/// infinities and NaN included. The reference's binary and kernels of a TrialRequest are written where it
/// carries them.
Bytes encode(const Message& message);

/// Never throws and never recurses deeper than the limits allow, whatever the bytes.
std::variant<Message, ProtocolError> decode(std::span<const std::uint8_t> payload,
                                            const FrameLimits& limits = {});

/// Messages out of bytes that arrive in any pieces.
class MessageStream {
 public:
  explicit MessageStream(const FrameLimits& limits) : m_limits(limits), m_frames(limits.max_bytes) {}

  void feed(std::span<const std::uint8_t> bytes) { m_frames.feed(bytes); }
  /// Nothing: more must arrive. Behind a ProtocolError no message can be told from nonsense.
  std::optional<std::variant<Message, ProtocolError>> next();

 private:
  FrameLimits m_limits;
  FrameDecoder m_frames;
};

}  // namespace tuner::worker
