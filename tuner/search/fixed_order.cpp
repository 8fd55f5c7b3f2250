#include "tuner/search/fixed_order.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "tuner/search/open_candidates.hpp"

namespace tuner::search {
namespace {

class FixedOrder final : public Strategy {
 public:
  FixedOrder(const SearchSpace& space, std::vector<std::size_t> order, std::string idea)
      : m_space(space), m_order(std::move(order)), m_idea(std::move(idea)) {}

  std::optional<Proposal> next() override {
    while (m_next < m_order.size() && m_space.known[m_order[m_next]]) ++m_next;
    if (m_next == m_order.size()) return std::nullopt;
    return Proposal{m_order[m_next++], m_idea};
  }
  void report(std::size_t, const Result&) override {}

 private:
  const SearchSpace& m_space;
  std::vector<std::size_t> m_order;
  std::string m_idea;
  std::size_t m_next = 0;
};

std::vector<std::size_t> written(const SearchSpace& space) {
  std::vector<std::size_t> order(space.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

std::unique_ptr<Strategy> written_order(const SearchSpace& space, std::uint64_t, const Settings&) {
  return std::make_unique<FixedOrder>(space, written(space), "listed");
}

std::unique_ptr<Strategy> random_order(const SearchSpace& space, std::uint64_t seed, const Settings&) {
  RandomSource random(seed);
  return std::make_unique<FixedOrder>(space, shuffled(space.size(), random), "random");
}

}  // namespace tuner::search
