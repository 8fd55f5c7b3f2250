#include <doctest/doctest.h>

#include "reports/report.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/contains.hpp"

using namespace tests;

namespace {

/// Winners as they come from the sizes alone: one trial each.
std::vector<reports::ProblemSummary> problems_of(const std::vector<model::TrialRecord>& trials) {
  std::vector<reports::ProblemSummary> problems;
  for (const model::TrialRecord& trial : trials) {
    reports::ProblemSummary& problem = problems.emplace_back();
    problem.problem = trial.problem;
    problem.best = &trial;
  }
  return problems;
}

/// A product of this size at this many operations a nanosecond.
model::TrialRecord at_rate(const std::string& kernel, std::vector<model::Assignment> configuration,
                           std::int64_t size, double rate) {
  const double operations = 2.0 * static_cast<double>(size * size * size);
  model::TrialRecord trial = measured(kernel, std::move(configuration), cube(size), operations / rate);
  trial.workload.operations = operations;
  return trial;
}

std::vector<std::string> differences(const std::vector<model::TrialRecord>& trials) {
  std::vector<std::string> texts;
  const reports::Table table = reports::change_table(problems_of(trials));
  for (const auto& row : table.rows()) texts.push_back(row.at(1));
  return texts;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("of each size it is said in what its winner differs from the one above") {
  const std::vector<model::TrialRecord> trials = {
      at_rate("shared", {{"TILE", 16}, {"UNROLL", 4}}, 512, 20),
      at_rate("shared", {{"TILE", 16}, {"UNROLL", 4}}, 768, 20),
      at_rate("shared", {{"TILE", 32}, {"UNROLL", 4}}, 1024, 20),
      at_rate("tiled", {{"TILE", 32}, {"STAGES", 3}, {"UNROLL", 4}}, 1536, 20)};
  CHECK(differences(trials) == std::vector<std::string>{"shared", "as above", "TILE 16 → 32", "tiled"});
  CHECK(reports::common_text(problems_of(trials)) == "All of them have UNROLL=4.");
}

TEST_CASE("of many differences the first are told, and how many more there are") {
  std::vector<model::Assignment> below, above;
  for (int i = 0; i < 8; ++i) {
    below.push_back({"P" + std::to_string(i), 1});
    above.push_back({"P" + std::to_string(i), 2});
  }
  CHECK(differences({at_rate("k", below, 512, 20), at_rate("k", above, 768, 20)}).back() ==
        "P0 1 → 2, P1 1 → 2, P2 1 → 2, P3 1 → 2, P4 1 → 2, P5 1 → 2, 2 more");
}

TEST_CASE("what an odd size costs is seen beside its neighbours") {
  const std::vector<model::TrialRecord> trials = {
      at_rate("k", {{"TILE", 16}}, 896, 40), at_rate("k", {{"TILE", 16}}, 1001, 36),
      at_rate("k", {{"TILE", 16}}, 1024, 40), at_rate("k", {{"TILE", 16}}, 4096, 50)};
  const reports::Table table = reports::change_table(problems_of(trials));
  const auto& rows = table.rows();
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].at(2) == "-");
  CHECK(rows[1].at(2) == "-10.0 %");
  CHECK(rows[2].at(2) == "-");  // 4096 is too far away to say anything of it
  CHECK(rows[3].at(2) == "-");
  CHECK_FALSE(reports::neighbours_note(problems_of(trials)).empty());
}

TEST_CASE("neighbours are held against by operations or bytes, whichever all three have") {
  std::vector<model::TrialRecord> trials = {at_rate("k", {}, 896, 40), at_rate("k", {}, 1001, 36),
                                            at_rate("k", {}, 1024, 40)};
  const auto said = [&] {
    const reports::Table table = reports::change_table(problems_of(trials));
    return table.rows()[1].size() < 3 ? "" : table.rows()[1][2];
  };
  trials[0].workload.operations = 0;
  CHECK(said().empty());
  for (model::TrialRecord& trial : trials) trial.workload.bytes = trial.outcome.measurement->median_ns * 7;
  CHECK(said() == "+0.0 %");
}

TEST_CASE("one size changes nothing, and sizes without a winner are left out") {
  std::vector<model::TrialRecord> trials = {at_rate("k", {{"TILE", 16}}, 512, 20)};
  CHECK(reports::change_table(problems_of(trials)).empty());
  CHECK(reports::common_text(problems_of(trials)).empty());
  trials.push_back(at_rate("k", {{"TILE", 32}}, 1024, 20));
  auto problems = problems_of(trials);
  CHECK(reports::common_text(problems) == "They have no value in common.");
  problems.back().best = nullptr;
  CHECK(reports::change_table(problems).empty());
}

TEST_CASE("a report tells what binds the best, where that is a flaw or a limit that is near") {
  reports::ReportInput input = sample_input();
  const model::Digest& best = input.answers.front().winner.key;
  tuner::explain::Finding finding;
  finding.text = "it waits for 7 others";
  finding.next = "fewer of them";
  finding.weight = 0.05;
  input.explanations[best] = {finding};
  const auto told = [&] { return reports::to_markdown(reports::build_report(input)); };
  CHECK_FALSE(contains(told(), "what binds the best"));
  input.explanations[best].front().weight = 1.5;
  CHECK(contains(told(), "it waits for 7 others → fewer of them"));
  input.explanations[best].front().about = tuner::explain::About::runner_up;
  CHECK_FALSE(contains(told(), "it waits for"));
}

TEST_SUITE_END();
