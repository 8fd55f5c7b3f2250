#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"
#include "tests/support/fuzz.hpp"

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
using db_test::ask;
using db_test::cube;
using db_test::key;
using db_test::TempFolder;
using db_test::timed_trial;

TEST_SUITE("db") {
  namespace {

  /// Few of everything, so that databases know the same trials, at the same times of day, and say other
  /// things of them.
  class World {
   public:
    explicit World(unsigned seed) : m_random(seed) {}

    int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(m_random); }
    bool often() { return below(4) != 0; }
    bool rarely() { return below(8) == 0; }
    template <class Item>
    void shuffle(std::vector<Item>& items) {
      std::shuffle(items.begin(), items.end(), m_random);
    }
    std::string time() { return fmt::format("2026-01-02T03:04:{:02}.000000Z", below(12)); }

    TrialRecord trial(const Digest& run) {
      const int kernel = below(4);
      const int number = below(5);
      const int size = 512 << below(2);
      TrialRecord trial = timed_trial(fmt::format("{} {} {}", kernel, number, size), size, 100 + below(6), 1);
      trial.kernel = fmt::format("kernel {}", kernel);
      trial.configuration = Configuration({{"N", Value(number)}});
      if (kernel == 0) trial.role = Role::baseline;
      // What its binary is follows from the trial; what its spec was does not.
      trial.definition = number == 4 ? Digest{} : key(fmt::format("definition {}", below(2)));
      trial.probe_key = number == 0 ? Digest{} : key(fmt::format("probes {} {}", kernel, number));
      trial.compile_ms = below(3) * 10;
      trial.outcome.measurement->samples_ns = {100.0 + below(100)};
      if (often())
        trial.outcome.energy->sequence = below(3), trial.outcome.energy->mean_j = 1 + below(3);
      else
        trial.outcome.energy.reset();
      trial.origin = kernel == 0 ? "" : fmt::format("idea {}", below(3));
      if (rarely()) trial.outcome.status = TrialStatus::dropped;
      if (rarely()) {
        trial.outcome = {};
        trial.outcome.status = below(2) == 0 ? TrialStatus::launch_error : TrialStatus::timeout;
        trial.outcome.detail = fmt::format("reason {}", below(3));
        trial.metrics.clear();
      }
      trial.run = run;
      trial.measured_at = time();
      trial.sequence = ++m_sequence;
      return trial;
    }

    void add_results(db::ResultStore& store, const Digest& run) {
      std::vector<TrialRecord> raced;
      for (int i = below(12); i >= 0; --i) {
        raced.push_back(trial(run));
        store.record_stamped(raced.back(), true);
      }
      if (often()) add_verdict(store, raced.front());
      if (often()) add_final(store, run, raced);
      if (often()) add_search(store, run);
      if (often()) declare(store, raced.front());
      if (often()) restate(store, raced.front());
      store.record_ceiling({"NVIDIA H200", "memory", ElementType::float32, 1e12 * (1 + below(3)), "GB/s",
                            raced.back().key, time()});
    }

   private:
    void add_verdict(db::ResultStore& store, const TrialRecord& trial) {
      if (trial.probe_key.empty()) return;
      ProbeVerdict verdict;
      verdict.probe = trial.probe_key;
      verdict.status = often() ? TrialStatus::ok : TrialStatus::wrong_result;
      if (verdict.status != TrialStatus::ok) verdict.detail = fmt::format("at {}", below(2));
      verdict.deaths = below(3);
      verdict.trial = trial.key;
      verdict.run = trial.run;
      verdict.measured_at = time();
      store.record_verdict(verdict);
      if (rarely()) {  // as --retry-failed does
        verdict.status = TrialStatus::ok;
        verdict.detail.clear();
        verdict.measured_at = fmt::format("2026-01-02T03:05:{:02}.000000Z", below(12));
        store.record_verdict(verdict);
      }
    }

    /// Between trials of the run, as far as they are of one problem and may be timed.
    void add_final(db::ResultStore& store, const Digest& run, const std::vector<TrialRecord>& raced) {
      FinalRecord final;
      final.problem = raced.front().problem;
      final.environment = raced.front().environment;
      final.run = run;
      final.measured_at = time();
      std::vector<TrialRecord> finalists;
      for (const TrialRecord& trial : raced) {
        const bool known = std::any_of(finalists.begin(), finalists.end(),
                                       [&](const TrialRecord& other) { return other.key == trial.key; });
        const auto now = store.find(trial.key);
        if (known || trial.problem != final.problem || now->outcome.status != TrialStatus::ok) continue;
        finalists.push_back(trial);
        TrialRecord& again = finalists.back();
        again.outcome = timed_trial("again", 512, 100 + below(6), 1).outcome;
        again.measured_at = final.measured_at;
        again.sequence = ++m_sequence;
        const double ratio = 1 + 0.001 * static_cast<double>(final.entries.size());
        final.entries.push_back({trial.key, ratio, ratio, ratio, true});
        final.coverage.push_back({run, again.kernel, again.sequence, again.sequence});
        final.coverage.push_back({run, again.kernel, trial.sequence, trial.sequence + below(4)});
        if (trial.role != Role::baseline) final.chosen = trial.key;
      }
      final.sequence = ++m_sequence;
      if (!final.chosen.empty()) store.record_stamped(final, finalists, true);
    }

    /// As if the kernel's spec had been edited, or an edit been undone: some of its trials are what it
    /// describes, others are not. (Where two say otherwise of one trial, the one that excludes it stands.)
    void declare(db::ResultStore& store, const TrialRecord& of) {
      KernelDeclaration kernel;
      kernel.family = of.problem.family;
      kernel.kernel = of.kernel;
      kernel.role = of.role;
      kernel.definition = key(fmt::format("definition {}", below(3)));
      kernel.spec = key(fmt::format("spec {}", below(3)));
      std::vector<Judgement> judgements;
      for (const PastTrial& trial : store.undecided(kernel)) judgements.push_back({trial.key, often()});
      store.declare(kernel, judgements);
    }

    /// As if its spec had another default or another metric since.
    void restate(db::ResultStore& store, const TrialRecord& of) {
      KernelDeclaration kernel;
      kernel.family = of.problem.family;
      kernel.kernel = of.kernel;
      store.restate(kernel, [&](const Problem&, const Configuration&, std::optional<double> time_ns) {
        const double factor = 1 + below(3);
        return SpecSays{below(2) == 0,
                        time_ns ? Metrics{{"GFLOP/s", factor / *time_ns}} : Metrics(),
                        {factor * 1e6, 1e3 * below(2)}};
      });
    }

    void add_search(db::ResultStore& store, const Digest& run) {
      SearchRecord search = db_test::sample_search();
      search.problem = cube(512 << below(2));
      search.run = run;
      search.tried = 1 + below(3);
      search.outlook->gain = 0.001 * below(5);
      search.ended_at = time();
      store.record_search(search);
    }

    std::mt19937 m_random;
    std::int64_t m_sequence = 0;
  };

  /// Databases of machines of their own, some of which are what another was earlier.
  std::vector<std::filesystem::path> random_databases(World& world, const TempFolder& folder) {
    std::vector<std::filesystem::path> paths;
    for (int i = 0; i < 4; ++i) {
      const auto path = folder / fmt::format("source {}.db", paths.size());
      {
        db::ResultStore store(path);
        const std::string name = fmt::format("run {}", i);
        store.begin_run(db_test::sample_run(name));
        world.add_results(store, key(name));
        if (world.often()) {
          store.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)");
          paths.push_back(path.string() + ".earlier");
          std::filesystem::copy_file(path, paths.back());
          world.add_results(store, key(name));
        }
        if (world.often()) store.end_run(key(name), "done");
      }
      paths.push_back(path);
    }
    return paths;
  }

  /// All that is kept, and what it answers.
  std::string content(const std::filesystem::path& path) {
    std::ostringstream out;
    db::export_database(db::open_for_reading(path), {}, out);
    out << ask(
        path,
        "SELECT group_concat(line, x'0A') FROM (SELECT hex(tuning_case) || ' ' || coalesce(kernel, '-') "
        "|| ' ' || "
        "coalesce(hex(final), '-') || ' ' || hex(trial) AS line FROM winner ORDER BY line)");
    out << '\n'
        << ask(path,
               "SELECT group_concat(line, x'0A') FROM (SELECT hex(id) || superseded || coalesce(hex(run), "
               "'') "
               "AS line "
               "FROM trials ORDER BY line)");
    return out.str();
  }

  /// The first lines that differ; empty where none does.
  std::string difference(const std::string& a, const std::string& b) {
    std::istringstream lines_of_a(a);
    std::istringstream lines_of_b(b);
    std::string line_a;
    std::string line_b;
    for (;;) {
      const bool more_a = static_cast<bool>(std::getline(lines_of_a, line_a));
      const bool more_b = static_cast<bool>(std::getline(lines_of_b, line_b));
      if (!more_a && !more_b) return "";
      if (more_a == more_b && line_a == line_b) continue;
      const auto end = std::mismatch(line_a.begin(), line_a.end(), line_b.begin(), line_b.end()).first;
      const auto at = static_cast<std::size_t>(end - line_a.begin());
      return line_a.substr(0, 80) + " … " + line_a.substr(at, 80) + " is not " +
             line_b.substr(std::min(at, line_b.size()), 80);
    }
  }

  /// What no export says.
  std::string rows_of_binaries(const std::filesystem::path& path) {
    return ask(path,
               "SELECT group_concat(line, x'0A') FROM (SELECT hex(id) || compile_ms || log AS line FROM "
               "binaries "
               "UNION ALL SELECT hex(binary) || entry || symbol || registers FROM binary_kernels "
               "UNION ALL SELECT hex(id) || json FROM configurations "
               "UNION ALL SELECT hex(id) || hex(trial) || coalesce(hex(run), '') || hex(samples_ns) FROM "
               "measurements ORDER BY line)");
  }

  void check_sound(const std::filesystem::path& path) {
    CHECK(ask(path, "PRAGMA foreign_key_check").empty());
    CHECK(
        ask(path,
            "SELECT count(*) FROM (SELECT tuning_case, kernel, status, superseded, role, count(*) AS n FROM "
            "trials "
            "GROUP BY 1, 2, 3, 4, 5) AS c LEFT JOIN tallies AS y USING (tuning_case, kernel, status, "
            "superseded, "
            "role) "
            "WHERE y.trials IS NOT n") == "0");
  }

  /// Imports what all of `paths` export, in any order.
  std::filesystem::path import_anyhow(World& world, const TempFolder& folder,
                                      std::vector<std::filesystem::path> paths) {
    world.shuffle(paths);
    const db::Connection target = db::open_database(folder / "imported.db");
    for (const auto& path : paths) {
      const auto file = folder / "one.jsonl";
      std::ofstream out(file);
      db::export_database(db::open_for_reading(path), {}, out);
      out.close();
      db::import_file(target, file);
    }
    return target.path();
  }

  /// Merges all but the first of `paths` into a copy of the first, in any order.
  std::filesystem::path merge_into_first(World& world, const TempFolder& folder, const std::string& name,
                                         std::vector<std::filesystem::path> paths) {
    const auto path = folder / (name + ".db");
    std::filesystem::copy_file(paths.front(), path);
    paths.erase(paths.begin());
    world.shuffle(paths);
    const db::Connection target = db::open_database(path);
    for (const auto& source : paths) db::merge_database(target, source);
    return path;
  }

  /// Merges all of `paths` into a new database in any order, some twice, some by way of others.
  std::filesystem::path merge_anyhow(World& world, const TempFolder& folder, const std::string& name,
                                     std::vector<std::filesystem::path> paths) {
    world.shuffle(paths);
    if (paths.size() > 1 && world.often()) {
      const auto middle = paths.begin() + 1 + world.below(static_cast<int>(paths.size()) - 1);
      const auto first = merge_anyhow(world, folder, name + "a", {paths.begin(), middle});
      const auto rest = merge_anyhow(world, folder, name + "b", {middle, paths.end()});
      paths = {first, rest};
    }
    if (world.often())
      paths.push_back(paths[static_cast<std::size_t>(world.below(static_cast<int>(paths.size())))]);
    const db::Connection target = db::open_database(folder / (name + ".db"));
    // In one merge each, or several at once.
    for (auto next = paths.begin(); next != paths.end();) {
      const auto end = world.often() ? next + 1 : paths.end();
      db::merge_databases(target, {next, end});
      next = end;
    }
    return target.path();
  }

  /// A sweep of another process, as other hosts have them, whose clock says `year`.
  int sweep(const std::filesystem::path& database, const std::string& run, const std::string& year,
            const std::vector<std::pair<std::string, double>>& times) {
    return db_test::in_child([&] {
      db::ResultStore store(database);
      store.begin_run(db_test::sample_run(run));
      for (const auto& [name, ns] : times) {
        TrialRecord trial = timed_trial(name, 512, ns);
        trial.run = key(run);
        if (ns == 0) {
          trial.outcome = {};
          trial.outcome.status = TrialStatus::timeout;
          trial.metrics.clear();
        }
        store.stamp(trial);
        trial.measured_at = year + "-01-01T00:00:00.000000Z";
        store.record_stamped(trial, false);
      }
      return 0;
    });
  }

  }  // namespace

  TEST_CASE("a result that was measured knowing another takes its place in any order, whatever clocks say") {
    const TempFolder folder(db_test::memory_folder());
    const auto first = folder / "first.db";
    const auto second = folder / "second.db";
    // The first host's clock is years ahead, and it has counted further.
    REQUIRE(sweep(first, "ahead", "2031", {{"a", 1}, {"b", 1}, {"c", 1}, {"again", 100}, {"cleared", 0}}) ==
            0);
    db::merge_database(db::open_database(second), first);
    REQUIRE(sweep(second, "behind", "2021", {{"again", 200}, {"cleared", 300}}) == 0);
    CHECK(ask(second, "SELECT group_concat(median_ns) FROM (SELECT median_ns FROM trials WHERE run = x'" +
                          key("behind").hex() + "' ORDER BY 1)") == "200.0,300.0");
    const std::string expected = content(second);
    for (const auto& order : {std::vector{first, second}, {second, first}, {second, first, second}}) {
      const auto path = folder / "merged.db";
      {
        const db::Connection target = db::open_database(path);
        for (const auto& source : order) db::merge_database(target, source);
      }
      CHECK(difference(content(path), expected) == "");
      std::filesystem::remove(path);
    }
  }

  TEST_CASE("results from before version 9 come before all later ones, and among them the time decides") {
    const TempFolder folder(db_test::memory_folder());
    const auto path = folder / "tuner.db";
    REQUIRE(sweep(path, "early", "2020", {{"a", 100}}) == 0);
    REQUIRE(sweep(path, "late", "2021", {{"a", 200}}) == 0);
    const auto export_as = [&](int version, std::int64_t sequence_of_late) {
      std::ostringstream out;
      db::export_database(db::open_for_reading(path), {}, out);
      std::string text = out.str();
      const std::string now = "\"version\":6";
      text.replace(text.find(now), now.size(), fmt::format("\"version\":{}", version));
      const std::string ours = fmt::format("\"sequence\":{}", ask(path, "SELECT sequence FROM trials"));
      for (std::size_t at; (at = text.find(ours)) != std::string::npos;)
        text.replace(at, ours.size(), fmt::format("\"sequence\" : {}", sequence_of_late));
      const auto file = folder / "old.jsonl";
      std::ofstream(file) << text;
      return file;
    };
    const auto imported = folder / "imported.db";
    {
      const db::Connection target = db::open_database(imported);
      db::import_file(target, export_as(4, 1));
    }
    CHECK(ask(imported, "SELECT median_ns FROM trials") == "200.0");
    CHECK(ask(imported, "SELECT max(sequence) < 0 FROM measurements") == "1");
    REQUIRE(sweep(imported, "today", "2010", {{"a", 300}}) == 0);
    CHECK(ask(imported, "SELECT median_ns FROM trials") == "300.0");
    db::import_file(db::open_database(imported), export_as(4, 1));
    CHECK(ask(imported, "SELECT median_ns FROM trials") == "300.0");
  }

  TEST_CASE("databases merged in any order and grouping, twice or in part before the rest, give one answer") {
    tuner::test::fuzz([](unsigned first_seed) {
      constexpr unsigned worlds = 4;
      for (unsigned seed = first_seed * worlds; seed < (first_seed + 1) * worlds; ++seed) {
        CAPTURE(seed);
        World world(seed);
        const TempFolder folder(db_test::memory_folder());
        const auto sources = random_databases(world, folder);
        const auto plain = folder / "plain.db";
        {
          const db::Connection target = db::open_database(plain);
          for (const auto& source : sources) db::merge_database(target, source);
        }
        const std::string expected = content(plain);
        CHECK(ask(plain, "SELECT count(*) FROM winner") != "0");
        for (int i = 0; i < 2; ++i) {
          const auto other = merge_anyhow(world, folder, fmt::format("other {}", i), sources);
          CHECK(difference(content(other), expected) == "");
          CHECK(rows_of_binaries(other) == rows_of_binaries(plain));
          check_sound(other);
        }
        const auto imported = import_anyhow(world, folder, sources);
        CHECK(difference(content(imported), expected) == "");
        check_sound(imported);
        // What the target itself declared counts before what it is brought, and that is all that it changes.
        const auto first = merge_into_first(world, folder, "first", sources);
        CHECK(difference(content(first), content(merge_into_first(world, folder, "again", sources))) == "");
        check_sound(first);
        // Nothing is new the second time.
        const db::Connection target = db::open_database(plain);
        for (const auto& source : sources) db::merge_database(target, source);
        CHECK(difference(content(plain), expected) == "");
      }
    });
  }
}
