#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/result_store.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// Lines put aside while a database cannot be written: a file beside the database or, where that folder takes
/// none or its disk is full, in the folder for temporary files. Made with the first line; each line is on the
/// disk on return.
class SpillFile {
 public:
  /// `database`: the path it stands in for; `why`: part of its name.
  SpillFile(const std::filesystem::path& database, const std::string& why);

  /// Lines that begin the file.
  void set_preamble(std::string lines) { m_preamble = std::move(lines); }
  /// Whether the line was kept. Where the disk refuses it, all lines move to the next folder.
  bool append(const std::string& line);
  /// Empty before the first line, and where no folder took one.
  const std::filesystem::path& path() const { return m_path; }
  /// Deletes the file: its lines have reached the database.
  void discard();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  bool move_on();
  bool write(const std::string& text);

  std::vector<std::filesystem::path> m_folders;  ///< still to be tried, the next one last
  std::string m_name;
  std::string m_preamble;
  std::filesystem::path m_path;
  std::uintmax_t m_bytes = 0;  ///< of complete lines; a refused one may have left a part behind
  std::unique_ptr<std::FILE, CloseFile> m_file;
};

/// A sink over a ResultStore that outlives the store's failures: a full disk, a lock that is not released, a
/// deleted file. What could not be written is kept in memory and, as far as any folder takes it, in a file of
/// JSON Lines, and written as soon as the store works again. A row that the store refuses for what it says is
/// put aside in such a file, and the rows after it are written. Nothing is lost silently: `say` gets a
/// sentence when this begins and when it ends, and finish() tells what was left over and where it lies.
class PendingResults final : public tuner::model::ResultSink {
 public:
  using Say = std::function<void(const std::string& sentence)>;

  /// What finish() could not write.
  struct Leftover {
    std::size_t trials = 0;
    std::size_t finals = 0;
    std::filesystem::path file;          ///< `tuner import` takes it; empty: no folder took it either
    std::string reason;                  ///< of the last failure
    std::size_t refused = 0;             ///< rows that the store refused for what they say
    std::filesystem::path refused_file;  ///< empty: no folder took them
  };

  /// After a failure the store is tried again with the first call `retry_after` later: a locked database
  /// costs its whole busy timeout at each attempt.
  PendingResults(ResultStore& store, Say say,
                 std::chrono::milliseconds retry_after = std::chrono::milliseconds(10'000));

  /// Throws as the store does: a sweep that cannot even begin should not.
  void begin_run(const tuner::model::RunRecord& run) override;
  void end_run(const tuner::model::Digest& run, const std::string& state) override;
  void declare(const tuner::model::KernelDeclaration& kernel,
               const std::vector<tuner::model::Judgement>& judgements) override;
  void restate(const tuner::model::KernelDeclaration& kernel, const tuner::model::AskSpec& ask) override;
  void open_attempt(const tuner::model::TrialRecord& trial) override;
  void close_attempt(const tuner::model::TrialRecord& trial, tuner::model::TrialStatus how,
                     const std::string& detail) override;
  void record(const tuner::model::TrialRecord& trial) override;
  /// Where all of it cannot be written in one go, one by one.
  void turn_over(const std::vector<const tuner::model::TrialRecord*>& ended,
                 const std::vector<const tuner::model::TrialRecord*>& next) override;
  void record_verdict(const tuner::model::ProbeVerdict& verdict) override;
  void record_final(const tuner::model::FinalRecord& final,
                    const std::vector<tuner::model::TrialRecord>& finalists) override;
  void record_search(const tuner::model::SearchRecord& search) override;

  std::size_t pending() const { return m_pending.size(); }
  /// Tries a last time. Absent when everything is in the database.
  std::optional<Leftover> finish();

 private:
  enum class Kind { trial, final, other };
  /// What is to be written.
  struct Entry {
    Kind kind = Kind::other;
    std::function<void(bool late)> write;
    std::function<std::string()> lines;  ///< of an export; empty: nothing that an import could add
  };

  enum class Written { yes, not_now, refused };

  void put(Entry entry);
  Written write(const Entry& entry, bool late);
  void put_aside(const Entry& entry);
  void keep(Entry entry);
  bool retry();
  bool drain();
  void note_failure(const tuner::model::Error& error);

  ResultStore& m_store;
  Say m_say;
  std::chrono::milliseconds m_retry_after;
  std::chrono::steady_clock::time_point m_failed_at;
  std::string m_reason;
  std::deque<Entry> m_pending;
  SpillFile m_spill;
  SpillFile m_aside;  ///< for what the store refuses
  std::size_t m_refused = 0;
  bool m_kept = true;  ///< the spill file has every pending trial and final so far
};

}  // namespace db
