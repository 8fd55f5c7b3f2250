#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tuner/model/results.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

class DeviceSpread;

/// The best of a problem by an objective that is made of energy, and what follows from it for trials whose
/// energy is unknown. With the objective time it knows nothing.
class BestByEnergy {
 public:
  explicit BestByEnergy(model::Objective objective = model::Objective::time) : m_objective(objective) {}

  /// Of a trial that may win, on a GPU whose times are divided by `correction` to be compared with others'.
  void learn(const model::TrialOutcome& outcome, double correction = 1);
  /// A trial that takes longer cannot be better, see model::time_bound_ns(); 0: nothing is known.
  double bound_ns() const { return m_bound_ns; }
  /// What a search takes the trial for: its time, or its value by the objective. Where its energy is not
  /// known, as if it drew what the best draws. Nothing where nothing is known.
  std::optional<double> value_of(std::optional<double> time_ns, std::optional<double> energy_j) const;

 private:
  model::Objective m_objective;
  double m_value = 0;  ///< 0: none yet
  double m_watts = 0;
  double m_bound_ns = 0;
};

/// What results of before say of a problem. `spread`: of the GPUs that they are from; null: these were
/// not compared.
BestByEnergy best_by_energy(const Request& request, const model::Problem& problem,
                            model::ResultSource& source, const DeviceSpread* spread = nullptr);

/// Whether a kernel's energy can be told: not where its buffers are written again between its runs.
bool tells_energy(const model::KernelSpec& spec);

/// All kernels' configurations that compete on one problem. Trials of a group share inputs and expected
/// results, so groups are measured one after another.
struct Group {
  model::Problem problem;
  std::vector<std::size_t> work;                ///< kernels that take part: indices into Request::work
  std::vector<space::ConfigurationList> lists;  ///< parallel to `work`
  std::vector<std::int64_t>
      launchable;  ///< parallel to `work`: configurations, of all shards; 0: not counted
  /// One for each configuration that can be launched, in the order of `work` and lists, what is known
  /// included; of Request::shard alone where there is one. Behind them, of kernels whose lists are counted,
  /// all configurations: see offers().
  search::Candidates candidates;
  std::vector<model::Digest> keys;  ///< of the candidates that were told one by one
  search::Results known;            ///< parallel to `candidates`
  /// Of those not known: dropped once, for a best that is out of the race since.
  std::int64_t reopened = 0;
  /// Whether a shard leaves candidates of counted lists to others, which are candidates here all the same.
  bool is_shared = false;
  double of_counted = 0;   ///< candidates of counted lists that can be launched and are of the shard, about
  BestByEnergy by_energy;  ///< of what is known
  const Work& work_of_kernel(const Request& request, std::size_t kernel) const {
    return request.work[work[kernel]];
  }
  const Work& work_of(const Request& request, std::size_t candidate) const {
    return work_of_kernel(request, candidates[candidate].kernel);
  }
  model::Configuration configuration(std::size_t candidate) const {
    const search::Candidate one = candidates[candidate];
    return lists[one.kernel][one.configuration];
  }
  /// The candidate that is this configuration of a kernel, if there is one.
  std::optional<std::size_t> find(const Request& request, std::size_t kernel,
                                  const model::Configuration& configuration) const;
  /// Identity of a candidate's trial.
  model::Digest key(const Request& request, std::size_t candidate) const;
  /// Whether some of the candidates may not be tried here, which is looked at as they come.
  bool has_unseen() const { return candidates.told() < candidates.size(); }
  /// Whether a candidate can be launched, and is of the request's shard.
  bool offers(const Request& request, std::size_t candidate) const;
  /// Of those that may win the fastest that has a time.
  std::optional<std::size_t> fastest_known(const Request& request) const;
  std::int64_t count_known() const { return static_cast<std::int64_t>(known.count()); }
  /// How many of the candidates are for this sweep; of counted lists about.
  std::int64_t expected() const;
  /// Candidates that may win: what a strategy searches.
  std::size_t count_competing(const Request& request) const;
  /// Whether some list is a sample of more configurations, nobody knows of how many.
  bool is_drawn() const;
  /// Whether no configuration is left out, or to another shard.
  bool is_whole() const;
};

/// A problem left out of the sweep, and why.
struct Exclusion {
  model::Problem problem;
  std::string kernel;
  std::string reason;
};

/// Configurations that no device of this kind can launch, whatever they are compiled to: their blocks, grids
/// or dynamic shared memory are beyond its limits, or an expression of theirs has no value.
struct Unlaunchable {
  model::Problem problem;
  std::string kernel;
  std::int64_t configurations = 0;
  std::int64_t of = 0;    ///< all that the constraints allow
  std::string example{};  ///< why the first of them cannot
  bool is_about = false;  ///< told by a sample
};

struct TrialList {
  std::vector<Group> groups;
  std::vector<Exclusion> excluded;
  std::vector<Unlaunchable> unlaunchable;
  std::vector<std::string> notices;  ///< of spaces that only a sample is known of
  std::int64_t total() const { return sum(&Group::expected); }
  /// What may come beyond that: candidates of counted lists that are not expected.
  std::int64_t unexpected() const;
  std::int64_t known() const { return sum(&Group::count_known); }
  std::int64_t reopened() const { return sum(&Group::reopened); }
  /// Trials of libraries that are not known yet. A budget of trials is for the others.
  std::int64_t baselines_left(const Request& request) const;

 private:
  template <typename Count>
  std::int64_t sum(const Count& count) const {
    std::int64_t sum = 0;
    for (const Group& group : groups) sum += std::invoke(count, group);
    return sum;
  }
};

/// What the parts of a sweep go by; all of it must outlive them.
class SweepPart {
 public:
  SweepPart(const Request& request, const TrialList& list, Services& services)
      : m_request(request), m_list(list), m_services(services) {}

 protected:
  /// Counts that the process of this trial died, and puts the trial under quarantine where it was one too
  /// many.
  void note_death(model::TrialRecord& record);

  const Request& m_request;
  const TrialList& m_list;
  Services& m_services;
};

/// Notes the candidates of a group that `source` has a result of, unless Request::fresh. What died is to be
/// had again, and so is what was skipped and its spec has run here; with Request::retry_failed also all that
/// failed, but for what the limits of the device refuse.
void note_known(const Request& request, model::ResultSource& source, Group& group);

/// A trial was dropped for the best of its day, which may have left since: edited, forgotten or found wrong.
/// What would be in a final beside the best of today is to be measured whole. The best counts with the least
/// time that it ever had: it was that much faster when both were measured, whatever a final found later.
void reopen_dropped(const Request& request, model::ResultSource& source, Group& group);

/// Expands a request into trials and notes those that `source` has a result of (unless Request::fresh). What
/// died is tried again, and so is what was skipped and its spec has run here; with Request::retry_failed also
/// all that failed, but for what its limits refuse. What was dropped for a best that is out of the race
/// since, and would be in a final beside today's, is not known either. A problem on which a kernel has no
/// configuration that can be launched, or whose buffers do not fit the device's memory, is excluded for that
/// kernel, with the reason. Problems come in the order in which they are to be searched, see order_groups().
/// Throws model::UsageError where the request's strategy is unknown. A space that `go_on` ended is excluded,
/// or is as much as was seen of it.
TrialList list_trials(const Request& request, model::ResultSource& source, const space::GoOn& go_on = {});

/// A configuration of a kernel of the request, on a problem.
struct Chosen {
  std::string kernel;
  model::Problem problem;
  model::Configuration configuration;
};

/// Only these: what a kernel or the device has no room for is left out without a word. Where the policy drops
/// nothing, what was dropped is measured whole. Nothing is remembered of such a search.
TrialList list_chosen(const Request& request, const std::vector<Chosen>& chosen, model::ResultSource& source);

}  // namespace tuner::sweep
