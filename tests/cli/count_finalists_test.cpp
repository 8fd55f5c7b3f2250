// Whom `tuner run --counters` counts.
#include "tuner/cli/count_finalists.hpp"

#include <doctest/doctest.h>

#include "db/queries.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tests/sweep/scale_bench.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;

namespace {

class Listener final : public sweep::Observer {
 public:
  void planned(std::int64_t, std::int64_t, bool) override {}
  void launching(const model::TrialRecord&) override {}
  void finished(const model::TrialRecord&) override {}
  void left_out(const model::TrialRecord&) override {}
  void final_begins(const model::Problem&, std::size_t) override {}
  void notice(const std::string& text) override { said += text + '\n'; }
  std::string said;
};

/// A database with a final between a, b and c at 512, and no final at 1024.
struct Counted {
  /// `other`: who gives other bits than the rest.
  explicit Counted(const std::string& other = "") : store(folder / "tuner.db") {
    store.begin_run(db_test::sample_run());
    std::vector<model::TrialRecord> finalists;
    for (const auto& [name, median_ns] :
         std::map<std::string, double>{{"a", 1000}, {"b", 1002}, {"c", 1040}}) {
      finalists.push_back(db_test::timed_trial(name, 512, median_ns));
      finalists.back().outcome.output_bits =
          model::OutputBits{db_test::key("inputs"), db_test::key(name == other ? "others" : "outputs")};
      store.record(finalists.back());
    }
    store.record_final(db_test::sample_final(), finalists);
    store.record(db_test::timed_trial("alone", 1024, 5000));
    store.record(db_test::timed_trial("slower", 1024, 6000));
    const model::Environment environment = db_test::sample_environment();
    request.device.name = environment.device;
    request.device.driver = environment.driver;
    request.compiler = environment.toolkit;
    request.policy.name = environment.method;
    tunes(db_test::full_trial().kernel);
  }
  void tunes(const std::string& kernel) {
    model::KernelSpec spec = test::scale_spec();
    spec.name = kernel;
    spec.family = db_test::cube(512).family;
    request.work.clear();
    request.work.push_back({space::KernelSpace(std::move(spec)), {}});
  }
  std::vector<db::BestAnswer> answers() const {
    std::vector<db::BestAnswer> all;
    for (const std::int64_t size : {512, 1024}) {
      db::TrialFilter filter;
      filter.problem = db_test::cube(size);
      for (db::BestAnswer& answer : db::best_of_each(store.connection(), filter, bits))
        all.push_back(std::move(answer));
    }
    return all;
  }
  /// The configurations that were counted, in order.
  std::string counts(const std::function<void()>& before_each = [] {}) {
    std::string names;
    const auto count = [&](const model::TrialRecord& trial) {
      before_each();
      names += trial.configuration.find("NAME")->text() + ' ';
      model::Profile profile;
      profile.counters = {{"smsp__inst_executed.sum", 7, ""}};
      return profile;
    };
    cli::count_finalists(request, answers(), store, count, listener, stop);
    return names;
  }

  db_test::TempFolder folder;
  db::ResultStore store;
  sweep::Request request;
  Listener listener;
  std::atomic<bool> stop = false;
  std::optional<db::SameBitsAs> bits;
};

}  // namespace

TEST_SUITE("tuner run --counters") {
  TEST_CASE("the finalists of each size are counted, the chosen one first, and where none was the fastest") {
    Counted counted;
    CHECK(counted.counts() == "b a c alone ");
    CHECK(db::counters(counted.store.connection(), db_test::key("c")).size() == 1);
    CHECK(contains(counted.listener.said, "counting what 4 finalists do"));
    CHECK(contains(counted.listener.said, "counted 4 finalists: `tuner explain` says"));
    CHECK(counted.counts().empty());  // they were counted before
  }

  TEST_CASE(
      "the finalists of sizes that two GPUs held their finals of are counted once, wherever they raced") {
    Counted counted;
    model::TrialRecord elsewhere = *counted.store.find(db_test::key("alone"));
    elsewhere.gpu = "GPU-1";
    counted.store.record(elsewhere);
    std::vector<model::TrialRecord> finalists;
    for (const char* name : {"a", "b", "c"}) {
      finalists.push_back(*counted.store.find(db_test::key(name)));
      finalists.back().gpu = "GPU-0";
    }
    counted.store.record_final(db_test::sample_final(), finalists);
    std::set<std::string> gpus;
    for (const db::BestAnswer& answer : counted.answers()) gpus.insert(answer.winner.gpu);
    CHECK(gpus == std::set<std::string>{"GPU-0", "GPU-1"});
    CHECK(counted.counts() == "b a c alone ");
    CHECK(counted.counts().empty());
  }

  TEST_CASE("where certain bits are asked for, finalists that give others are not counted") {
    Counted counted("b");
    CHECK(counted.answers().front().winner.configuration.find("NAME")->text() == "b");
    const model::TrialRecord as = db::find_trial(counted.store.connection(), db_test::key("c").hex());
    counted.bits = db::SameBitsAs{as};
    counted.request.same_bits = sweep::SameBits{as, {{as.problem, "", *as.outcome.output_bits}}};
    CHECK(counted.counts() == "a c ");
  }

  TEST_CASE("kernels that the sweep does not tune are left out") {
    Counted counted;
    counted.tunes("another");
    CHECK(counted.counts().empty());
    CHECK(counted.listener.said.empty());
  }

  TEST_CASE("the first that cannot be counted ends it with its reason, and what was counted stays") {
    Counted counted;
    int calls = 0;
    const std::string names = counted.counts([&] {
      if (++calls == 2) throw model::Error("the driver does not let this process count", "ask root");
    });
    CHECK(names == "b ");
    CHECK(contains(counted.listener.said,
                   "counted 1 of 4 finalists; then: the driver does not let this process count (ask root)"));
    CHECK(counted.counts() == "a c alone ");
  }

  TEST_CASE("an interruption leaves the others to the same command") {
    Counted counted;
    CHECK(counted.counts([&] { counted.stop = true; }) == "b ");
    CHECK(contains(counted.listener.said, "counted 1 of 4 finalists; the same command counts the others"));
  }

  TEST_CASE("a device without counters says so before anything is swept") {
    model::DeviceInfo device;
    device.id = device.kind = "cpu";
    CHECK(cli::why_not_countable(device) == "cpu has no hardware counters, which are of NVIDIA GPUs");
    device.id = "replay:a.jsonl";
    device.kind = "replay";
    CHECK(contains(cli::why_not_countable(device), "replay:a.jsonl has no hardware counters"));
  }
}
