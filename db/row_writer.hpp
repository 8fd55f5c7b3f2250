#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_records.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// More finalists no final has.
constexpr std::size_t most_final_entries = 1000;
/// More kernels no family has.
constexpr std::size_t most_search_parts = 1000;

/// Puts values into their tables; what a row refers to is put first. The caller holds the transaction.
class RowWriter {
 public:
  /// How long it lives: within one transaction rows that it has put are there for as long as it is.
  enum class Life { one_transaction, several };
  explicit RowWriter(const Connection& db, Life life = Life::several);

  enum class Known { replace, replace_if_older };

  /// The trial with its current result, at `trial.measured_at`, and its measurement. A trial whose probes are
  /// known to fail fails, whatever it says. It stands as what is known of its kernel's spec says.
  void put(const tuner::model::TrialRecord& trial, Known known);
  /// A trial of another time or place, with its other measurements.
  void add(const tuner::model::TrialRecord& trial, const std::vector<StoredMeasurement>& earlier);
  /// One that is known is not doubled.
  void put(const tuner::model::Digest& trial, const StoredMeasurement& measurement);
  void put(const tuner::model::RunRecord& run);
  /// At `final.measured_at`; one that is known is not doubled. Its finalists are there already, and are
  /// added to what it covers as they are there; without any coverage of its own they alone are. Throws
  /// model::Error where they are not, or are of another case, or where no final can have ended so.
  void put(const tuner::model::FinalRecord& final);
  /// At `search.ended_at`; one that is known is not doubled. Throws model::Error where no search can have
  /// ended so.
  void put(const tuner::model::SearchRecord& search);
  /// What a run did not get to the end of, as a later one replaced it; settle_failures() is still to be told.
  void put(const PastFailure& failure);
  /// Takes out what the same run said something else of later.
  void settle_failures();
  /// That the probes were run just now, which clears what they said before. Makes their trials fail where
  /// they did.
  void put(const tuner::model::ProbeVerdict& verdict);
  /// That they were run at another time or place; condemn() is still to be told. A failure that was not
  /// cleared stands.
  void note(const Probing& probing);
  /// Makes the trials of these probes fail as the verdict on them says, if it is a failure; else those that
  /// one made fail which is cleared are again what they were measured as.
  void condemn(const tuner::model::Digest& probe);
  /// The verdict of what is known of these probes, and condemn().
  void settle(const tuner::model::Digest& probe);
  /// At `ceiling.measured_at`, in place of a worse one of its device, kind and type.
  void put(const tuner::model::Ceiling& ceiling);
  /// In place of one of a smaller generation. One of a trial that is not here is left out.
  void put(const StoredCounter& counter);

  /// Of a case: its environment and problem are put first.
  tuner::model::Digest put_case(const tuner::model::Problem& problem,
                                const tuner::model::Environment& environment);
  /// `parameters`: as parameters_json() has them.
  tuner::model::Digest put_kernel(const std::string& family, const std::string& name,
                                  const std::string& parameters);
  tuner::model::Digest put_configuration(const tuner::model::Configuration& configuration);

  /// What names a trial, in rows of their own.
  struct Identity {
    tuner::model::Digest tuning_case;
    tuner::model::Digest kernel;
    tuner::model::Digest configuration;
  };
  Identity put_identity(const tuner::model::TrialRecord& trial);
  /// Rows that the statement executed last on this connection changed.
  std::int64_t changed() const { return m_db.changes(); }

 private:
  /// Executes a statement that takes the parameters of insert_trial(), then `more`.
  template <class... More>
  void run_of_trial(Statement& statement, const tuner::model::TrialRecord& trial, const Identity& identity,
                    const More&... more);
  void put_binary(const tuner::model::TrialRecord& trial, Known known);
  void note(const Probing& probing, bool just_now);
  /// A final of which finalists were forgotten in another database is the same final. Of those that are known
  /// and `final` the one with the most finalists stays, which is returned.
  tuner::model::Digest keep_most_whole(const tuner::model::FinalRecord& final,
                                       const tuner::model::Digest& tuning_case);
  /// The outcome, or how its probes failed.
  tuner::model::TrialOutcome as_probed(const tuner::model::TrialRecord& trial);

  /// What the trial before was of, since most are of the same: its rows are there.
  struct Last {
    tuner::model::Problem problem;
    tuner::model::Environment environment;
    tuner::model::Digest tuning_case;
    std::string kernel;
    std::string parameters;
    tuner::model::Digest kernel_id;
  };

  const Connection& m_db;
  Life m_life;
  std::optional<Last> m_last;  ///< absent: unknown
  Statement m_device, m_environment, m_problem, m_case, m_kernel, m_configuration, m_run, m_binary,
      m_binary_kernel, m_new_trial, m_trial, m_measurement, m_final, m_final_entry, m_coverage,
      m_entry_coverage, m_same_finals, m_case_of, m_ceiling, m_counter, m_clear, m_probing, m_verdict,
      m_fail_probed, m_failed_probe, m_acquit, m_earlier_failure, m_settle_failures, m_fill, m_trial_failure,
      m_search, m_search_kernel;
};

}  // namespace db
