#pragma once
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tuner/search/learn/axes.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search::learn {

/// What of a space is learnt about: all of it or, of one with too many candidates to keep something of each,
/// what is known here and elsewhere and a random sample; it grows by what lies around the best. The
/// candidates of the part have numbers of their own, in the order in which they came.
class Part {
 public:
  /// `sample`: as many are drawn. `whole` must outlive the object.
  Part(const SearchSpace& whole, std::size_t sample, RandomSource& random);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// With candidates added at the end now and then, unless it is the whole.
  const SearchSpace& space() const { return m_is_whole ? m_whole : m_part; }
  bool is_whole() const { return m_is_whole; }
  std::size_t size_of_whole() const { return m_whole.size(); }
  /// A candidate's number in the whole.
  std::size_t in_whole(std::size_t candidate) const { return m_is_whole ? candidate : m_numbers[candidate]; }
  /// … and the other way round, of one that is in the part.
  std::size_t in_part(std::size_t number) const { return m_is_whole ? number : m_places.at(number); }

  /// Adds the neighbours of these (each is asked for once) and `children` crossings of them.
  void add_around(std::span<const std::size_t> best, std::size_t children, RandomSource& random);
  /// Adds about so many at random.
  void add_random(std::size_t most, RandomSource& random);

 private:
  /// Those of `numbers` that may be tried and are not there yet.
  void add_offered(std::vector<std::size_t> numbers);
  void add(std::size_t number);
  void add_random_of(std::size_t first, std::size_t count, std::size_t most, RandomSource& random);
  std::vector<SearchSpace::Prior> priors_of_part() const;

  const SearchSpace& m_whole;
  bool m_is_whole;
  SearchSpace m_part;
  std::deque<space::ConfigurationList> m_lists;  ///< by kernel
  std::vector<std::size_t> m_numbers;            ///< in the whole, by candidate
  std::unordered_map<std::size_t, std::size_t> m_places;
  std::unordered_set<std::size_t> m_centres;  ///< whose neighbours are there
  std::vector<SearchSpace::Prior> m_priors;   ///< of the whole
  std::optional<Neighbourhood> m_neighbourhood;
};

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
