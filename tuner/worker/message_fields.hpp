#pragma once
#include "tuner/model/fields.hpp"
#include "tuner/worker/message.hpp"

/// The fields of messages that are no values of the model; those are in model/fields.hpp.
namespace tuner::worker {

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

template <class Archive, model::Described<Prepare> T>
void describe(Archive&, T&) {}

template <class Archive, model::Described<Proceed> T>
void describe(Archive&, T&) {}

template <class Archive, model::Described<PhaseReport> T>
void describe(Archive& a, T& v) {
  a("phase", v.phase);
}

namespace fields {

/// Last enumerator of those that count from 0: a number beyond it is no value of the enumeration.
template <class E>
inline constexpr int last = -1;
template <>
inline constexpr int last<model::TrialStatus> = static_cast<int>(model::TrialStatus::quarantined);
template <>
inline constexpr int last<model::TrialPhase> = static_cast<int>(model::TrialPhase::timing);
template <>
inline constexpr int last<model::Role> = static_cast<int>(model::Role::ceiling);
template <>
inline constexpr int last<model::Subject> = static_cast<int>(model::Subject::device);
template <>
inline constexpr int last<model::ElementType> = static_cast<int>(model::last_element_type);
template <>
inline constexpr int last<model::Access> = static_cast<int>(model::Access::workspace);
template <>
inline constexpr int last<model::Texture::Outside> = static_cast<int>(model::Texture::Outside::mirror);
template <>
inline constexpr int last<model::Memory> = static_cast<int>(model::Memory::managed);
template <>
inline constexpr int last<model::Init::Kind> = static_cast<int>(model::Init::Kind::generated);
template <>
inline constexpr int last<model::Operand::Kind> = static_cast<int>(model::Operand::Kind::texture);
template <>
inline constexpr int last<model::Step::Kind> = static_cast<int>(model::Step::Kind::memset);
/// Exit codes do not count from 0; the largest one bounds them.
template <>
inline constexpr int last<model::ExitCode> = static_cast<int>(model::ExitCode::terminated);

}  // namespace fields
}  // namespace tuner::worker
