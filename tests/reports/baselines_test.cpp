#include <doctest/doctest.h>

#include "reports/findings.hpp"
#include "reports/json.hpp"
#include "reports/report.hpp"
#include "reports/summary.hpp"
#include "tests/reports/sample.hpp"

using namespace tests;

namespace {

model::TrialRecord library(const model::Problem& problem, double ns) {
  model::TrialRecord trial = measured("cuBLAS", {}, problem, ns);
  trial.role = model::Role::baseline;
  trial.outcome.detail = "cuBLAS 13.1.0; no TF32";
  return trial;
}

/// The sample's sweep with a library at 512, in the final there, and at 1024, where there was none.
reports::ReportInput report_with_library() {
  reports::ReportInput input;
  input.trials = sample_trials();
  input.trials.push_back(library(cube(512), 20'000));
  input.trials.push_back(library(cube(1024), 1));
  model::FinalRecord final = sample_final();
  final.entries.push_back({input.trials[input.trials.size() - 2].key, 1.2, 1.15, 1.25, false});
  input.answers = answers_of(input.trials, {final});
  return input;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("a library has a column of ratios, with an interval where it was in the final") {
  const reports::ReportInput input = report_with_library();
  const std::string text = reports::to_markdown(reports::build_report(input));
  CHECK(text.find("× cuBLAS") != std::string::npos);
  // Against the one that was chosen, which is 1.002 (0.999–1.006) of the fastest.
  CHECK(text.find("1.198 (1.143–1.251)") != std::string::npos);
  CHECK(text.find("~") != std::string::npos);
  CHECK(text.find("cuBLAS 13.1.0; no TF32") != std::string::npos);
  const std::string json = written(reports::to_json, input);
  CHECK(json.find("\"library\":\"cuBLAS 13.1.0; no TF32\"") != std::string::npos);
  CHECK(json.find("\"paired\":true") != std::string::npos);
  CHECK(json.find("\"paired\":false") != std::string::npos);
}

TEST_CASE("a library is neither the best nor the fastest nor the slowest of a size") {
  const reports::ReportInput input = report_with_library();
  const auto problems = reports::by_problem(reports::view(input.trials), input.answers);
  int seen = 0;
  for (const auto& problem : problems) {
    for (const model::TrialRecord* trial : problem.trials) CHECK(trial->role == model::Role::competitor);
    if (problem.best != nullptr) CHECK(problem.best->kernel != "cuBLAS");
    if (problem.slowest != nullptr) CHECK(problem.slowest->kernel != "cuBLAS");
    seen += static_cast<int>(problem.baselines.size());
  }
  CHECK(seen == 2);
  CHECK(reports::baseline_names(problems) == std::vector<std::string>{"cuBLAS"});
}

TEST_CASE("without a library there is neither column nor sentence") {
  reports::ReportInput input;
  input.trials = sample_trials();
  input.answers = answers_of(input.trials);
  CHECK(reports::to_markdown(reports::build_report(input)).find("library") == std::string::npos);
}

TEST_SUITE_END();
