// How long does `best` take on a large database? Makes one, then opens it afresh and asks, again and again,
// and asks the same without an index, in the same run.
//   bench_best [TRIALS]       default 1,000,000; the database lies in the folder for temporary files
//   meanwhile
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <vector>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/result_store.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"

namespace {

using namespace tuner::model;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t sizes[] = {512, 640, 1024, 1536, 2048, 3072, 4096, 8192};
constexpr const char* kernels[] = {"naive", "shared", "register_tile", "register_tile_2d"};
constexpr const char* drivers[] = {"575.57.08", "580.159.04"};

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

Problem cube(std::int64_t size) {
  return {"matmul", {{"M", size}, {"N", size}, {"K", size}}, ElementType::float32, 0};
}

TrialRecord seed_trial(const char* driver, std::int64_t size, const char* kernel) {
  TrialRecord trial;
  trial.key = DigestBuilder().add(driver).add(size).add(kernel).finish();
  trial.kernel = kernel;
  trial.configuration =
      Configuration({{"BLOCK_SIZE", Value(32)}, {"ELEMENTS_PER_THREAD", Value(8)}, {"SEED", Value(0)}});
  trial.problem = cube(size);
  trial.environment = {"NVIDIA H200", driver,       "nvrtc 13.0", ElementType::float32,
                       "warm",        "standard-1", "spec"};
  trial.is_default = true;
  trial.binary_key = DigestBuilder().add(kernel).finish();
  trial.resources = KernelResources{kernel, kernel, 96, 0, 0, 0, 8192, 360, 256};
  trial.occupancy = Occupancy{3, 24, 0.375, {"registers"}};
  trial.outcome.measurement =
      Measurement{std::vector<double>(20, 2e6), 1, 2e6, 1.98e6, 2.02e6, 1.97e6, 1980, 0, 61, 512, false};
  trial.metrics = {{"GFLOP/s", 12345.6}};
  return trial;
}

/// A trial of each kernel, size and class through the store, then copies of them with other configurations
/// and times, a tenth of them failed, in bulk.
void make_database(const std::filesystem::path& path, std::int64_t trials) {
  std::int64_t seeds = 0;
  db::ResultStore store(path);
  for (const char* driver : drivers) {
    for (const std::int64_t size : sizes) {
      for (const char* kernel : kernels) {
        store.record(seed_trial(driver, size, kernel));
        ++seeds;
      }
    }
  }
  const db::Connection& db = store.connection();
  db.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN IMMEDIATE");
  db.execute("CREATE TEMP TABLE seeds AS SELECT row_number() OVER () - 1 AS n, * FROM main.trials");
  // Sorted, so that the rows keyed by these ids are appended, not scattered.
  db.execute(
      fmt::format("CREATE TEMP TABLE copies AS WITH RECURSIVE i(n) AS "
                  "(SELECT {0} UNION ALL SELECT n + 1 FROM i WHERE n + 1 < {1}) "
                  "SELECT n, randomblob(16) AS id, 1e5 + abs(random() % 1000000) AS ns FROM i ORDER BY id",
                  seeds, trials));
  db.execute(
      "INSERT INTO configurations SELECT id, "
      "'{\"BLOCK_SIZE\":32,\"ELEMENTS_PER_THREAD\":8,\"SEED\":' || n || '}' FROM copies ORDER BY id");
  db.execute(
      "INSERT INTO measurements (id, trial, measured_at, status, metrics, samples_ns, launches_per_sample, "
      "median_ns, low_ns, high_ns, min_ns, sm_clock_mhz, throttled_samples, temperature_c, power_w, "
      "includes_launch_latency, sequence) "
      "SELECT c.id, c.id, m.measured_at, m.status, m.metrics, m.samples_ns, 1, c.ns, c.ns * 0.995, "
      "c.ns * 1.005, c.ns * 0.99, 1980, 0, 61, 512, 0, c.n FROM copies AS c "
      "CROSS JOIN measurements AS m ON m.rowid = (SELECT min(rowid) FROM measurements)");
  // As the seed that each is of, but for these.
  const std::map<std::string, std::string> changed = {{"id", "c.id"},
                                                      {"configuration", "c.id"},
                                                      {"is_default", "0"},
                                                      {"superseded", "0"},
                                                      {"status", "iif(c.n % 10 = 0, 'wrong_result', 'ok')"},
                                                      {"median_ns", "c.ns"},
                                                      {"low_ns", "c.ns * 0.995"},
                                                      {"high_ns", "c.ns * 1.005"},
                                                      {"measurement", "c.id"},
                                                      {"sequence", "c.n"}};
  std::string names;
  std::string values;
  for (const std::string& name : db::trial_row_names()) {
    const auto value = changed.find(name);
    names += (names.empty() ? "" : ", ") + name;
    values += (values.empty() ? "" : ", ") + (value == changed.end() ? "s." + name : value->second);
  }
  db.execute(fmt::format(
      "INSERT INTO trials ({}) SELECT {} FROM copies AS c CROSS JOIN seeds AS s ON s.n = c.n % {}", names,
      values, seeds));
  db.execute("COMMIT");
}

/// A final between the best of every case, all tied.
void hold_finals(const std::filesystem::path& path) {
  db::ResultStore store(path);
  for (const db::Case& tuning_case : db::cases(store.connection())) {
    const auto field = store.possible_final(tuning_case.problem, tuning_case.environment, 1.1, 10);
    const std::vector<TrialRecord>& finalists = field.finalists;
    FinalRecord final;
    final.coverage = field.coverage;
    final.problem = tuning_case.problem;
    final.environment = tuning_case.environment;
    for (const TrialRecord& trial : finalists) final.entries.push_back({trial.key, 1, 1, 1, true});
    final.chosen = final.entries.at(0).trial;
    store.record_final(final, finalists);
  }
}

struct Spread {
  double first, median, worst;  ///< by the clock on the wall
  double cpu;                   ///< of the processor, on average: what other programs do does not count
};

Spread times(int repetitions, const std::function<void()>& work) {
  std::vector<double> all;
  const std::clock_t start = std::clock();
  for (int i = 0; i < repetitions; ++i) all.push_back(milliseconds(work));
  const double cpu = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / repetitions;
  const double first = all.front();
  std::sort(all.begin(), all.end());
  return {first, all[all.size() / 2], all.back(), cpu};
}

void print(const char* what, const Spread& spread) {
  fmt::print("{:<44} {:9.3f} {:9.3f} {:9.3f} {:9.3f} ms\n", what, spread.first, spread.median, spread.worst,
             spread.cpu);
}

void ask_best(const std::filesystem::path& path, std::int64_t size) {
  db::BestQuery query;
  query.sizes = {size};
  const auto answers = db::best(db::open_for_reading(path), query);
  if (answers.empty()) throw Error("the benchmark's own database has no best");
}

/// What a search of a size that was never measured learns from, in a class that is here: four problems of it,
/// and the nearest of the other class.
void ask_elsewhere(const std::filesystem::path& path) {
  db::ResultStore store(path);
  ElsewhereQuery query;
  query.tuning_case = {cube(1792), seed_trial(drivers[1], 1024, kernels[0]).environment};
  query.kernels = {std::begin(kernels), std::end(kernels)};
  if (store.elsewhere(query).size() != 5) throw Error("five cases were expected elsewhere");
}

/// The winner alone, by looking at every trial.
void ask_by_scan(const std::filesystem::path& path) {
  const db::Connection db = db::open_for_reading(path);
  db::Statement scan(db,
                     "SELECT id FROM trials NOT INDEXED WHERE tuning_case = ? AND competes = 1 "
                     "ORDER BY median_ns LIMIT 1");
  auto row = scan.use();
  row.bind(db::case_id(cube(1024), seed_trial(drivers[1], 1024, kernels[0]).environment));
  if (!row.step()) throw Error("the scan found nothing");
}

void run(std::int64_t trials) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("tuner-bench-best-{}", getpid());
  const auto path = folder / "tuner.db";
  const double made = milliseconds([&] { make_database(path, trials); });
  fmt::print("{} trials, {} cases, {} MB, made in {:.1f} s\n\n", trials,
             std::size(sizes) * std::size(drivers), std::filesystem::file_size(path) / 1'000'000,
             made / 1000);
  fmt::print("{:<44} {:>9} {:>9} {:>9} {:>9}\n", "each with a connection of its own", "first", "median",
             "worst", "processor");
  const Spread exact = times(50, [&] { ask_best(path, 1024); });
  print("best, measured size (2 environments, with ties)", exact);
  print("best, nearest size", times(50, [&] { ask_best(path, 1111); }));
  hold_finals(path);
  print("best, measured size, after finals", times(50, [&] { ask_best(path, 1024); }));
  const Spread elsewhere = times(20, [&] { ask_elsewhere(path); });
  print("what is known elsewhere (5 cases)", elsewhere);
  const Spread scan = times(5, [&] { ask_by_scan(path); });
  print("the winner of one class by a scan", scan);
  fmt::print("\nscan / best: {:.0f}\n", scan.cpu / exact.cpu);
  constexpr double most_ms = 100;  // once a size, whose search takes seconds at least
  fmt::print("elsewhere / limit of {:.0f} ms: {:.2f}\n", most_ms, elsewhere.cpu / most_ms);
  std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::atoll(argv[1]) : 1'000'000);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_best: {}\n", error.what());
    return 1;
  }
  return 0;
}
