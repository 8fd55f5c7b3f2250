#pragma once
#include <cstdint>
#include <string>

#include "db/json.hpp"
#include "tuner/cli/sweep_display.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/util/files.hpp"

namespace tuner::cli {

/// What an event says of a trial that is not over.
template <class Archive, class Trial>
void describe_step(Archive& archive, Trial& trial) {
  archive("trial", trial.key);
  archive("kernel", trial.kernel);
  archive("problem", trial.problem);
  archive("configuration", trial.configuration);
  archive("gpu", trial.gpu);
}

/// `tuner run --events FILE`: what a sweep does, a line of JSON an event, for programs that follow it. Passes
/// everything on to another observer. docs/sweeps.md lists the events.
class EventLog final : public sweep::Observer {
 public:
  /// `path` may be a pipe, or `-`: standard output. A file is begun anew unless `goes_on`. `next` must
  /// outlive this. Throws model::UsageError where it cannot be written.
  EventLog(const std::string& path, sweep::Observer& next, bool goes_on);

  /// Which sizes are to be searched, on which devices, and what is known of them.
  void expect(const Expected& expected);
  void planned(std::int64_t total, std::int64_t known, bool may_end_early) override;
  void more(std::int64_t trials) override;
  void compiling(const model::TrialRecord& trial) override;
  void compiled(const model::TrialRecord& trial) override;
  void launching(const model::TrialRecord& trial) override;
  void finished(const model::TrialRecord& trial) override;
  void left_out(const model::TrialRecord& trial) override;
  void final_begins(const model::Problem& problem, std::size_t finalists) override;
  void search_ended(const model::SearchRecord& search) override;
  void search_pauses(const model::Problem& problem) override;
  void notice(const std::string& text) override;
  /// The last event.
  void ended(const sweep::Summary& summary, int exit_code);

 private:
  /// One line at once. Where that fails it says so, and nothing more is written: the sweep goes on.
  void write(const char* event, db::Json fields);
  void write_step(const char* event, const model::TrialRecord& trial);

  std::string m_path;
  sweep::Observer& m_next;
  util::FileDescriptor m_own;  ///< closed at the end; empty for standard output
  int m_file;
};

}  // namespace tuner::cli
