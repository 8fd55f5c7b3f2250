#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/fields.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::worker {

using Bytes = std::vector<std::uint8_t>;

/// What either side of the socket accepts; what exceeds it is a protocol error, never an allocation.
struct FrameLimits {
  std::size_t max_bytes = std::size_t{256} << 20U;  ///< payload of one frame
  std::size_t max_items = std::size_t{1} << 20U;    ///< values in one payload
  std::size_t max_depth = 32;                       ///< arrays and maps within each other
};

/// A frame is 4 bytes of magic, the payload's length as 4 little-endian bytes, and the payload. The magic
/// tells a library that prints into the wrong descriptor from a frame.
inline constexpr std::size_t frame_header_bytes = 8;

/// `payload` with its header in front.
Bytes make_frame(std::span<const std::uint8_t> payload);

/// Puts frames together from what arrives in any pieces. Memory grows with what has arrived, not with what a
/// header claims.
class FrameDecoder {
 public:
  explicit FrameDecoder(std::size_t max_bytes) : m_max_bytes(max_bytes) {}

  void feed(std::span<const std::uint8_t> bytes);
  /// The payload of the next complete frame; absent when more must arrive, or after an error.
  std::optional<Bytes> next();
  /// Why the stream cannot be read any further; empty while it can.
  const std::string& error() const { return m_error; }

 private:
  std::size_t m_max_bytes;
  Bytes m_buffer;
  std::size_t m_start = 0;  ///< of what is not yet handed out
  std::string m_error;
};

/// Why `payload` may not be given to a CBOR library; empty when it may. Accepts exactly one well-formed value
/// of the kinds our own encoder writes: integers, byte and text strings, arrays and maps of known length,
/// booleans, null and floating-point numbers. Tags and strings or containers of unknown length are refused:
/// nlohmann-json reads nested ones by recursion of its own, which no depth limit in a SAX handler sees. Does
/// not recurse and allocates nothing but one counter a level.
std::string cbor_objection(std::span<const std::uint8_t> payload, const FrameLimits& limits);

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

/// The running final has this finalist do its work next.
struct FinalistReport {
  std::size_t finalist = 0;
};

/// What cannot be understood, and why.
struct ProtocolError {
  std::string message;
};

/// A message says what it is by its place in this list.
using Message =
    std::variant<CompilerReady, RunnerReady, Failure, model::CompileJob, model::Compilation, TrialRequest,
                 PhaseReport, model::TrialOutcome, FinalRequest, model::FinalOutcome, Prepare, Proceed,
                 ProfileRequest, model::Profile, FinalistReport>;

/// What an answer to a request says where something failed.
inline model::TrialOutcome& failure_of(model::TrialOutcome& outcome) {
  return outcome;
}
inline model::TrialOutcome& failure_of(model::FinalOutcome& outcome) {
  return outcome.failure;
}
inline model::TrialOutcome& failure_of(model::Profile& profile) {
  return profile.outcome;
}

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

// The fields of messages that are no values of the model; those are in model/fields.hpp.

template <class Archive, model::Described<TrialRequest> T>
void describe(Archive& a, T& v) {
  a("carries_reference", v.carries_reference);
  a("forget_references", v.forget_references);
  a("job", v.job);
  if (!v.carries_reference) return;
  a("reference_binary", v.job.reference_binary);
  a("reference_kernels", v.job.reference_kernels);
}

template <class Archive, model::Described<FinalRequest> T>
void describe(Archive& a, T& v) {
  a("trials", v.trials);
  a("seed", v.seed);
}

template <class Archive, model::Described<ProfileRequest> T>
void describe(Archive& a, T& v) {
  a("trial", v.trial);
  a("metrics", v.metrics);
}

template <class Archive, model::Described<CompilerReady> T>
void describe(Archive& a, T& v) {
  a("compiler", v.compiler);
}

template <class Archive, model::Described<RunnerReady> T>
void describe(Archive& a, T& v) {
  a("device", v.device);
}

template <class Archive, model::Described<Failure> T>
void describe(Archive& a, T& v) {
  a("message", v.message);
  a("hint", v.hint);
  a("code", v.code);
}

template <class Archive, class T>
requires model::Described<T, Prepare> || model::Described<T, Proceed>
void describe(Archive&, T&) {}

template <class Archive, model::Described<PhaseReport> T>
void describe(Archive& a, T& v) {
  a("phase", v.phase);
}

template <class Archive, model::Described<FinalistReport> T>
void describe(Archive& a, T& v) {
  a("finalist", v.finalist);
}

namespace fields {

/// Of each enumeration that counts from 0 its last value: a number beyond it is no value. Exit codes do not
/// count from 0; the largest one bounds them.
inline constexpr std::tuple last_values = {
    model::TrialStatus::quarantined, model::TrialPhase::timing, model::Role::ceiling,
    model::Subject::device,          model::last_element_type,  model::Access::workspace,
    model::Texture::Outside::mirror, model::Memory::managed,    model::Init::Kind::generated,
    model::Operand::Kind::texture,   model::Step::Kind::memset, model::ExitCode::terminated,
    model::Execution::eager,         model::Objective::edp};
template <class E>
inline constexpr int last = static_cast<int>(std::get<E>(last_values));

}  // namespace fields

}  // namespace tuner::worker
