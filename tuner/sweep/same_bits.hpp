#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/results.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::sweep {

struct Request;
struct TrialList;
class Observer;

/// Whose bits the trials of a sweep are to give.
struct SameBits {
  /// Its configuration, at each size; nothing: the default of the kernel in hand.
  std::optional<model::TrialRecord> as;
  /// What is to be given; without one of its problem and kernel no trial is admitted.
  struct Reference {
    model::Problem problem;
    std::string kernel;  ///< empty: of whatever kernel
    model::OutputBits bits;
  };
  std::vector<Reference> references = {};

  model::BitsRelation relation(const model::Problem& problem, const std::string& kernel,
                               const std::optional<model::OutputBits>& bits) const;
};

/// Whether a trial that may win counts in the sweep: it gives the bits that are asked for, if any are.
bool gives_bits(const Request& request, const model::TrialRecord& trial);

/// What finding the references works with.
struct ReferenceTask {
  model::ResultSource& source;
  Observer& observer;
  /// As sweep(); called where a reference is to be measured.
  std::function<void(const Request&, const TrialList&)> sweep;
};

/// Finds what the trials of `request` are held against, and measures first what is not known of it, or is of
/// other inputs. Says which sizes have none; throws model::UsageError where none has.
void find_references(Request& request, const ReferenceTask& task);

}  // namespace tuner::sweep
