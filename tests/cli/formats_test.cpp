// How the parts of a sweep are shown, and which failures count as one.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "reports/summary.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/cli/sweep_display.hpp"

using namespace tuner;
using cluster::PartState;
using cluster::PartStatus;

namespace {

PartStatus part(int number, PartState state) {
  PartStatus one;
  one.number = number;
  one.state = state;
  one.progress = cluster::PartProgress();
  one.progress->planned = 100;
  one.progress->known = 10;
  one.progress->finished = 30;
  one.progress->trials_per_second = 2;
  one.progress->host = "node" + std::to_string(number);
  one.progress->job = "17_" + std::to_string(number);
  return one;
}

/// Every run of blanks as one.
std::string words(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  return out;
}

std::string table(const cluster::SweepStatus& status) {
  return words(cli::status_table(status, 200));
}

model::TrialRecord failure(const std::string& name, model::TrialStatus status, const std::string& detail,
                           const std::string& log = "") {
  model::TrialRecord trial = db_test::failed_trial(name, 512, status);
  trial.outcome.detail = detail;
  trial.compile_log = log;
  return trial;
}

/// How many trials each group has.
std::vector<std::size_t> sizes(const std::vector<model::TrialRecord>& trials) {
  std::vector<const model::TrialRecord*> all;
  for (const model::TrialRecord& trial : trials) all.push_back(&trial);
  std::vector<std::size_t> out;
  for (const reports::FailureGroup& group : reports::failure_groups(all)) out.push_back(group.trials.size());
  return out;
}

using Sizes = std::vector<std::size_t>;

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("only of a part that runs is it said how fast it is and when it will be done") {
    cluster::SweepStatus status;
    status.parts = {part(1, PartState::running), part(2, PartState::lost), part(3, PartState::done),
                    PartStatus{4, PartState::waiting, {}, "in the queue"}};
    const std::string text = table(status);
    CAPTURE(text);
    CHECK(contains(text, "1 running 40 of 100 2.0 30 s node1"));
    CHECK(contains(text, "2 lost 40 of 100 node2"));
    CHECK(contains(text, "3 done 40 of 100 node3"));
    CHECK(contains(text, "4 waiting in the queue"));
    CHECK(contains(text, "total 1 done, 1 running, 1 waiting, 1 lost 120 of 300 2.0"));
  }

  TEST_CASE("a part that has not begun to move has no end in sight") {
    cluster::SweepStatus status;
    status.parts = {part(1, PartState::running)};
    status.parts[0].progress->trials_per_second = 0;
    CHECK(contains(table(status), "1 running 40 of 100 0.0 node1"));
  }

  TEST_CASE(
      "where nobody is at work the whole has neither a pace nor an end, and what nobody is is not told") {
    cluster::SweepStatus status;
    status.parts = {part(1, PartState::done)};
    status.last = part(0, PartState::running);
    const std::string text = table(status);
    CAPTURE(text);
    CHECK(contains(text, "last running 40 of 100 2.0 30 s node0"));
    CHECK(contains(text, "total 1 done 40 of 100\n"));
  }

  TEST_CASE("JSON of a sweep's parts has what each run said, and nothing of who never began") {
    cluster::SweepStatus status;
    status.parts = {part(1, PartState::running), PartStatus{2, PartState::waiting, {}, "in the queue"}};
    auto json = nlohmann::json::parse(cli::status_json(status));
    CHECK(json["done"] == false);
    CHECK(json["planned"] == 100);
    CHECK(json["measured"] == 40);
    CHECK(json["seconds_left"].is_null());
    CHECK(json["count"] == nlohmann::json({{"done", 0}, {"running", 1}, {"waiting", 1}, {"lost", 0}}));
    CHECK(json["last"].is_null());
    CHECK(json["shards"][0]["shard"] == 1);
    CHECK(json["shards"][0]["run"]["measured"] == 40);
    CHECK(json["shards"][0]["run"]["host"] == "node1");
    CHECK(json["shards"][0]["run"]["job"] == "17_1");
    CHECK(json["shards"][1]["note"] == "in the queue");
    CHECK_FALSE(json["shards"][1].contains("run"));
    status.parts.pop_back();
    status.last = part(0, PartState::waiting);
    json = nlohmann::json::parse(cli::status_json(status));
    CHECK(json["seconds_left"] == 30);
    CHECK(json["last"]["shard"] == "last");
  }

  TEST_CASE("failures that differ in numbers alone are one, and a mistake in the source is another's") {
    using enum model::TrialStatus;
    CHECK(sizes({failure("a", wrong_result, "x[3] = -1.5e+07, expected 2"),
                 failure("b", wrong_result, "x[17] = 4, expected -2.25e-3")}) == Sizes{2});
    CHECK(sizes({failure("a", wrong_result, "x[3] = 4"), failure("b", wrong_result, "y[3] = 4")}) ==
          Sizes{1, 1});
    CHECK(sizes({failure("a", wrong_result, "the same"), failure("b", timeout, "the same")}) == Sizes{1, 1});
    // A line of the source is a number too.
    CHECK(sizes({failure("a", compile_error, "", "k.cu(3): error: no"),
                 failure("b", compile_error, "", "k.cu(4): error: no")}) == Sizes{1, 1});
    CHECK(sizes({failure("a", compile_error, "", "k.cu(3): error: no"),
                 failure("b", compile_error, "", "k.cu(3): error: no")}) == Sizes{2});
    // Instances of a template say the same.
    CHECK(
        sizes(
            {failure("a", compile_error, "", "k.cu(3): error: no \"void k(T) [with T=int[4], TILE=8U]\" end"),
             failure("b", compile_error, "", "k.cu(3): error: no \"void k(T) [with T=int, TILE=16U]\" end"),
             failure("c", compile_error, "", "k.cu(3): error: no \"void k(T) [with T=int] other")}) ==
        Sizes{2, 1});
  }

  TEST_CASE(
      "failures of two kernels are two, the kernel's commonest is told first, and what went well is none") {
    using enum model::TrialStatus;
    std::vector<model::TrialRecord> trials = {failure("a", timeout, "slow"), failure("b", crashed, "gone"),
                                              failure("c", crashed, "gone"), failure("d", crashed, "gone"),
                                              failure("e", ok, "")};
    trials[0].kernel = trials[1].kernel = trials[2].kernel = "z";
    trials[3].kernel = "y";
    CHECK(sizes(trials) == Sizes{1, 2, 1});
  }

  TEST_CASE(
      "the reason of a failure is what the compiler said where it was the compiler's, else the detail") {
    using enum model::TrialStatus;
    CHECK(reports::whole_reason(failure("a", compile_error, "in short", "at length")) == "at length");
    CHECK(reports::whole_reason(failure("a", compile_error, "in short", "")) == "in short");
    CHECK(reports::whole_reason(failure("a", crashed, "in short", "at length")) == "in short");
    CHECK(reports::whole_reason(failure("a", crashed, "", "at length")) == "at length");
  }
}
