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

TEST_CASE("bytes that memory cannot give are held against the cache, unless that was emptied") {
  auto ceilings = sample_ceilings();
  model::Ceiling cache = ceilings[3];
  cache.kind = "l2";
  cache.value *= 4;
  ceilings.push_back(cache);
  const auto share_of = [&](double bytes, const char* l2) {
    model::TrialRecord trial = working(0, bytes);
    trial.environment.l2 = l2;
    return reports::ceiling_text(reports::ceiling_share(trial, ceilings));
  };
  CHECK(share_of(4.2e9, "warm") == "105 % memory");
  CHECK(share_of(8e9, "warm") == "50 % l2");
  CHECK(share_of(8e9, "cold") == "200 % memory");
  ceilings.back().cache_bytes = 1'000'000'000;
  CHECK(share_of(0.8e9, "warm") == "5 % l2");  // it fits
  CHECK(share_of(0.8e9, "cold") == "20 % memory");
  CHECK(share_of(3.2e9, "warm") == "80 % memory");
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

TEST_CASE("below a table stands which ceilings its shares are of") {
  const auto ceilings = sample_ceilings();
  const auto row = [&](const char* label, double operations, double bytes) {
    return reports::LabelledShare(label, reports::ceiling_share(working(operations, bytes), ceilings));
  };
  CHECK(reports::ceiling_note({}).empty());
  CHECK(reports::ceiling_note({row("64", 0, 0)}).empty());
  CHECK(reports::ceiling_note({row("64", 0, 0), row("128", 45e9, 0)}) ==
        "of ceiling: arithmetic, 60.0 Top/s");
  CHECK(reports::ceiling_note({row("64", 45e9, 0), row("128", 0, 1e9), row("256", 0, 2e9)}) ==
        "of ceiling: memory, 4.00 TB/s; at 64 of arithmetic, 60.0 Top/s");
}

TEST_CASE("a ceiling is written in the unit of its kind") {
  const auto ceilings = sample_ceilings();
  CHECK(reports::ceiling_value_text(ceilings[0]) == "60.0 Top/s");
  CHECK(reports::ceiling_value_text(ceilings[2]) == "2.100 µs");
  CHECK(reports::ceiling_value_text(ceilings[3]) == "4.00 TB/s");
  model::Ceiling near = ceilings[3];
  near.value = 0.9998e12;
  CHECK(reports::ceiling_value_text(near) == "1.00 TB/s");
  CHECK(reports::joules_text(0.99996) == "1.000 J");
  CHECK(reports::joules_text(0.9996) == "999.6 mJ");
}

TEST_SUITE_END();
