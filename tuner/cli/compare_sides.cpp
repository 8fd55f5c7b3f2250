#include "tuner/cli/compare_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/merge.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/run_named.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/winner.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

/// One problem in one class.
using Place = std::pair<std::string, model::Digest>;

Place place_of(const model::TrialRecord& trial) {
  const model::Problem& problem = trial.problem;
  return {problem.family + ' ' + problem.text() + ' ' + problem.sizes_json(), trial.comparison_class.key()};
}

/// What a user would be told to use of each problem.
std::vector<model::TrialRecord> best_in(const db::Connection& connection) {
  std::vector<model::TrialRecord> best;
  db::TrialFilter filter;
  filter.ceilings = false;
  for (const model::Winner& winner : db::winners(connection, filter)) {
    best.push_back(db::find_trial(connection, winner.trial).value());
  }
  return best;
}

bool is_database(const fs::path& path) {
  constexpr std::string_view magic = "SQLite format 3";
  std::array<char, magic.size()> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return std::string_view(head.data(), head.size()) == magic;
}

/// Only what merging or importing would take is looked at: a stranger's file is copied into a database of our
/// own making, which is thrown away.
Side load_file(const std::string& name) {
  const db::Connection copy = db::open_in_memory();
  if (is_database(name)) {
    db::merge_database(copy, name);
  } else {
    db::import_file(copy, name);
  }
  return {name, std::nullopt, best_in(copy)};
}

bool is_identifier(const std::string& name) {
  return name.size() >= 4 && name.size() <= 32 &&
         name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_file(const std::string& name) {
  std::error_code error;
  return fs::is_regular_file(name, error);
}

[[noreturn]] void refuse(const std::string& name) {
  throw model::Error(
      fmt::format("'{}' is neither a file nor the beginning of a trial's or a run's identifier", name),
      "`tuner list runs` and `tuner report` show identifiers", model::ExitCode::nothing_found);
}

std::optional<model::TrialRecord> trial_named(const db::Connection& own, const std::string& prefix) {
  try {
    return db::find_trial(own, prefix);
  } catch (const model::Error& error) {
    if (error.code() == model::ExitCode::nothing_found) return std::nullopt;
    throw;
  }
}

std::string what(const model::TrialRecord& trial) {
  return fmt::format("{} {}", trial.problem.family, trial.problem.text());
}

}  // namespace

const model::Measurement& measurement_of(const model::TrialRecord& trial) {
  if (trial.outcome.measurement && !trial.outcome.measurement->samples_ns.empty()) {
    return *trial.outcome.measurement;
  }
  throw model::UsageError(
      fmt::format("trial {} has no time: it is {}", trial.key.hex(), model::to_string(trial.outcome.status)),
      "`tuner show` says why");
}

Side load_side(const fs::path& own_database, const std::string& name) {
  std::error_code error;
  const bool is_own = fs::equivalent(own_database, name, error);
  if (is_file(name) && !is_own) return load_file(name);
  if (!is_own && !is_identifier(name)) refuse(name);
  const db::Connection own = db::open_for_reading(own_database);
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

Compared compare_trials(const model::TrialRecord& a, const model::TrialRecord& b,
                        const std::optional<model::FinalRecord>& final) {
  if (a.problem != b.problem) {
    throw model::UsageError(
        fmt::format("A is of {}, B of {}: their times say nothing of each other", what(a), what(b)),
        "name trials of one problem");
  }
  if (a.comparison_class != b.comparison_class) {
    throw model::UsageError(fmt::format("A is of the class {}, B of {}: such times are never compared",
                                        a.comparison_class.text(), b.comparison_class.text()),
                            "--fresh measures both again now, in turn");
  }
  Compared out{a, b, {}, measure::Verdict::tied, ""};
  const std::vector<double>& of_a = measurement_of(a).samples_ns;
  const std::vector<double>& of_b = measurement_of(b).samples_ns;
  const auto* entry_a = final ? model::entry_of(*final, a.key) : nullptr;
  const auto* entry_b = final ? model::entry_of(*final, b.key) : nullptr;
  if (a.key == b.key && of_a == of_b) {
    out.how = "one and the same measurement";
  } else if (entry_a != nullptr && entry_b != nullptr) {
    const auto ratio = [](const model::FinalRecord::Entry& entry) {
      return measure::Ratio{entry.ratio, entry.ratio_low, entry.ratio_high};
    };
    out.ratio = measure::quotient(ratio(*entry_a), ratio(*entry_b));
    out.how = fmt::format("sampled in turn, in the final of {}", final->measured_at);
  } else {
    // Drawn for the two in one order, so that it does not matter which was named first.
    out.ratio = a.key <= b.key ? measure::unpaired_ratio(of_a, of_b, 0)
                               : measure::inverse(measure::unpaired_ratio(of_b, of_a, 0));
    out.how = fmt::format("{} and {} samples taken apart", of_a.size(), of_b.size());
  }
  out.verdict = measure::verdict(out.ratio);
  return out;
}

ComparedSides compare_best(const Side& a, const Side& b) {
  ComparedSides out;
  std::map<Place, const model::TrialRecord*> of_b;
  for (const model::TrialRecord& trial : b.best) of_b[place_of(trial)] = &trial;
  for (const model::TrialRecord& trial : a.best) {
    const auto other = of_b.find(place_of(trial));
    if (other == of_b.end()) {
      out.only_a.push_back(trial);
      continue;
    }
    out.both.push_back(compare_trials(trial, *other->second, std::nullopt));
    of_b.erase(other);
  }
  for (const model::TrialRecord& trial : b.best) {
    const bool left =
        std::any_of(of_b.begin(), of_b.end(), [&](const auto& one) { return one.second == &trial; });
    if (left) out.only_b.push_back(trial);
  }
  return out;
}

}  // namespace tuner::cli
