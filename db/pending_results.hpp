#pragma once
#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "db/result_store.hpp"
#include "db/spill_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// A sink over a ResultStore that outlives the store's failures: a full disk, a lock that is not released, a
/// deleted file. What could not be written is kept in memory and, as far as any folder takes it, in a file of
/// JSON Lines, and written as soon as the store works again. Nothing is lost silently: `say` gets a sentence
/// when this begins and when it ends, and finish() tells what was left over and where it lies.
class PendingResults final : public tuner::model::ResultSink {
 public:
  using Say = std::function<void(const std::string& sentence)>;

  /// What finish() could not write.
  struct Leftover {
    std::size_t trials = 0;
    std::size_t finals = 0;
    std::filesystem::path file;  ///< `tuner import` takes it; empty: no folder took it either
    std::string reason;          ///< of the last failure
  };

  /// After a failure the store is tried again with the first call `retry_after` later: a locked database
  /// costs its whole busy timeout at each attempt.
  PendingResults(ResultStore& store, Say say,
                 std::chrono::milliseconds retry_after = std::chrono::milliseconds(10'000));

  /// Throws as the store does: a sweep that cannot even begin should not.
  void begin_run(const tuner::model::RunRecord& run) override;
  void end_run(const tuner::model::Digest& run, const std::string& state) override;
  void use_source(const std::string& family, const std::string& kernel,
                  const tuner::model::Digest& source) override;
  void open_attempt(const tuner::model::TrialRecord& trial) override;
  void record(const tuner::model::TrialRecord& trial) override;
  void record_final(const tuner::model::FinalRecord& final,
                    const std::vector<tuner::model::TrialRecord>& contestants) override;
  void observed_death(const tuner::model::Digest& trial, tuner::model::TrialStatus how,
                      const std::string& detail) override;

  std::size_t pending() const { return m_pending.size(); }
  /// Tries a last time. Absent when everything is in the database.
  std::optional<Leftover> finish();

 private:
  struct Ending {
    tuner::model::Digest run;
    std::string state;
  };
  struct Source {
    std::string family;
    std::string kernel;
    tuner::model::Digest key;
  };
  struct Death {
    tuner::model::Digest trial;
    tuner::model::TrialStatus how;
    std::string detail;
  };
  struct Final {
    tuner::model::FinalRecord record;
    std::vector<tuner::model::TrialRecord> contestants;
  };
  using Entry = std::variant<tuner::model::TrialRecord, Final, Source, Death, Ending>;

  void put(Entry entry);
  bool write(const Entry& entry);
  bool spill(const Entry& entry);
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
  bool m_kept = true;  ///< the spill file has every pending trial and final so far
};

}  // namespace db
