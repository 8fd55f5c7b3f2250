#include <doctest/doctest.h>

#include "reports/report.hpp"
#include "reports/summary.hpp"
#include "tests/reports/sample.hpp"

using namespace tests;
using model::TrialStatus;

namespace {

constexpr const char* after_the_final = "2026-01-02T04:00:00Z";

reports::ProblemSummary at_512(const std::vector<model::TrialRecord>& trials,
                               const std::vector<model::FinalRecord>& finals) {
  const auto problems = reports::by_problem(reports::view(trials), finals);
  const auto found = std::find_if(problems.begin(), problems.end(),
                                  [](const auto& problem) { return problem.problem == cube(512); });
  REQUIRE(found != problems.end());
  return *found;
}

std::string best_of(const reports::ProblemSummary& problem) {
  return problem.best->configuration.text();
}

std::string markdown(const std::vector<model::TrialRecord>& trials) {
  reports::ReportInput input;
  input.trials = trials;
  input.finals = {sample_final()};
  return reports::to_markdown(reports::build_report(input));
}

constexpr const char* fastest_raced = "BLOCK_SIZE=32 ELEMENTS_PER_THREAD=8";
constexpr const char* chosen = "BLOCK_SIZE=32 ELEMENTS_PER_THREAD=4";

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("where there was a final, its choice is the best, with those it tied with there") {
  const auto trials = sample_trials();
  const std::vector finals = {sample_final()};
  const auto problem = at_512(trials, finals);
  CHECK(best_of(problem) == chosen);
  CHECK(problem.final == &finals[0]);
  CHECK_FALSE(problem.final_is_old);
  REQUIRE(problem.tied.size() == 1);
  CHECK(problem.tied[0]->configuration.text() == fastest_raced);
  CHECK(reports::standing(problem.final, *problem.best)->ratio == 1.002);
  CHECK(best_of(at_512(trials, {})) == fastest_raced);
  CHECK(at_512(trials, {}).final == nullptr);
}

TEST_CASE("the last final of a problem counts, and none of another class") {
  const auto trials = sample_trials();
  model::FinalRecord later = sample_final();
  later.measured_at = "2026-01-02T03:05:00Z";
  later.chosen = later.entries[0].trial;
  model::FinalRecord foreign = later;
  foreign.measured_at = after_the_final;
  foreign.comparison_class.driver = "999";
  foreign.chosen = foreign.entries[1].trial;
  CHECK(best_of(at_512(trials, {later, sample_final(), foreign})) == fastest_raced);
  CHECK(best_of(at_512(trials, {sample_final(), foreign})) == chosen);
}

TEST_CASE("a trial measured since makes the final old, and beats it only by being clearly faster") {
  auto trials = sample_trials();
  const std::vector finals = {sample_final()};
  // The interval of the chosen one begins at 20,100 * 0.995 = 19,999.5 ns.
  trials.push_back(measured("late", {}, cube(512), 20'050));
  trials.back().measured_at = after_the_final;
  CHECK(best_of(at_512(trials, finals)) == chosen);
  CHECK(at_512(trials, finals).final_is_old);
  trials.back().outcome.measurement->median_ns = 19'000;
  CHECK(at_512(trials, finals).best->kernel == "late");
  CHECK(at_512(trials, finals).final == nullptr);
  trials.back().outcome.status = TrialStatus::dropped;
  CHECK(best_of(at_512(trials, finals)) == chosen);
  CHECK_FALSE(at_512(trials, finals).final_is_old);
}

TEST_CASE("a choice that fails since is none; where it is not shown, the best contestant shown is") {
  auto trials = sample_trials();
  const std::vector finals = {sample_final()};
  const auto is_chosen = [&](const model::TrialRecord& trial) { return trial.key == finals[0].chosen; };
  const auto at = std::find_if(trials.begin(), trials.end(), is_chosen);
  REQUIRE(at != trials.end());
  at->outcome.status = TrialStatus::crashed;
  CHECK(best_of(at_512(trials, finals)) == fastest_raced);
  CHECK(at_512(trials, finals).final == nullptr);
  trials.erase(at);
  CHECK(best_of(at_512(trials, finals)) == fastest_raced);
  CHECK(at_512(trials, finals).final == &finals[0]);
}

TEST_CASE("the report says what was re-measured, by which rule it chose, and what was not re-measured") {
  const std::string text = markdown(sample_trials());
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  CHECK(has("1.002 (0.999–1.006)"));
  CHECK(has("fewest registers, then the smallest block, then name"));
  CHECK(has("\\* not re-measured"));
  std::vector<model::TrialRecord> one;
  for (const auto& trial : sample_trials()) {
    if (trial.problem == cube(512)) one.push_back(trial);
  }
  CHECK(markdown(one).find("not re-measured") == std::string::npos);
}

TEST_SUITE_END();
