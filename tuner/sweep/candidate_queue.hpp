#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/model/run_record.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/sweep/budget_shares.hpp"
#include "tuner/sweep/priors.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// A group all of whose trials have ended, or that is left as it is, and what is to be remembered of it.
struct EndedSearch {
  std::size_t group = 0;
  model::SearchRecord record;
};

/// The order of a sweep: group after group, as many at a time as the devices need, within a group baselines
/// first, so that no budget leaves them out, then defaults, which answers are held against, then as the
/// strategy says, which knows nothing of baselines. While the last trials of a group are under way the next
/// group is begun, so that compiling never pauses between them. A group that has had its share of the budget
/// pauses, and goes on when all have had theirs and something is left.
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
  /// A group all of whose trials have ended; each is given once, in the order they ended.
  std::optional<EndedSearch> take_finished();
  /// The groups that were begun and not taken yet, as they are; nothing more is to be asked of them.
  /// `ending`: of those that have something left.
  std::vector<EndedSearch> close(model::SearchEnding ending);

 private:
  /// An outlook takes as long as many proposals, so it is asked for after so many results.
  static constexpr std::size_t results_an_outlook = 10;
  using Answer = std::optional<search::Proposal>;
  struct Open {
    std::unique_ptr<search::SearchSpace> space;  ///< stays where it is: the strategy refers to it
    std::size_t index = 0;                       ///< of its group
    std::unique_ptr<search::Strategy> strategy;  ///< see strategy_of()
    std::vector<std::size_t> baselines;          ///< candidates not begun yet
    std::size_t defaults = 0;                    ///< of SearchSpace::begun: so many were proposed
    std::string strategy_text;                   ///< as --strategy takes it
    std::optional<double> until;                 ///< see Request::until
    std::size_t under_way = 0;
    std::int64_t refused = 0;               ///< proposals that the space does not offer
    bool waits = false;                     ///< its last next() gave nothing and nothing was reported since
    std::size_t news = results_an_outlook;  ///< results since its outlook was asked for
    bool has_time = false;                  ///< some candidate has one: of nothing nothing is enough
    bool has_trusted = false;               ///< some time is no bound
    bool is_refused = false;                ///< of some candidate, see refuse()
    std::set<std::size_t> refused_kernels = {};  ///< see refuse_rest()
    /// By which what was tried is enough; nothing as long as it is not.
    std::optional<search::Outlook> enough = std::nullopt;
    /// What its strategy said when it was asked with others, until it is taken.
    std::optional<Answer> answer = std::nullopt;
    int turns = 0;  ///< so far, with this one
    BudgetShares::Share share = {};
    bool has_share = false;      ///< in this turn, see take_share()
    std::int64_t begun = 0;      ///< in this turn, see BudgetShares::Share
    bool has_ended_one = false;  ///< in this turn, of a kernel that may win
    bool pauses = false;
    bool is_parked = false;          ///< it pauses, with nothing under way, and that is told
    std::deque<Item> returned = {};  ///< see give_back()
  };

  std::optional<Item> next_of_open();
  /// The open groups in the order in which they are asked: the one with the fewest trials under way comes
  /// first, so that each device has something to do.
  std::vector<std::size_t> order_of_open() const;
  /// How many groups have their turn, or something under way.
  std::size_t count_active() const;
  /// Made when it is first asked.
  search::Strategy& strategy_of(Open& open);
  /// Whether what was tried is enough, and nothing came since that could change this.
  static bool is_settled(const Open& open);
  void begin_another();
  void begin_group();
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
  Answer next_proposal(Open& open);
  /// Asks the strategies of as many groups as there are devices, each in a thread of its own: one that learns
  /// thinks for about as long as a trial takes.
  void ask_side_by_side(const std::vector<std::size_t>& order);
  /// Proposals that cannot be launched, or are another shard's, are refused on the way.
  Answer ask(Open& open);
  Answer default_or_proposal(Open& open);
  /// Looking for a proposal may take long where few can be launched.
  bool is_late() const;
  bool asks(Open& open);
  static bool is_stopped(const Open& open);
  static void hear_of_end(Open& open);
  /// Notes what `result` is, and makes of it what its strategy is told.
  static search::Result note(Open& open, search::Result result);
  /// What the search of before that ended with as much known as today expects of the rest.
  std::optional<search::Outlook> outlook_of_before(const Group& group) const;
  bool is_baseline(const Item& item) const;
  const BestByEnergy& by_energy(std::size_t group, const model::TrialRecord& record);
  bool is_refused_for_bits(const model::TrialRecord& record) const;
  EndedSearch ended(std::size_t group, Open& open, model::SearchEnding with_rest);

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
