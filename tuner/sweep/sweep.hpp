#pragma once
#include <string>
#include <vector>

#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// Does the trials of `list`: compiles ahead, judges, measures one at a time, records each before the next.
/// Ends when nothing is left, the budget is spent or `services.stop` is set; a result that was recorded is
/// never lost. The run itself (begin_run, end_run) is recorded here too. Throws model::Error where the
/// compiler is missing or a result cannot be kept; the run is then recorded as failed where that is still
/// possible.
Summary sweep(const Request& request, const TrialList& list, Services& services);

/// Tells `services.sink` what each kernel of the request is today, its rivals included, and which of its past
/// trials that describes: only those compete from now on. A library that a kernel's spec named and names no
/// longer has none. Where no spec has changed this costs a look.
void declare_kernels(const Request& request, Services& services);

/// The same of the kernels that it tunes and another sweep has declared otherwise since, to be called before
/// what competes is asked for: a sweep goes by its own specs to its end, whoever shares its database. Says
/// so, once. Rivals are for others to declare, who may have edited them meanwhile.
void hold_declarations(const Request& request, Services& services);

/// The same of all that it tunes, with what others have measured of them meanwhile: before its answers are
/// read.
void declare_own(const Request& request, Services& services);

/// Which kernels another path has declared as something else than this sweep has: a sentence, empty where
/// there is none. To be asked before declare_kernels().
std::string other_declarations(const Request& request, model::ResultSource& source);

/// What measuring remembered trials again works with; nothing is owned.
struct Repeating {
  compile::CompilePool& pool;
  model::TrialRunner& runner;
  LaunchOracle oracle;
};

/// Measures `trials`, of one problem, once more: compiles them, verifies each, then samples all of them in
/// turn in as many rounds as the policy of `request` has for both parts of a final, without dropping any.
/// Nothing is recorded. `request.work` must have their kernels. Throws model::UsageError where a trial is not
/// what its kernel, compiler or device make of its configuration today, model::Error where one fails.
model::FinalOutcome repeat_in_turn(const Request& request, const std::vector<model::TrialRecord>& trials,
                                   const Repeating& with);

}  // namespace tuner::sweep
