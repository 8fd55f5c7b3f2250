#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tuner/search/learn/axes.hpp"
#include "tuner/search/open_candidates.hpp"

namespace tuner::search::learn {

/// What is believed of all candidates before anything is measured here. A model subtracts it, as far as it
/// turns out to be right, and learns the rest.
struct Trend {
  std::string origin;        ///< for people; empty: no origin
  std::vector<float> value;  ///< of each candidate: log time elsewhere, or a number of spreads
  bool in_spreads = false;   ///< in units of the spread of results, since it knows no times
  double log_weight = 0;     ///< how far it is believed, before any result
};

/// What the same candidates did elsewhere, nearest problem first, at most a few: the others would say the
/// same. What a record does not have is predicted from what it has.
class Records {
 public:
  /// `whole`: the number of candidates; `space` may be a growing part of them.
  Records(const SearchSpace& space, const Axes& axes, std::size_t whole, RandomSource& random);
  ~Records();

  /// The next candidate that a part has got since.
  void add(std::size_t candidate);
  bool empty() const { return m_records.empty(); }
  std::size_t count() const { return m_records.size(); }
  const Trend& trend(std::size_t record) const { return m_records[record].trend; }
  /// Candidates by their time there, the fastest first.
  const std::vector<std::size_t>& ranking(std::size_t record) const { return m_records[record].ranking; }
  /// Whether it is among the best of that record: its proposal, rather than the model's.
  bool recommends(std::size_t record, std::size_t candidate) const {
    return m_records[record].recommended[candidate];
  }
  /// Whether one of them is of this very device, driver and toolkit, and knows enough of the space to lead a
  /// search.
  bool any_near() const { return m_any_near; }

 private:
  struct Guess;
  struct Record {
    Trend trend;
    std::vector<std::size_t> ranking;
    std::vector<bool> recommended;
    std::unique_ptr<Guess> guess;  ///< what it says of others; where they may come
  };
  std::vector<Record> m_records;
  bool m_any_near = false;
};

}  // namespace tuner::search::learn
