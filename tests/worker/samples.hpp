#pragma once
#include <string>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/model/final.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::test {

/// Values in which no field has its default, so that a lost one is noticed.
model::CompileJob full_compile_job();
model::Compilation full_compilation();
model::DeviceInfo full_device_info();
model::TrialJob full_trial_job();
model::TrialOutcome full_outcome();
model::FinalOutcome full_final();

/// The least a scripted worker needs.
model::TrialJob trial_job(const std::string& entry);
model::CompileJob compile_job(const std::string& entry);

}  // namespace tuner::test

/// Equality field by field. Each names all fields of its type: one added to the model does not compile here
/// until it is compared, and so cannot be forgotten in the frames.
namespace tuner::model {

bool operator==(const SourceText& a, const SourceText& b);
bool operator==(const Macro& a, const Macro& b);
bool operator==(const CompileJob& a, const CompileJob& b);
bool operator==(const KernelResources& a, const KernelResources& b);
bool operator==(const Compilation& a, const Compilation& b);
bool operator==(const DeviceInfo& a, const DeviceInfo& b);
bool operator==(const TrialJob& a, const TrialJob& b);
bool operator==(const TrialOutcome& a, const TrialOutcome& b);
bool operator==(const FinalOutcome& a, const FinalOutcome& b);

}  // namespace tuner::model
