#include <doctest/doctest.h>

#include "reports/json.hpp"
#include "reports/report.hpp"
#include "reports/summary.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/contains.hpp"

using namespace tests;
namespace {

std::string report_with_final(const std::vector<model::TrialRecord>& trials) {
  reports::ReportInput input;
  input.trials = trials;
  input.answers = answers_of(trials);
  return reports::to_markdown(reports::build_report(input));
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("where there was a final, its choice is the best, with those it tied with there") {
  const auto trials = sample_trials();
  const auto winners = answers_of(trials);
  const auto problems = reports::by_problem(reports::view(trials), winners);
  const auto problem = std::find_if(problems.begin(), problems.end(),
                                    [](const auto& one) { return one.problem == cube(512); });
  REQUIRE(problem != problems.end());
  CHECK(problem->best->configuration.text() == "BLOCK_SIZE=32 ELEMENTS_PER_THREAD=4");
  REQUIRE(problem->final != nullptr);
  CHECK(problem->final->chosen == problem->best->key);
  CHECK(problem->newcomers == 0);
  REQUIRE(problem->tied.size() == 1);
  CHECK(problem->tied[0]->configuration.text() == "BLOCK_SIZE=32 ELEMENTS_PER_THREAD=8");
  CHECK(reports::standing(problem->final, *problem->best)->ratio == 1.002);
}

TEST_CASE("a winner of another class is none here") {
  auto trials = sample_trials();
  auto answers = answers_of(trials);
  for (db::BestAnswer& answer : answers) answer.tuning_case.environment.driver = "999";
  for (const auto& problem : reports::by_problem(reports::view(trials), answers))
    CHECK(problem.best == nullptr);
}

TEST_CASE("the report says what was re-measured, by which rule it chose, and what was not re-measured") {
  const std::string text = report_with_final(sample_trials());
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  CHECK(has("1.002 (0.999–1.006)"));
  CHECK(has("fewest registers, then the smallest block, then name"));
  CHECK(has("\\* not re-measured"));
  std::vector<model::TrialRecord> one;
  for (const auto& trial : sample_trials()) {
    if (trial.problem == cube(512)) one.push_back(trial);
  }
  CHECK(report_with_final(one).find("not re-measured") == std::string::npos);
}

TEST_CASE("a best that was dropped early has no interval, and its share is approximate") {
  reports::ReportInput input;
  input.trials = {measured("a", {{"BLOCK_SIZE", 8}}, cube(512), 1e6)};
  input.trials[0].outcome.status = model::TrialStatus::dropped;
  input.trials[0].workload = {45e9, 1e9};
  input.answers = answers_of(input.trials, {});
  input.ceilings = sample_ceilings();
  const std::string text = reports::to_markdown(reports::build_report(input));
  INFO(text);
  CHECK(contains(text, "| ~75 % arithmetic |"));
  CHECK(contains(text, " ~1.000 ms |"));
  CHECK_FALSE(contains(text, "–"));
}

TEST_CASE("a best whose final had two clocks, or disagrees with the race, is marked and explained") {
  reports::ReportInput input;
  input.trials = sample_trials();
  input.answers = answers_of(input.trials);
  const auto answer = std::ranges::find(input.answers, cube(512),
                                        [](const db::BestAnswer& one) { return one.tuning_case.problem; });
  REQUIRE(answer != input.answers.end());
  const auto markdown = [&] { return reports::to_markdown(reports::build_report(input)); };
  CHECK_FALSE(contains(markdown(), "‡"));
  CHECK_FALSE(contains(markdown(), "unsettled"));
  answer->check.in_turn_ns = 18'000;
  answer->check.final_ns = 20'000;
  CHECK(contains(markdown(), " 20.10 µs ‡ |"));
  CHECK(contains(markdown(), "in turn with its rivals the fastest took 18.00 µs at 512."));
  answer->check.faster_elsewhere = 1;
  CHECK(contains(markdown(), " 20.10 µs ‡ unsettled |"));
  CHECK(contains(markdown(), "unsettled: race and final disagree"));
  const std::string json = written(reports::to_json, input);
  for (const char* part : {R"("off_clock":true)", R"("settled":false)", R"("fastest_in_turn_ns":18000.0)"})
    CHECK(contains(json, part));
}

TEST_SUITE_END();
