#include "reports/named_trials.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "reports/json.hpp"
#include "reports/report.hpp"
#include "tests/reports/sample.hpp"
#include "tuner/util/text.hpp"

using namespace tests;
using reports::NamedTrials;

namespace {

/// Trials of three kernels at three sizes as a database gives them, some of which failed, were skipped or
/// dropped, many with equal times. Of the last kernel none has a time at 256.
std::vector<model::TrialRecord> many_trials() {
  std::vector<model::TrialRecord> trials;
  for (const std::int64_t size : {256, 512, 1024}) {
    for (const char* kernel : {"first", "second", "third"}) {
      std::vector<model::TrialRecord> own;
      for (std::int64_t i = 0; i < 60; ++i) {
        const std::int64_t number = (i * 37 + size) % 101;
        const std::vector<model::Assignment> configuration = {
            {"A", model::Value(i % 3)}, {"B", model::Value(i / 3 % 4)}, {"C", model::Value(i / 12)}};
        const bool has_time = number % 7 > 1 && (size > 256 || *kernel != 't');
        own.push_back(has_time ? measured(kernel, configuration, cube(size),
                                          1000.0 + 50.0 * static_cast<double>(number / 9))
                               : failed(kernel, configuration, cube(size),
                                        number % 3 == 0   ? model::TrialStatus::skipped
                                        : number % 3 == 1 ? model::TrialStatus::timeout
                                                          : model::TrialStatus::wrong_result,
                                        "value 3.5"));
        if (has_time && number % 5 == 0) own.back().outcome.status = model::TrialStatus::dropped;
        own.back().is_default = i == 21;
        own.back().measured_at = "2026-01-0" + std::to_string(1 + number % 9) + "T00:00:00Z";
      }
      std::ranges::stable_sort(own, {}, [](const model::TrialRecord& trial) {
        return trial.outcome.measurement ? trial.outcome.measurement->median_ns : 1e99;
      });
      trials.insert(trials.end(), own.begin(), own.end());
    }
  }
  return trials;
}

/// The same report made from the trials that it names.
reports::ReportInput of_named(const reports::ReportInput& all, NamedTrials::Where where) {
  reports::ReportInput input = all;
  NamedTrials named(all.answers, where);
  for (const model::TrialRecord& trial : all.trials) named.add(trial);
  named.finish(input);
  input.each_trial = [&all](const model::Environment* environment, const reports::Visit& visit) {
    reports::for_each_trial(all, environment, visit);
  };
  return input;
}

}  // namespace

TEST_CASE("a report that keeps only the trials that it names says what one of all trials says") {
  reports::ReportInput all;
  all.trials = many_trials();
  all.answers = answers_of(all.trials, {});
  const reports::ReportInput in_tables = of_named(all, NamedTrials::Where::tables);
  CHECK(in_tables.trials.size() < all.trials.size() / 2);
  for (const char* pivot : {"", "A", "C"}) {
    all.pivot = pivot;
    reports::ReportInput few = in_tables;
    few.pivot = pivot;
    const std::string folder = "charts";
    CHECK(reports::to_markdown(reports::build_report(few), &folder) ==
          reports::to_markdown(reports::build_report(all), &folder));
  }
  const reports::ReportInput of_problems = of_named(all, NamedTrials::Where::problems);
  CHECK(of_problems.trials.size() < all.trials.size() / 4);
  for (const auto write : {reports::to_csv, reports::to_json, reports::to_html})
    CHECK(written(write, of_problems) == written(write, all));
  CHECK(of_named(all, NamedTrials::Where::anywhere).trials.size() == all.trials.size());
}
