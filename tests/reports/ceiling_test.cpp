#include <doctest/doctest.h>

#include "reports/findings.hpp"
#include "tests/reports/sample.hpp"

using namespace tests;

namespace {

/// 1 ms of `operations` and `bytes`.
model::TrialRecord working(double operations, double bytes) {
  model::TrialRecord trial = measured("a", {}, cube(64), 1e6);
  trial.workload = {operations, bytes};
  return trial;
}

std::string share(const model::TrialRecord& trial) {
  const auto ceilings = sample_ceilings();
  return reports::ceiling_text(reports::ceiling_share(trial, ceilings));
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("a trial is held against the ceiling that binds it, named") {
  // The device does 60e9 operations and moves 4e9 bytes in a millisecond.
  CHECK(share(working(45e9, 1e9)) == "75 % arithmetic");
  CHECK(share(working(15e9, 3e9)) == "75 % memory");
  CHECK(share(working(0, 1e9)) == "25 % memory");
  CHECK(share(working(6e9, 0)) == "10 % arithmetic");
}

TEST_CASE("operations are held against the ceiling of their type, bytes against the highest") {
  model::TrialRecord trial = working(15e9, 0);
  trial.problem.type = model::ElementType::float64;
  CHECK(share(trial) == "50 % arithmetic");
  trial.problem.type = model::ElementType::int32;
  CHECK(share(trial) == "-");
  trial.workload.bytes = 1e9;
  CHECK(share(trial) == "25 % memory");
}

TEST_CASE("where work, time or ceiling is unknown, so is the share") {
  CHECK(share(working(0, 0)) == "-");
  model::TrialRecord other = working(45e9, 1e9);
  other.environment.device = "Another GPU";
  CHECK(share(other) == "-");
  model::TrialRecord bad = working(45e9, 1e9);
  bad.outcome.measurement.reset();
  CHECK(share(bad) == "-");
  CHECK_FALSE(reports::ceiling_share(working(45e9, 1e9), {}));
}

TEST_CASE("a ceiling is written in the unit of its kind") {
  const auto ceilings = sample_ceilings();
  CHECK(reports::ceiling_value_text(ceilings[0]) == "60.0 Top/s");
  CHECK(reports::ceiling_value_text(ceilings[2]) == "2.100 µs");
  CHECK(reports::ceiling_value_text(ceilings[3]) == "4.00 TB/s");
}

TEST_SUITE_END();
