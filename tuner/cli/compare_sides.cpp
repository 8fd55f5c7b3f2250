#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/transfer.hpp"
#include "reports/summary.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

/// One problem in one environment.
using Place = std::pair<std::string, model::Digest>;

Place place_of(const model::TrialRecord& trial) {
  const model::Problem& problem = trial.problem;
  return {problem.family + ' ' + problem.text() + ' ' + problem.sizes_json(), trial.environment.key()};
}

}  // namespace

std::vector<BestTrial> best_in(const db::Connection& connection, db::TrialFilter filter) {
  std::vector<BestTrial> best;
  filter.ceilings = false;
  for (const db::BestAnswer& answer : db::best_of_each(connection, filter)) {
    BestTrial& one = best.emplace_back();
    one.trial = db::find_trial(connection, answer.winner.key).value();
    for (const db::StoredMeasurement& stored : db::measurements(connection, answer.winner.key)) {
      const std::vector<double>& samples = stored.measurement.samples_ns;
      if (stored.run == one.trial.run)
        one.samples_ns.insert(one.samples_ns.end(), samples.begin(), samples.end());
    }
  }
  return best;
}

namespace {

Side load_file(const std::string& name) {
  if (looks_like_baseline(name)) return {name, std::nullopt, read_baseline(name)};
  if (util::begins_as_database(name)) {
    const db::Foreign foreign(name);
    Side side{name, std::nullopt, best_in(foreign.db())};
    foreign.db().require_unwritten();
    return side;
  }
  const db::Connection copy = db::open_in_memory();
  db::import_file(copy, name);
  return {name, std::nullopt, best_in(copy)};
}

bool is_identifier(const std::string& name) {
  return name.size() >= 4 && name.size() <= 32 &&
         name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

[[noreturn]] void refuse(const std::string& name) {
  throw NothingFound(
      fmt::format("'{}' is neither a file nor the beginning of a trial's or a run's identifier", name),
      "`tuner list runs` and `tuner report` show identifiers");
}

std::optional<model::TrialRecord> trial_named(const db::Connection& own, const std::string& prefix) {
  try {
    return db::find_trial(own, prefix);
  } catch (const model::Error& error) {
    if (error.code() == model::ExitCode::nothing_found) return std::nullopt;
    throw;
  }
}

}  // namespace

void require_one_problem(const model::TrialRecord& a, const model::TrialRecord& b) {
  if (a.problem == b.problem) return;
  const auto what = [](const model::Problem& problem) { return problem.family + ' ' + problem.text(); };
  throw model::UsageError(fmt::format("A is of {}, B of {}: their times say nothing of each other",
                                      what(a.problem), what(b.problem)),
                          "name trials of one problem");
}

const model::Measurement& measurement_of(const model::TrialRecord& trial) {
  const model::TrialOutcome& outcome = trial.outcome;
  if (!outcome.measurement || model::is_failure(outcome.status))  // also one that its probes failed since
    throw model::UsageError(
        fmt::format("trial {} has no time: it is {}", trial.key.hex(), model::to_string(outcome.status)),
        "`tuner show` says why");
  if (outcome.measurement->samples_ns.empty())
    throw model::UsageError(fmt::format("trial {} has a time without its samples", trial.key.hex()),
                            "--fresh measures both again now, in turn");
  return *outcome.measurement;
}

Side load_side(const fs::path& own_database, const std::string& name) {
  std::error_code error;
  const bool is_own = fs::equivalent(own_database, name, error);
  if (fs::is_regular_file(name, error) && !is_own) return load_file(name);
  if (!is_own && !is_identifier(name)) refuse(name);
  const db::Connection own = db::open_results(own_database);
  if (is_own) return {name, std::nullopt, best_in(own)};
  const std::vector<model::Digest> runs = runs_named(own, name);
  auto trial = trial_named(own, name);
  if (runs.size() + (trial ? 1 : 0) > 1) {
    throw model::UsageError(fmt::format("several runs or trials begin with {}", name), "give more digits");
  }
  if (trial) return {name, std::move(trial), {}};
  if (runs.empty()) refuse(name);
  return {name, std::nullopt, best_in(db::extract_run(own, runs.front()))};
}

namespace {

/// Of samples taken apart at different clocks, the clock's part in the difference is unknown: from
/// nothing, where memory binds, to all of it, where arithmetic does. The interval covers both.
void allow_for_clocks(const model::Measurement& a, const model::Measurement& b, Compared& out) {
  constexpr double same = 0.003;
  if (a.sm_clock_mhz <= 0 || b.sm_clock_mhz <= 0) return;
  const double clocks = a.sm_clock_mhz / b.sm_clock_mhz;
  if (std::abs(clocks - 1) < same) return;
  out.ratio.low = std::min(out.ratio.low, out.ratio.low * clocks);
  out.ratio.high = std::max(out.ratio.high, out.ratio.high * clocks);
  out.how += fmt::format(", at SM clocks of {:.0f} and {:.0f} MHz, which the interval allows for",
                         a.sm_clock_mhz, b.sm_clock_mhz);
}

}  // namespace

Compared compare_trials(const model::TrialRecord& a, const model::TrialRecord& b,
                        const std::optional<model::FinalRecord>& final) {
  require_one_problem(a, b);
  if (a.environment != b.environment) {
    throw model::UsageError(fmt::format("A is from the environment {}, B from {}: such times do not compare",
                                        a.environment.text(), b.environment.text()),
                            "--fresh measures both again now, in turn");
  }
  Compared out{a, b, {}, measure::Verdict::tied, "", false, {}, {}};
  const std::vector<double>& of_a = measurement_of(a).samples_ns;
  const std::vector<double>& of_b = measurement_of(b).samples_ns;
  const auto* entry_a = final ? model::entry_of(*final, a.key) : nullptr;
  const auto* entry_b = final ? model::entry_of(*final, b.key) : nullptr;
  if (a.key == b.key && a.measured_at == b.measured_at && of_a == of_b) {  // not every recording has dates
    out.ratio = {1, 1, 1};
    out.how = "one and the same measurement";
    out.in_turn = true;
  } else if (entry_a != nullptr && entry_b != nullptr) {
    out.ratio = ratio_between(*entry_a, *entry_b);
    out.how = fmt::format("sampled in turn, in the final of {}", final->measured_at);
    out.in_turn = true;
  } else {
    // Drawn for the two in one order, so that it does not matter which was named first.
    out.ratio = a.key <= b.key ? measure::unpaired_ratio(of_a, of_b, 0)
                               : measure::inverse(measure::unpaired_ratio(of_b, of_a, 0));
    out.how = fmt::format("{} and {} taken apart", of_a.size(), util::counted(of_b.size(), "sample"));
    allow_for_clocks(*a.outcome.measurement, *b.outcome.measurement, out);
  }
  out.samples_a = of_a;
  out.samples_b = of_b;
  out.verdict = measure::verdict(out.ratio);
  return out;
}

ComparedSides compare_best(const Side& a, const Side& b) {
  ComparedSides out;
  std::map<Place, const BestTrial*> of_b;
  for (const BestTrial& best : b.best) of_b[place_of(best.trial)] = &best;
  for (const BestTrial& best : a.best) {
    const auto other = of_b.find(place_of(best.trial));
    if (other == of_b.end()) {
      out.only_a.push_back(best.trial);
      continue;
    }
    BestTrial of_a = best, of_other = *other->second;
    if (of_a.is_of_baseline || of_other.is_of_baseline)  // alike on both sides
      for (BestTrial* one : {&of_a, &of_other}) one->trial.outcome.measurement->samples_ns = one->samples_ns;
    Compared& compared = out.both.emplace_back(compare_trials(of_a.trial, of_other.trial, std::nullopt));
    compared.samples_a = std::move(of_a.samples_ns);
    compared.samples_b = std::move(of_other.samples_ns);
    of_b.erase(other);
  }
  for (const BestTrial& best : b.best)
    if (of_b.contains(place_of(best.trial))) out.only_b.push_back(best.trial);
  const auto problem_of_both = [](const Compared& one) -> const model::Problem& { return one.a.problem; };
  std::ranges::stable_sort(out.both, reports::problem_less, problem_of_both);
  std::ranges::stable_sort(out.only_a, reports::problem_less, &model::TrialRecord::problem);
  std::ranges::stable_sort(out.only_b, reports::problem_less, &model::TrialRecord::problem);
  return out;
}

}  // namespace tuner::cli
