#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/model/run_record.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// What the configurations of a problem did elsewhere: on the other sizes of this sweep, as far as it has
/// come, and on the sizes, devices, drivers and toolkits that the database remembers. Costs nothing until
/// somebody asks; the database is asked once a problem.
class Priors : SweepPart {
 public:
  /// By group.
  using Results = std::vector<search::Results>;

  using SweepPart::SweepPart;

  /// From any thread: strategies may ask at the same time.
  std::vector<search::SearchSpace::Prior> of(std::size_t group, const Results& results);

 private:
  class Places;

  std::vector<search::SearchSpace::Prior> of_this_sweep(std::size_t group, const Results& results,
                                                        const Places& places) const;
  std::vector<search::SearchSpace::Prior> remembered(std::size_t group, const Places& places);
  model::CaseName name_of(const Group& group) const;
  void say_unfit(const std::string& kernel);

  std::mutex m_mutex;  ///< over what follows, and the database
  std::map<std::size_t, std::vector<search::SearchSpace::Prior>> m_remembered;  ///< by group
  std::set<std::string> m_said;  ///< kernels whose past parameters are others, and that were told
};

/// The search of one group. First come baselines, so that no budget leaves them out, then defaults, which
/// answers are held against, then what the strategy says, which knows nothing of baselines.
class GroupSearch : SweepPart {
 public:
  using Answer = std::optional<search::Proposal>;
  using AskPriors = std::function<std::vector<search::SearchSpace::Prior>()>;

  /// `results`: of the group, told by report(). `is_late`: looking for a proposal may take long where few can
  /// be launched; it ends where this holds.
  GroupSearch(const SweepPart& sweep, const StrategyChoice& choice, std::size_t group,
              search::Results& results, AskPriors priors, std::function<bool()> is_late);
  GroupSearch(const GroupSearch&) = delete;  // the strategy refers to the space
  GroupSearch& operator=(const GroupSearch&) = delete;

  std::size_t group() const { return m_group; }
  /// How many that next() gave have not ended.
  std::size_t under_way() const { return m_under_way; }
  /// The next trial, whose origin is empty if it is a baseline. Nothing: it waits for a result or, with none
  /// under way, it is over.
  Answer next();
  /// Whether ask_ahead() would ask the strategy.
  bool can_be_asked();
  /// Asks the strategy what next() gives. From any thread: one that learns thinks for about as long as a
  /// trial takes.
  void ask_ahead() { m_answer = ask(); }
  /// Whether its last next() gave nothing and nothing was told since.
  bool waits() const { return m_waits; }
  void wait() { m_waits = true; }
  void wake() { m_waits = false; }
  /// Whether what was tried is enough: see Request::until.
  bool has_enough() const { return m_enough.has_value(); }

  bool is_baseline(std::size_t candidate) const;
  /// Says what one was compiled to. Returns whether it is still worth running.
  bool compiled(std::size_t candidate, const search::BinaryFacts& facts);
  /// Says how one that may win has ended.
  void report(std::size_t candidate, const search::Result& result);
  /// One was not tried after all.
  void withdraw(std::size_t candidate);
  /// The same of one that was refused for its problem's sake: the search is not done, whatever else ends it.
  void refuse(std::size_t candidate);
  /// All that are left of its kernel would be refused. A search ends with its last kernel.
  void refuse_rest(std::size_t candidate);
  bool is_refused(std::size_t candidate) const;
  /// One was not begun; next() gives it again.
  void give_back(search::Proposal proposal);
  /// One that is no more under way, whatever became of it.
  void hear_of_end();

  /// What is to be remembered of it. `with_rest`: how it ends if something is left.
  model::SearchRecord record(model::SearchEnding with_rest);

 private:
  /// An outlook takes as long as many proposals, so it is asked for after so many results.
  static constexpr std::size_t results_an_outlook = 10;

  const Group& listed() const { return m_list.groups[m_group]; }
  /// Made when it is first asked.
  search::Strategy& strategy();
  Answer next_proposal();
  /// Proposals that cannot be launched, or are another shard's, are refused on the way.
  Answer ask();
  Answer default_or_proposal();
  bool asks();
  /// Whether so many proposals in a row cannot be launched that there is no use in looking for one. Who asks
  /// for the whole space has it looked through.
  bool is_in_vain() const;
  /// Whether what was tried is enough, and nothing came since that could change this.
  bool is_settled() const { return m_enough && m_news == 0; }
  /// Whether every kernel that may win is refused.
  bool is_stopped() const;
  /// Notes what `result` is, and makes of it what the strategy is told.
  search::Result note(search::Result result);
  /// What the search of before that ended with as much known as today expects of the rest.
  std::optional<search::Outlook> outlook_of_before() const;

  const StrategyChoice& m_choice;
  std::size_t m_group;
  search::Results& m_results;
  std::function<bool()> m_is_late;
  search::SearchSpace m_space;
  std::unique_ptr<search::Strategy> m_strategy;  ///< see strategy()
  std::optional<double> m_until;                 ///< see Request::until
  std::vector<std::size_t> m_baselines;          ///< candidates not begun yet
  std::size_t m_defaults = 0;                    ///< of SearchSpace::begun: so many were proposed
  std::deque<search::Proposal> m_returned;       ///< see give_back()
  std::optional<Answer> m_answer;                ///< see ask_ahead(), until it is taken
  std::size_t m_under_way = 0;
  bool m_waits = false;
  std::int64_t m_unlaunchable = 0;          ///< proposals that the space does not offer
  std::int64_t m_in_vain = 0;               ///< the last ones of these, without any that it offers
  std::size_t m_news = results_an_outlook;  ///< results since its outlook was asked for
  bool m_has_time = false;                  ///< some candidate has one: of nothing nothing is enough
  bool m_has_trusted = false;               ///< some time is no bound
  bool m_is_refused = false;                ///< of some candidate, see refuse()
  std::set<std::size_t> m_refused_kernels;  ///< see refuse_rest()
  std::optional<search::Outlook> m_enough;  ///< by which what was tried is enough
};

}  // namespace tuner::sweep
