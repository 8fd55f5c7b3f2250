#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/search/strategies.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// The order of a sweep: group after group, within a group baselines first, so that no budget leaves them
/// out, then as the strategy says, which knows nothing of baselines. While the last trials of a group are
/// under way the next group is begun, so that compiling never pauses between them.
class CandidateQueue {
 public:
  struct Item {
    std::size_t group = 0;
    std::size_t candidate = 0;  ///< index into Group::candidates
    std::string idea;           ///< see search::Proposal; empty: a baseline
  };

  CandidateQueue(const Request& request, const TrialList& list);

  /// The next trial. Nothing: every strategy at work waits for a result, or, with none under way, the sweep
  /// is over.
  std::optional<Item> next();
  /// Says what an item that next() gave was compiled to. Returns whether it is still worth running.
  bool compiled(const Item& item, const search::Compiled& compiled);
  /// Says how an item that next() gave has ended.
  void report(const Item& item, const model::TrialRecord& record);
  /// A group all of whose trials have ended; each is given once, in the order they ended.
  std::optional<std::size_t> take_finished();

 private:
  /// Groups begun and not over, at most.
  static constexpr std::size_t most_open = 2;
  struct Open {
    std::unique_ptr<search::SearchSpace> space;  ///< stays where it is: the strategy refers to it
    std::unique_ptr<search::Strategy> strategy;
    std::vector<std::size_t> baselines;  ///< candidates not begun yet
    std::size_t under_way = 0;
    bool waits = false;  ///< its last next() gave nothing and nothing was reported since
  };

  std::optional<Item> next_of_open();
  void begin_group();
  std::optional<search::Proposal> next_proposal(Open& open);
  bool is_baseline(const Item& item) const;
  std::vector<search::SearchSpace::Prior> priors_of(std::size_t group) const;

  const Request& m_request;
  const TrialList& m_list;
  std::vector<std::vector<std::optional<search::Result>>> m_results;  ///< by group and candidate
  std::size_t m_begun = 0;
  std::map<std::size_t, Open> m_open;  ///< by group, so earlier groups come first
  std::deque<std::size_t> m_finished;
};

}  // namespace tuner::sweep
