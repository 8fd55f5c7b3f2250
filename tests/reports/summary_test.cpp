#include "reports/summary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "reports/layout.hpp"
#include "tests/reports/sample.hpp"

using namespace tests;
using model::TrialStatus;

TEST_SUITE_BEGIN("reports");

TEST_CASE("the winner of a size is the one decided elsewhere, whatever the order of the rows") {
  auto trials = sample_trials();
  const auto winners = answers_of(trials, {});
  for (int round = 0; round < 2; ++round) {
    const auto problems = reports::by_problem(reports::view(trials), winners);
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].best->configuration.text() == "BLOCK_SIZE=32 ELEMENTS_PER_THREAD=4");
    CHECK(problems[1].best->configuration.text() == "BLOCK_SIZE=32 ELEMENTS_PER_THREAD=8");
    CHECK(problems[2].best->kernel == "tiled");
    REQUIRE(problems[1].tied.size() == 1);
    CHECK(problems[1].tied[0]->configuration.text() == "BLOCK_SIZE=32 ELEMENTS_PER_THREAD=4");
    CHECK(problems[0].tied.empty());
    std::reverse(trials.begin(), trials.end());
  }
  CHECK(reports::by_problem(reports::view(trials), {})[0].best == nullptr);
}

TEST_CASE("the speed-up is over the default of the winner's own kernel") {
  const auto trials = sample_trials();
  const auto winners = answers_of(trials);
  const auto problems = reports::by_problem(reports::view(trials), winners);
  CHECK(problems[2].speedup() == doctest::Approx(330.0 / 112.0));
}

TEST_CASE("a dropped, failed or absurd time never wins") {
  std::vector<model::TrialRecord> trials = {measured("a", {}, cube(64), 100), measured("b", {}, cube(64), 50),
                                            measured("c", {}, cube(64), 10), measured("d", {}, cube(64), 1)};
  trials[1].outcome.status = TrialStatus::dropped;
  trials[2].outcome.status = TrialStatus::wrong_result;
  trials[3].outcome.measurement->median_ns = std::nan("");
  CHECK(reports::fastest(reports::view(trials))->kernel == "a");
}

TEST_CASE("equal times are decided by registers, then block, then name") {
  std::vector<model::TrialRecord> trials = {measured("c", {}, cube(64), 50), measured("b", {}, cube(64), 50),
                                            measured("a", {}, cube(64), 50)};
  CHECK(reports::fastest(reports::view(trials))->kernel == "a");
  trials[1].block = {16, 1, 1};
  CHECK(reports::fastest(reports::view(trials))->kernel == "b");
  trials[0].resources->registers = 20;
  CHECK(reports::fastest(reports::view(trials))->kernel == "c");
}

TEST_CASE("the metric to show is the first of the kernel, though a size may lack it") {
  std::vector<model::TrialRecord> trials = {measured("k", {}, cube(32), 10), measured("k", {}, cube(64), 10),
                                            measured("other", {}, cube(64), 10)};
  trials[0].metrics = {{"second", 2.0}};
  trials[1].metrics = {{"first", 1.0}, {"second", 2.0}};
  trials[2].metrics = {{"its own", 1.0}, {"its second", 1.0}, {"its third", 1.0}};
  CHECK(reports::first_metric(reports::view(trials)) == "first");
}

TEST_CASE("classes are kept apart") {
  std::vector<model::TrialRecord> trials = {measured("a", {}, cube(64), 50), measured("a", {}, cube(64), 10)};
  trials[1].environment.driver = "580.2";
  const auto environments = reports::by_environment(reports::view(trials));
  REQUIRE(environments.size() == 2);
  CHECK(environments[0].trials.size() == 1);
  CHECK(environments[0].environment.driver == "570.1");
}

TEST_CASE("sizes are ordered by volume, with row padding after all plain ones") {
  auto wide = cube(64);
  wide.sizes[0].value = 32;
  auto padded = cube(8);
  padded.row_padding = 32;
  CHECK(reports::problem_less(cube(8), cube(64)));
  CHECK(reports::problem_less(wide, cube(64)));
  CHECK(reports::problem_less(cube(4096), padded));
  CHECK(reports::size_label(padded) == "8 pad 32");
  CHECK(reports::size_label(wide) == "32x64x64");
}

TEST_CASE("failures are counted by kind, most frequent first; skipped and dropped are none") {
  auto trials = sample_trials();
  trials.push_back(failed("naive", {}, cube(64), TrialStatus::skipped, "needs a GPU"));
  const auto found = reports::failures(reports::view(trials));
  REQUIRE(found.size() == 3);
  CHECK(found[0].status == TrialStatus::unlaunchable);
  CHECK(found[0].count == 2);
  CHECK(found[0].example->problem.size_text() == "512");
  CHECK(reports::reason(*found[1].example).find("static assertion failed tiled.cu(14)") != std::string::npos);
}

TEST_CASE("a cell says why it has no value") {
  const reports::Field field{"GFLOP/s", "", 1};
  std::vector<model::TrialRecord> trials = {failed("a", {}, cube(64), TrialStatus::crashed, "gone"),
                                            failed("b", {}, cube(64), TrialStatus::skipped, "no")};
  const auto text = [&](const reports::Trials& some) {
    return reports::cell_text(reports::resolve_cell(some), field);
  };
  CHECK(text({}) == "-");
  CHECK(text({&trials[0], &trials[1]}) == "✗ crashed");
  CHECK(text({&trials[1]}) == "NA");
  trials.push_back(measured("c", {}, cube(64), 1000));
  trials[2].outcome.status = TrialStatus::dropped;
  CHECK(text({&trials[0], &trials[2]}) == "~524.3");
  trials[2].outcome.measurement->includes_launch_latency = true;
  CHECK(text({&trials[2]}) == "~524.3†");
}

TEST_CASE("the pivot is the one asked for, else every parameter that varies") {
  using Names = std::vector<std::string>;
  std::vector<model::TrialRecord> trials = {measured("a", {{"U", 1}, {"V", 1}, {"W", 1}}, cube(64), 50),
                                            measured("a", {{"U", 1}, {"V", 2}, {"W", 2}}, cube(64), 40)};
  CHECK(reports::choose_pivots(reports::view(trials), "") == Names{"V", "W"});
  CHECK(reports::choose_pivots(reports::view(trials), "W") == Names{"W"});
  CHECK(reports::choose_pivots(reports::view(trials), "NO_SUCH") == Names{"V", "W"});
  trials.pop_back();
  CHECK(reports::choose_pivots(reports::view(trials), "") == Names{""});
}

TEST_CASE("a cell without a trial says so") {
  const std::vector<model::TrialRecord> trials = {measured("a", {{"B", 8}}, cube(8), 50),
                                                  measured("a", {{"B", 8}}, cube(16), 50),
                                                  measured("a", {{"B", 16}}, cube(16), 40)};
  const reports::Field field{"time_ms", "", 1};
  CHECK(reports::pivot_table(reports::view(trials), "B", field).rows()[0][2] == "-");
}

TEST_SUITE_END();
