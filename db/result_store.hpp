#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/results.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/util/files.hpp"

namespace db {

/// Tells everybody on this host that a run is under way, until the object goes or the process dies, however
/// it does: a lock on the run's own byte of a file in the folder for temporary files. It is no part of the
/// database, since copies and merged databases have the run too. Where the file cannot be had, nothing is
/// told.
class LivingRun {
 public:
  explicit LivingRun(const tuner::model::Digest& run);

 private:
  tuner::util::FileDescriptor m_file;
};

/// Whether the run is on record as under way on this host, and no process has it.
bool is_abandoned(const tuner::model::RunRecord& run);
bool is_abandoned(const tuner::model::Digest& run, const std::string& state, const std::string& host);

/// What a sweep remembers, in SQLite. Each call is one durable transaction; one caller at a time. Several
/// processes may write to one file.
///
/// Recording a trial that is known already adds a measurement and makes its figures the trial's current ones;
/// nothing measured before is lost. Every call throws model::Error where the row cannot be kept.
class ResultStore final : public tuner::model::ResultSink, public tuner::model::ResultSource {
 public:
  explicit ResultStore(const std::filesystem::path& path, const OpenOptions& options = {});
  /// `db`: of this program's schema; open for writing, unless nothing is to be recorded.
  explicit ResultStore(Connection db);
  ~ResultStore() override;

  /// Also closes the attempts that dead processes of this boot left open: a killed tuner is no kernel's
  /// fault.
  void begin_run(const tuner::model::RunRecord& run) override;
  void end_run(const tuner::model::Digest& run, const std::string& state) override;
  void declare(const tuner::model::KernelDeclaration& kernel,
               const std::vector<tuner::model::Judgement>& judgements) override;
  void restate(const tuner::model::KernelDeclaration& kernel, const tuner::model::AskSpec& ask) override;
  void open_attempt(const tuner::model::TrialRecord& trial) override;
  void close_attempt(const tuner::model::TrialRecord& trial, tuner::model::TrialStatus how,
                     const std::string& detail) override;
  /// `measured_at` and `sequence` are of the time of the call, whatever the record says.
  void record(const tuner::model::TrialRecord& trial) override;
  /// One transaction.
  void turn_over(const std::vector<const tuner::model::TrialRecord*>& ended,
                 const std::vector<const tuner::model::TrialRecord*>& next) override;
  void record_verdict(const tuner::model::ProbeVerdict& verdict) override;
  /// Finalists and final bear one `measured_at`, of the time of the call, and a `sequence` each; the final
  /// covers those of its finalists that may win.
  void record_final(const tuner::model::FinalRecord& final,
                    const std::vector<tuner::model::TrialRecord>& finalists) override;
  /// `ended_at` is of the time of the call where it is empty.
  void record_search(const tuner::model::SearchRecord& search) override;

  std::vector<tuner::model::KnownResult> known(const std::vector<tuner::model::Digest>& keys) override;
  std::vector<tuner::model::TriedConfiguration> tried(const tuner::model::Problem& problem,
                                                      const tuner::model::Environment& environment,
                                                      const std::string& kernel) override;
  std::optional<tuner::model::TrialRecord> find(const tuner::model::Digest& trial) override;
  std::optional<double> best_ns(const tuner::model::Problem& problem,
                                const tuner::model::Environment& environment) override;
  std::optional<double> least_ns(const std::vector<tuner::model::Digest>& keys) override;
  std::optional<double> least_ns_beside(const std::set<std::string>& kernels,
                                        const tuner::model::Problem& problem,
                                        const tuner::model::Environment& environment) override;
  std::vector<tuner::model::TrialRecord> reopened(const tuner::model::Problem& problem,
                                                  const tuner::model::Environment& environment,
                                                  double within) override;
  tuner::model::PossibleFinal possible_final(const tuner::model::Problem& problem,
                                             const tuner::model::Environment& environment, double within,
                                             int most) override;
  int deaths(const tuner::model::Digest& trial) override;
  std::optional<tuner::model::ProbeVerdict> verdict(const tuner::model::Digest& probe) override;
  std::vector<tuner::model::KernelDeclaration> declared(const std::string& family) override;
  std::vector<tuner::model::PastTrial> undecided(const tuner::model::KernelDeclaration& kernel) override;
  std::vector<tuner::model::Elsewhere> elsewhere(const tuner::model::ElsewhereQuery& query) override;
  std::optional<tuner::model::Searched> searched(const tuner::model::Problem& problem,
                                                 const tuner::model::Environment& environment) override;

  /// What was measured is stamped when it is handed over, which may be before it can be written: the time,
  /// and a sequence above those of the trial's results that are known here, as far as these can be read now.
  void stamp(tuner::model::TrialRecord& trial);
  void stamp(tuner::model::FinalRecord& final, std::vector<tuner::model::TrialRecord>& finalists);
  /// record() for a result that is stamped already. One that had to wait (`late`) becomes the current one
  /// only where its sequence is the greatest.
  void record_stamped(const tuner::model::TrialRecord& trial, bool late);
  void record_stamped(const tuner::model::FinalRecord& final,
                      const std::vector<tuner::model::TrialRecord>& finalists, bool late);
  /// Takes the place of a worse one of the same device, kind and type. `measured_at` is the time of the call
  /// where it is empty.
  void record_ceiling(const tuner::model::Ceiling& ceiling);

  /// Of a trial that is here.
  void record_counters(const tuner::model::Digest& trial, const std::vector<tuner::model::Counter>& counters);

  /// The connection, for queries over what is being written.
  const Connection& connection() const;
  /// Something the user should know of how the database was opened; usually empty.
  const std::string& notice() const;

 private:
  class Statements;
  /// Puts a record, with the time of now where it has none at `at`.
  template <class Record>
  void put_now(Record record, std::string Record::*at);
  void outrun_known(const tuner::model::Digest& trial);

  Connection m_db;
  std::unique_ptr<Statements> m_statements;
};

}  // namespace db
