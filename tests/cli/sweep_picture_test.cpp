#include <doctest/doctest.h>

#include "tests/reports/sample.hpp"
#include "tuner/cli/sweep_display.hpp"

using namespace tests;
using tuner::cli::SweepPicture;
using tuner::cli::terminal::Progress;
using Lines = std::vector<std::string>;

namespace {

constexpr std::size_t wide = 80;

model::DeviceInfo gpu(const std::string& id, const std::string& uuid) {
  model::DeviceInfo device;
  device.id = id;
  device.uuid = uuid;
  return device;
}

model::TrialRecord on(const std::string& uuid, model::TrialRecord trial) {
  trial.gpu = uuid;
  return trial;
}

}  // namespace

TEST_SUITE("tuner::cli sweep picture") {
  TEST_CASE("it shows the best of each size by size, however they came") {
    Progress progress(0, [] { return 0.0; });
    const SweepPicture picture({});
    auto library = measured("cuBLAS", {}, cube(1024), 55'000);
    library.role = model::Role::baseline;
    progress.finished(library);
    progress.finished(measured("tiled", {{"TILE", 8}}, cube(1024), 44'400));
    CHECK(picture.lines(progress, wide, 9).empty());  // one size: the line of progress has it
    progress.finished(measured("naive", {}, cube(512), 9'000));
    CHECK(picture.lines(progress, wide, 9) ==
          Lines{"   512     9 µs                naive", "  1024  44.4 µs  1.24× cuBLAS  tiled TILE=8"});
  }

  TEST_CASE("a configuration is shown whole or not at all") {
    Progress progress(0, [] { return 0.0; });
    SweepPicture picture({gpu("cuda:0", "GPU-a")});
    const auto trial = on("GPU-a", measured("tiled", {{"TILE_M", 128}, {"TILE_N", 128}}, cube(1024), 44'400));
    progress.finished(trial);
    progress.finished(measured("naive", {}, cube(512), 9'000));
    picture.compiling(trial);
    picture.launching(trial);
    CHECK(picture.lines(progress, 30, 9) == Lines{"   512     9 µs  naive", "  1024  44.4 µs  tiled",
                                                  "  compiles 1: tiled at 1024",
                                                  "  cuda:0: 0 trials · runs tiled at 1024"});
    CHECK(picture.lines(progress, 48, 9)[1] == "  1024  44.4 µs  tiled TILE_M=128 TILE_N=128");
  }

  TEST_CASE("of fifty sizes those improved last are shown, and none is cut in the middle") {
    Progress progress(0, [] { return 0.0; });
    const SweepPicture picture({});
    for (int size = 1; size <= 50; ++size)
      progress.finished(measured("k", {}, cube(100 * size), 1000.0 * size));
    progress.finished(measured("k", {}, cube(300), 500));
    const Lines lines = picture.lines(progress, wide, 4);
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].starts_with("   300  500 ns"));
    CHECK(lines[1].starts_with("  4800  "));
    CHECK(lines[3].starts_with("  5000  "));
    CHECK(picture.lines(progress, wide, 0).empty());
  }

  TEST_CASE("it shows what compiles, what each device runs and how it is, and the last failure") {
    Progress progress(0, [] { return 0.0; });
    SweepPicture picture({gpu("cuda:0", "GPU-a"), gpu("cuda:1", "GPU-b")});
    auto first = measured("tiled", {{"TILE", 8}}, cube(512), 1000);
    first.outcome.measurement->sm_clock_mhz = 1755;
    first.outcome.measurement->temperature_c = 54;
    first.outcome.measurement->power_w = 412.4;
    const auto second = measured("naive", {}, cube(512), 1000);
    picture.compiling(first);
    picture.compiling(second);
    CHECK(picture.lines(progress, wide, 9) == Lines{"  compiles 2: tiled at 512 TILE=8"});
    picture.compiled(first);
    picture.launching(on("GPU-b", first));
    CHECK(picture.lines(progress, wide, 9) ==
          Lines{"  compiles 1: naive at 512", "  cuda:1: 0 trials · runs tiled at 512 TILE=8"});
    picture.finished(on("GPU-b", first));
    picture.finished(failed("naive", {}, cube(512), model::TrialStatus::compile_error, "no such type"));
    picture.compiled(second);
    picture.ended();
    CHECK(picture.lines(progress, wide, 9) ==
          Lines{"  cuda:1: 1 trial · 1755 MHz · 54 °C · 412 W",
                "  last failure: naive at 512: compile_error: no such type"});
  }

  TEST_CASE("a device that nobody named beforehand is shown by what is known of it") {
    Progress progress(0, [] { return 0.0; });
    SweepPicture picture({});
    picture.finished(on("GPU-c", measured("k", {}, cube(8), 1)));
    CHECK(picture.lines(progress, wide, 9).front().starts_with("  GPU-c: 1 trial"));
  }
}
