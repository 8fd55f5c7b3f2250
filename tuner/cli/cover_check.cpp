#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "db/best.hpp"
#include "db/queries.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cover/cover.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::cli {
namespace {

using answers::CheckedSize;
using answers::CoverCheck;

/// The nearest sizes whose best configurations race.
constexpr std::size_t near_sizes = 4;

class CoverChecker {
 public:
  CoverChecker(const answers::CoverAnswer& answer, const KernelsAtHand& at_hand,
               const CoverCheckOptions& options, ChosenRace& race)
      : m_answer(answer), m_table(answer.table), m_at_hand(at_hand), m_options(options), m_race(race) {}

  CoverCheck check(std::uint64_t seed) {
    CoverCheck check = draw(seed);
    add_work();
    std::vector<sweep::Chosen> chosen;
    for (CheckedSize& size : check.sizes) choose(size, chosen);
    m_race.request().run.strategy = check_strategy;
    m_race.race(chosen, {}, "the cover's configurations");
    for (CheckedSize& size : check.sizes) look_up(size);
    if (m_race.was_cut_short())
      std::erase_if(check.sizes, [](const CheckedSize& size) { return size.tried < size.chosen; });
    return check;
  }

 private:
  CoverCheck draw(std::uint64_t seed) const {
    const std::vector<cover::Sizes>& measured = m_table.times.sizes;
    CoverCheck check;
    check.seed = seed;
    check.asked = static_cast<std::size_t>(m_options.sizes);
    check.multiple = cover::shared_multiple(measured);
    for (std::size_t i = 0; i < check.multiple.size() && m_options.multiple_of > 0; ++i) {
      const bool varies = std::ranges::any_of(
          measured, [&](const cover::Sizes& one) { return one[i] != measured.front()[i]; });
      if (!varies) continue;
      check.is_of_all = check.is_of_all && m_options.multiple_of % check.multiple[i] == 0;
      check.multiple[i] = m_options.multiple_of;
    }
    for (const cover::Sizes& sizes : cover::draw_between(measured, check.multiple, check.asked, seed))
      check.sizes.emplace_back().problem = asked_problem(m_table.cases.front().problem, sizes);
    check.drawn = check.sizes.size();
    if (check.drawn > 0) return check;
    throw NothingFound(
        fmt::format("between the {} measured sizes there is none that was not measured and that {} divides",
                    measured.size(), fmt::join(check.multiple, "x")),
        "--multiple-of 8 draws others; the cover's bound says nothing of them");
  }

  /// The kernels of the table; those of the cover must be there.
  void add_work() {
    for (const std::size_t one : m_answer.cover.set.configurations)
      static_cast<void>(m_at_hand.of(m_table.configurations[one].kernel));
    for (const auto& [kernel, space] : m_at_hand.spaces) m_race.request().work.push_back({space, {}});
  }

  bool may_run(std::size_t configuration, const model::Problem& problem) const {
    const model::TrialRecord& one = m_table.configurations[configuration];
    return m_at_hand.spaces.contains(one.kernel) &&
           answers::may_run(m_at_hand.spaces, m_at_hand.device.limits, one, problem);
  }

  /// Configurations with a time at the sizes nearest to `problem`: the best of each, the second of each, …
  std::vector<std::size_t> best_nearby(const model::Problem& problem) const {
    std::vector<std::pair<double, std::size_t>> near;
    for (std::size_t size = 0; size < m_table.cases.size(); ++size)
      near.emplace_back(model::distance(m_table.cases[size].problem, problem), size);
    std::sort(near.begin(), near.end());
    near.resize(std::min(near.size(), near_sizes));
    const cover::Losses losses(m_table.times);
    std::vector<std::pair<std::size_t, std::size_t>> ranked;  // by rank, then nearness
    for (const auto& [away, size] : near) {
      std::vector<std::pair<double, std::size_t>> row;
      for (std::size_t i = 0; i < losses.configurations(); ++i)
        if (losses.is_known(size, i)) row.emplace_back(losses.at(size, i), i);
      std::sort(row.begin(), row.end());
      for (std::size_t rank = 0; rank < row.size(); ++rank) ranked.emplace_back(rank, row[rank].second);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> out;
    for (const auto& [rank, configuration] : ranked) out.push_back(configuration);
    return out;
  }

  /// What the rule picks comes first, so that what is clearly slower than it is dropped early.
  void choose(CheckedSize& size, std::vector<sweep::Chosen>& chosen) const {
    const cover::Sizes sizes = answers::sizes_of(size.problem);
    size.picked =
        m_answer.cover.rule.pick(sizes, [&](std::size_t one) { return may_run(one, size.problem); });
    std::set<std::size_t> seen;
    const auto add = [&](std::size_t one) {
      if (!may_run(one, size.problem) || !seen.insert(one).second) return;
      const model::TrialRecord& configuration = m_table.configurations[one];
      chosen.push_back({configuration.kernel, size.problem, configuration.configuration});
    };
    if (size.picked) add(*size.picked);
    for (const std::size_t one : m_answer.cover.set.configurations) add(one);
    for (std::size_t i = 0; i < m_table.configurations.size(); ++i)
      if (m_table.configurations[i].is_default) add(i);
    for (const std::size_t one : best_nearby(size.problem))
      if (seen.size() < static_cast<std::size_t>(m_options.search)) add(one);
    size.chosen = seen.size();
  }

  void look_up(CheckedSize& size) const {
    const db::TrialFilter filter = db::trials_of(size.problem, m_table.cases.front().environment);
    size.tried = static_cast<std::size_t>(db::count_trials(m_race.connection(), filter));
    const db::BestAnswers found = db::best_of_each(m_race.connection(), filter);
    if (found.empty()) return;
    const db::Ranking ranked = db::ranking(m_race.connection(), found.front(), {});
    size.best = found.front().winner;
    for (const db::Ranked& one : ranked) {
      const double loss = std::max(0.0, one.ratio / ranked.front().ratio - 1);
      if (one.trial.is_default) size.default_loss = std::min(size.default_loss, loss);
      if (!size.picked) continue;
      const model::TrialRecord& picked = m_table.configurations[*size.picked];
      if (one.trial.kernel != picked.kernel || !(one.trial.configuration == picked.configuration)) continue;
      size.loss = loss;
      size.loss_low =
          one.in_final ? std::min(loss, std::max(0.0, one.ratio_low / ranked.front().ratio - 1)) : loss;
      size.is_approximate = !model::has_trusted_time(one.trial.outcome.status);
    }
  }

  const answers::CoverAnswer& m_answer;
  const answers::CoverTable& m_table;
  const KernelsAtHand& m_at_hand;
  const CoverCheckOptions& m_options;
  ChosenRace& m_race;
};

}  // namespace

answers::CoverCheck check_cover(const answers::CoverAnswer& answer, const KernelsAtHand& at_hand,
                                const CoverCheckOptions& options, std::uint64_t seed, ChosenRace& race) {
  return CoverChecker(answer, at_hand, options, race).check(seed);
}

}  // namespace tuner::cli
