// How fast are databases merged, and does that take more memory the more there are? Makes shards of one
// sweep, merges them, and has SQLite copy the same rows by itself (INSERT … SELECT from the attached file,
// into the same tables with the same indexes and triggers), which trusts every row: the peer. Once more with
// the indexes made at the end, as a merge does: the limit.
//   bench_merge [SHARDS [TRIALS [FOLDER]]]       default 10 of 20,000 each; in full: 100 100000, which needs
//   15 GB
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "db/transfer.hpp"
#include "tuner/model/error.hpp"

namespace {

using namespace tuner::model;  // NOLINT(google-build-using-namespace)
namespace fs = std::filesystem;

constexpr double least_rows_a_second = 200'000;
/// Two caches of SQLite's, which fill up, and little else.
constexpr double most_memory_mib = 400;
constexpr std::int64_t problems = 20;
/// What each trial brings along.
constexpr const char* tables[] = {"configurations", "binaries", "binary_kernels", "measurements", "trials"};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib / 1024;
  }
  throw Error("/proc/self/status does not say VmHWM");
}

RunRecord run_of(int shard) {
  RunRecord run;
  run.id = DigestBuilder().add("run").add(shard).finish();
  run.command_line = fmt::format("tuner run --sizes 512..4096:256 --shard {}", shard);
  run.host = fmt::format("node{}", shard);
  run.device.kind = "cuda";
  run.device.name = "NVIDIA H200";
  return run;
}

TrialRecord seed_trial(const Digest& run, std::int64_t problem) {
  TrialRecord trial;
  trial.run = run;
  trial.key = DigestBuilder().add(run).add(problem).finish();
  trial.kernel = "register_tile";
  trial.configuration = Configuration({{"BLOCK_SIZE", Value(32)}, {"SEED", Value(-1)}, {"TILE", Value(8)}});
  const std::int64_t size = 256 * (problem + 1);
  trial.problem = {"matmul", {{"M", size}, {"N", size}, {"K", size}}, ElementType::float32, 0};
  trial.environment = {"NVIDIA H200", "580.159.04", "nvrtc 13.0", ElementType::float32,
                       "warm",        "standard-1", "spec"};
  trial.definition = DigestBuilder().add("definition").finish();
  trial.binary_key = DigestBuilder().add(trial.key).add("binary").finish();
  trial.probe_key = DigestBuilder().add(trial.key).add("probes").finish();
  trial.resources = KernelResources{"register_tile", "_Z13register_tile", 96, 0, 0, 0, 8192, 360, 256};
  trial.occupancy = Occupancy{3, 24, 0.375, {"registers"}};
  trial.compile_ms = 155;
  trial.outcome.verification = {true, 0.125, 3.5, 0, -1, "C", "rounding bound of 1024 terms"};
  Measurement measurement{{}, 1, 2e6, 1.98e6, 2.02e6, 1.97e6, 1980, 0, 61, 512, false};
  for (int i = 0; i < 12; ++i) measurement.samples_ns.push_back(2e6 + 1e3 * i * i);
  trial.outcome.measurement = measurement;
  trial.workload = {1e9, 1e8};
  trial.metrics = {{"GFLOP/s", 12345.6}};
  trial.origin = "random";
  return trial;
}

/// Of `table`, a row for each of `copies`: as the one of the seed it is of, `on`, but for the columns that
/// `changed` names.
void copy_rows(const db::Connection& db, const std::string& table, const std::string& on,
               const std::map<std::string, std::string>& changed, std::int64_t trials) {
  std::string columns;
  std::string values;
  db::Statement list(db, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
  auto row = list.use();
  while (row.step()) {
    const std::string name = row.text();
    const auto value = changed.find(name);
    columns += (columns.empty() ? "" : ", ") + name;
    values += (values.empty() ? "" : ", ") + (value == changed.end() ? "o." + name : value->second);
  }
  db.execute(fmt::format(
      "INSERT INTO {0} ({1}) SELECT {2} FROM copies AS c CROSS JOIN seeds AS s ON s.n = c.n * {3} / {5} "
      "CROSS JOIN main.{0} AS o ON {4}",
      table, columns, values, problems, on, trials));
}

/// What the copies have of their own, with the ids that content has.
void fill_copies(const db::Connection& db, int shard, std::int64_t trials) {
  std::vector<db::StoredMeasurement> seeds;
  db::Statement list(db, "SELECT id FROM seeds ORDER BY n");
  auto row = list.use();
  while (row.step()) seeds.push_back(db::measurements(db, row.digest()).front());
  db::Statement insert(db, "INSERT INTO copies VALUES (?, ?, ?, ?, ?, ?)");
  for (std::int64_t n = problems; n < trials; ++n) {
    const Configuration configuration(
        {{"BLOCK_SIZE", Value(32)}, {"SEED", Value(n + trials * shard)}, {"TILE", Value(8)}});
    const Digest id = Digest::random();
    db::StoredMeasurement& measurement = seeds[static_cast<std::size_t>(n * problems / trials)];
    measurement.measurement.median_ns = 1e6 + static_cast<double>(n * 7919 % 1'000'003);
    insert.use()
        .bind(n)
        .bind(id)
        .bind(db::configuration_id(configuration.canonical_json()))
        .bind(configuration.canonical_json())
        .bind(measurement.key(id))
        .bind(measurement.measurement.median_ns)
        .run();
  }
}

/// A trial of each problem through the store, then copies of them with configurations, binaries and times of
/// their own.
void make_shard(const fs::path& path, int shard, std::int64_t trials) {
  db::ResultStore store(path);
  const RunRecord run = run_of(shard);
  store.begin_run(run);
  for (std::int64_t i = 0; i < problems; ++i) store.record(seed_trial(run.id, i));
  const db::Connection& db = store.connection();
  db.execute(
      "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -200000; BEGIN IMMEDIATE");
  db.execute(
      "CREATE TEMP TABLE seeds AS SELECT row_number() OVER () - 1 AS n, id, binary, measurement FROM trials");
  db.execute(
      "CREATE TEMP TABLE copies (n INTEGER PRIMARY KEY, id BLOB, configuration BLOB, json TEXT, "
      "measurement BLOB, ns REAL)");
  fill_copies(db, shard, trials);
  db.execute("INSERT INTO configurations SELECT configuration, json FROM copies");
  copy_rows(db, "binaries", "o.id = s.binary", {{"id", "c.id"}}, trials);
  copy_rows(db, "binary_kernels", "o.binary = s.binary", {{"binary", "c.id"}}, trials);
  const std::map<std::string, std::string> times = {{"median_ns", "c.ns"},
                                                    {"low_ns", "c.ns * 0.995"},
                                                    {"high_ns", "c.ns * 1.005"},
                                                    {"sequence", "o.sequence + c.n"}};
  std::map<std::string, std::string> trial = times;
  for (const char* name : {"id", "binary", "probe"}) trial[name] = "c.id";
  for (const char* name : {"configuration", "measurement"}) trial[name] = std::string("c.") + name;
  std::map<std::string, std::string> measurement = times;
  measurement["id"] = "c.measurement";
  measurement["trial"] = "c.id";
  copy_rows(db, "measurements", "o.id = s.measurement", measurement, trials);
  copy_rows(db, "trials", "o.id = s.id", trial, trials);
  db.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
}

std::int64_t count_rows(const db::Connection& db) {
  std::int64_t rows = 0;
  for (const char* table : tables) rows += db.integer(fmt::format("SELECT count(*) FROM {}", table));
  return rows;
}

/// What SQLite does by itself.
void copy_tables(const db::Connection& db, const fs::path& shard) {
  db.set_cache(std::int64_t{256} << 20);
  db.execute(fmt::format("ATTACH '{}' AS shard", shard.string()));
  db.execute("BEGIN IMMEDIATE");
  for (const char* table : {"devices", "environments", "problems", "cases", "kernels", "runs",
                            "configurations", "binaries", "binary_kernels", "measurements", "trials"}) {
    std::string columns;
    db::Statement list(db, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    auto row = list.use();
    while (row.step()) columns += (columns.empty() ? "" : ", ") + row.text();
    db.execute(fmt::format("INSERT OR IGNORE INTO main.{0} ({1}) SELECT {1} FROM shard.{0}", table, columns));
  }
  db.execute("COMMIT; DETACH shard");
}

struct Merged {
  double seconds = 0;
  double processor_seconds = 0;  ///< what other programs do does not count
  std::int64_t rows = 0;
  double rows_a_second() const { return static_cast<double>(rows) / seconds; }
  double rows_a_processor_second() const { return static_cast<double>(rows) / processor_seconds; }
};

/// Says of some shards how long they took, and what memory is taken by then.
class Progress {
 public:
  explicit Progress(std::size_t shards) : m_shards(shards) {}
  void merged_one() {
    const double now = seconds_now();
    ++m_merged;
    if (m_merged == 1 || m_merged == m_shards || m_merged % std::max<std::size_t>(m_shards / 5, 1) == 0) {
      fmt::print("  {:4} shards: {:7.1f} s, the last in {:6.2f} s, peak memory {:6.0f} MiB\n", m_merged,
                 now - m_begun, now - m_before, peak_mib());
      std::fflush(stdout);
    }
    m_before = now;
  }

 private:
  std::size_t m_shards;
  std::size_t m_merged = 0;
  double m_begun = seconds_now();
  double m_before = m_begun;
};

/// All shards into a new database.
template <class Merge>
Merged merge_all(const fs::path& target, const Merge& merge) {
  const db::Connection db = db::open_database(target);
  Merged merged;
  const double before = seconds_now();
  const std::clock_t processor_before = std::clock();
  merge(db);
  merged.processor_seconds = static_cast<double>(std::clock() - processor_before) / CLOCKS_PER_SEC;
  merged.seconds = seconds_now() - before;
  fmt::print("  all of it:   {:7.1f} s, {:.1f} s of the processor, peak memory {:6.0f} MiB\n", merged.seconds,
             merged.processor_seconds, peak_mib());
  std::fflush(stdout);
  merged.rows = count_rows(db);
  return merged;
}

void run(int shards, std::int64_t trials, const fs::path& parent) {
  const fs::path folder = parent / fmt::format("tuner-bench-merge-{}", getpid());
  fs::create_directories(folder);
  std::vector<fs::path> paths;
  for (int i = 0; i < shards; ++i) {
    paths.push_back(folder / fmt::format("shard-{}.db", i));
    // In a process of its own, whose memory is not what is asked about.
    const pid_t child = fork();
    if (child == 0) {
      make_shard(paths.back(), i, trials);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw Error("a shard could not be made");
  }
  fmt::print("{} shards of {} trials, {:.1f} MB each; a trial is a row in each of {} tables\nmerged:\n",
             shards, trials, static_cast<double>(fs::file_size(paths.front())) / 1e6, std::size(tables));
  const auto merge = [&](const db::Connection& db) {
    Progress progress(paths.size());
    db::MergeOptions options;
    options.progress = [&](const fs::path&, const db::Added&) { progress.merged_one(); };
    db::merge_databases(db, paths, options);
  };
  const Merged ours = merge_all(folder / "merged.db", merge);
  fmt::print("merged again:\n");
  const Merged again = merge_all(folder / "merged.db", merge);
  const double last_peak = peak_mib();
  const double bytes = static_cast<double>(fs::file_size(folder / "merged.db"));
  fs::remove(folder / "merged.db");
  const auto copy_all = [&](const db::Connection& db) {
    Progress progress(paths.size());
    for (const fs::path& path : paths) {
      copy_tables(db, path);
      progress.merged_one();
    }
  };
  fmt::print("copied by SQLite:\n");
  const Merged peer = merge_all(folder / "copied.db", copy_all);
  fs::remove(folder / "copied.db");
  fmt::print("copied by SQLite, the indexes made at the end:\n");
  const Merged limit = merge_all(folder / "sorted.db", [&](const db::Connection& db) {
    // Which look for what waits for them in an index that is not there.
    const db::Setting unenforced = db::unenforced_keys(db);
    const db::Setting sorting = db::sorting_in_files(db);
    const db::DeferredIndexes deferred(db);
    copy_all(db);
    deferred.make();
  });
  for (const Merged& copied : {peer, limit}) {
    if (ours.rows != copied.rows)
      throw Error(fmt::format("{} rows were merged, {} copied", ours.rows, copied.rows));
  }
  const double all_trials = static_cast<double>(shards) * static_cast<double>(trials);
  fmt::print("\n{:<32} {:>12} {:>12} {:>16}\n", "rows of all tables a second", "merged", "by SQLite",
             "indexes at end");
  fmt::print("{:<32} {:12.0f} {:12.0f} {:16.0f}\n", "  by the clock on the wall", ours.rows_a_second(),
             peer.rows_a_second(), limit.rows_a_second());
  fmt::print("{:<32} {:12.0f} {:12.0f} {:16.0f}\n", "  by the processor's", ours.rows_a_processor_second(),
             peer.rows_a_processor_second(), limit.rows_a_processor_second());
  fmt::print("trials a second of the processor: {:.0f}; {:.0f} bytes a trial\n",
             all_trials / ours.processor_seconds, bytes / all_trials);
  fmt::print("merging / copying by SQLite: {:.2f} of its speed\n",
             ours.rows_a_processor_second() / peer.rows_a_processor_second());
  fmt::print("merging / copying by SQLite, the indexes made at the end: {:.2f} of its speed\n",
             ours.rows_a_processor_second() / limit.rows_a_processor_second());
  fmt::print("merging what is known / merging it first: {:.2f} of the time\n",
             again.processor_seconds / ours.processor_seconds);
  fmt::print("rows a second / bar of {:.0f}: {:.2f}\n", least_rows_a_second,
             ours.rows_a_processor_second() / least_rows_a_second);
  fmt::print("peak memory / limit of {:.0f} MiB: {:.2f}\n", most_memory_mib, last_peak / most_memory_mib);
  fs::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::atoi(argv[1]) : 10, argc > 2 ? std::atoll(argv[2]) : 20'000,
        argc > 3 ? fs::path(argv[3]) : fs::temp_directory_path());
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_merge: {}\n", error.what());
    return 1;
  }
  return 0;
}
