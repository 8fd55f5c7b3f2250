
#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "db/queries.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cover/cover.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli::answers {
namespace {

using Name = std::pair<std::string, std::string>;  // of a kernel and its values

/// Keeps the configurations at these places.
void keep(const std::vector<std::size_t>& places, CoverTable& table) {
  const auto kept = [&](auto& row) {
    std::remove_reference_t<decltype(row)> out;
    for (const std::size_t place : places) out.push_back(std::move(row[place]));
    row = std::move(out);
  };
  kept(table.configurations);
  for (auto& row : table.times.times) kept(row);
  for (auto& row : table.trials) kept(row);
  for (cover::FailedAt& size : table.times.elsewhere) {
    std::vector<std::size_t> failed;
    for (std::size_t place = 0; place < places.size(); ++place)
      if (std::ranges::binary_search(size.configurations, places[place])) failed.push_back(place);
    size.configurations = std::move(failed);
  }
}

void leave_out_superfluous(CoverTable& table) {
  std::vector<std::size_t> places = cover::undominated(cover::Losses(table.times));
  for (std::size_t i = 0; i < table.configurations.size(); ++i)
    if (table.configurations[i].is_default && std::find(places.begin(), places.end(), i) == places.end())
      places.push_back(i);
  std::sort(places.begin(), places.end());
  keep(places, table);
}

/// Configurations that were tried there and have no time, or other bits than `query` asks for.
std::set<Name> failed_at(const db::Connection& connection, const db::Case& tuning_case,
                         const db::BestQuery& query) {
  std::set<Name> names;
  if (tuning_case.failed == 0 && !query.same_bits) return names;
  db::TrialFilter filter = db::trials_of(tuning_case.problem, tuning_case.environment);
  filter.failures = !query.same_bits;
  for (const model::TrialRecord& trial : db::trials(connection, filter))
    if (trial.outcome.status != model::TrialStatus::skipped)
      names.emplace(trial.kernel, trial.configuration.canonical_json());
  return names;
}

/// What has no time where it was tried has failed. Where everything was tried that a size has, the rest is
/// not of its space.
void mark_untimed(const db::Connection& connection, const Chosen& answers, const db::BestQuery& query,
                  const std::map<Name, std::size_t>& places, CoverTable& table) {
  for (std::size_t size = 0; size < answers.size(); ++size) {
    const auto& searched = answers[size]->searched;
    const std::set<Name> failed = failed_at(connection, answers[size]->tuning_case, query);
    for (const auto& [name, place] : places) {
      cover::Known& known = table.times.times[size][place].known;
      if (known != cover::Known::unknown) continue;
      if (failed.contains(name))
        known = cover::Known::failed;
      else if (searched && searched->whole())
        known = cover::Known::excluded;
    }
  }
}

/// The sizes of the same family and environment where nothing may be used.
void add_elsewhere(const db::Connection& connection, const db::BestQuery& query,
                   const std::map<Name, std::size_t>& places, CoverTable& table) {
  const db::Case& first = table.cases.front();
  db::TrialFilter filter;
  filter.family = first.problem.family;
  filter.kernel = query.kernel;
  filter.environment = first.environment;
  const auto is_in_table = [&](const model::Problem& problem) {
    return std::ranges::any_of(table.cases, [&](const db::Case& one) { return one.problem == problem; });
  };
  for (const db::Case& one : db::cases(connection, filter)) {
    if (one.problem.kind() != first.problem.kind() || one.problem.type != first.problem.type ||
        one.problem.row_padding != first.problem.row_padding || is_in_table(one.problem))
      continue;
    cover::FailedAt size{sizes_of(one.problem), {}};
    for (const Name& name : failed_at(connection, one, query))
      if (const auto place = places.find(name); place != places.end())
        size.configurations.push_back(place->second);
    std::ranges::sort(size.configurations);
    if (!size.configurations.empty()) table.times.elsewhere.push_back(std::move(size));
  }
}

void add_size(const db::Case& tuning_case, CoverTable& table) {
  if (table.times.dimensions.empty())
    for (const model::Dimension& dimension : tuning_case.problem.sizes)
      table.times.dimensions.push_back(dimension.name);
  table.times.sizes.push_back(sizes_of(tuning_case.problem));
  table.cases.push_back(tuning_case);
  table.times.times.emplace_back(table.configurations.size());
  table.trials.emplace_back(table.configurations.size());
}

}  // namespace

cover::Sizes sizes_of(const model::Problem& problem) {
  cover::Sizes sizes;
  for (const model::Dimension& dimension : problem.sizes) sizes.push_back(dimension.value);
  return sizes;
}

CoverTable cover_table(const db::Connection& connection, const Chosen& answers, const db::BestQuery& query) {
  CoverTable table;
  std::map<Name, std::size_t> places;
  for (const db::BestAnswer* answer : answers) {
    add_size(answer->tuning_case, table);
    db::Ranking ranked = db::ranking(connection, *answer, query);
    const double best = ranked.empty() ? 1 : ranked.front().ratio;
    const double best_ns = answer->winner.outcome.measurement->median_ns;
    for (db::Ranked& one : ranked) {
      const Name name(one.trial.kernel, one.trial.configuration.canonical_json());
      const auto [at, is_new] = places.try_emplace(name, table.configurations.size());
      const bool is_whole = model::has_trusted_time(one.trial.outcome.status);
      if (is_new) {
        for (auto& row : table.times.times) row.emplace_back();
        for (auto& row : table.trials) row.emplace_back();
        table.configurations.push_back(one.trial);
      }
      // What is tied with the answer may be a little faster, and then loses nothing.
      table.times.times.back()[at->second] = {best_ns * std::max(1.0, one.ratio / best),
                                              is_whole ? cover::Known::measured : cover::Known::approximate};
      const model::Measurement& measured = *one.trial.outcome.measurement;
      table.trials.back()[at->second] = {one.trial.key, measured.median_ns, measured.includes_launch_latency};
    }
  }
  mark_untimed(connection, answers, query, places, table);
  add_elsewhere(connection, query, places, table);
  table.tried = table.configurations.size();
  leave_out_superfluous(table);
  return table;
}

bool may_run(const std::map<std::string, space::KernelSpace>& spaces, const model::DeviceLimits& limits,
             const model::TrialRecord& configuration, const model::Problem& problem) {
  const auto space = spaces.find(configuration.kernel);
  if (space == spaces.end()) return true;
  return space->second.allows(problem, configuration.configuration, limits) &&
         std::holds_alternative<model::Plan>(
             space->second.make_plan(problem, configuration.configuration, limits));
}

std::vector<Gap> gaps(const CoverTable& table, const cover::Goal& goal, std::size_t each) {
  const cover::Losses losses(table.times);
  std::vector<std::size_t> wanted;
  const auto want = [&](std::size_t one) {
    if (std::find(wanted.begin(), wanted.end(), one) == wanted.end()) wanted.push_back(one);
  };
  for (std::size_t size = 0; size < losses.sizes(); ++size) {
    std::vector<std::size_t> known;
    for (std::size_t one = 0; one < losses.configurations(); ++one)
      if (losses.is_known(size, one)) known.push_back(one);
    std::stable_sort(known.begin(), known.end(),
                     [&](std::size_t a, std::size_t b) { return losses.at(size, a) < losses.at(size, b); });
    for (std::size_t rank = 0; rank < std::min(each, known.size()); ++rank) want(known[rank]);
  }
  for (std::size_t one = 0; one < table.configurations.size(); ++one)
    if (table.configurations[one].is_default) want(one);
  const double near = goal.at_most > 0 ? 0.1 : 2 * goal.within;
  const auto is_open = [&](std::size_t size, std::size_t one) {
    if (losses.is_known(size, one)) return losses.is_approximate(size, one) && losses.at(size, one) <= near;
    return losses.is_untried(size, one) && !table.slow.contains({size, one});
  };
  std::vector<Gap> gaps;
  for (std::size_t size = 0; size < losses.sizes(); ++size)
    for (const std::size_t one : wanted)
      if (is_open(size, one)) gaps.push_back({size, one});
  return gaps;
}

void mark_excluded(const std::map<std::string, space::KernelSpace>& spaces, const model::DeviceLimits& limits,
                   CoverTable& table) {
  for (std::size_t size = 0; size < table.cases.size(); ++size) {
    for (std::size_t i = 0; i < table.configurations.size(); ++i) {
      cover::Time& time = table.times.times[size][i];
      if (time.known != cover::Known::unknown) continue;
      const model::TrialRecord& one = table.configurations[i];
      const model::Problem& problem = table.cases[size].problem;
      const auto space = spaces.find(one.kernel);
      if (!may_run(spaces, limits, one, problem))
        time.known = cover::Known::excluded;
      else if (space != spaces.end() && !space->second.contains(problem, one.configuration, limits))
        table.slow.emplace(size, i);
    }
  }
}

}  // namespace tuner::cli::answers
