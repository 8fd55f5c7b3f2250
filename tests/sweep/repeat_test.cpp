#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "tests/sweep/scale_bench.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/in_turn.hpp"

using namespace tuner;
using test::ok_in;

namespace {

/// Remembers the job it is given, and runs nothing.
class FinalRunner final : public model::TrialRunner {
 public:
  const model::DeviceInfo& device() const override { return m_device; }
  model::TrialOutcome run(const model::TrialJob&) override {
    if (++calls == stops_after) stop = true;
    return calls > static_cast<int>(alone_ns.size()) ? outcome
                                                     : ok_in(alone_ns[static_cast<std::size_t>(calls - 1)]);
  }
  model::FinalOutcome run_final(const model::FinalJob& job) override {
    if (++calls == stops_after) stop = true;
    last = job;
    if (failure) {
      model::FinalOutcome failed;
      failed.failure = *failure;
      failed.culprit = 1;
      return failed;
    }
    return test::simple_final([this](const model::TrialJob&) { return ok_in(1000); }, job);
  }
  model::Profile profile(const model::ProfileJob& job) override {
    counted = job.metrics;
    return {outcome, {}, 1};
  }
  model::TrialOutcome outcome = ok_in(1000);
  model::FinalJob last;
  std::vector<std::string> counted;
  std::optional<model::TrialOutcome> failure;  ///< of the final
  std::vector<double> alone_ns;                ///< times of the first calls; of later ones `outcome`
  int calls = 0;
  int stops_after = 0;
  std::atomic<bool> stop = false;

 private:
  model::DeviceInfo m_device;
};

struct RepeatBench : test::Bench {
  RepeatBench() {
    run();
    what = request();
  }
  model::FinalOutcome repeat(const std::vector<model::TrialRecord>& trials) {
    compile::CompilePool pool(
        1, [&] { return std::make_unique<test::FakeCompiler>(log, test::scale_answer(broken)); });
    return sweep::repeat_in_turn(what, trials, {pool, runner, oracle});
  }
  /// What repeating it throws.
  std::string refusal(const model::TrialRecord& trial) {
    try {
      repeat({trial, trial});
    } catch (const model::Error& error) {
      return error.what();
    }
    return "";
  }
  /// Of the candidate SCALE=2 beside the default SCALE=1.
  sweep::Judgement judge() {
    const auto only = [&](std::int64_t scale) {
      sweep::Request request = what;
      test::edit_values(request, {scale});
      return request.work[0];
    };
    compile::CompilePool pool(
        1, [&] { return std::make_unique<test::FakeCompiler>(log, test::scale_answer(broken)); });
    return sweep::judge({what, only(2), {only(1)}, what.work[0].problems[0], false, &runner.stop},
                        {pool, runner, oracle});
  }
  void count(const std::vector<std::string>& metrics) {
    compile::CompilePool pool(
        1, [&] { return std::make_unique<test::FakeCompiler>(log, test::scale_answer(broken)); });
    sweep::profile_again(what, trial("SCALE=2"), metrics, {pool, runner, oracle});
  }
  sweep::Request what;
  FinalRunner runner;
  test::FakeCompilerLog log;
};

}  // namespace

TEST_SUITE("tuner::sweep") {
  TEST_CASE("a candidate is refused for its own failure beside the others, not for the device's") {
    RepeatBench bench;
    CHECK(bench.judge().accepted());
    CHECK(bench.runner.last.trials.size() == 2);
    CHECK(bench.runner.last.trials[0].best_ns == 1000);
    bench.runner.failure = test::failed_in(model::TrialStatus::crashed, "a fault", true);
    CHECK(bench.judge().stage == "final");
    bench.runner.failure->subject = model::Subject::device;
    CHECK_THROWS_WITH(bench.judge(), "1024 float cannot be judged: a fault");
  }

  TEST_CASE("who was slow alone is timed alone again before it is said to skip work") {
    RepeatBench slowed;
    slowed.runner.alone_ns = {200'000};  // in turn it takes 1000
    CHECK(slowed.judge().accepted());
    RepeatBench skips;
    skips.runner.alone_ns = {200'000, 1000, 0, 200'000};  // the default is second, the final third
    const sweep::Judgement judgement = skips.judge();
    CHECK(judgement.stage == "final");
    CHECK(judgement.candidate.outcome.detail.find("it does not work each time") != std::string::npos);
  }

  TEST_CASE("a judgement that is interrupted says what it found by then, and accepts nothing") {
    for (const int calls : {1, 2, 3}) {  // the candidate, the default, the final
      CAPTURE(calls);
      RepeatBench bench;
      bench.runner.stops_after = calls;
      const sweep::Judgement judgement = bench.judge();
      CHECK(judgement.interrupted);
      CHECK_FALSE(judgement.accepted());
      CHECK_FALSE(judgement.refused());
      CHECK(judgement.candidate.kernel == "scale");
      CHECK(judgement.beside.size() == (calls > 1 ? 1 : 0));
      CHECK(judgement.standings.size() == (calls > 2 ? 2 : 0));
      CHECK(bench.runner.calls == calls);
    }
    RepeatBench refused;
    refused.runner.stops_after = 1;
    refused.runner.outcome = test::failed_in(model::TrialStatus::wrong_result, "3 elements", false);
    CHECK(refused.judge().refused());
  }

  TEST_CASE(
      "remembered trials are measured in as many rounds as both parts of a final have, none is dropped") {
    RepeatBench bench;
    const std::size_t calls = bench.results.calls.size();
    const auto outcome = bench.repeat({bench.trial("SCALE=1"), bench.trial("SCALE=8")});
    CHECK(outcome.standings.size() == 2);
    REQUIRE(bench.runner.last.trials.size() == 2);
    const model::FinalPolicy& policy = bench.runner.last.trials[0].policy.final;
    CHECK(policy.choosing_rounds == 0);
    CHECK(policy.confirming_rounds ==
          bench.what.policy.final.choosing_rounds + bench.what.policy.final.confirming_rounds);
    CHECK(bench.runner.last.trials[0].binary == std::vector{std::byte(1)});
    CHECK(bench.runner.last.trials[1].binary == std::vector{std::byte(8)});
    CHECK(bench.results.calls.size() == calls);
  }

  TEST_CASE("a trial that is not what its kernel makes of it today is refused") {
    RepeatBench bench;
    const model::TrialRecord trial = bench.trial("SCALE=2");
    CHECK(bench.refusal(trial).empty());
    SUBCASE("another compiler") {
      bench.what.compiler = "fake 2";
      CHECK(bench.refusal(trial).find("cannot be made again") != std::string::npos);
    }
    SUBCASE("an edited source") {
      model::KernelSpec spec = test::scale_spec();
      spec.source[0].text += " // edited";
      bench.what.work[0].kernel = space::KernelSpace(spec);
      CHECK(bench.refusal(trial).find("cannot be made again") != std::string::npos);
    }
    SUBCASE("another parameter") {
      model::KernelSpec spec = test::scale_spec();
      spec.parameters.push_back(spec.parameters[0]);
      spec.parameters[1].name = "MORE";
      bench.what.work[0].kernel = space::KernelSpace(spec);
      CHECK(bench.refusal(trial).find("has a parameter MORE by now") != std::string::npos);
    }
    SUBCASE("no such kernel") {
      bench.what.work.clear();
      CHECK(bench.refusal(trial).find("no kernel is called 'scale'") != std::string::npos);
    }
    SUBCASE("it fails") {
      bench.runner.outcome.status = model::TrialStatus::wrong_result;
      bench.runner.outcome.detail = "3 elements";
      CHECK(bench.refusal(trial).find("wrong_result: 3 elements") != std::string::npos);
    }
  }

  TEST_CASE(
      "what a spec names is counted beside what was asked for, and a name the chip lacks is told at its "
      "place") {
    RepeatBench bench;
    model::KernelSpec spec = test::scale_spec();
    spec.counted = {{"a.sum", {"scale.toml", 7, 12}}, {"b.sum", {"scale.toml", 7, 21}}};
    bench.what.work[0].kernel = space::KernelSpace(spec);
    bench.count({"c.sum", "a.sum"});
    CHECK(bench.runner.counted == std::vector<std::string>{"c.sum", "a.sum", "b.sum"});
    bench.runner.outcome = test::failed_in(model::TrialStatus::skipped, "GH100 has no metric 'b.sum'", false);
    try {
      bench.count({});
      FAIL("nothing was thrown");
    } catch (const model::Error& error) {
      CHECK(std::string(error.what()) == "scale.toml:7:21: [profile] metrics: GH100 has no metric 'b.sum'");
    }
  }

  TEST_CASE("a repetition that fails is an error that names the culprit") {
    RepeatBench bench;
    bench.runner.failure = test::failed_in(model::TrialStatus::crashed, "signal 11", true);
    const std::string what = bench.refusal(bench.trial("SCALE=4"));
    CHECK(what.find("SCALE=4") != std::string::npos);
    CHECK(what.find("could not be measured in turn: signal 11") != std::string::npos);
  }
}
