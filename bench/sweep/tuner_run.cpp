#include "bench/sweep/tuner_run.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <sstream>

#include "bench/support/empty_home.hpp"
#include "db/database.hpp"
#include "db/finals.hpp"
#include "db/queries.hpp"

namespace bench::sweep {
namespace {

using namespace tuner;

/// Of a trial's race: its samples and the runs that verified it. One that was dropped after a single run had
/// no other; of one sampled singly the second verified run is among the samples when it was dropped.
double race_ns(const db::StoredMeasurement& race) {
  const model::Measurement& m = race.measurement;
  const double sampled =
      std::accumulate(m.samples_ns.begin(), m.samples_ns.end(), 0.0) * m.launches_per_sample;
  if (race.status == model::TrialStatus::dropped && m.launches_per_sample == 1)
    return sampled + (m.samples_ns.size() > 1 ? m.median_ns : 0);
  const double uncounted_batch = m.launches_per_sample > 1 ? m.launches_per_sample : 0;
  return sampled + (2 + uncounted_batch) * m.median_ns;
}

/// Of a final: a verified run of each, and the rounds; who is neither tied nor the fastest may have left
/// early, so of those only the samples that were kept are counted.
double final_ns(const model::FinalRecord& final, const std::map<model::Digest, model::Measurement>& current) {
  double sum = 0;
  for (const model::FinalRecord::Entry& entry : final.entries) {
    const model::Measurement& m = current.at(entry.trial);
    const double rounds = entry.tied ? final.rounds : static_cast<double>(m.samples_ns.size());
    sum += (1 + rounds * m.launches_per_sample) * m.median_ns;
  }
  return sum;
}

void count(const db::Connection& db, TunerRun& run) {
  std::vector<model::TrialRecord> trials;
  db::for_each_trial(db, {}, {.samples = true},
                     [&](db::StoredTrial&& stored) { trials.push_back(std::move(stored.trial)); });
  std::map<model::Digest, model::Measurement> current;
  const model::TrialRecord* best = nullptr;
  for (const model::TrialRecord& trial : trials) {
    ++run.trials;
    if (model::is_failure(trial.outcome.status)) ++run.failed;
    if (model::is_failure(trial.outcome.status) && trial.outcome.status != model::TrialStatus::unlaunchable)
      ++run.unexpected;
    if (!trial.outcome.measurement) continue;
    ++run.ok;
    current[trial.key] = *trial.outcome.measurement;
    run.launches_seconds += race_ns(db::measurements(db, trial.key).front()) * 1e-9;
    const bool faster =
        trial.outcome.status == model::TrialStatus::ok &&
        (!best || trial.outcome.measurement->median_ns < best->outcome.measurement->median_ns);
    if (faster) best = &trial;
  }
  for (const model::FinalRecord& final : db::finals(db))
    run.launches_seconds += final_ns(final, current) * 1e-9;
  if (best) {
    run.best = fmt::format("{:.3f} ms with {}", best->outcome.measurement->median_ns * 1e-6,
                           best->configuration.text());
  }
}

/// The line of the tuner that says `... busy 71 %, 14 of 16 cores compiling ...`.
std::string line_about_time(const std::string& err) {
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" busy ") != std::string::npos) return line;
  }
  return "";
}

}  // namespace

TunerRun run_tuner(const std::string& program, const std::filesystem::path& spec, const std::string& size,
                   const std::vector<std::string>& more) {
  const EmptyHome home;
  const std::filesystem::path database = home.path() / "bench.db";
  std::vector<std::string> command = {
      program,      "run",    "--baselines", "off",
      "--strategy", "random", "--kernel",    std::filesystem::absolute(spec).string(),
      "--sizes",    size,     "--db",        database.string()};
  command.insert(command.end(), more.begin(), more.end());
  TunerRun run;
  run.seconds = home.run(std::move(command));
  run.where_time_went = line_about_time(home.err());
  count(db::open_for_reading(database), run);
  return run;
}

}  // namespace bench::sweep
