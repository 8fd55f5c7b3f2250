#include "tuner/sweep/strategy_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tuner::sweep {
namespace {

constexpr const char* every_configuration = "random";
constexpr const char* learning = "learn";

std::string range_text(std::size_t fewest, std::size_t most) {
  return fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
}

}  // namespace

StrategyChoice::StrategyChoice(const std::string& text, std::span<const search::StrategyKind> own)
    : m_is_auto(text == "auto"),
      m_small(search::strategy_named(m_is_auto ? every_configuration : text, own)),
      m_large(m_is_auto ? search::strategy_named(learning, own) : m_small) {}

std::optional<double> StrategyChoice::until(std::size_t candidates, std::optional<double> asked) const {
  if (asked) return *asked > 0 ? asked : std::nullopt;
  if ((m_is_auto && candidates > most_exhaustive) || learns(candidates)) return usual_until;
  return std::nullopt;
}

std::string StrategyChoice::rule() const {
  return fmt::format(
      "{} up to {} configurations a size, {} above, until its last trials gained less than {:g} %",
      m_small.text, most_exhaustive, m_large.text, 100 * usual_until);
}

std::string StrategyChoice::sentence(std::size_t fewest, std::size_t most) const {
  const search::NamedStrategy& small = of(fewest);
  const search::NamedStrategy& large = of(most);
  const std::string names = small.kind == large.kind
                                ? fmt::format("{}: {}", small.text, small.kind->description)
                                : fmt::format("{} or {}, by size", small.text, large.text);
  return fmt::format("strategy {}; {} configuration{} a size{}", names, range_text(fewest, most),
                     most == 1 ? "" : "s", m_is_auto ? fmt::format(" (auto: {})", rule()) : "");
}

namespace {

using Groups = std::vector<Group>;

bool is_related(const Group& a, const Group& b) {
  return a.problem.family == b.problem.family && a.problem.type == b.problem.type;
}

double sum_of_distances(const Groups& groups, const Group& group) {
  return std::accumulate(groups.begin(), groups.end(), 0.0, [&](double sum, const Group& other) {
    return sum + model::distance(group.problem, other.problem);
  });
}

/// Of `groups`, all related. The earlier of equals.
std::size_t first_of(const Groups& groups) {
  const auto rank = [&](const Group& group) {
    return std::pair(-group.count_known(), sum_of_distances(groups, group));
  };
  const auto best = std::min_element(groups.begin(), groups.end(),
                                     [&](const Group& a, const Group& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(best - groups.begin());
}

/// Each time the nearest to one of those before; the earlier of equals.
Groups ordered(Groups groups) {
  Groups placed;
  std::vector<double> nearest(groups.size(), std::numeric_limits<double>::max());
  std::size_t next = first_of(groups);
  while (true) {
    placed.push_back(std::move(groups[next]));
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(next));
    nearest.erase(nearest.begin() + static_cast<std::ptrdiff_t>(next));
    if (groups.empty()) return placed;
    for (std::size_t i = 0; i < groups.size(); ++i)
      nearest[i] = std::min(nearest[i], model::distance(groups[i].problem, placed.back().problem));
    next = static_cast<std::size_t>(std::min_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
}

bool learns_somewhere(const Request& request, const StrategyChoice& choice, const TrialList& list) {
  return std::any_of(list.groups.begin(), list.groups.end(),
                     [&](const Group& group) { return choice.learns(group.count_competing(request)); });
}

double volume(const model::Problem& problem) {
  double product = 1;
  for (const model::Dimension& size : problem.sizes) product *= static_cast<double>(size.value);
  return product;
}

}  // namespace

void order_groups(const Request& request, const StrategyChoice& choice, TrialList& list) {
  if (!learns_somewhere(request, choice, list)) return;
  Groups rest = std::exchange(list.groups, {});
  while (!rest.empty()) {
    const auto others = std::stable_partition(
        rest.begin() + 1, rest.end(), [&](const Group& group) { return is_related(group, rest.front()); });
    Groups related(std::make_move_iterator(rest.begin()), std::make_move_iterator(others));
    rest.erase(rest.begin(), others);
    for (Group& group : ordered(std::move(related))) list.groups.push_back(std::move(group));
  }
}

std::vector<std::size_t> beginning_order(const Request& request, const StrategyChoice& choice,
                                         const TrialList& list, std::size_t devices) {
  std::vector<std::size_t> order(list.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (devices < 2 || order.empty() || learns_somewhere(request, choice, list)) return order;
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t group) { return volume(list.groups[group].problem); });
  std::rotate(order.begin(), order.end() - 1, order.end());
  return order;
}

std::vector<std::size_t> defaults_of(const Request& request, const Group& group) {
  std::vector<std::size_t> defaults;
  for (std::size_t kernel = 0; kernel < group.work.size(); ++kernel) {
    const Work& work = group.work_of_kernel(request, kernel);
    if (!model::may_win(work.kernel.spec().role)) continue;
    const auto one = work.kernel.default_configuration(group.problem, request.device.limits);
    if (!one) continue;
    const auto candidate = group.find(request, kernel, *one);
    if (candidate && !group.known[*candidate]) defaults.push_back(*candidate);
  }
  return defaults;
}

}  // namespace tuner::sweep
