#include "tuner/search/fixed_order.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "tuner/search/open_candidates.hpp"
#include "tuner/search/order_statistics.hpp"

namespace tuner::search {
namespace {

class FixedOrder : public Strategy {
 public:
  /// Without an order: as they are written.
  FixedOrder(const SearchSpace& space, std::optional<RandomOrderOf> order, std::string idea)
      : m_space(space),
        m_order(std::move(order)),
        m_idea(std::move(idea)),
        m_left(space.size() - space.known.count()) {}

  std::optional<Proposal> next() override {
    while (m_next < m_space.size() && m_space.known[at(m_next)]) ++m_next;
    if (m_next == m_space.size()) return std::nullopt;
    --m_left;
    return Proposal{at(m_next++), m_idea};
  }
  void report(std::size_t, const Result&) override {}
  std::optional<Outlook> outlook() const override {
    return m_left == 0 ? std::optional(exhausted()) : std::nullopt;
  }

 protected:
  std::size_t left() const { return m_left; }

 private:
  std::size_t at(std::size_t place) const { return m_order ? (*m_order)[place] : place; }

  const SearchSpace& m_space;
  std::optional<RandomOrderOf> m_order;
  std::string m_idea;
  std::size_t m_next = 0;
  std::size_t m_left;
};

/// What was tried is a sample of the space, so it says what may be left.
class RandomOrder final : public FixedOrder {
 public:
  RandomOrder(const SearchSpace& space, RandomOrderOf order)
      : FixedOrder(space, std::move(order), "random"), m_candidates(space.size()) {
    space.known.for_each([this](std::size_t, const Result& known) { add(known); });
    m_known = m_tried;
  }
  void report(std::size_t, const Result& result) override {
    ++m_drawn;
    add(result);
  }
  std::optional<Outlook> outlook() const override {
    // Those under way count among the left: nothing is known of them.
    if (left() == 0) return exhausted();
    auto outlook = order_statistics(m_log_times, m_tried, m_candidates - m_tried);
    // What was known before need not have been drawn at random.
    if (outlook && m_drawn > 0) outlook->faster = most_faster(m_candidates - m_known, m_drawn);
    return outlook;
  }

 private:
  void add(const Result& result) {
    ++m_tried;
    if (const auto time_ns = comparable_time_ns(result)) m_log_times.push_back(std::log(*time_ns));
  }

  std::size_t m_candidates;
  std::size_t m_tried = 0;
  std::size_t m_known = 0;
  std::size_t m_drawn = 0;
  std::vector<double> m_log_times;
};

}  // namespace

std::unique_ptr<Strategy> written_order(const SearchSpace& space, std::uint64_t, const Settings&) {
  return std::make_unique<FixedOrder>(space, std::nullopt, "listed");
}

std::unique_ptr<Strategy> random_order(const SearchSpace& space, std::uint64_t seed, const Settings&) {
  RandomSource random(seed);
  return std::make_unique<RandomOrder>(space, RandomOrderOf(space.size(), random));
}

}  // namespace tuner::search
