#pragma once
#include <tuple>

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
