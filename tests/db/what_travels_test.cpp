// What was declared, judged and cleared, and what failed and measured nothing, goes where the results go.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/contains.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::key;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db::what_travels") {
  namespace {

  const Digest definition = key("definition");
  const Digest all = key("spec with all blocks");
  const Digest some = key("spec without blocks of 16");

  TrialRecord block(int size, double median_ns, const std::string& run = "run") {
    TrialRecord trial = timed_trial(std::to_string(size), 512, median_ns);
    trial.configuration = Configuration({{"BLOCK_SIZE", Value(size)}});
    trial.definition = definition;
    trial.run = key(run);
    return trial;
  }

  /// What a sweep of the kernel with this spec says before it begins; blocks of 16 are those it may exclude.
  void declare(db::ResultStore& store, const Digest& spec, const std::string& path = "/here/tiled.toml") {
    KernelDeclaration kernel{"matmul", "register_tile", Role::competitor, definition, spec, path};
    std::vector<Judgement> judgements;
    for (const PastTrial& trial : store.undecided(kernel)) {
      const bool is_16 = trial.configuration.find("BLOCK_SIZE")->text() == "16";
      judgements.push_back({trial.key, spec == all || !is_16});
    }
    store.declare(kernel, judgements);
  }

  /// The block of the view `best`; empty where there is none.
  std::string best(const std::filesystem::path& path) {
    return ask(path, "SELECT configuration ->> 'BLOCK_SIZE' FROM best WHERE size = '512'");
  }

  struct Folder {
    TempFolder folder;
    std::filesystem::path operator/(const std::string& name) const { return folder / name; }

    /// A database in which `fill` worked.
    std::filesystem::path make(const std::string& name,
                               const std::function<void(db::ResultStore&)>& fill) const {
      db::ResultStore store(folder / name);
      store.begin_run(db_test::sample_run());
      fill(store);
      return folder / name;
    }
    std::filesystem::path exported(const std::filesystem::path& path) const {
      const std::filesystem::path file = path.string() + ".jsonl";
      std::ofstream out(file);
      db::export_database(db::open_for_reading(path), {}, out);
      return file;
    }
    /// `target` with what each source holds: merged, and imported as an export. They answer alike.
    std::filesystem::path together(const std::vector<std::filesystem::path>& paths) const {
      const auto merged = folder / "merged.db";
      const auto imported = folder / "imported.db";
      for (const auto& path : {merged, imported}) std::filesystem::remove(path);
      {
        const db::Connection into = db::open_database(merged);
        db::merge_databases(into, paths);
        const db::Connection other = db::open_database(imported);
        for (const auto& path : paths) db::import_file(other, exported(path));
      }
      CHECK(best(merged) == best(imported));
      CHECK(exported_text(merged) == exported_text(imported));
      return merged;
    }
    static std::string exported_text(const std::filesystem::path& path) {
      std::ostringstream out;
      db::export_database(db::open_for_reading(path), {}, out);
      return out.str();
    }
  };

  }  // namespace

  TEST_CASE("what a spec excludes stays out of a merged database, and comes back with the undone edit") {
    const Folder folder;
    const auto fill = [](db::ResultStore& store) {
      declare(store, all);
      store.record(block(16, 50));
      store.record(block(32, 100));
    };
    const auto edited = folder.make("edited.db", [&](db::ResultStore& store) {
      fill(store);
      declare(store, some);
    });
    CHECK(best(edited) == "32");
    CHECK(best(folder.together({edited})) == "32");
    const auto undone = folder.make("undone.db", [&](db::ResultStore& store) {
      fill(store);
      declare(store, some);
      declare(store, all);
    });
    CHECK(best(undone) == "16");
    CHECK(best(folder.together({undone})) == "16");
    // What comes later of the same history is in force, whichever comes first.
    const auto before = folder.make("before.db", [&](db::ResultStore& store) { fill(store); });
    for (const auto& paths : {std::vector{before, edited}, std::vector{edited, before}})
      CHECK(best(folder.together(paths)) == "32");
    for (const auto& paths : {std::vector{before, edited, undone}, std::vector{undone, edited, before}})
      CHECK(best(folder.together(paths)) == "16");
  }

  TEST_CASE("what the target declared holds for what it is brought, also for a trial it has never seen") {
    const Folder folder;
    const auto target = folder.make("target.db", [](db::ResultStore& store) {
      declare(store, some);
      store.record(block(32, 100));
    });
    const auto source = folder.make("source.db", [](db::ResultStore& store) {
      declare(store, all, "/elsewhere/tiled.toml");
      store.record(block(16, 50));
      store.record(block(8, 70));
      declare(store, all, "/elsewhere/moved.toml");
      declare(store, all, "/elsewhere/moved again.toml");
    });
    {
      const db::Connection into = db::open_database(target);
      db::merge_database(into, source);
    }
    CHECK(best(target) == "32");
    CHECK(ask(target, "SELECT path FROM kernel_specs") == "/here/tiled.toml");
    // The next sweep there looks at what came, and has what it describes.
    {
      db::ResultStore store(target);
      declare(store, some);
    }
    CHECK(best(target) == "8");
    CHECK(ask(target, "SELECT count(*) FROM trials WHERE superseded") == "1");
  }

  TEST_CASE(
      "databases that were apart keep what each one's spec describes, until a sweep declares the kernel") {
    const Folder folder;
    const auto of_some = folder.make("some.db", [](db::ResultStore& store) {
      declare(store, some);
      store.record(block(32, 100));
    });
    const auto of_all = folder.make("all.db", [](db::ResultStore& store) {
      declare(store, all);
      store.record(block(8, 70));
    });
    const auto merged = folder.together({of_some, of_all});
    CHECK(ask(merged, "SELECT count(*) FROM trials WHERE superseded = 0") == "2");
    CHECK(best(merged) == "8");
    {
      const db::Connection into = db::open_database(of_some);
      db::merge_database(into, of_all);
      CHECK(db::KernelSpecs(into).waiting() ==
            std::vector<std::pair<std::string, std::int64_t>>{{"register_tile", 1}});
    }
    CHECK(best(of_some) == "32");
  }

  TEST_CASE("a merge asks of what came, where somebody can say what the spec in force excludes") {
    const Folder folder;
    const auto target = folder.make("target.db", [](db::ResultStore& store) {
      declare(store, some);
      store.record(block(32, 100));
    });
    const auto source = folder.make("source.db", [](db::ResultStore& store) {
      declare(store, all, "/elsewhere/tiled.toml");
      store.record(block(16, 50));
      store.record(block(8, 70));
    });
    db::MergeOptions options;
    options.judge.describes = [](const KernelDeclaration& kernel, const std::vector<PastTrial>& past) {
      CHECK(kernel.spec == some);
      std::vector<Judgement> judgements;
      for (const PastTrial& trial : past)
        judgements.push_back({trial.key, trial.configuration.find("BLOCK_SIZE")->text() != "16"});
      return judgements;
    };
    const db::Connection into = db::open_database(target);
    db::merge_databases(into, {source}, options);
    CHECK(best(target) == "8");
  }

  TEST_CASE("a declaration that took the place of the target's own is in force there too") {
    const Folder folder;
    const auto target = folder.make("target.db", [](db::ResultStore& store) {
      declare(store, all);
      store.record(block(16, 50));
      store.record(block(32, 100));
    });
    std::filesystem::copy_file(target, folder / "copy.db");
    {
      db::ResultStore elsewhere(folder / "copy.db");
      declare(elsewhere, some);
      db::merge_database(db::open_database(target), folder / "copy.db");
    }
    CHECK(best(target) == "32");
    // Whoever sweeps the old spec once more has it back.
    db::ResultStore store(target);
    declare(store, all);
    CHECK(best(target) == "16");
  }

  TEST_CASE("among definitions that nobody declared no clock of another host decides") {
    const Folder folder;
    const auto of_host = [&](const std::string& host, const std::string& year, const Digest& of, int trials) {
      db::ResultStore store(folder / (host + ".db"));
      RunRecord run = db_test::sample_run(host);
      run.host = host;
      store.begin_run(run);
      for (int i = 0; i < trials; ++i) {
        TrialRecord trial = timed_trial(host + std::to_string(i), 512, 100 + i);
        trial.definition = of;
        trial.run = run.id;
        trial.measured_at = year + "-01-01T00:00:00.000000Z";
        store.record_stamped(trial, true);
      }
      return folder / (host + ".db");
    };
    const auto slow_clock = of_host("slow", "2020", key("edited"), 3);
    const auto fast_clock = of_host("fast", "2030", key("before"), 2);
    const auto answer = [&](const std::vector<std::filesystem::path>& paths) {
      return ask(folder.together(paths), "SELECT configuration ->> 'NAME' FROM best");
    };
    CHECK(answer({slow_clock, fast_clock}) == "slow0");
    CHECK(answer({fast_clock, slow_clock}) == "slow0");
  }

  TEST_CASE("a failure that was cleared does not come back with an older copy") {
    const Folder folder;
    const auto verdict = [](TrialStatus status, const std::string& time) {
      ProbeVerdict said;
      said.probe = key("probes");
      said.status = status;
      said.detail = status == TrialStatus::ok ? "" : "at 33";
      said.trial = key("32");
      said.run = key("run");
      said.measured_at = time;
      return said;
    };
    const auto probed = [](int size) {
      TrialRecord trial = block(size, 100 - size);
      trial.probe_key = key("probes");
      return trial;
    };
    const auto before = folder.make("before.db", [&](db::ResultStore& store) {
      store.record(probed(8));
      store.record_verdict(verdict(TrialStatus::crashed, "2026-01-01T00:00:00.000000Z"));
    });
    CHECK(best(before).empty());
    std::filesystem::copy_file(before, folder / "after.db");
    {
      db::ResultStore store(folder / "after.db");
      store.record_verdict(verdict(TrialStatus::ok, "2026-01-02T00:00:00.000000Z"));
      store.record(probed(32));
    }
    CHECK(best(folder / "after.db") == "32");
    for (const auto& paths :
         {std::vector{folder / "after.db", before}, std::vector{before, folder / "after.db", before}}) {
      const auto merged = folder.together(paths);
      CHECK(best(merged) == "32");
      CHECK(ask(merged, "SELECT group_concat(DISTINCT status) FROM trials") == "ok");
    }
    // A failure that nobody has cleared stands, also beside a clearing of another.
    const auto other = folder.make("other.db", [&](db::ResultStore& store) {
      store.record_verdict(verdict(TrialStatus::wrong_result, "2026-01-01T12:00:00.000000Z"));
      store.record(probed(8));
    });
    CHECK(best(folder.together({folder / "after.db", other})).empty());
  }

  TEST_CASE("runs that measured nothing and failures of before go along") {
    const Folder folder;
    const auto source = folder.make("source.db", [](db::ResultStore& store) {
      store.begin_run(db_test::sample_run("idle"));
      TrialRecord failed = db_test::failed_trial("16", 512, TrialStatus::timeout);
      failed.run = key("run");
      store.record(failed);
      TrialRecord again = timed_trial("16", 512, 100);
      again.run = key("idle");
      store.record(again);
    });
    const auto merged = folder.together({source});
    CHECK(ask(merged, "SELECT count(*) FROM runs") == "2");
    CHECK(ask(merged, "SELECT status FROM earlier_failures") == "timeout");
    CHECK(ask(folder / "imported.db", "SELECT count(*) FROM runs") == "2");
    CHECK(ask(folder / "imported.db", "SELECT status FROM earlier_failures") == "timeout");
    // A failure that is brought where the trial has been measured since is of the past.
    const auto failed = folder.make("failed.db", [](db::ResultStore& store) {
      TrialRecord trial = db_test::failed_trial("16", 512, TrialStatus::crashed);
      trial.run = key("run");
      trial.measured_at = "2020-01-01T00:00:00.000000Z";
      store.record_stamped(trial, true);
    });
    const auto measured = folder.make("measured.db", [](db::ResultStore& store) {
      store.begin_run(db_test::sample_run("idle"));
      TrialRecord trial = timed_trial("16", 512, 100);
      trial.run = key("idle");
      store.record(trial);
    });
    for (const auto& paths : {std::vector{failed, measured}, std::vector{measured, failed}})
      CHECK(ask(folder.together(paths), "SELECT status FROM earlier_failures") == "crashed");
  }
}
