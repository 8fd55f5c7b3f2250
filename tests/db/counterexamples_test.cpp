// Where the one answer, or what is stored for it, that is nearly right differs from what is.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "db/best.hpp"
#include "db/planning.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"

using namespace db_test;
using tuner::model::Ceiling;
using tuner::model::FinalRecord;
using tuner::model::TrialRecord;

TEST_SUITE("db") {
  namespace {

  constexpr const char* then = "2026-01-05T10:00:00.000000Z";

  class Store {
   public:
    Store() : m_store(m_folder / "tuner.db") {
      for (const char* run : {"run", "other"}) m_store.begin_run(sample_run(run));
    }

    /// A trial with a number of its own in the order of `run`.
    TrialRecord add(TrialRecord trial, std::int64_t sequence, const std::string& run = "run") {
      trial.run = key(run);
      trial.measured_at = then;
      trial.sequence = sequence;
      m_store.record_stamped(trial, false);
      return trial;
    }
    TrialRecord add(const std::string& name, double median_ns, std::int64_t sequence,
                    const std::string& run = "run", double half_width_ns = 1) {
      return add(timed_trial(name, 512, median_ns, half_width_ns), sequence, run);
    }
    /// Of `names`, the fastest first, of which one is chosen; it has seen the numbers first to last of run
    /// `run`.
    void hold_final(const std::vector<std::string>& names, const std::string& chosen, std::int64_t sequence,
                    std::int64_t first, std::int64_t last,
                    const std::vector<std::string>& kernels = {"register_tile"}) {
      FinalRecord final = sample_final();
      final.entries.clear();
      double ratio = 1;
      for (const std::string& name : names) {
        final.entries.push_back({key(name), ratio, ratio, ratio, true});
        ratio += 0.001;
      }
      final.chosen = key(chosen);
      final.measured_at = then;
      final.sequence = sequence;
      final.coverage.clear();
      for (const std::string& kernel : kernels) final.coverage.push_back({key("run"), kernel, first, last});
      m_store.record_stamped(final, {}, false);
    }
    std::string winner(const std::string& kernel = "") {
      db::BestQuery query;
      query.sizes = {512};
      query.kernel = kernel;
      return answer(query).winner.configuration.text();
    }
    db::BestAnswer answer(const db::BestQuery& query) { return db::best(m_store.connection(), query).at(0); }
    std::filesystem::path path() const { return m_folder / "tuner.db"; }
    void meddle(const std::string& sql) const { db_test::meddle(m_folder / "tuner.db", sql); }
    std::string ask(const std::string& sql) const { return db_test::ask(m_folder / "tuner.db", sql); }
    db::ResultStore& store() { return m_store; }

   private:
    TempFolder m_folder;
    db::ResultStore m_store;
  };

  Ceiling ceiling(double value, const std::string& measured_at) {
    Ceiling ceiling;
    ceiling.device = "NVIDIA H200";
    ceiling.kind = "memory";
    ceiling.type = tuner::model::ElementType::float32;
    ceiling.value = value;
    ceiling.unit = "GB/s";
    ceiling.measured_at = measured_at;
    return ceiling;
  }

  }  // namespace

  TEST_CASE("a final counts no more once another has seen its number among those of its run") {
    Store results;
    results.add("a", 100, 10);
    results.add("b", 101, 20);
    results.hold_final({"a", "b"}, "a", 50, 10, 20);
    CHECK(results.ask("SELECT count(*) FROM last_final") == "1");
    results.hold_final({"b", "a"}, "b", 60, 1, 55);
    CHECK(results.ask("SELECT count(*) FROM last_final") == "1");
    CHECK(results.winner() == "NAME=b");
  }

  TEST_CASE("what another run measured under the same number no final has seen") {
    Store results;
    results.add("a", 100, 10);
    results.add("b", 101, 20);
    results.hold_final({"a", "b"}, "a", 50, 1, 40);
    results.add("newcomer", 50, 30, "other");
    CHECK(results.winner() == "NAME=newcomer");
  }

  TEST_CASE("a newcomer of a kernel is named once it is surely faster than its finalist") {
    Store results;
    results.add("a", 100, 10, "run", 20);
    results.hold_final({"a"}, "a", 50, 1, 40);
    results.add("lower", 90, 60);  // within the interval of the finalist
    CHECK(results.winner("register_tile") == "NAME=a");
    CHECK(results.winner() == "NAME=a");
    results.add("surely", 79, 61);
    CHECK(results.winner("register_tile") == "NAME=surely");
    CHECK(results.winner() == "NAME=surely");
  }

  TEST_CASE(
      "a kernel that a final left aside is answered for by its lowest median, not by the lowest end of one") {
    Store results;
    results.add("a", 10, 5);
    for (const auto& [name, median_ns, half_width_ns] :
         {std::tuple("wide", 100.0, 30.0), std::tuple("narrow", 95.0, 1.0)}) {
      TrialRecord trial = timed_trial(name, 512, median_ns, half_width_ns);
      trial.kernel = "naive";
      results.add(trial, 20);
    }
    results.hold_final({"a"}, "a", 50, 1, 40, {"register_tile", "naive"});
    CHECK(results.winner("naive") == "NAME=narrow");
  }

  TEST_CASE("the best of a kernel is the one that its final chose, not the fastest in it") {
    Store results;
    results.add("a", 100, 10);
    results.add("b", 101, 20);
    results.hold_final({"a", "b"}, "b", 50, 1, 40);
    CHECK(results.winner("register_tile") == "NAME=b");
    CHECK(results.winner() == "NAME=b");
  }

  TEST_CASE("the best figure of a ceiling counts, in whichever order they come") {
    for (const bool newer_first : {true, false}) {
      CAPTURE(newer_first);
      Store results;
      const Ceiling older = ceiling(4000, "2026-01-05T10:00:00.000000Z");
      const Ceiling newer = ceiling(3000, "2026-01-06T10:00:00.000000Z");
      results.store().record_ceiling(newer_first ? newer : older);
      results.store().record_ceiling(newer_first ? older : newer);
      CHECK(results.ask("SELECT value FROM ceilings") == "4000.0");
    }
  }

  TEST_CASE("the default that a winner is held against is of its own kernel, and of today's spec") {
    Store results;
    TrialRecord own = timed_trial("own default", 512, 200);
    own.is_default = true;
    results.add(own, 5);
    TrialRecord other = timed_trial("other default", 512, 300);
    other.is_default = true;
    other.kernel = "naive";
    other.run = key("run");
    other.measured_at = "2026-01-06T10:00:00.000000Z";  // the newer of the two
    results.store().record_stamped(other, false);
    results.add("a", 100, 10);
    db::BestQuery query;
    query.sizes = {512};
    REQUIRE(results.answer(query).untuned);
    CHECK(results.answer(query).untuned->key == key("own default"));
  }

  TEST_CASE("of a size asked for by one number the nearest by ratio answers, not by difference") {
    Store results;
    for (const std::int64_t size : {256, 2048})
      results.add(timed_trial(std::to_string(size), size, 100), size);
    db::BestQuery query;
    query.sizes = {1024};  // 2 times away from 2048, 4 times from 256
    CHECK(results.answer(query).tuning_case.problem == cube(2048));
    CHECK(results.answer(query).distance == doctest::Approx(1.7320508));
    query.sizes = {600};
    CHECK(results.answer(query).tuning_case.problem == cube(256));
  }

  TEST_CASE("a short identifier has a digit more than it shares with either neighbour") {
    Store results;
    for (const char* hex : {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaab0000000000000000000000",
                            "aaaaaaaaab1000000000000000000000", "b0000000000000000000000000000000"}) {
      TrialRecord trial = timed_trial(hex, 512, 100);
      trial.key = tuner::model::Digest::from_hex(hex);
      results.add(trial, 1);
    }
    db::ShortIds ids(results.store().connection());
    const auto of = [&](const char* hex) { return ids.of(tuner::model::Digest::from_hex(hex)); };
    CHECK(of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") == "aaaaaaaaaa");
    CHECK(of("aaaaaaaaab0000000000000000000000") == "aaaaaaaaab0");
    CHECK(of("aaaaaaaaab1000000000000000000000") == "aaaaaaaaab1");
    CHECK(of("b0000000000000000000000000000000") == "b000000");
  }

  TEST_CASE("what is known of where a trial came from stays known when it is measured again without") {
    Store results;
    TrialRecord trial = timed_trial("a", 512, 100);
    trial.origin = "random";
    results.store().record(trial);
    trial.origin = "";
    trial.probe_key = {};
    results.store().record(trial);
    CHECK(results.ask("SELECT origin FROM trials") == "random");
    CHECK(results.ask("SELECT probe IS NOT NULL FROM trials") == "1");
  }

  TEST_CASE(
      "a final that begins now covers its tuning_case's results, without those superseded, and its finals") {
    Store results;
    for (const std::int64_t sequence : {10, 20, 30}) results.add(std::to_string(sequence), 100, sequence);
    results.add(timed_trial("elsewhere", 1024, 100), 99);
    results.meddle("UPDATE trials SET superseded = 1 WHERE sequence = 20");
    const auto covered = [&] {
      std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
      for (const auto& range :
           results.store().possible_final(cube(512), sample_environment(), 1.1, 10).coverage)
        ranges.emplace_back(range.first, range.last);
      return ranges;
    };
    using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;
    CHECK(covered() == Ranges{{10, 10}, {30, 30}});
    results.hold_final({"10", "30"}, "10", 50, 1, 40);
    CHECK(covered() == Ranges{{10, 10}, {30, 30}, {50, 50}});
  }

  TEST_CASE("a contest counts as ok what may win, and not the libraries beside it") {
    Store results;
    results.add("a", 100, 10);
    TrialRecord library = timed_trial("library", 512, 50);
    library.role = tuner::model::Role::baseline;
    library.kernel = "cublas";
    results.add(library, 20);
    const auto all = db::cases(results.store().connection(), {});
    REQUIRE(all.size() == 1);
    CHECK(all[0].ok == 1);
  }

  TEST_CASE("a binary keeps the deaths that were seen when it is probed again") {
    Store results;
    tuner::model::ProbeVerdict verdict;
    verdict.probe = key("probes");
    verdict.trial = key("a");
    verdict.status = tuner::model::TrialStatus::crashed;
    verdict.deaths = 2;
    results.store().record_verdict(verdict);
    verdict.status = tuner::model::TrialStatus::ok;
    verdict.deaths = 0;
    results.store().record_verdict(verdict);
    REQUIRE(results.store().verdict(key("probes")));
    CHECK(results.store().verdict(key("probes"))->status == tuner::model::TrialStatus::ok);
    CHECK(results.store().verdict(key("probes"))->deaths == 2);
  }

  TEST_CASE("what is superseded is no default, and has no place in a ranking") {
    Store results;
    TrialRecord own = timed_trial("default", 512, 200);
    own.is_default = true;
    results.add(own, 5);
    results.add("a", 100, 10);
    results.meddle("UPDATE trials SET superseded = 1 WHERE is_default = 1");
    db::BestQuery query;
    query.sizes = {512};
    const db::BestAnswer answer = results.answer(query);
    CHECK_FALSE(answer.untuned);
    CHECK(db::ranking(results.store().connection(), answer, query).size() == 1);
  }

  TEST_CASE("a newcomer that is nearly as fast as the one chosen is counted, and not named") {
    Store results;
    results.add("a", 100, 10);
    results.hold_final({"a"}, "a", 50, 1, 40);
    results.add("near", 105, 60);
    results.add("far", 120, 61);
    db::BestQuery query;
    query.sizes = {512};
    const db::BestAnswer answer = results.answer(query);
    CHECK(answer.winner.key == key("a"));
    REQUIRE(answer.newcomers.size() == 1);
    CHECK(answer.newcomers[0].trials == 1);
  }

  TEST_CASE("asked for one kernel, those of another are not tied with its best") {
    Store results;
    results.add("a", 100, 10);
    TrialRecord other = timed_trial("n", 512, 101);
    other.kernel = "naive";
    results.add(other, 20);
    results.hold_final({"a", "n"}, "a", 50, 1, 40);
    db::BestQuery query;
    query.sizes = {512};
    CHECK(results.answer(query).tied_count == 1);
    query.kernel = "register_tile";
    CHECK(results.answer(query).tied_count == 0);
  }

  TEST_CASE("without a final those tied come by their medians") {
    Store results;
    results.add("a", 100, 10, "run", 5);
    results.add("wide", 103, 20, "run", 20);
    results.add("narrow", 102, 30, "run", 1);
    db::BestQuery query;
    query.sizes = {512};
    query.most_tied = 5;
    const db::BestAnswer answer = results.answer(query);
    REQUIRE(answer.tied.size() == 2);
    CHECK(answer.tied[0].key == key("narrow"));
    CHECK(answer.tied[1].key == key("wide"));
  }

  TEST_CASE("a locked database is given up after the milliseconds of its setting") {
    TempFolder folder;
    db::ResultStore holder(folder / "tuner.db");
    db::OpenOptions options;
    options.busy_timeout = std::chrono::milliseconds(300);
    db::ResultStore waiting(folder / "tuner.db", options);
    const db::Transaction lock(holder.connection());
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(waiting.begin_run(sample_run()), tuner::model::Error);
    const auto waited = std::chrono::steady_clock::now() - begin;
    CHECK(waited >= std::chrono::milliseconds(250));
    CHECK(waited < std::chrono::seconds(15));
  }

  TEST_CASE(
      "a row that refers to nothing is refused by a database that is written, also when it is opened again") {
    TempFolder folder;
    { db::ResultStore made(folder / "tuner.db"); }
    db::ResultStore store(folder / "tuner.db");
    CHECK(store.connection().integer("PRAGMA foreign_keys") == 1);
    CHECK_THROWS_AS(
        store.connection().execute(
            "INSERT INTO cases (id, class, problem) VALUES (zeroblob(16), zeroblob(16), zeroblob(16))"),
        tuner::model::Error);
  }

  TEST_CASE("a pace is the one in the middle, not the shortest") {
    Store results;
    int n = 0;
    for (const char* second : {"00", "01", "03", "13"}) {
      TrialRecord trial = timed_trial(second, 512, 100);
      trial.run = key("run");
      trial.measured_at = "2026-01-02T03:04:" + std::string(second) + ".000000Z";
      trial.sequence = ++n;
      results.store().record_stamped(trial, false);
    }
    const auto pace =
        db::pace(results.store().connection(), cube(512), timed_trial("00", 512, 100).environment, false);
    REQUIRE(pace);
    CHECK(pace->seconds == doctest::Approx(2).epsilon(0.001));
  }

  TEST_CASE("four digits of an identifier are the fewest that name a trial") {
    Store results;
    const TrialRecord trial = results.add("a", 100, 10);
    const std::string hex = trial.key.hex();
    CHECK(db::find_trial(results.store().connection(), hex.substr(0, 4)).key == trial.key);
    CHECK_THROWS_AS(db::find_trial(results.store().connection(), hex.substr(0, 3)), tuner::model::UsageError);
  }

  TEST_CASE(
      "what was dropped or skipped is no failure, and ceilings are left out where nobody asks for them") {
    using tuner::model::TrialStatus;
    Store results;
    results.add("a", 100, 10);
    int sequence = 20;
    for (const TrialStatus status : {TrialStatus::dropped, TrialStatus::skipped, TrialStatus::crashed}) {
      TrialRecord trial = timed_trial(std::to_string(sequence), 512, 300);
      trial.outcome.status = status;
      if (status != TrialStatus::dropped) trial.outcome.measurement.reset();
      results.add(trial, ++sequence);
    }
    TrialRecord ceiling = timed_trial("copy", 512, 50);
    ceiling.role = tuner::model::Role::ceiling;
    results.add(ceiling, 30);
    db::TrialFilter filter;
    filter.failures = true;
    CHECK(db::count_trials(results.store().connection(), filter) == 1);
    filter.failures = false;
    CHECK(db::count_trials(results.store().connection(), filter) == 5);
    filter.ceilings = false;
    CHECK(db::count_trials(results.store().connection(), filter) == 4);
  }

  TEST_CASE("samples in another encoding are refused") {
    std::vector<std::byte> encoded = db::encode_samples({1, 2, 3});
    CHECK(db::decode_samples(encoded) == std::vector<double>{1, 2, 3});
    encoded[0] = std::byte{2};
    CHECK_THROWS_AS(db::decode_samples(encoded), tuner::model::Error);
  }

  TEST_CASE("an outlook is not shown once a spec was edited, and no more is tried than there is") {
    Store results;
    tuner::model::KernelDeclaration kernel;
    kernel.family = "matmul";
    kernel.kernel = "register_tile";
    kernel.definition = key("definition");
    kernel.spec = key("spec");
    results.store().declare(kernel, {});
    results.add("a", 100, 10);
    results.add("b", 110, 20);
    tuner::model::SearchRecord search = sample_search();
    search.parts = {{"register_tile", key("spec"), 1}};
    results.store().record_search(search);
    const auto searched = [&] { return results.store().searched(cube(512), sample_environment()); };
    REQUIRE(searched());
    CHECK(searched()->candidates == 1);
    CHECK(searched()->tried == 1);
    search.parts = {{"register_tile", key("spec"), 100}};
    search.ended_at = "2026-02-02T03:04:05.000000Z";
    results.store().record_search(search);
    REQUIRE(searched());
    CHECK(searched()->outlook);
    kernel.spec = key("edited spec");
    results.store().declare(kernel, {});
    CHECK((!searched() || !searched()->outlook));
    search.parts = {{"register_tile", key("edited spec"), 50}};
    search.outlook.reset();
    search.ended_at = "2026-02-03T03:04:05.000000Z";
    results.store().record_search(search);
    REQUIRE(searched());
    CHECK(searched()->candidates == 50);
    CHECK_FALSE(searched()->outlook);
  }

  TEST_CASE("specs that nobody declared are found again and again") {
    Store results;
    results.add("a", 100, 10);
    results.add("b", 110, 20);
    for (const char* name : {"a", "b"}) {
      db::ForgetQuery query;
      query.trial = key(name);
      CHECK(db::forget(results.store().connection(), query, false).trials == 1);
    }
    CHECK(results.ask("SELECT count(*) FROM kernel_specs") == "0");
  }

  TEST_CASE("a result that comes late does not stand in the place of a later one") {
    Store results;
    results.add("a", 100, 10);
    TrialRecord earlier = timed_trial("a", 512, 200);
    earlier.run = key("run");
    earlier.measured_at = "2026-01-01T10:00:00.000000Z";
    earlier.sequence = 5;
    results.store().record_stamped(earlier, true);
    CHECK(results.ask("SELECT median_ns FROM trials") == "100.0");
    CHECK(results.ask("SELECT count(*) FROM measurements") == "2");
  }

  TEST_CASE("a final that says nothing of what it has seen has seen its finalists") {
    Store results;
    results.add("a", 100, 10);
    results.add("b", 101, 20);
    results.hold_final({"a", "b"}, "a", 50, 1, 40, {});
    CHECK(results.ask("SELECT count(*) FROM final_coverage") == "2");
    CHECK(results.ask("SELECT count(*) FROM unconsidered") == "0");
  }
}
