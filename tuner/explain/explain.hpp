#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/model/words.hpp"
#include "tuner/sass/analysis.hpp"

namespace tuner::explain {

/// A trial with what is known of how it runs.
struct Side {
  model::TrialRecord trial;
  std::vector<model::Counter> counters;  ///< empty: not counted
  std::optional<sass::KernelCode> code;  ///< of its first launch's kernel; nothing: not at hand
};

/// A configuration of the winner's kernel, timed on its problem.
struct Timed {
  model::Configuration configuration;
  double ratio = 1;       ///< its time by the winner's
  bool is_bound = false;  ///< it was dropped early, so it takes about this or longer
};

/// The values that a spec lists of a parameter, and which of them it keeps from the winner.
struct Listed {
  struct Barred {
    model::Value value;
    std::string by;  ///< the constraint that the winner does not meet with this value alone changed
  };
  std::string parameter;
  std::vector<model::Value> values;
  std::vector<Barred> barred;
};

/// What an explanation may rest on. What is unknown is empty, and no rule speaks of it.
struct Subject {
  Side winner;
  std::optional<Side> runner_up;  ///< the fastest that can be told from the winner
  double runner_up_ratio = 1;     ///< its time by the winner's
  bool in_turn = false;           ///< the two were sampled in turn
  std::vector<Timed> trials;      ///< of the winner's kernel, the winner included
  std::vector<Listed> listed;     ///< of the spec at hand
  std::vector<model::Ceiling> ceilings;
  std::optional<model::DeviceInfo> device;
  /// The occupancy of the winner's launch with other resources; empty: unknown.
  std::function<std::optional<model::Occupancy>(const model::KernelResources&,
                                                std::int64_t dynamic_shared_bytes)>
      occupancy;
};

enum class About { binds, runner_up, parameter, next };

}  // namespace tuner::explain

namespace tuner::model {
template <>
struct Words<explain::About> {
  static constexpr std::string_view all[] = {"binds", "runner_up", "parameter", "next"};
};
}  // namespace tuner::model

namespace tuner::explain {

/// A sentence, and what it rests on.
struct Finding {
  std::string rule = {};  ///< its name in rules()
  About about = About::binds;
  std::string from =
      {};  ///< `counters`, `machine code`, `launch`, `times`, `ceilings`, `resources`, `trials`
  std::string text = {};  ///< with its numbers
  std::string next = {};  ///< what to change in the source or the spec; may be empty
  /// The larger, the earlier among those about the same: the share of the time, or of what is compared, that
  /// it is about. Above 1 it is a flaw, which can be mended; a limit cannot.
  double weight = 0;
  bool is_flaw() const { return weight > 1; }
};

/// What makes sentences of one kind of evidence. It says nothing where its evidence is missing or weak.
struct Rule {
  std::string_view name;
  About about = About::binds;
  std::string_view from;
  std::string_view evidence;  ///< for people: what it looks at
  std::vector<Finding> (*find)(const Subject&);
};

/// Every rule; a new one is a row.
std::span<const Rule> rules();

/// What all rules find, in the order of About and then by weight.
std::vector<Finding> explain(const Subject& subject);

/// The highest of a kind, of the trial's device, and for `arithmetic` of its type; null where none is known.
const model::Ceiling* ceiling_of(const model::TrialRecord& trial, std::string_view kind,
                                 std::span<const model::Ceiling> ceilings);
/// What the trial's bytes are held against: `memory`, or `l2` where the data stays in that cache from launch
/// to launch. It does where nothing empties the cache and the bytes fit, or come faster than memory gives
/// them.
const model::Ceiling* bytes_ceiling_of(const model::TrialRecord& trial,
                                       std::span<const model::Ceiling> ceilings);

/// Whether warps of the kernel have roles (producers, consumers) between which registers are handed over, as
/// its machine code says; nothing where that is unknown. The occupancy of such a kernel is by design.
std::optional<bool> is_specialised(const Side& side, const std::optional<model::DeviceInfo>& device);

}  // namespace tuner::explain
