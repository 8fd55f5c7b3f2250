// Where a figure or an order of a report that is nearly right differs from what is.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reports/findings.hpp"
#include "reports/layout.hpp"
#include "reports/report.hpp"
#include "reports/summary.hpp"
#include "reports/text.hpp"

using namespace reports;
using tuner::model::Ceiling;
using tuner::model::ElementType;
using tuner::model::Measurement;
using tuner::model::Problem;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;

TEST_SUITE("reports") {
  namespace {

  Problem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
    return {"matmul", {{"M", m}, {"N", n}, {"K", k}}, ElementType::float32, 0};
  }

  TrialRecord timed(const Problem& of, double median_ns, TrialStatus status = TrialStatus::ok) {
    TrialRecord trial;
    trial.kernel = "k";
    trial.problem = of;
    trial.environment.device = "GPU";
    trial.outcome.status = status;
    trial.outcome.verification.checked = true;
    trial.outcome.measurement.emplace();
    trial.outcome.measurement->median_ns = median_ns;
    return trial;
  }

  /// How the winner at `size` does beside its neighbours, as the table of changes says it. Rates are
  /// operations a nanosecond.
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
    CHECK(beside({{600, 1}, {800, 10}, {1000, 20}, {1100, 10}}, 1000) == "+100.0 %");
    CHECK(beside({{900, 10},
                  {1000, 20 * std::pow(4, std::log(1000.0 / 900) / std::log(1600.0 / 900))},
                  {1600, 40}},
                 1000) == "+100.0 %");
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

  TEST_CASE(
      "a library is held against the winner where both have a time, and is beside it where it was right") {
    TrialRecord winner = timed(problem(8, 8, 8), 100);
    TrialRecord library = timed(problem(8, 8, 8), 150);
    library.kernel = "lib";
    library.role = tuner::model::Role::baseline;
    TrialRecord wrong = library;
    wrong.outcome.status = TrialStatus::wrong_result;
    CHECK(baseline_text("lib", {&library}, &winner, nullptr) == "~1.50×");
    CHECK(baseline_text("other", {&library}, &winner, nullptr) == "-");
    CHECK(baseline_text("lib", {&library}, nullptr, nullptr) == "-");
    TrialRecord timeless = winner;
    timeless.outcome.measurement.reset();
    CHECK(baseline_text("lib", {&library}, &timeless, nullptr) == "-");
    timeless = library;
    timeless.outcome.measurement.reset();
    CHECK(baseline_text("lib", {&timeless, &library}, &winner, nullptr) == "~1.50×");

    CHECK(by_problem({&winner, &library}, {}).at(0).baselines == Trials{&library});
    CHECK(by_problem({&winner, &wrong}, {}).at(0).baselines.empty());
  }

  TEST_CASE("the first words say how the best compares with a library and the default, from least to most") {
    TrialRecord best = timed(problem(8, 8, 8), 100);
    TrialRecord other = timed(problem(16, 16, 16), 100);
    TrialRecord own = timed(problem(8, 8, 8), 200);
    TrialRecord library = timed(problem(8, 8, 8), 150);
    library.kernel = "lib";
    library.role = tuner::model::Role::baseline;
    TrialRecord faster = library;
    faster.problem = other.problem;
    faster.outcome.measurement->median_ns = 50;
    std::vector<ProblemSummary> problems(2);
    problems[0].problem = best.problem;
    problems[0].best = &best;
    problems[0].baselines = {&library};
    problems[0].default_trial = &own;
    problems[1].problem = other.problem;
    problems[1].best = &other;
    problems[1].baselines = {&faster};
    const std::string text = headline(problems, {});
    CAPTURE(text);
    CHECK(text.find("At 2 sizes the best runs at 0.500× to 1.50× the speed of lib, 2.00× the speed of the "
                    "default configuration (at 1).") != std::string::npos);
    problems[0].best = problems[1].best = nullptr;
    CHECK(headline(problems, {}).empty());
  }

  TEST_CASE("a filter lets through what it names: family, kernel, size, padding and fixed parameters") {
    TrialRecord trial = timed(problem(8, 8, 8), 100);
    trial.configuration = tuner::model::Configuration({{"TILE", tuner::model::Value(32)}});
    CHECK(matches(trial, {}));
    const auto matches_with = [&](void (*set)(Filter&)) {
      Filter filter;
      set(filter);
      return matches(trial, filter);
    };
    CHECK(matches_with([](Filter& f) { f.family = "matmul"; }));
    CHECK_FALSE(matches_with([](Filter& f) { f.family = "spmv"; }));
    CHECK(matches_with([](Filter& f) { f.kernels = {"other", "k"}; }));
    CHECK_FALSE(matches_with([](Filter& f) { f.kernels = {"other"}; }));
    CHECK(matches_with([](Filter& f) { f.sizes = {"8"}; }));
    CHECK_FALSE(matches_with([](Filter& f) { f.sizes = {"16"}; }));
    CHECK_FALSE(matches_with([](Filter& f) { f.row_padding = 1; }));
    CHECK(matches_with([](Filter& f) { f.fixed = {{"TILE", tuner::model::Value(32)}}; }));
    CHECK_FALSE(matches_with([](Filter& f) { f.fixed = {{"TILE", tuner::model::Value(64)}}; }));
  }

  TEST_CASE("a point's extent is that of the trials of its size, not of others") {
    const TrialRecord small = timed(problem(2, 8, 8), 100);
    const TrialRecord large = timed(problem(4, 16, 16), 100);
    AxisEntry size;
    size.label = large.problem.size_text();
    CHECK(fixed_extent({size}, {&small, &large}, "M") == 4);
    CHECK(fixed_extent({size}, {&small, &large}, "N") == 16);
    CHECK(fixed_extent({}, {&small}, "M") == 2);
    CHECK_FALSE(fixed_extent({}, {&small}, "X"));
    size.label = "128";
    CHECK(fixed_extent({size}, {&small}, "M") == 128);
  }

  TEST_CASE("what has no time has no interval either") {
    TrialRecord failed = timed(problem(8, 8, 8), 100, TrialStatus::crashed);
    failed.outcome.measurement.reset();
    for (const char* name : {"time", "time_ms", "interval"}) CHECK(field_text(failed, {name, "", 1}) == "-");
    CHECK(field_text(timed(problem(8, 8, 8), 100), {"time", "", 1}) != "-");
  }
}
