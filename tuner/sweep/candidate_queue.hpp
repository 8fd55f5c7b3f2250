#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/run_record.hpp"
#include "tuner/sweep/budget.hpp"
#include "tuner/sweep/group_search.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// A group all of whose trials have ended, or that is left as it is, and what is to be remembered of it.
struct EndedSearch {
  std::size_t group = 0;
  model::SearchRecord record;
};

/// The order of a sweep: group after group, as many at a time as the devices need, each as its GroupSearch
/// says. While the last trials of a group are under way the next group is begun, so that compiling never
/// pauses between them. A group that has had its share of the budget pauses, and goes on when all have had
/// theirs and something is left.
class CandidateQueue : SweepPart {
 public:
  struct Item {
    std::size_t group = 0;
    std::size_t candidate = 0;  ///< index into Group::candidates
    std::string origin;         ///< see search::Proposal; empty: a baseline
    /// Of a trial that is measured again (see Reopening): its kernel. It is no candidate, and the queue does
    /// not know it.
    const Work* again = nullptr;
  };

  /// `device_seconds`: see BudgetShares. `needs_another`: whether those groups that propose() are too few for
  /// the devices.
  CandidateQueue(const Request& request, const TrialList& list, Services& services,
                 BudgetShares::DeviceSeconds device_seconds, std::function<bool()> needs_another);

  /// The next trial. Nothing: every strategy at work waits for a result, or, with none under way, the sweep
  /// is over.
  std::optional<Item> next();
  /// The groups that were begun and may propose more: later, as far as they wait for results.
  std::vector<std::size_t> proposing() const;
  /// Whether a group is left to have its turn, or to go on, and there is room for it.
  bool has_another() const;
  /// Whether some search may end with candidates left.
  bool may_end_early() const { return m_may_end_early; }
  /// Whether next() has nothing more to give, as far as its strategies say.
  bool is_drained() const;
  /// An item that next() gave gets a device.
  void launches(const Item& item);
  /// Says what an item that next() gave was compiled to. Returns whether it is still worth running.
  bool compiled(const Item& item, const search::BinaryFacts& compiled);
  /// Says how an item that next() gave has ended.
  void report(const Item& item, const model::TrialRecord& record);
  /// The same of one that was not tried after all.
  void withdraw(const Item& item);
  /// The same of one that was refused for its problem's sake: its search is not done, whatever else ends it.
  void refuse(const Item& item);
  /// All that are left of the item's kernel would be refused. A search ends with its last kernel.
  void refuse_rest(const Item& item);
  /// Whether the item is of such a rest.
  bool is_refused(const Item& item) const;
  /// Whether the item's group has had its time, so that what is not launched yet is to be given back.
  bool is_over(const Item& item) const;
  /// An item that next() gave was not begun; it comes again when its group goes on.
  void give_back(const Item& item);
  /// A group that pauses, and has nothing under way any more: what was found so far is to be kept.
  std::optional<std::size_t> take_paused();
  /// Whether some group pauses for good: the budget has nothing left for it.
  bool is_cut_short() const { return !m_waiting.empty(); }
  /// Whether a group is not searched to its end.
  bool has_more() const { return !is_begun() || !m_open.empty(); }
  /// Whether the search of each group was begun.
  bool is_begun() const { return m_begun == m_list.groups.size(); }
  /// A group all of whose trials have ended; each is given once, in the order they ended.
  std::optional<EndedSearch> take_finished();
  /// The groups that were begun and not taken yet, as they are; nothing more is to be asked of them.
  /// `ending`: of those that have something left.
  std::vector<EndedSearch> close(model::SearchEnding ending);

 private:
  struct Open {
    std::unique_ptr<GroupSearch> search;
    int turns = 0;  ///< so far, with this one
    BudgetShares::Share share = {};
    bool has_share = false;      ///< in this turn, see take_share()
    std::int64_t begun = 0;      ///< in this turn, see BudgetShares::Share
    bool has_ended_one = false;  ///< in this turn, of a kernel that may win
    bool pauses = false;
    bool is_parked = false;  ///< it pauses, with nothing under way, and that is told

    bool may_propose() const { return !search->waits() && !search->has_enough(); }
  };

  std::optional<Item> next_of_open();
  /// The open groups in the order in which they are asked: the one with the fewest trials under way comes
  /// first, so that each device has something to do.
  std::vector<std::size_t> order_of_open() const;
  /// How many groups have their turn, or something under way.
  std::size_t count_active() const;
  void begin_another();
  void begin_turn(Open& open);
  /// Gives it its share, one among those at work and those to come. One by the clock begins when one of its
  /// trials is launched or has ended, and a device is free for its turn: compilers leave no group out.
  void take_share(Open& open);
  /// How many groups have their share and propose trials.
  std::size_t count_at_turn() const;
  /// Whether it has enough under way for compilers that all groups share, until its own share begins.
  bool is_held(const Open& open) const;
  /// Whether the groups share time by the clock, which passes while compilers work.
  bool is_by_clock() const;
  /// Whether it pauses from now on, if it did not before.
  bool note_share(Open& open);
  bool pauses(const Open& open) const;
  bool is_over(const Open& open) const;
  /// Trials of a group in its turn are begun or, with a negative number, were not after all.
  void count(std::size_t group, std::int64_t trials);
  /// Asks the strategies of as many groups as there are devices, each in a thread of its own.
  void ask_side_by_side(const std::vector<std::size_t>& order);
  const BestByEnergy& by_energy(std::size_t group, const model::TrialRecord& record);
  bool is_refused_for_bits(const model::TrialRecord& record) const;

  StrategyChoice m_choice;
  bool m_may_end_early = false;
  Priors m_priors;
  BudgetShares m_shares;
  std::vector<search::Results> m_results;  ///< by group
  std::map<std::size_t, BestByEnergy> m_by_energy;
  std::function<bool()> m_needs_another;
  std::size_t m_devices;
  std::size_t m_compilers;
  std::vector<std::size_t> m_order;    ///< in which groups are begun
  std::size_t m_begun = 0;             ///< how many were
  std::map<std::size_t, Open> m_open;  ///< by group, so earlier groups come first
  std::deque<EndedSearch> m_finished;
  std::deque<std::size_t> m_paused;   ///< groups to be told of
  std::deque<std::size_t> m_waiting;  ///< groups that pause, in the order they go on
};

}  // namespace tuner::sweep
