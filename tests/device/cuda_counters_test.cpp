// What hardware counters can be asked for, and who may: all of it without a GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define TUNER_HAVE_CUPTI_HEADERS
#endif

#include "tests/support/contains.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/device/cuda/counters/counting.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace counters = tuner::device::cuda::counters;

TEST_SUITE("tuner::device::cuda::counters") {
  namespace {

  /// CUPTI with its metrics, or null where this machine has none.
  std::shared_ptr<const counters::Cupti> cupti_here() {
    static const std::shared_ptr<const counters::Cupti> library = [] {
      const char* const named = std::getenv("TUNER_LIBCUPTI");
      std::vector<std::string> places;
      for (const auto& candidate : tuner::compile::nvrtc::library_candidates(
               named == nullptr ? "" : named, {{"libcupti.so.13", "libcupti.so.12"}, "cuda_cupti"}))
        places.push_back(candidate.file);
      try {
        auto cupti = counters::load_cupti(places);
        counters::ChipMetrics(cupti, "GA100");  // finds libnvperf_host.so beside it
        return cupti;
      } catch (const tuner::model::Error& error) {
        MESSAGE("skipped: " << std::string(error.what()));
        return std::shared_ptr<const counters::Cupti>();
      }
    }();
    return library;
  }

  bool is_in_one(const std::vector<counters::PassGroup>& groups, const counters::PassGroup& terms) {
    return std::ranges::any_of(groups, [&](const counters::PassGroup& group) {
      return std::ranges::all_of(terms,
                                 [&](const auto& term) { return std::ranges::count(group, term) == 1; });
    });
  }

  std::string error_of(const auto& act) {
    try {
      act();
    } catch (const tuner::model::Error& error) {
      return error.what();
    }
    return "";
  }

  }  // namespace

  TEST_CASE("every chip that CUPTI knows can be asked for the usual metrics, in few passes") {
    const auto cupti = cupti_here();
    if (!cupti) return;
    int asked = 0;
    for (const std::string& name : counters::chips(*cupti)) {
      CAPTURE(name);
      if (name.ends_with("B") || !name.starts_with("G")) continue;  // chips without memory of their own
      const counters::ChipMetrics chip(cupti, name);
      const std::vector<std::string> usual = chip.usual();
      CHECK(usual.size() >= 20);
      const counters::Schedule schedule = chip.schedule(usual);
      CHECK(schedule.passes <= 14);
      std::size_t scheduled = 0;
      for (const counters::PassGroup& group : schedule.groups) scheduled += group.size();
      CHECK(scheduled == usual.size());
      ++asked;
    }
    CHECK(asked > 5);
  }

  TEST_CASE("a chip lacks only what its hardware lacks") {
    const auto cupti = cupti_here();
    if (!cupti) return;
    const std::map<std::string, std::size_t> expected = {
        {"GA100", 22}, {"AD102", 22}, {"GH100", 24}, {"GB100", 23}};
    for (const auto& [name, metrics] : expected) {
      CAPTURE(name);
      const counters::ChipMetrics chip(cupti, name);
      CHECK(chip.usual().size() == metrics);
      const bool has_tma = name == "GH100" || name == "GB100";
      CHECK(chip.knows("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum") == has_tma);
    }
    CHECK(counters::ChipMetrics(cupti, "GB202").knows("dram__bytes_op_read.sum"));
    const auto usual = counters::ChipMetrics(cupti, "GB202").usual();
    CHECK(std::ranges::count(usual, "dram__bytes_op_read.sum") == 1);
  }

  TEST_CASE("what can be counted in one run is: each such metric, and the terms of a ratio") {
    const auto cupti = cupti_here();
    if (!cupti) return;
    for (const char* name : {"GA100", "AD102", "GH100", "GB100"}) {
      CAPTURE(name);
      const counters::ChipMetrics chip(cupti, name);
      const counters::Schedule schedule = chip.schedule(chip.usual());
      int passes = 0;
      for (const counters::PassGroup& group : schedule.groups) {
        const int together = chip.schedule(group).passes;
        passes += together;
        for (const std::string& metric : group) CHECK(chip.schedule({metric}).passes == together);
      }
      CHECK(passes == schedule.passes);
      for (const counters::PassGroup& ratio : counters::ratios()) {
        if (!chip.knows(ratio[0]) || !chip.knows(ratio[1])) continue;
        const bool fits = chip.schedule(ratio).passes == 1;
        CHECK((!fits || is_in_one(schedule.groups, ratio)));
      }
      CHECK(is_in_one(schedule.groups, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}));
    }
  }

  TEST_CASE("metrics have units, and what a chip does not know it does not count") {
    const auto cupti = cupti_here();
    if (!cupti) return;
    const counters::ChipMetrics chip(cupti, "GH100");
    CHECK(chip.unit("dram__bytes_read.sum") == "byte");
    CHECK(chip.unit("dram__throughput.avg.pct_of_peak_sustained_elapsed") == "percent");
    CHECK_FALSE(chip.knows("dram__bytes_red.sum"));
    CHECK_FALSE(chip.knows("dram__bytes_read"));
    CHECK_FALSE(chip.knows(""));
    CHECK(contains(error_of([&] { counters::ChipMetrics(cupti, "GX100"); }),
                   "does not count on the chip GX100"));
  }

  TEST_CASE("without CUPTI it is said where it was looked for") {
    const std::string said = error_of([] { counters::load_cupti({"/nowhere/libcupti.so.13", "libc.so.6"}); });
    CHECK(contains(said, "/nowhere/libcupti.so.13"));
    CHECK(contains(said, "libc.so.6: lacks cuptiGetResultString"));
  }

  TEST_CASE("who may count: the driver's parameters decide first, then the process's capabilities") {
    const tuner::util::TemporaryFolder proc;
    const auto write = [&](const std::string& file, const std::string& text) {
      std::filesystem::create_directories((proc.path() / file).parent_path());
      tuner::util::write_file(proc.path() / file, text);
    };
    const auto why = [&] { return counters::why_not_permitted(proc.path()); };
    CHECK(why().empty());  // nobody knows: it is tried
    write("self/status", "Name:\ttuner\nCapEff:\t00000000a80425fb\n");
    CHECK(why().empty());
    write("driver/nvidia/params", "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n");
    CHECK(contains(why(), "RmProfilingAdminOnly: 1"));
    CHECK(contains(why(), "CAP_SYS_ADMIN"));
    write("self/status", "Name:\ttuner\nCapEff:\t000001ffffffffff\n");
    CHECK(why().empty());
    write("self/status", "Name:\ttuner\nCapEff:\t0000000000000000\n");
    write("driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
    CHECK(why().empty());
  }

#ifdef TUNER_HAVE_CUPTI_HEADERS
  TEST_CASE("what CUPTI is handed is as long as its headers say") {
#define CHECK_BYTES(Ours, last, Theirs)                                                \
  {                                                                                    \
    const counters::Ours ours;                                                         \
    CHECK(counters::bytes_to(ours, ours.last) == CUpti_##Theirs##_Params_STRUCT_SIZE); \
    CHECK(sizeof(counters::Ours) == sizeof(CUpti_##Theirs##_Params));                  \
  }
    CHECK_BYTES(Plain, head, Profiler_Initialize)
    CHECK_BYTES(SupportedChips, names, Profiler_Host_GetSupportedChips)
    CHECK_BYTES(HostInitialize, host, Profiler_Host_Initialize)
    CHECK_BYTES(HostDeinitialize, host, Profiler_Host_Deinitialize)
    CHECK_BYTES(MetricProperties, type, Profiler_Host_GetMetricProperties)
    CHECK_BYTES(AddMetrics, count, Profiler_Host_ConfigAddMetrics)
    CHECK_BYTES(ConfigImageSize, bytes, Profiler_Host_GetConfigImageSize)
    CHECK_BYTES(ConfigImage, image, Profiler_Host_GetConfigImage)
    CHECK_BYTES(NumOfPasses, passes, Profiler_Host_GetNumOfPasses)
    CHECK_BYTES(Evaluate, values, Profiler_Host_EvaluateToGpuValues)
    CHECK_BYTES(ChipName, name, Device_GetChipName)
    CHECK_BYTES(CounterAvailability, image, Profiler_GetCounterAvailability)
    CHECK_BYTES(Enable, profiler, RangeProfiler_Enable)
    CHECK_BYTES(OfProfiler, profiler, RangeProfiler_Start)
    CHECK_BYTES(CounterDataSize, bytes, RangeProfiler_GetCounterDataSize)
    CHECK_BYTES(CounterDataInitialize, image, RangeProfiler_CounterDataImage_Initialize)
    CHECK_BYTES(SetConfig, target_nesting_level, RangeProfiler_SetConfig)
    CHECK_BYTES(PushRange, name, RangeProfiler_PushRange)
    CHECK_BYTES(Stop, all_passes_submitted, RangeProfiler_Stop)
    CHECK_BYTES(DecodeData, ranges_dropped, RangeProfiler_DecodeData)
    CHECK(counters::user_range == CUPTI_UserRange);
    CHECK(counters::user_replay == CUPTI_UserReplay);
    CHECK(counters::cupti_insufficient_privileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
#undef CHECK_BYTES
  }
#endif
}
