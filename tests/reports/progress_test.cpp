#include "tuner/cli/terminal/progress.hpp"

#include <doctest/doctest.h>

#include "tests/reports/sample.hpp"

using namespace tests;
using namespace tuner::cli::terminal;
using model::TrialStatus;

TEST_SUITE_BEGIN("tuner::cli::terminal");

namespace {

constexpr std::size_t wide = 200;

model::TrialRecord library(const std::string& name, const model::Problem& problem, double ns) {
  model::TrialRecord trial = measured(name, {}, problem, ns);
  trial.role = model::Role::baseline;
  return trial;
}

}  // namespace

TEST_CASE("a sweep tells the size in hand, its best, what was tried, how fast, and what is left") {
  double now = 0;
  Progress progress(20, [&] { return now; });
  CHECK(progress.line(wide) == "0 of 20 tried");
  for (const double ns : {40'000.0, 20'000.0, 30'000.0}) {
    now += 2;
    progress.finished(measured("tiled", {}, cube(512), ns));
  }
  now += 2;
  progress.finished(failed("tiled", {}, cube(512), TrialStatus::crashed, ""));
  CHECK(progress.line(wide) == "512 · best 20 µs · 4 of 20 tried, 1 failed");
  now += 2;
  progress.finished(measured("naive", {}, cube(1024), 444'400));
  CHECK(progress.line(wide) == "1024 · best 444.4 µs · 5 of 20 tried, 1 failed · 2 s each · ~30 s left");
  now += 2;
  progress.finished(measured("slow", {}, cube(512), 90'000));
  CHECK(progress.line(wide) == "512 · best 20 µs · 6 of 20 tried, 1 failed · 2 s each · ~28 s left");
}

TEST_CASE("the best is held against the fastest library of its size") {
  Progress progress(0, [] { return 0.0; });
  progress.finished(library("cuBLAS", cube(512), 55'000));
  CHECK(progress.line(wide) == "512 · 1 tried");
  progress.finished(measured("tiled", {}, cube(512), 44'400));
  CHECK(progress.line(wide) == "512 · best 44.4 µs (1.24× cuBLAS) · 2 tried");
  progress.finished(library("slower", cube(512), 66'000));
  CHECK(progress.line(wide) == "512 · best 44.4 µs (1.24× cuBLAS) · 3 tried");
  progress.finished(measured("tiled", {}, cube(1024), 100'000));
  CHECK(progress.line(wide) == "1024 · best 100 µs · 4 tried");
}

TEST_CASE("the best is that by the sweep's objective, which is named") {
  const auto drawing = [](model::TrialRecord trial, double joules) {
    trial.outcome.energy = model::Energy{};
    trial.outcome.energy->mean_j = joules;
    return trial;
  };
  const auto shown = [&](model::Objective objective) {
    Progress progress(0, [] { return 0.0; });
    progress.search_by(objective);
    progress.finished(drawing(library("cuBLAS", cube(512), 60'000), 4.2e-3));
    progress.finished(drawing(measured("fast", {}, cube(512), 40'000), 2.8e-3));
    progress.finished(drawing(measured("frugal", {}, cube(512), 50'000), 2.1e-3));
    progress.finished(measured("unknown", {}, cube(512), 41'000));
    return progress.line(wide);
  };
  const auto best_of = [&](double ns) {
    Progress progress(0, [] { return 0.0; });
    progress.finished(measured("one", {}, cube(512), ns));
    return progress.line(wide);
  };
  CHECK(best_of(1.235e11) == "512 · best 123.5 s · 1 tried");
  CHECK(best_of(999'980) == "512 · best 1 ms · 1 tried");
  CHECK(best_of(12.5) == "512 · best 12.5 ns · 1 tried");
  CHECK(shown(model::Objective::time) == "512 · best 40 µs (1.50× cuBLAS) · 4 tried");
  CHECK(shown(model::Objective::energy) == "512 · best by energy 2.1 mJ (2.00× cuBLAS) · 4 tried");
  CHECK(shown(model::Objective::edp) == "512 · best by edp 2.1 mJ × 50 µs (2.40× cuBLAS) · 4 tried");
}

TEST_CASE("a best that nobody verified says so, and of two families each size says which") {
  Progress progress(20, [] { return 0.0; });
  model::TrialRecord trial = measured("tiled", {}, cube(512), 20'000);
  trial.outcome.verification.checked = false;
  progress.finished(trial);
  CHECK(progress.line(wide) == "512 · best 20 µs unverified · 1 of 20 tried");
  model::Problem other = cube(512);
  other.family = "sum";
  progress.finished(measured("add", {}, other, 20'000));
  CHECK(progress.line(wide) == "sum 512 · best 20 µs · 2 of 20 tried");
  // The first size of a sweep that knows of others.
  Progress first(20, [] { return 0.0; });
  first.set_sizes(2, true);
  first.finished(trial);
  CHECK(first.line(wide) == "0/2 sizes · matmul 512 · best 20 µs unverified · 1 of 20 tried");
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
  const std::string at = " · 8 · 10 tried, 10 failed · 1.0/s · ";
  CHECK(progress.line(wide) == "0/4 sizes" + at + "at most 17 min left");
  CHECK(progress.fraction() == doctest::Approx(0.01));
  progress.size_ended();
  CHECK(progress.fraction() == doctest::Approx(0.25));
  now += 4;
  CHECK(progress.line(wide) == "1/4 sizes" + at + "~26 s left");
  now += 400;  // it takes longer than the one before
  CHECK(progress.line(wide) == "1/4 sizes" + at + "~20 s left");
  now = 30;
  progress.size_ended();
  CHECK(progress.line(wide) == "2/4 sizes" + at + "~30 s left");
}

TEST_CASE("where there is no room the less important is left out, and nothing is cut off") {
  double now = 0;
  Progress progress(15'449, [&] { return now; });
  progress.may_end_early();
  progress.set_sizes(29);
  progress.finished(library("cuBLAS", cube(1024), 55'000));
  for (int i = 0; i < 92; ++i) {
    now += 1.0 / 31;
    progress.finished(measured("register_tile_2d_of_somebody", {}, cube(1024), 44'400.0 + i));
  }
  for (int i = 0; i < 12; ++i) progress.size_ended();
  const std::string line = "12/29 sizes · 1024 · best 44.4 µs (1.24× cuBLAS) · 93 tried · 31/s · ~4 s left";
  CHECK(progress.line(79) == line);
  CHECK(progress.line(77) == "12/29 sizes · 1024 · best 44.4 µs (1.24× cuBLAS) · 93 tried · ~4 s left");
  CHECK(progress.line(65) == "12/29 sizes · 1024 · best 44.4 µs (1.24× cuBLAS) · ~4 s left");
  CHECK(progress.line(50) == "12/29 sizes · 1024 · best 44.4 µs · ~4 s left");
  CHECK(progress.line(40) == "12/29 sizes · best 44.4 µs · ~4 s left");
  CHECK(progress.line(30) == "12/29 sizes · ~4 s left");
  CHECK(progress.line(10) == "~4 s left");
  progress.at_work(cube(1024), "the best 5 once more, in turn");
  CHECK(progress.line(wide) ==
        "12/29 sizes · 1024 · the best 5 once more, in turn · 93 tried · 31/s · ~4 s left");
  progress.finished(measured("k", {}, cube(1024), 50'000));
  CHECK(progress.line(50) == "12/29 sizes · 1024 · best 44.4 µs · ~4 s left");
}

TEST_CASE("a resumed sweep knows its best and the time left from the first line on") {
  double now = 5;
  Progress progress(100, [&] { return now; });
  progress.known_best(measured("tiled", {}, cube(512), 20'000));
  progress.expect(0.5);
  now += 60;  // the sweep was prepared meanwhile
  progress.begin();
  progress.already_known(40);
  CHECK(progress.line(wide) == "512 · best 20 µs · 40 of 100 tried · ~30 s left");
  for (int i = 0; i < 5; ++i) {
    now += 1;
    progress.finished(measured("slow", {}, cube(512), 90'000));
  }
  CHECK(progress.line(wide) == "512 · best 20 µs · 45 of 100 tried · 1.0/s · ~55 s left");
}

TEST_CASE("a budget bounds the time left") {
  double now = 0;
  const auto left = [&](std::optional<double> seconds, std::optional<std::int64_t> trials) {
    now = 0;
    Progress progress(1000, [&] { return now; });
    progress.end_after(seconds, trials);
    progress.already_known(100);
    for (int i = 0; i < 5; ++i) {
      now += 1;
      progress.finished(failed("k", {}, cube(8), TrialStatus::timeout, ""));
    }
    return progress.line(20);
  };
  CHECK(left({}, {}) == "8 · ~15 min left");
  CHECK(left(25, {}) == "8 · ~20 s left");
  CHECK(left({}, 13) == "8 · ~8 s left");
  CHECK(left(3, {}) == "8 · ~0 s left");
}

TEST_CASE("where nobody knows what is left, a budget still says the most, and without one nothing is said") {
  double now = 0;
  Progress progress(168'600, [&] { return now; });
  progress.may_end_early();
  progress.end_after(60, {});
  now += 10;
  progress.finished(failed("k", {}, cube(8), TrialStatus::timeout, ""));
  CHECK(progress.line(wide) == "8 · 1 tried, 1 failed · at most 50 s left");
  Progress watched(0, [&] { return now; });
  for (int i = 0; i < 6; ++i) {
    now += 1;
    watched.finished(measured("k", {}, cube(8), 1000));
  }
  CHECK(watched.line(wide) == "8 · best 1 µs · 6 tried · 1.0/s");
  watched.size_ended();
  CHECK(watched.line(wide) == "1 size done · 8 · best 1 µs · 6 tried · 1.0/s");
}

TEST_CASE("what a device can do at most is not told as the best of a sweep") {
  Progress progress(2, [] { return 0.0; });
  auto ceiling = measured("ceiling_shared", {}, cube(512), 20'000);
  ceiling.role = model::Role::ceiling;
  progress.finished(ceiling);
  CHECK(progress.line(wide) == "1 of 2 tried");
}

TEST_CASE("the end has no time left") {
  double now = 0;
  Progress progress(1000, [&] { return now; });
  progress.already_known(994);
  for (int i = 0; i < 5; ++i) {
    now += 1;
    progress.finished(failed("k", {}, cube(8), TrialStatus::timeout, ""));
  }
  CHECK(progress.line(wide) == "8 · 999 of 1000 tried, 5 failed · 1.0/s · ~1 s left");
  progress.finished(measured("k", {}, cube(8), 2'500'000));
  CHECK(progress.line(wide) == "8 · best 2.5 ms · 1000 of 1000 tried, 5 failed · 1.2/s");
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
  CHECK(progress.line(wide) == "0 tried");
}

TEST_CASE("a dropped trial is neither a failure nor the best") {
  Progress progress(2, [] { return 0.0; });
  auto dropped = measured("k", {}, cube(8), 1);
  dropped.outcome.status = TrialStatus::dropped;
  progress.finished(dropped);
  CHECK(progress.line(wide) == "8 · 1 of 2 tried");
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
