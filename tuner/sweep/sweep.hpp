#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tuner/model/device.hpp"
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
/// what competes is asked for: a sweep goes by its own specs to its end, also where its database is shared.
/// Says so, once. Rivals are for others to declare, who may have edited them meanwhile.
void hold_declarations(const Request& request, Services& services);

/// The same of all that it tunes, with what others have measured of them meanwhile: before its answers are
/// read.
void declare_own(const Request& request, Services& services);

/// The kernels that compete with the `tuned` ones and are not tuned now, as far as their specs are at hand:
/// of the others that were tuned before, by the one of `at_hand` that is of the same path, or what `read`
/// makes of the file; else by `at_hand`. A spec that is gone (null) or has mistakes is none.
using ReadSpec = std::function<const space::KernelSpace*(const model::KernelDeclaration&)>;
std::vector<Work> find_rivals(const std::vector<model::KernelSpec>& tuned,
                              const std::vector<model::KernelSpec>& at_hand, model::ResultSource& source,
                              const ReadSpec& read);

/// Which kernels another path has declared as something else than this sweep has: a sentence, empty where
/// there is none. To be asked before declare_kernels().
std::string other_declarations(const Request& request, model::ResultSource& source);

/// What finding the references of SameBits works with.
struct ReferenceTask {
  model::ResultSource& source;
  Observer& observer;
  /// As sweep(); called where a reference is to be measured.
  std::function<void(const Request&, const TrialList&)> sweep;
};

/// Finds what the trials of `request` are held against, and measures first what is not known of it, or is of
/// other inputs. Says which sizes have none; throws model::UsageError where none has.
void find_references(Request& request, const ReferenceTask& task);

/// What measuring a device's ceilings works with.
struct CeilingTask {
  const std::vector<model::KernelSpec>& kernels;  ///< those without KernelSpec::ceiling are passed over
  const Request& run;           ///< the sweep before: its device, compiler and element types count
  model::MeasurePolicy policy;  ///< a quick one
  model::ResultSource& source;
  Observer& observer;
  const std::atomic<bool>& stop;
  std::vector<model::Ceiling> known;  ///< of any devices
  /// As sweep(), with one runner; called where something is to be measured.
  std::function<Ending(const Request&, const TrialList&)> sweep;
  std::function<void(const model::Ceiling&)> record;
};

/// Measures what the device of a run that has ended can do at most, as far as that is not known yet: sweeps
/// each ceiling's kernel over its own problem, and records its best first metric. The trials are kept like
/// any others, so that an interrupted measuring goes on where it stopped. A ceiling that lacks a trial,
/// or has none that is ok, is not recorded. Nothing is begun after a run that was interrupted, or that has no
/// trial, neither of today nor of before. An interruption of the measuring becomes the run's ending. Throws
/// model::Error where a result cannot be kept.
void measure_ceilings(const CeilingTask& task, Summary& run);

}  // namespace tuner::sweep
