#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>

#include "db/best.hpp"
#include "tests/sweep/saved.hpp"
#include "tuner/util/files.hpp"

using namespace tuner;
using test::Bench;
using test::ok_in;

namespace {

/// Behaves as a table of times says; scales that are not in it take 1 ms.
test::ScaleRunner::Behave takes(std::map<int, double> median_ns) {
  return [median_ns = std::move(median_ns)](int scale, const model::TrialJob&) {
    const auto found = median_ns.find(scale);
    return ok_in(found == median_ns.end() ? 1e6 : found->second);
  };
}

/// What the kernel was declared as last.
model::Digest declared(Bench& bench) {
  return bench.results.declared("scaling").at(0).definition;
}

std::vector<int> sorted(std::vector<int> scales) {
  std::sort(scales.begin(), scales.end());
  return scales;
}

}  // namespace

TEST_SUITE("tuner::sweep") {
  TEST_CASE("when all trials of a problem have raced those near the best are measured again, in a final") {
    Bench bench;
    bench.sizes = {512, 1024};
    bench.behave = takes({{2, 1000}, {4, 1040}, {8, 1090}, {16, 1200}});
    const sweep::Summary summary = bench.run();
    CHECK(summary.finals == 2);
    REQUIRE(bench.finals.size() == 2);
    CHECK(sorted(bench.finals[0]) == std::vector<int>{2, 4, 8});
    REQUIRE(bench.results.finals.size() == 2);
    const model::FinalRecord& final = bench.results.finals[0];
    CHECK(final.problem.sizes[0].value == 512);
    CHECK(final.environment.device == "Fake GPU");
    REQUIRE(final.entries.size() == 3);
    CHECK(final.entries[0].trial == final.chosen);
    CHECK(final.entries[1].ratio == doctest::Approx(1.04));
    CHECK(final.entries[2].ratio == doctest::Approx(1.09));
    CHECK(bench.results.trials().at(final.chosen).configuration.text() == "SCALE=2");
    CHECK(bench.results.trials().at(final.chosen).metrics.at("elements/ns") == doctest::Approx(0.512));
  }

  TEST_CASE("of those that are tied the one with the fewest registers is chosen, then by name") {
    Bench bench;
    SUBCASE("registers") {
      bench.behave = takes({{2, 1000}, {4, 1000}, {8, 1000}});
      bench.run();
      CHECK(bench.results.trials().at(bench.results.finals.at(0).chosen).configuration.text() == "SCALE=8");
    }
    SUBCASE("name") {
      bench.behave = takes({{2, 1000}, {4, 1000}, {16, 1000}});
      bench.run();
      CHECK(bench.results.trials().at(bench.results.finals.at(0).chosen).configuration.text() == "SCALE=16");
    }
  }

  TEST_CASE("one that is tied for want of certainty is not chosen for its registers") {
    Bench bench;
    bench.behave = takes({{2, 1000}, {8, 1004}});  // 8 has fewer registers
    double high = 0;
    bool tied = true;
    std::string chosen;
    SUBCASE("it may cost more than 1 %") {
      high = 1.011;
      chosen = "SCALE=2";
    }
    SUBCASE("it does not") {
      high = 1.009;
      chosen = "SCALE=8";
    }
    SUBCASE("it costs little, and that surely") {
      high = 1.005;
      tied = false;
      chosen = "SCALE=2";
    }
    bench.doubt = [high, tied](model::FinalOutcome& outcome) {
      model::Standing& slower = outcome.standings.at(1 - outcome.fastest);
      slower.tied = tied;
      slower.ratio_low = tied ? 1 : 1.003;
      slower.ratio_high = high;
    };
    bench.run();
    const model::FinalRecord& final = bench.results.finals.at(0);
    CHECK(final.entries.at(1).tied == tied);
    CHECK(bench.results.trials().at(final.chosen).configuration.text() == chosen);
  }

  TEST_CASE("the policy says how many take part and how near they must be") {
    Bench bench;
    bench.behave = takes({{1, 1000}, {2, 1010}, {4, 1020}, {8, 1030}, {16, 1400}});
    SUBCASE("how many") {
      bench.adjust = [](sweep::Request& request) { request.policy.final.finalists = 2; };
      bench.run();
      CHECK(sorted(bench.finals.at(0)) == std::vector<int>{1, 2});
    }
    SUBCASE("how near") {
      bench.adjust = [](sweep::Request& request) { request.policy.final.within = 1.5; };
      bench.run();
      CHECK(bench.finals.at(0).size() == 5);
    }
  }

  TEST_CASE("a sweep that finds nothing new holds no final, one with a new trial holds it again") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = test::scale_spec();
      spec.parameters[0].values.pop_back();
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.behave = takes({{4, 1000}, {8, 1050}, {16, 1020}});
    bench.run();
    CHECK(bench.run().finals == 0);
    bench.adjust = nullptr;
    CHECK(bench.run().finals == 1);
    CHECK(bench.launched == std::vector<int>{16});
    CHECK(sorted(bench.finals.at(0)) == std::vector<int>{4, 8, 16});
  }

  TEST_CASE("an interrupted sweep leaves its final to the one that resumes it") {
    Bench bench;
    bench.watcher.on_finished = [&](const model::TrialRecord&) { bench.stop = bench.watcher.ended == 5; };
    CHECK(bench.run().finals == 0);
    bench.stop = false;
    CHECK(bench.run().finals == 1);
    CHECK(bench.launched.empty());
  }

  TEST_CASE("a spent budget ends the racing; what was raced has its final") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) { request.budget.trials = 3; };
    const sweep::Summary summary = bench.run();
    CHECK(summary.ending == sweep::Ending::budget_spent);
    CHECK(summary.finals == 1);
  }

  TEST_CASE("a budget that ends in the last trial has left nothing to do") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) { request.budget.seconds = 1000; };
    bench.behave = [&, begun = 0](int scale, const model::TrialJob&) mutable {
      if (++begun == 5) bench.later_s = 1000.5;
      return ok_in(1000.0 / scale);
    };
    const sweep::Summary summary = bench.run();
    CHECK(summary.finished == 5);
    CHECK(summary.finals == 1);
    CHECK(summary.ending == sweep::Ending::done);
    REQUIRE(bench.watcher.searches.size() == 1);
    CHECK(bench.watcher.searches[0].tried == 5);
  }

  TEST_CASE("a budget that ends in the last final has left nothing to do") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) { request.budget.seconds = 1e6; };
    bench.on_final = [&](const model::FinalJob&) { bench.later_s = 1e6; };
    const sweep::Summary summary = bench.run();
    CHECK(summary.finals == 1);
    CHECK(summary.ending == sweep::Ending::done);
    bench.later_s = 0;
    CHECK(bench.run().finals == 0);
    CHECK(bench.launched.empty());
  }

  TEST_CASE(
      "finalists are told their own times, which deadlines are made of, and each problem has an order of "
      "its own") {
    Bench bench;
    bench.sizes = {512, 1024};
    bench.behave = takes({{2, 1000}, {4, 1040}});
    std::map<std::uint64_t, int> seeds;
    bench.on_final = [&](const model::FinalJob& job) {
      ++seeds[job.seed];
      for (const model::TrialJob& trial : job.trials)
        CHECK(trial.best_ns == (std::to_integer<int>(trial.binary.at(0)) == 2 ? 1000 : 1040));
    };
    CHECK(bench.run().finals == 2);
    CHECK(seeds.size() == 2);
  }

  TEST_CASE("a finalist that fails in the final loses its time, and the others have their final") {
    Bench bench;
    bench.behave = takes({{4, 1000}, {2, 1040}, {8, 1060}});
    std::string status;
    SUBCASE("it is wrong") {
      bench.fail_in_final[4] = test::failed_in(model::TrialStatus::wrong_result, "y[0] is 9");
      status = "wrong_result: y[0] is 9";
    }
    SUBCASE("its process dies") {
      bench.fail_in_final[4] = test::failed_in(model::TrialStatus::crashed, "signal 11", true);
      status = "crashed: signal 11";
    }
    const sweep::Summary summary = bench.run();
    CHECK(summary.ending == sweep::Ending::done);
    CHECK(summary.finals == 1);
    REQUIRE(bench.finals.size() == 2);
    CHECK(sorted(bench.finals[0]) == std::vector<int>{2, 4, 8});
    CHECK(sorted(bench.finals[1]) == std::vector<int>{2, 8});
    REQUIRE(bench.results.finals.size() == 1);
    CHECK(bench.results.trials().at(bench.results.finals[0].chosen).configuration.text() == "SCALE=2");
    const model::TrialRecord failed = bench.trial("SCALE=4");
    CHECK(model::is_failure(failed.outcome.status));
    CHECK_FALSE(failed.outcome.measurement);
    CHECK(failed.metrics.empty());
    REQUIRE(bench.watcher.notices.size() == 1);
    CHECK(bench.watcher.notices[0] ==
          "warning: scale SCALE=4 failed in the final of 1024 float, which is held without it: " + status);
    const bool died = model::is_death(failed.outcome.status);
    CHECK(bench.run().finals == 0);
    CHECK(bench.launched == (died ? std::vector<int>{4} : std::vector<int>{}));
    if (died) CHECK(bench.trial("SCALE=4").outcome.status == model::TrialStatus::quarantined);
  }

  TEST_CASE(
      "a final that fails through no fault of a finalist is said, and leaves the trials as they raced") {
    Bench bench;
    bench.fail_in_final[4] = test::failed_in(model::TrialStatus::launch_error, "no memory");
    bench.behave = takes({{4, 1000}});
    const sweep::Summary summary = bench.run();
    CHECK(summary.ending == sweep::Ending::done);
    CHECK(summary.finals == 0);
    CHECK(bench.results.finals.empty());
    REQUIRE(bench.watcher.notices.size() == 1);
    CHECK(bench.watcher.notices[0] == "warning: no final of 1024 float was held: no memory");
    CHECK(bench.trial("SCALE=4").outcome.measurement->median_ns == 1000);
  }

  TEST_CASE("an edited source is measured and held its final alone; going back measures nothing again") {
    Bench bench;
    bench.behave = takes({{4, 1000}});
    bench.run();
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = test::scale_spec();
      spec.source[0].text += "// edited";
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.behave = takes({{2, 1050}, {4, 1090}});
    CHECK(bench.run().finals == 1);
    CHECK(bench.results.trials().size() == 10);
    CHECK(sorted(bench.finals.at(0)) == std::vector<int>{2, 4});
    const model::Digest edited = declared(bench);
    CHECK(bench.results.trials().at(bench.results.finals.at(1).chosen).definition == edited);
    bench.adjust = nullptr;
    CHECK(bench.run().finals == 0);
    CHECK(bench.launched.empty());
    CHECK(declared(bench) != edited);
    CHECK(bench.trial("SCALE=16").definition != model::Digest());
  }

  TEST_CASE("a contender that does not compile any more is in no final, and ends no sweep") {
    Bench bench;
    bench.behave = [](int scale, const model::TrialJob&) { return ok_in(1000.0 + 1.0 / scale); };
    bench.adjust = [](sweep::Request& request) { request.policy.final.finalists = 0; };
    bench.run();
    REQUIRE(bench.finals.empty());
    bench.adjust = nullptr;
    bench.broken = {"4"};
    const sweep::Summary summary = bench.run();
    CHECK(summary.ending == sweep::Ending::done);
    CHECK(bench.launched.empty());
    REQUIRE(bench.finals.size() == 1);
    CHECK(std::set<int>(bench.finals[0].begin(), bench.finals[0].end()) == std::set<int>{1, 2, 8, 16});
    CHECK(bench.trial("SCALE=4").outcome.status == model::TrialStatus::ok);
  }

  TEST_CASE("a final that the race contradicts is held once more, with those who raced faster than it says") {
    Bench bench;
    bench.behave = takes({{4, 0.32e6}, {2, 0.62e6}, {8, 0.7e6}});
    int held = 0;
    double again = 1.15e6;
    bench.doubt = [&](model::FinalOutcome& outcome) {
      if (++held > 1) return;
      outcome.standings.at(0).measurement.median_ns = again;
    };
    SUBCASE("it did not settle") {
      CHECK(bench.run().finals == 2);
      REQUIRE(bench.finals.size() == 2);
      CHECK(bench.finals[0] == std::vector<int>{4});
      CHECK(sorted(bench.finals[1]) == std::vector<int>{1, 2, 4, 8, 16});  // they all raced in 1 ms
      REQUIRE_FALSE(bench.watcher.notices.empty());
      CHECK(bench.watcher.notices.back().find("did not settle") != std::string::npos);
      CHECK(bench.run().finals == 0);
    }
    SUBCASE("it took longer, but nobody raced in that") {
      again = 0.6e6;
      CHECK(bench.run().finals == 1);
    }
  }

  TEST_CASE("a final of trials with the same bits that the race contradicts is held once more, with those") {
    Bench bench;
    const model::OutputBits right{model::DigestBuilder().add("inputs").finish(),
                                  model::DigestBuilder().add("outputs").finish()};
    const auto raced = takes({{4, 0.2e6}, {2, 0.32e6}, {8, 0.62e6}, {16, 0.7e6}});
    bench.behave = [&](int scale, const model::TrialJob& job) {
      model::TrialOutcome outcome = raced(scale, job);
      outcome.output_bits = right;
      if (scale == 4) outcome.output_bits->outputs = {};
      return outcome;
    };
    bench.adjust = [&](sweep::Request& request) {
      request.same_bits = sweep::SameBits{std::nullopt, {{request.work[0].problems[0], "scale", right}}};
    };
    int held = 0;
    bench.doubt = [&](model::FinalOutcome& outcome) {
      if (++held == 1) outcome.standings.at(0).measurement.median_ns = 0.65e6;
    };
    CHECK(bench.run().finals == 2);
    REQUIRE(bench.finals.size() == 2);
    CHECK(bench.finals[0] == std::vector<int>{2});
    CHECK(sorted(bench.finals[1]) == std::vector<int>{2, 8});  // 16 raced slower than the final says
    CHECK(bench.run().finals == 0);
  }

  TEST_CASE("what wins by the times of a final is in the next one, though its race was slower than theirs") {
    Bench bench;
    bench.behave = takes({{1, 1000}, {2, 1010}, {4, 1150}});
    bench.adjust = [](sweep::Request& request) { test::edit_values(request, {1, 2}); };
    bench.doubt = [&](model::FinalOutcome& outcome) {
      for (model::Standing& standing : outcome.standings) {
        standing.measurement.median_ns *= 1.3;
        standing.measurement.low_ns = standing.measurement.median_ns;
      }
    };
    REQUIRE(bench.run().finals == 1);
    bench.doubt = nullptr;
    bench.adjust = [](sweep::Request& request) { test::edit_values(request, {1, 2, 4}); };
    CHECK(bench.run().finals == 1);
    CHECK(sorted(bench.finals.at(0)) == std::vector<int>{1, 2, 4});
    CHECK(bench.run().finals == 0);
    CHECK(db::best(bench.results.store.connection(), {}).at(0).final);
  }

  TEST_CASE(
      "a final that another database contradicts is unsettled once they are merged, and is held again") {
    const util::TemporaryFolder folder;
    const auto values = [](const std::vector<std::int64_t>& scales) {
      return [scales](sweep::Request& request) {
        test::edit_values(request, scales);
        request.run.device = request.device;  // by which an edited spec's past trials are judged
      };
    };
    const auto times = takes({{4, 0.32e6}, {2, 0.62e6}});
    Bench alone;
    alone.behave = times;
    alone.adjust = values({4});
    alone.doubt = [](model::FinalOutcome& outcome) {
      outcome.standings.at(0).measurement.median_ns = 1.15e6;
    };
    REQUIRE(alone.run().finals == 1);
    REQUIRE(alone.run().finals == 0);  // nobody raced faster than the final says
    Bench other;
    other.behave = times;
    other.adjust = [&](sweep::Request& request) {
      values({2})(request);
      request.policy.final.finalists = 0;
    };
    REQUIRE(other.run().finals == 0);
    save(alone, folder.path() / "alone.db");
    save(other, folder.path() / "other.db");
    std::vector<std::string> files = {"alone.db", "other.db"};
    SUBCASE("the final first") {}
    SUBCASE("the rival first") {
      std::swap(files[0], files[1]);
    }
    Bench merged;
    merged.behave = times;
    merged.adjust = values({2, 4});
    for (const std::string& file : files) merge(merged, folder.path() / file);
    const sweep::Summary summary = merged.run();
    CHECK(summary.known == 2);
    CHECK(summary.finished == 0);
    REQUIRE(merged.finals.size() == 1);
    CHECK(sorted(merged.finals[0]) == std::vector<int>{2, 4});
    for (const std::string& file : files) merge(merged, folder.path() / file);
    CHECK(merged.run().finals == 0);  // what it did not settle on comes back, and is out
  }

  TEST_CASE("while an old contender is compiled for a final the sweep measures, and can be stopped") {
    using namespace std::chrono_literals;
    Bench bench;
    bench.sizes = {512};
    bench.behave = takes({{16, 1000}});
    bench.adjust = [](sweep::Request& request) { request.policy.final.finalists = 0; };
    bench.run();
    REQUIRE(bench.results.trials().size() == 5);
    bench.adjust = nullptr;
    std::mutex mutex;
    std::condition_variable changed;
    int measured = 0;
    SUBCASE("others are measured meanwhile") {
      bench.sizes = {512, 1024};
      bench.adjust = [](sweep::Request& request) {
        model::KernelSpec other = test::scale_spec();
        other.name = "other";
        other.source[0].text += "// other";
        other.parameters[0].values = {other.parameters[0].values[0], other.parameters[0].values[1]};
        sweep::Work work{space::KernelSpace(other), {request.work[0].problems[1]}};
        request.work[0].problems.pop_back();
        request.work.push_back(work);
      };
      bench.watcher.on_finished = [&](const model::TrialRecord& record) {
        const std::lock_guard lock(mutex);
        measured += record.kernel == "other" ? 1 : 0;
        changed.notify_all();
      };
      bool in_time = false;
      bench.on_compile = [&](int scale) {
        if (scale != 16) return;
        std::unique_lock lock(mutex);
        in_time = changed.wait_for(lock, 5s, [&] { return measured == 2; });
      };
      CHECK(bench.run().finals == 2);
      CHECK(in_time);
    }
    SUBCASE("the sweep is stopped") {
      bench.on_compile = [&](int) {
        bench.stop = true;
        std::this_thread::sleep_for(300ms);
      };
      const sweep::Summary summary = bench.run();
      CHECK(summary.ending == sweep::Ending::interrupted);
      CHECK(summary.finals == 0);
    }
    SUBCASE("the budget is spent") {
      bench.adjust = [](sweep::Request& request) { request.budget.seconds = 1e-9; };
      bench.on_compile = [&](int) { std::this_thread::sleep_for(300ms); };
      const sweep::Summary summary = bench.run();
      CHECK(summary.ending == sweep::Ending::budget_spent);
    }
  }

  TEST_CASE("a final without a kernel that is not in the sweep says who was not there") {
    Bench bench;
    bench.behave = takes({{4, 1000}});
    bench.run();
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = test::scale_spec();
      spec.name = "another";
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.behave = takes({{4, 1050}});
    CHECK(bench.run().finals == 1);
    CHECK(bench.results.trials().size() == 10);
    REQUIRE(bench.watcher.notices.size() == 1);
    CHECK(bench.watcher.notices[0].find("scale, whose spec is not at hand") != std::string::npos);
    CHECK(bench.run().finals == 0);  // the same again would say no more
  }
}
