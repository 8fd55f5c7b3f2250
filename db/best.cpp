#include "db/best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "db/contest_finder.hpp"
#include "db/final_queries.hpp"
#include "db/ids.hpp"
#include "db/transaction.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/final_answer.hpp"

namespace db {
namespace {

using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::Problem;
using tuner::model::TrialRecord;
using tuner::model::UsageError;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Norm of log2(measured / wanted) over the dimensions; absent where their numbers differ. Logarithms,
/// because what suits 1024 suits 1536 about as well as 768.
std::optional<double> distance(const Problem& measured, const std::vector<std::int64_t>& wanted) {
  if (wanted.size() != 1 && wanted.size() != measured.sizes.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < measured.sizes.size(); ++i) {
    const auto want = static_cast<double>(wanted.size() == 1 ? wanted.front() : wanted[i]);
    const double steps = std::log2(static_cast<double>(measured.sizes[i].value) / want);
    sum += steps * steps;
  }
  return std::sqrt(sum);
}

void require_sizes(const BestQuery& query) {
  if (query.sizes.empty()) throw UsageError("no size was given", "for example --size 1024");
  for (const std::int64_t size : query.sizes) {
    if (size <= 0) throw UsageError(fmt::format("{} is not a size: sizes are positive", size));
  }
}

std::string dimension_names(const Problem& problem) {
  std::string names;
  for (const auto& size : problem.sizes) names += (names.empty() ? "" : " x ") + size.name;
  return names;
}

/// The contests to answer for: of each family and class the one nearest to what was asked, in the order of
/// `all`.
std::vector<BestAnswer> nearest(const std::vector<Contest>& all, const BestQuery& query) {
  std::vector<BestAnswer> answers;
  std::map<std::pair<std::string, Digest>, std::size_t> place;
  const Contest* unfit = nullptr;
  bool fits = false;
  for (const Contest& contest : all) {
    const Problem& problem = contest.problem;
    if (contest.ok == 0 || problem.row_padding != query.row_padding) continue;
    if (query.type && problem.type != *query.type) continue;
    const bool wanted_device =
        lower(contest.comparison_class.device).find(lower(query.device)) != std::string::npos;
    if (!wanted_device && !query.other_devices) continue;
    const auto away = distance(problem, query.sizes);
    if (!away) {
      unfit = &contest;
      continue;
    }
    fits = true;
    BestAnswer answer;
    answer.contest = contest;
    answer.distance = *away;
    answer.exact = *away == 0;
    answer.wanted_device = wanted_device;
    const auto [known, is_new] =
        place.try_emplace({problem.family, contest.comparison_class.key()}, answers.size());
    if (is_new)
      answers.push_back(std::move(answer));
    else if (*away < answers[known->second].distance)
      answers[known->second] = std::move(answer);
  }
  if (!fits && unfit != nullptr) {
    throw UsageError(
        fmt::format("{} numbers were given, but problems of {} have {} ({})", query.sizes.size(),
                    unfit->problem.family, unfit->problem.sizes.size(), dimension_names(unfit->problem)),
        "give one number for all, or one for each: --size 512x1024x256");
  }
  std::stable_partition(answers.begin(), answers.end(), [](const BestAnswer& a) { return a.wanted_device; });
  return answers;
}

void load_tied(ContestFinder& finder, const BestQuery& query, const std::vector<Digest>& tied,
               BestAnswer& answer) {
  answer.tied_count = static_cast<std::int64_t>(tied.size());
  const std::size_t loaded = std::min(tied.size(), static_cast<std::size_t>(std::max(query.most_tied, 0)));
  for (std::size_t i = 0; i < loaded; ++i) answer.tied.push_back(finder.load(tied[i]));
}

/// Whether an ok trial of the asked kernels was measured after the final and is clearly faster than `winner`.
bool superseded(ContestFinder& finder, const BestQuery& query, const Digest& contest,
                const std::vector<Digest>& kernels, const FinalRecord& final, const TrialRecord& winner) {
  const double low_ns = winner.outcome.measurement->low_ns;
  if (query.kernel.empty()) return finder.newer_faster(contest, low_ns, final.measured_at);
  return std::any_of(kernels.begin(), kernels.end(), [&](const Digest& kernel) {
    return finder.newer_faster(contest, kernel, low_ns, final.measured_at);
  });
}

/// Answers by the contest's last final, where there is one that still holds.
bool answer_by_final(ContestFinder& finder, const BestQuery& query, const Digest& contest,
                     const std::vector<Digest>& kernels, BestAnswer& answer) {
  auto final = finder.last_final(contest);
  // What was chosen may fail since.
  if (!final || !finder.kernel_if_ok(final->chosen)) return false;
  answer.final_is_old = !finder.is_settled(contest);
  const auto chosen = answer_of(*final, [&](const Digest& trial) {
    const auto kernel = finder.kernel_if_ok(trial);
    return kernel && std::find(kernels.begin(), kernels.end(), *kernel) != kernels.end();
  });
  if (!chosen) return false;
  TrialRecord winner = finder.load(chosen->winner);
  if (answer.final_is_old && superseded(finder, query, contest, kernels, *final, winner)) return false;
  answer.winner = std::move(winner);
  load_tied(finder, query, chosen->tied, answer);
  answer.final = std::move(final);
  return true;
}

/// Whether the contest has a winner among the asked kernels, by how they raced.
bool answer_by_race(ContestFinder& finder, const BestQuery& query, const Digest& contest,
                    const std::vector<Digest>& kernels, BestAnswer& answer) {
  const auto winner = query.kernel.empty() ? finder.fastest(contest) : finder.fastest(contest, kernels);
  if (!winner) return false;
  answer.winner = finder.load(*winner);
  load_tied(finder, query, finder.tied(contest, kernels, answer.winner), answer);
  return true;
}

bool complete(const Connection& db, ContestFinder& finder, const BestQuery& query, BestAnswer& answer) {
  const Digest contest = contest_id(answer.contest.problem, answer.contest.comparison_class);
  const std::vector<Digest> kernels = finder.kernels(contest, query.kernel);
  const bool found = answer_by_final(finder, query, contest, kernels, answer) ||
                     answer_by_race(finder, query, contest, kernels, answer);
  if (!found) return false;
  answer.untuned = finder.untuned(contest, answer.winner.key);
  answer.ceilings = ceilings(db, answer.contest.comparison_class.device);
  return true;
}

}  // namespace

std::vector<BestAnswer> best(const Connection& db, const BestQuery& query) {
  require_sizes(query);
  const Snapshot snapshot(db);
  TrialFilter filter;
  filter.family = query.family;
  filter.kernel = query.kernel;
  std::vector<Contest> all = contests(db, filter);
  if (query.family.empty() && query.kernel.empty()) {
    const std::vector<std::string> hidden = ceiling_families(db);
    std::erase_if(all, [&](const Contest& contest) {
      return std::find(hidden.begin(), hidden.end(), contest.problem.family) != hidden.end();
    });
  }
  std::vector<BestAnswer> answers = nearest(all, query);
  ContestFinder finder(db);
  std::erase_if(answers, [&](BestAnswer& answer) { return !complete(db, finder, query, answer); });
  return answers;
}

std::optional<BestAnswer> best_of(const Connection& db, const Contest& contest) {
  BestAnswer answer;
  answer.contest = contest;
  answer.exact = true;
  ContestFinder finder(db);
  if (!complete(db, finder, BestQuery{}, answer)) return std::nullopt;
  return answer;
}

}  // namespace db
