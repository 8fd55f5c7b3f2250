#include "tuner/sweep/final_field.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tuner/search/open_candidates.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tuner::sweep {
namespace {

/// How long a finalist that was alone in its final took there, where others that give the bits raced faster
/// and were never in a final with it. 0: there is none.
double contradicted_by_same_bits(const Request& request, const model::PossibleFinal& all) {
  const auto gives = [&](std::size_t i) { return gives_bits(request, all.finalists[i]); };
  const auto met = [&](std::size_t a, std::size_t b) {
    return std::ranges::any_of(all.sampled, [&](const auto& sampled) { return sampled[a] && sampled[b]; });
  };
  double slowest_ns = 0;
  for (std::size_t final = 0; final < all.sampled.size(); ++final) {
    const double alone_ns = all.contradicted_ns[final];
    const auto only =
        static_cast<std::size_t>(std::ranges::find(all.sampled[final], true) - all.sampled[final].begin());
    if (alone_ns == 0 || only == all.finalists.size() || !gives(only)) continue;
    for (std::size_t i = 0; i < all.finalists.size(); ++i)
      if (all.raced_ns[i] < alone_ns && gives(i) && !met(i, only))
        slowest_ns = std::max(slowest_ns, alone_ns);
  }
  return slowest_ns;
}

}  // namespace

/// Who may be in a final, as today's specs have it.
model::PossibleFinal FinalField::of(const model::Problem& problem) const {
  hold_declarations(m_request, m_services);
  if (m_request.same_bits) return of_same_bits(problem);
  // Seen from the slowest device, the fastest may look so much better than it is.
  const double widest = std::max(m_spread.widest(), DeviceSpread::unlike);
  const model::FinalPolicy& policy = m_request.policy.final;
  return m_services.source.possible_final(problem, environment(m_request, problem.type),
                                          policy.within * widest, 4 * policy.finalists);
}

/// Of all trials those that give the bits asked for. It speaks of its finalists alone: what gives others has
/// a final of its own. One of before settles it only where all were sampled in it.
model::PossibleFinal FinalField::of_same_bits(const model::Problem& problem) const {
  model::PossibleFinal all = all_competing(m_request, problem, m_services.source);
  model::PossibleFinal field;
  const double contradicted_ns = contradicted_by_same_bits(m_request, all);
  field.unsettled = contradicted_ns > 0;
  field.considered.resize(all.sampled.size());
  for (std::size_t i = 0; i < all.finalists.size(); ++i) {
    if (!gives_bits(m_request, all.finalists[i])) continue;
    const bool is_faster = field.raced_ns.empty() || all.raced_ns[i] < contradicted_ns ||
                           all.raced_ns[i] <= field.raced_ns.front() * m_request.policy.final.within;
    if (field.unsettled && !is_faster) continue;
    field.finalists.push_back(std::move(all.finalists[i]));
    field.raced_ns.push_back(all.raced_ns[i]);
    for (std::size_t final = 0; final < all.sampled.size(); ++final)
      field.considered[final].push_back(all.sampled[final][i]);
  }
  for (std::vector<bool>& considered : field.considered)
    considered.insert(considered.end(), all.baselines.size(), true);
  field.baselines = std::move(all.baselines);
  return field;
}

/// Trials near the best by another objective take part too: the final tells which is the fastest, and
/// what each of them takes.
void FinalField::add_by_objective(model::PossibleFinal& field, const model::Problem& problem) const {
  const model::Objective objective = m_request.policy.objective;
  const model::FinalPolicy& policy = m_request.policy.final;
  if (objective == model::Objective::time) return;
  std::vector<model::TrialRecord> all = all_competing(m_request, problem, m_services.source).finalists;
  std::erase_if(all, [&](const model::TrialRecord& record) {
    return !record.outcome.energy || !gives_bits(m_request, record);
  });
  const auto value = [&](const model::TrialRecord& record) {
    const auto of = [&](DeviceSpread::What what) {
      return m_spread.correction_of(record.gpu, what).value_or(1);
    };
    return model::objective_value(objective, time_ns(record) / of(&DeviceSpread::Taken::ns),
                                  record.outcome.energy->mean_j / of(&DeviceSpread::Taken::j));
  };
  std::ranges::stable_sort(all, {}, value);
  const std::size_t fastest = field.finalists.size();
  for (std::size_t i = 0; i < all.size() && i < static_cast<std::size_t>(policy.finalists); ++i) {
    if (value(all[i]) > value(all.front()) * policy.within) break;
    const auto same = [&](const model::TrialRecord& one) { return one.key == all[i].key; };
    if (std::ranges::none_of(field.finalists, same)) field.finalists.push_back(all[i]);
  }
  // By time these have nothing to win.
  for (std::vector<bool>& considered : field.considered)
    considered.insert(considered.begin() + static_cast<std::ptrdiff_t>(fastest),
                      field.finalists.size() - fastest, true);
}

bool FinalField::are_apart(const model::PossibleFinal& field) const {
  return m_spread.corrects() ||
         std::any_of(field.finalists.begin(), field.finalists.end(), [&](const model::TrialRecord& record) {
           return m_spread.correction_of(record.gpu).value_or(1) != 1;
         });
}

void FinalField::correct(model::PossibleFinal& field) const {
  const model::FinalPolicy& policy = m_request.policy.final;
  // Where the last final is contradicted, they are all who raced faster than it says.
  const double within = is_unsettled(field) ? std::numeric_limits<double>::infinity() : policy.within;
  const auto correction = [&](const model::TrialRecord& record) {
    return m_spread.correction_of(record.gpu).value_or(1);
  };
  // A final's time is of the GPU that its record names; what its finalists raced on is not known any more.
  const bool apart = are_apart(field);
  std::vector<double> times_ns;
  for (std::size_t i = 0; i < field.finalists.size(); ++i) {
    const model::TrialRecord& record = field.finalists[i];
    times_ns.push_back(apart ? time_ns(record) / correction(record) : field.raced_ns[i]);
  }
  std::vector<std::size_t> order =
      search::ordered_by(times_ns.size(), [&](std::size_t i) { return times_ns[i]; });
  while (!order.empty() && (times_ns[order.back()] > times_ns[order.front()] * within ||
                            order.size() > static_cast<std::size_t>(policy.finalists))) {
    order.pop_back();
  }
  std::vector<model::TrialRecord> finalists;
  for (const std::size_t i : order) finalists.push_back(std::move(field.finalists[i]));
  for (std::vector<bool>& considered : field.considered) {
    std::vector<bool> kept;
    for (const std::size_t i : order) kept.push_back(considered[i]);
    kept.insert(kept.end(), considered.begin() + static_cast<std::ptrdiff_t>(times_ns.size()),
                considered.end());
    considered = std::move(kept);
  }
  field.finalists = std::move(finalists);
}

}  // namespace tuner::sweep
