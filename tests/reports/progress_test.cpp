#include "tuner/cli/terminal/progress.hpp"

#include <doctest/doctest.h>

#include "tests/reports/sample.hpp"

using namespace tests;
using namespace tuner::cli::terminal;
using model::TrialStatus;

TEST_SUITE_BEGIN("tuner::cli::terminal");

TEST_CASE("a sweep tells what is done, what failed, what is best for the size in hand, and what is left") {
  double now = 0;
  Progress progress(
      20, [&] { return now; }, "GFLOP/s");
  CHECK(progress.line() == "0/20 (0 %)");
  for (const double ns : {40'000.0, 20'000.0, 30'000.0}) {
    now += 2;
    progress.finished(measured("tiled", {}, cube(512), ns));
  }
  now += 2;
  progress.finished(failed("tiled", {}, cube(512), TrialStatus::crashed, ""));
  CHECK(progress.line() == "4/20 (20 %) · 1 failed · best 512: tiled 13422 GFLOP/s");
  now += 2;
  progress.finished(measured("naive", {}, cube(1024), 400'000));
  CHECK(progress.line() == "5/20 (25 %) · 30 s left · 1 failed · best 1024: naive 5369 GFLOP/s");
  now += 2;
  progress.finished(measured("slow", {}, cube(512), 90'000));
  CHECK(progress.line() == "6/20 (30 %) · 28 s left · 1 failed · best 512: tiled 13422 GFLOP/s");
}

TEST_CASE("a best that nobody verified says so") {
  Progress progress(
      20, [] { return 0.0; }, "GFLOP/s");
  model::TrialRecord trial = measured("tiled", {}, cube(512), 20'000);
  trial.outcome.verification.checked = false;
  progress.finished(trial);
  CHECK(progress.line() == "1/20 (5 %) · best 512: tiled 13422 GFLOP/s unverified");
}

TEST_CASE("where a search may end early the most is told, then what the sizes that have ended tell") {
  double now = 0;
  Progress progress(1000, [&] { return now; });
  progress.may_end_early();
  progress.set_sizes(4);
  for (int i = 0; i < 10; ++i) {
    now += 1;
    progress.finished(failed("k", {}, cube(8), TrialStatus::timeout, ""));
  }
  CHECK(progress.line() == "10 of at most 1000 · size 1 of 4 · at most 17 min left · 10 failed");
  CHECK(progress.fraction() == doctest::Approx(0.01));
  progress.size_ended();
  CHECK(progress.fraction() == doctest::Approx(0.25));
  now += 4;
  CHECK(progress.line() == "10 of at most 1000 · size 2 of 4 · about 26 s left · 10 failed");
  now += 400;  // it takes longer than the one before
  CHECK(progress.line() == "10 of at most 1000 · size 2 of 4 · about 20 s left · 10 failed");
  now = 30;
  progress.size_ended();
  CHECK(progress.line() == "10 of at most 1000 · size 3 of 4 · about 30 s left · 10 failed");
}

TEST_CASE("what is cut off at 80 columns is neither the count nor the time left") {
  double now = 0;
  Progress progress(
      15'449, [&] { return now; }, "GFLOP/s");
  progress.may_end_early();
  progress.set_sizes(29);
  for (int i = 0; i < 355; ++i) {
    now += 40;
    progress.finished(measured("register_tile_2d_of_somebody", {}, cube(1024), 40'000.0 - i));
  }
  progress.size_ended();
  const std::string line = progress.line();
  CHECK(line.find("left") < 70);
  CHECK(line.find("left") < line.find("best 1024: register_tile_2d"));
  CHECK(progress.line("matmul 1024: the best 5 once more").find("left") < line.find("best 1024"));
  CHECK(progress.line("matmul 1024: the best 5 once more").ends_with(" · matmul 1024: the best 5 once more"));
}

TEST_CASE("a resumed sweep knows its best and the time left from the first line on") {
  double now = 5;
  Progress progress(
      100, [&] { return now; }, "GFLOP/s");
  progress.known_best(measured("tiled", {}, cube(512), 20'000));
  progress.expect(0.5);
  now += 60;  // the sweep was prepared meanwhile
  progress.begin();
  progress.already_known(40);
  CHECK(progress.line() == "40/100 (40 %) · 30 s left · best 512: tiled 13422 GFLOP/s");
  for (int i = 0; i < 5; ++i) {
    now += 1;
    progress.finished(measured("slow", {}, cube(512), 90'000));
  }
  CHECK(progress.line() == "45/100 (45 %) · 55 s left · best 512: tiled 13422 GFLOP/s");
}

TEST_CASE("a budget bounds the time left") {
  double now = 0;
  const auto line = [&](std::optional<double> seconds, std::optional<std::int64_t> trials) {
    now = 0;
    Progress progress(1000, [&] { return now; });
    progress.end_after(seconds, trials);
    progress.already_known(100);
    for (int i = 0; i < 5; ++i) {
      now += 1;
      progress.finished(failed("k", {}, cube(8), TrialStatus::timeout, ""));
    }
    return progress.line();
  };
  CHECK(line({}, {}) == "105/1000 (10 %) · 15 min left · 5 failed");
  CHECK(line(25, {}) == "105/1000 (10 %) · 20 s left · 5 failed");
  CHECK(line({}, 13) == "105/1000 (10 %) · 8 s left · 5 failed");
  CHECK(line(3, {}) == "105/1000 (10 %) · 0 s left · 5 failed");
}

TEST_CASE("where nobody knows what is left, a budget still says the most") {
  double now = 0;
  Progress progress(168'600, [&] { return now; });
  progress.may_end_early();
  progress.end_after(60, {});
  now += 10;
  progress.finished(failed("k", {}, cube(8), TrialStatus::timeout, ""));
  CHECK(progress.line() == "1 of at most 168600 · at most 50 s left · 1 failed");
}

TEST_CASE("what a device can do at most is not told as the best of a sweep") {
  double now = 0;
  Progress progress(2, [&] { return now; });
  auto ceiling = measured("ceiling_shared", {}, cube(512), 20'000);
  ceiling.role = model::Role::ceiling;
  progress.finished(ceiling);
  CHECK(progress.line() == "1/2 (50 %)");
}

TEST_CASE("the last percent is not rounded up, and the end has no time left") {
  double now = 0;
  Progress progress(1000, [&] { return now; });
  progress.already_known(994);
  for (int i = 0; i < 5; ++i) {
    now += 1;
    progress.finished(failed("k", {}, cube(8), TrialStatus::timeout, ""));
  }
  CHECK(progress.line() == "999/1000 (99 %) · 1 s left · 5 failed");
  progress.finished(measured("k", {}, cube(8), 2'500'000));
  CHECK(progress.line() == "1000/1000 (100 %) · 5 failed · best 8: k 2.5 ms");
}

TEST_CASE("known trials count as done but say nothing about the speed") {
  double now = 0;
  Progress progress(100, [&] { return now; });
  progress.already_known(50);
  CHECK(progress.fraction() == doctest::Approx(0.5));
  CHECK_FALSE(progress.seconds_left().has_value());
}

TEST_CASE("an empty sweep is done") {
  Progress progress(0, [] { return 0.0; });
  CHECK(progress.fraction() == doctest::Approx(1));
  CHECK(progress.line() == "0/0 (100 %)");
}

TEST_CASE("a dropped trial is neither a failure nor the best") {
  Progress progress(2, [] { return 0.0; });
  auto dropped = measured("k", {}, cube(8), 1);
  dropped.outcome.status = TrialStatus::dropped;
  progress.finished(dropped);
  CHECK(progress.line() == "1/2 (50 %)");
}

TEST_CASE("the time left is robust: one hang hardly moves it, many do") {
  RateEstimate rate;
  for (int i = 0; i < 4; ++i) rate.add(1);
  CHECK_FALSE(rate.seconds_each().has_value());
  for (int i = 0; i < 95; ++i) rate.add(1);
  rate.add(500);
  CHECK(*rate.seconds_each() == doctest::Approx(1.09));
  for (int i = 0; i < 100; ++i) rate.add(5);
  CHECK(*rate.seconds_each() > 2.5);
  for (int i = 0; i < 200; ++i) rate.add(5);
  CHECK(*rate.seconds_each() == doctest::Approx(5));
}

TEST_CASE("results that come in bursts keep their mean rate") {
  RateEstimate rate;
  for (int i = 0; i < 40; ++i) rate.add(i % 4 == 0 ? 4 : 0);
  CHECK(*rate.seconds_each() == doctest::Approx(1));
}

TEST_CASE("time passing without a result shortens what is left by no more than one trial") {
  double now = 0;
  Progress progress(15, [&] { return now; });
  for (int i = 0; i < 5; ++i) {
    now += 10;
    progress.finished(measured("k", {}, cube(8), 1));
  }
  CHECK(*progress.seconds_left() == doctest::Approx(100));
  now += 4;
  CHECK(*progress.seconds_left() == doctest::Approx(96));
  now += 400;
  CHECK(*progress.seconds_left() == doctest::Approx(90));
}

TEST_CASE("durations are said in units people plan with") {
  CHECK(duration_text(8.4) == "8 s");
  CHECK(duration_text(60) == "1 min 00 s");
  CHECK(duration_text(128) == "2 min 10 s");
  CHECK(duration_text(597) == "10 min");
  CHECK(duration_text(3599) == "1 h 00 min");
  CHECK(duration_text(3900) == "1 h 05 min");
  CHECK(duration_text(100 * 3600) == "4 d 4 h");
  CHECK(duration_text(-3) == "0 s");
}

TEST_SUITE_END();
