// Where a figure or an order of a report that is nearly right differs from what is.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reports/baseline.hpp"
#include "reports/ceiling.hpp"
#include "reports/changes.hpp"
#include "reports/field.hpp"
#include "reports/numbers.hpp"
#include "reports/summary.hpp"

using namespace reports;
using tuner::model::Ceiling;
using tuner::model::ElementType;
using tuner::model::Measurement;
using tuner::model::Problem;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;

namespace {

Problem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {"matmul", {{"M", m}, {"N", n}, {"K", k}}, ElementType::float32, 0};
}

TrialRecord timed(const Problem& of, double median_ns, TrialStatus status = TrialStatus::ok) {
  TrialRecord trial;
  trial.kernel = "k";
  trial.problem = of;
  trial.comparison_class.device = "GPU";
  trial.outcome.status = status;
  trial.outcome.verification.checked = true;
  trial.outcome.measurement.emplace();
  trial.outcome.measurement->median_ns = median_ns;
  return trial;
}

/// How the winner at `size` does beside its neighbours, as the table of changes says it. Rates are operations
/// a nanosecond.
std::string beside(const std::vector<std::pair<std::int64_t, double>>& rates, std::int64_t size) {
  std::vector<TrialRecord> trials;
  for (const auto& [extent, rate] : rates) {
    TrialRecord trial = timed(problem(extent, extent, extent), 1000);
    trial.workload.operations = rate * 1000;
    trials.push_back(trial);
  }
  std::vector<ProblemSummary> problems;
  for (const TrialRecord& trial : trials) {
    ProblemSummary& summary = problems.emplace_back();
    summary.problem = trial.problem;
    summary.best = &trial;
  }
  const Table table = change_table(problems);
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (rates[i].first == size) return table.rows().at(i).at(2);
  return "";
}

Ceiling memory_ceiling(ElementType type, double value) {
  Ceiling ceiling;
  ceiling.device = "GPU";
  ceiling.kind = "memory";
  ceiling.type = type;
  ceiling.value = value;
  return ceiling;
}

}  // namespace

TEST_SUITE("reports") {
  TEST_CASE("1024 bytes are a kibibyte") {
    CHECK(bytes_text(1023) == "1023 B");
    CHECK(bytes_text(1024) == "1 KiB");
  }

  TEST_CASE("what memory gives at most is the highest that was measured, of whichever type") {
    TrialRecord trial = timed(problem(1, 1, 1), 1e9);
    trial.workload.bytes = 1e12;
    for (const bool highest_first : {true, false}) {
      std::vector<Ceiling> ceilings = {memory_ceiling(ElementType::float32, 4e12),
                                       memory_ceiling(ElementType::float64, 2e12)};
      if (!highest_first) std::swap(ceilings[0], ceilings[1]);
      const auto share = ceiling_share(trial, ceilings);
      REQUIRE(share);
      CHECK(share->fraction == doctest::Approx(0.25));
    }
  }

  TEST_CASE("a size is held against the nearest below and above, each by how near it is") {
    CHECK(beside({{600, 1}, {800, 10}, {1000, 10}, {1100, 10}}, 1000) == "+0.0 %");
    CHECK(beside({{900, 10},
                  {1000, 10 * std::pow(4, std::log(1000.0 / 900) / std::log(1600.0 / 900))},
                  {1600, 40}},
                 1000) == "+0.0 %");
  }

  TEST_CASE("a time that is no positive number is none") {
    for (const double ns :
         {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      CAPTURE(ns);
      CHECK_FALSE(has_time(timed(problem(1, 1, 1), ns)));
    }
    CHECK(has_time(timed(problem(1, 1, 1), 1)));
  }

  TEST_CASE("a time whose results nobody looked at says so") {
    TrialRecord trial = timed(problem(1, 1, 1), 1000);
    CHECK_FALSE(is_unverified(trial));
    CHECK(field_text(trial, {"time", "", 1}) == "1.000 µs");
    trial.outcome.verification.checked = false;
    CHECK(is_unverified(trial));
    CHECK(field_text(trial, {"time", "", 1}) == "1.000 µs unverified");
  }

  TEST_CASE("problems come by how large they are in all, not by one of their extents") {
    const Problem flat = problem(512, 512, 1);
    const Problem small = problem(2, 2, 100);
    CHECK(problem_less(small, flat));
    CHECK_FALSE(problem_less(flat, small));
  }

  TEST_CASE("a cell shows the lower of a time and an approximate one") {
    const TrialRecord exact = timed(problem(1, 1, 1), 100);
    const TrialRecord dropped = timed(problem(1, 1, 1), 50, TrialStatus::dropped);
    CHECK(resolve_cell({&exact, &dropped}).trial == &dropped);
    const TrialRecord slower = timed(problem(1, 1, 1), 150, TrialStatus::dropped);
    CHECK(resolve_cell({&exact, &slower}).trial == &exact);
  }

  TEST_CASE("shared memory is what is static and what is dynamic") {
    TrialRecord trial = timed(problem(1, 1, 1), 100);
    trial.resources.emplace();
    trial.resources->static_shared_bytes = 4096;
    trial.dynamic_shared_bytes = 1000;
    CHECK(field_text(trial, {"shared_bytes", "", 1}) == "5096");
  }

  TEST_CASE("a library's ratio has an interval where it was sampled in turn, and a mark where not") {
    CHECK(baseline_text({1.25, 1.2, 1.3, true}) == "1.250 (1.200–1.300)");
    CHECK(baseline_text({1.25, 1.2, 1.3, false}) == "~1.25×");
  }
}
