#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/util/files.hpp"

namespace db_test {

/// A folder of its own for each test, removed at its end.
class TempFolder {
 public:
  TempFolder() : TempFolder(std::filesystem::temp_directory_path()) {}
  explicit TempFolder(const std::filesystem::path& parent);
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();
  const std::filesystem::path& path() const { return m_path; }
  std::filesystem::path operator/(const std::string& name) const { return m_path / name; }

 private:
  std::filesystem::path m_path;
  tuner::util::FileDescriptor m_lock;  ///< by which a later test knows that this one lives
};

/// Where files live in memory, for tests of which the disk's own syncing would take most of the time.
std::filesystem::path memory_folder();

/// What an independent SQLite connection sees: the first column of the first row, as text.
std::string ask(const std::filesystem::path& database, const std::string& sql);
/// Changes a database from outside the program.
void meddle(const std::filesystem::path& database, const std::string& sql);

tuner::model::Digest key(const std::string& name);
tuner::model::Environment sample_environment(const std::string& device = "NVIDIA H200");
tuner::model::RunRecord sample_run(const std::string& name = "run");
tuner::model::Problem cube(std::int64_t size);
/// An ok trial with every field set to something of its own; different names give different trials.
tuner::model::TrialRecord full_trial(const std::string& name = "trial");
/// A trial that differs from others in what queries look at.
tuner::model::TrialRecord timed_trial(const std::string& name, std::int64_t size, double median_ns,
                                      double half_width_ns = 1);
tuner::model::TrialRecord failed_trial(const std::string& name, std::int64_t size,
                                       tuner::model::TrialStatus status);
/// Of cube(512): 2 of 100 configurations of register_tile, with an outlook.
tuner::model::SearchRecord sample_search();
/// A final at 512 between timed_trial()s: a the fastest, b tied with it and chosen, c slower.
tuner::model::FinalRecord sample_final();
/// Its finalists, measured again.
std::vector<tuner::model::TrialRecord> measured_again();
/// a, b and c, and d, which is no finalist, as they raced; then the final.
void race_and_hold_final(db::ResultStore& store);
/// The database at `path` as an export.
std::string exported(const std::filesystem::path& path, const db::TrialFilter& filter = {});

/// What the program of version 9 or 10 had of the rows of `today`.
void make_before(const std::filesystem::path& path, const std::filesystem::path& today, int version);

/// The error that `action` throws; fails the test where it throws none.
tuner::model::Error error_of(const std::function<void()>& action);
/// Runs `action` in a child process; returns its exit status, 99 where it throws.
int in_child(const std::function<int()>& action);

}  // namespace db_test
