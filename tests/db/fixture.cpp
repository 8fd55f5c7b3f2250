#include "tests/db/fixture.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <memory>
#include <sstream>

#include "db/database.hpp"

namespace db_test {

using namespace tuner::model;  // NOLINT(google-build-using-namespace)

TempFolder::TempFolder(const std::filesystem::path& parent) {
  tuner::util::remove_abandoned_folders(parent);
  std::string pattern = (parent / "tuner-held-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  m_path = pattern;
  m_lock = tuner::util::FileDescriptor(open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(flock(m_lock.get(), LOCK_EX | LOCK_NB) == 0);
  std::filesystem::permissions(m_path, std::filesystem::perms::all);
}

TempFolder::~TempFolder() {
  std::error_code error;
  std::filesystem::remove_all(m_path, error);
}

std::filesystem::path memory_folder() {
  const std::filesystem::path memory = "/dev/shm";
  return access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

namespace {

int first_text(void* result, int columns, char** values, char**) {
  if (columns > 0 && values[0] != nullptr) *static_cast<std::string*>(result) = values[0];
  return 1;  // one row is enough
}

int ignore_row(void*, int, char**, char**) {
  return 0;
}

void execute(const std::filesystem::path& database, const std::string& sql,
             int (*callback)(void*, int, char**, char**), void* result) {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open(database.c_str(), &raw);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> handle(raw, sqlite3_close);
  REQUIRE(opened == SQLITE_OK);
  sqlite3_busy_timeout(raw, 10'000);
  const int code = sqlite3_exec(raw, sql.c_str(), callback, result, nullptr);
  INFO(sql << ": " << sqlite3_errmsg(raw));
  REQUIRE((code == SQLITE_OK || code == SQLITE_ABORT));
}

}  // namespace

std::string ask(const std::filesystem::path& database, const std::string& sql) {
  std::string result;
  execute(database, sql, first_text, &result);
  return result;
}

void meddle(const std::filesystem::path& database, const std::string& sql) {
  execute(database, sql, ignore_row, nullptr);
}

Digest key(const std::string& name) {
  return DigestBuilder().add(name).finish();
}

Environment sample_environment(const std::string& device) {
  return {device, "580.159.04", "nvrtc 13.0", ElementType::float32, "warm", "standard-1", "spec"};
}

RunRecord sample_run(const std::string& name) {
  RunRecord run;
  run.id = key(name);
  run.command_line = "tuner run --sizes 512..4096 # " + name;
  run.started_at = "2025-01-02T03:04:05.678Z";
  run.state = "running";
  run.host = "bench";
  run.version = "0.1.0";
  run.strategy = "genetic:population=20";
  run.seed = 0xFEDCBA9876543210U;
  run.device.id = "cuda:1";
  run.device.kind = "cuda";
  run.device.name = "NVIDIA H200";
  run.device.uuid = "GPU-1234";
  run.device.architecture = "sm_90";
  run.device.compute_major = 9;
  run.device.driver = "580.159.04";
  run.device.memory_bytes = 150'000'000'000;
  run.device.limits.multiprocessors = 132;
  run.device.limits.shared_bytes_per_block_optin = 232448;
  run.toolkit = "nvrtc 13.0";
  return run;
}

Problem cube(std::int64_t size) {
  return {"matmul", {{"M", size}, {"N", size}, {"K", size}}, ElementType::float32, 0};
}

TrialRecord full_trial(const std::string& name) {
  TrialRecord trial;
  trial.key = key(name);
  trial.kernel = "register_tile";
  trial.configuration =
      Configuration({{"TILE", Value(32)}, {"PARTITION", Value(std::string("row"))}, {"AHEAD", Value(-1)}});
  trial.macros = Configuration(
      {{"AHEAD", Value(std::string("-1"))}, {"ROWS", Value(std::string("unsigned long \"8\""))}});
  trial.problem = {"matmul", {{"M", 512}, {"N", 1024}, {"K", 256}}, ElementType::float32, 32};
  trial.environment = sample_environment();
  trial.is_default = true;
  trial.origin = "1024 float";
  trial.gpu = "GPU-1";
  trial.definition = key("definition");
  trial.binary_key = key(name + " binary");
  trial.probe_key = key(name + " probes");
  trial.grid = {8, 16, 2};
  trial.block = {32, 4, 1};
  trial.dynamic_shared_bytes = 65536;
  trial.resources =
      KernelResources{"register_tile<32>", "_Z13register_tileILi32EE", 96, 8, 12, 16, 4096, 360, 256};
  trial.occupancy = Occupancy{3, 24, 0.375, {"registers", "shared memory"}};
  trial.compile_ms = 155.25;
  trial.compile_log = "ptxas info: 96 registers\n\"quoted\" and \\ and ümlaut\n";
  trial.outcome.verification = {true, 0.125, 3.5, 0, -1, "C", "equal"};
  trial.outcome.measurement = Measurement{
      {101.5, 100.25, 99.875, 1.0 / 3.0}, 7, 100.25, 99.5, 101.25, 99.875, 1980.5, 2, 61, 512.5, true};
  trial.outcome.driver_blocks_per_multiprocessor = 3;
  trial.outcome.output_bits = OutputBits{key("inputs"), key("outputs")};
  trial.outcome.energy = Energy{0.25, 0.125, 0.5, 100.5, 75.5, 1755, 5, 0};
  trial.workload = {2.0 * 512 * 1024 * 256, 3670016};
  trial.metrics = {{"GFLOP/s", 12345.678901234567}, {"share", std::numeric_limits<double>::infinity()}};
  trial.run = key("run");
  return trial;
}

TrialRecord timed_trial(const std::string& name, std::int64_t size, double median_ns, double half_width_ns) {
  TrialRecord trial = full_trial(name);
  trial.problem = cube(size);
  trial.is_default = false;
  trial.outcome.measurement->median_ns = median_ns;
  trial.outcome.measurement->low_ns = median_ns - half_width_ns;
  trial.outcome.measurement->high_ns = median_ns + half_width_ns;
  trial.configuration = Configuration({{"NAME", Value(name)}});
  return trial;
}

TrialRecord failed_trial(const std::string& name, std::int64_t size, TrialStatus status) {
  TrialRecord trial = timed_trial(name, size, 1);
  trial.outcome = {};
  trial.outcome.status = status;
  trial.outcome.detail = "what went wrong with " + name;
  trial.metrics.clear();
  return trial;
}

FinalRecord sample_final() {
  FinalRecord final;
  final.problem = cube(512);
  final.environment = sample_environment();
  final.entries = {
      {key("a"), 1, 1, 1, true}, {key("b"), 1.002, 0.999, 1.006, true}, {key("c"), 1.04, 1.03, 1.05, false}};
  final.chosen = key("b");
  final.rounds = 60;
  final.throttled_rounds = 3;
  final.run = key("run");
  return final;
}

std::vector<TrialRecord> measured_again() {
  return {timed_trial("a", 512, 101, 0.5), timed_trial("b", 512, 101.2, 0.5),
          timed_trial("c", 512, 105, 0.5)};
}

void race_and_hold_final(db::ResultStore& store) {
  store.begin_run(sample_run());
  store.record(timed_trial("a", 512, 100, 1));
  store.record(timed_trial("b", 512, 104, 1));
  store.record(timed_trial("c", 512, 102, 1));
  store.record(timed_trial("d", 512, 140, 1));
  store.record_final(sample_final(), measured_again());
}

std::string exported(const std::filesystem::path& path, const db::TrialFilter& filter) {
  std::ostringstream out;
  db::export_database(db::open_for_reading(path), filter, out);
  return out.str();
}

SearchRecord sample_search() {
  SearchRecord search;
  search.problem = cube(512);
  search.environment = sample_environment();
  search.run = key("run");
  search.strategy = "learn";
  search.ending = SearchEnding::until;
  search.parts = {{"register_tile", key("spec"), 100}};
  search.tried = 2;
  search.failed = 1;
  search.outlook = Outlook{0.004, 0, 0.011, "model", 160, 0.04, 0.2, 0.01};
  search.ended_at = "2026-01-02T03:04:05.000000Z";
  return search;
}

Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error was thrown");
  return Error("");
}

int in_child(const std::function<int()>& action) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int status = 99;
    try {
      status = action();
    } catch (...) {
    }
    _exit(status);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void make_before(const std::filesystem::path& path, const std::filesystem::path& today, int version) {
  const auto has = [](const std::string& line, const char* part) {
    return line.find(part) != std::string::npos;
  };
  const auto came_later = [&](const std::string& line) {
    return (version < 12 && (has(line, "  clock_mhz REAL,  -- that") || has(line, "  energy_"))) ||
           (version < 11 && has(line, "  execution TEXT")) || (version < 10 && has(line, "output_bits_"));
  };
  std::istringstream create(db::shipped_schema().create);
  std::string statements;
  for (std::string line; std::getline(create, line);)
    if (!came_later(line)) statements += line + '\n';
  const bool has_counters = version >= 11;
  meddle(path, fmt::format("{}{}PRAGMA user_version = {}; PRAGMA application_id = 1953853029;", statements,
                           has_counters ? "" : "DROP TABLE counters; ", version));
  std::istringstream tables(
      ask(today, fmt::format("SELECT group_concat(name, ' ') FROM sqlite_schema WHERE type = 'table' "
                             "AND name NOT IN ('tallies'{})",
                             has_counters ? "" : ", 'counters'")));
  for (std::string table; tables >> table;) {
    const std::string columns =
        ask(path, fmt::format("SELECT group_concat(name, ', ') FROM pragma_table_info('{}')", table));
    meddle(path, fmt::format("ATTACH '{0}' AS today; INSERT INTO main.{1} ({2}) SELECT {2} FROM today.{1}",
                             today.string(), table, columns));
  }
}

}  // namespace db_test
