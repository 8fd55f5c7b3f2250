#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/ceiling.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// Gives the contestants and then the final the time of now: a final is later than its measurements.
void stamp(tuner::model::FinalRecord& final, std::vector<tuner::model::TrialRecord>& contestants);

/// What a sweep remembers, in SQLite. Each call is one durable transaction; one caller at a time. Several
/// processes may write to one file.
///
/// Recording a trial that is known already adds a measurement and makes its figures the trial's current ones;
/// nothing measured before is lost. Every call throws model::Error where the row cannot be kept.
class ResultStore final : public tuner::model::ResultSink, public tuner::model::ResultSource {
 public:
  explicit ResultStore(const std::filesystem::path& path, const OpenOptions& options = {});
  ~ResultStore() override;

  /// Also closes the attempts that dead processes of this boot left open: a killed tuner is no kernel's
  /// fault.
  void begin_run(const tuner::model::RunRecord& run) override;
  void end_run(const tuner::model::Digest& run, const std::string& state) override;
  void use_source(const std::string& family, const std::string& kernel,
                  const tuner::model::Digest& source) override;
  void open_attempt(const tuner::model::TrialRecord& trial) override;
  /// `measured_at` is the time of the call, whatever the record says.
  void record(const tuner::model::TrialRecord& trial) override;
  /// `measured_at` of all is the time of the call, that of the final the latest.
  void record_final(const tuner::model::FinalRecord& final,
                    const std::vector<tuner::model::TrialRecord>& contestants) override;
  /// Where this process has no open attempt of `trial`, nothing happens.
  void observed_death(const tuner::model::Digest& trial, tuner::model::TrialStatus how,
                      const std::string& detail) override;

  std::vector<tuner::model::Digest> known(const std::vector<tuner::model::Digest>& keys) override;
  std::optional<tuner::model::TrialRecord> find(const tuner::model::Digest& trial) override;
  std::optional<double> best_ns(const tuner::model::Problem& problem,
                                const tuner::model::ComparisonClass& comparison_class) override;
  /// Without raw samples.
  std::vector<tuner::model::TrialRecord> contenders(const tuner::model::Problem& problem,
                                                    const tuner::model::ComparisonClass& comparison_class,
                                                    double within, int most) override;
  int deaths(const tuner::model::Digest& trial) override;

  /// record() for a result that had to wait: `measured_at` is kept, and its figures become the current ones
  /// only where they are newer.
  void record_late(const tuner::model::TrialRecord& trial);

  /// record_final() likewise.
  void record_final_late(const tuner::model::FinalRecord& final,
                         const std::vector<tuner::model::TrialRecord>& contestants);
  /// Takes the place of an older one of the same device, kind and type. `measured_at` is the time of the call
  /// where it is empty.
  void record_ceiling(const tuner::model::Ceiling& ceiling);

  /// The connection, for queries over what is being written.
  const Connection& connection() const;
  /// Something the user should know of how the database was opened; usually empty.
  const std::string& notice() const;

 private:
  class Statements;
  void record(const tuner::model::TrialRecord& trial, bool late);
  void record_final(const tuner::model::FinalRecord& final,
                    const std::vector<tuner::model::TrialRecord>& contestants, bool late);

  Connection m_db;
  std::unique_ptr<Statements> m_statements;
};

}  // namespace db
