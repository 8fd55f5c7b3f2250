#include "db/result_store.hpp"

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <string_view>
#include <utility>

#include "db/case_finder.hpp"
#include "db/database.hpp"
#include "db/kernel_specs.hpp"
#include "db/machine.hpp"
#include "db/planning.hpp"
#include "db/queries.hpp"
#include "db/restatement.hpp"
#include "db/row_writer.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/util/command.hpp"

namespace db {
namespace {

using namespace tuner::model;  // NOLINT(google-build-using-namespace): the types of the interfaces
using tuner::util::FileDescriptor;

constexpr const char* path = "/tmp/tuner-runs.lock";

struct flock byte_of(const Digest& run) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(DigestHash{}(run) >> 2U);
  lock.l_len = 1;
  return lock;
}

}  // namespace

LivingRun::LivingRun(const Digest& run) : m_file(tuner::util::open_shared_file(path)) {
  struct flock lock = byte_of(run);
  if (m_file) static_cast<void>(::fcntl(m_file.get(), F_OFD_SETLK, &lock));
}

bool is_abandoned(const Digest& run, const std::string& state, const std::string& host) {
  if (state != "running" || host != tuner::util::host_name()) return false;
  const FileDescriptor file(::open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return errno == ENOENT;
  struct flock lock = byte_of(run);
  return ::fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

bool is_abandoned(const tuner::model::RunRecord& run) {
  return is_abandoned(run.id, run.state, run.host);
}

class ResultStore::Statements {
 public:
  explicit Statements(const Connection& db)
      : rows(db),
        specs(db),
        restatement(db),
        fields(db),
        reopened(db),
        end_run(db, "UPDATE runs SET ended_at = ?, state = ? WHERE id = ?"),
        running(db, "SELECT id, host FROM runs WHERE state = 'running'"),
        interrupt_run(db, "UPDATE runs SET state = 'interrupted' WHERE id = ? AND state = 'running'"),
        count_measured(db, "UPDATE runs SET measured = measured + 1 WHERE id = ?"),
        open_attempt(
            db,
            "INSERT INTO attempts (id, trial, tuning_case, kernel, configuration, machine, boot, pid, "
            "opened_at, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?))"),
        close_attempt(db,
                      "UPDATE attempts SET closed_at = ?, outcome = ?, detail = ? "
                      "WHERE trial = ? AND machine = ? AND boot = ? AND pid = ? AND closed_at IS NULL"),
        open_here(db, "SELECT id, pid FROM attempts WHERE machine = ? AND boot = ? AND closed_at IS NULL"),
        abandon(db, "UPDATE attempts SET closed_at = ?, outcome = 'abandoned' WHERE id = ?"),
        count_deaths(db, sql("count_deaths")),
        known(db,
              "SELECT status, median_ns, output_bits_inputs, output_bits_outputs, energy_mean_j, sequence "
              "FROM trials WHERE id = ?"),
        last_sequence(db, "SELECT sequence FROM trials WHERE id = ?"),
        verdict(db, std::string(select_verdicts) + " WHERE id = ?") {}

  /// With its measurement, and no attempt of it left open.
  void put(const TrialRecord& record, bool late) {
    const auto spec = declared_here.find({record.problem.family, record.kernel});
    if (spec != declared_here.end() && spec->second.definition == record.definition)
      specs.put(StoredJudgement{record.key, spec->second.spec, true});
    rows.put(record, late ? RowWriter::Known::replace_if_older : RowWriter::Known::replace);
    specs.stand(record.key);
    close_attempt_of(record.key, to_string(record.outcome.status), record.outcome.detail);
  }

  void put_attempt(const TrialRecord& trial) {
    const RowWriter::Identity identity = rows.put_identity(trial);
    open_attempt.run(Digest::random(), trial.key, identity.tuning_case, identity.kernel,
                     identity.configuration, machine.id, machine.boot, machine.pid, utc_now(), trial.run);
  }

  /// Whether there was one.
  bool close_attempt_of(const Digest& trial, std::string_view outcome, const std::string& detail) {
    close_attempt.run(utc_now(), outcome, detail, trial, machine.id, machine.boot, machine.pid);
    return rows.changed() > 0;
  }

  void close_attempts_of_dead_processes() {
    const auto read = [](Statement::Use& row) { return std::pair{row.digest(), row.integer()}; };
    for (const auto& [attempt, process] : open_here.all(read, machine.id, machine.boot))
      if (!is_alive(process)) abandon.run(utc_now(), attempt);
  }

  /// A process that is killed says nothing of its runs.
  void mend_abandoned_runs() {
    const auto read = [](Statement::Use& row) { return std::pair{row.digest(), row.text()}; };
    for (const auto& [run, host] : running.all(read))
      if (is_abandoned(run, "running", host)) interrupt_run.run(run);
  }

  const Machine machine = this_machine();
  std::map<Digest, LivingRun> living;  ///< begun here and not ended
  RowWriter rows;
  KernelSpecs specs;
  Restatement restatement;
  PossibleFinalReader fields;
  ReopenedFinder reopened;
  std::map<std::pair<std::string, std::string>, KernelDeclaration> declared_here;  ///< by family and kernel
  Statement end_run, running, interrupt_run, count_measured, open_attempt, close_attempt, open_here, abandon,
      count_deaths, known, last_sequence, verdict;
};

namespace {

/// No process comes that far. What a stranger's database claims beyond it is not outrun.
constexpr std::int64_t last_sequence = std::int64_t{1} << 62U;

std::atomic<std::int64_t>& sequence() {
  static std::atomic<std::int64_t> last{0};
  return last;
}

/// Grows with every result of this process, and so within each of its runs.
std::int64_t next_sequence() {
  return ++sequence();
}

/// From now on sequences are greater than `known`.
void outrun(std::int64_t known) {
  std::int64_t last = sequence();
  while (last < known && known < last_sequence && !sequence().compare_exchange_weak(last, known)) {
  }
}

/// One that was known before keeps its own.
void stamp_energy(TrialRecord& trial) {
  if (trial.outcome.energy && trial.outcome.energy->sequence == 0)
    trial.outcome.energy->sequence = trial.sequence;
}

}  // namespace

void ResultStore::outrun_known(const Digest& trial) {
  try {
    auto row = m_statements->last_sequence.use();
    if (row.bind(trial).step()) outrun(row.integer());
  } catch (const tuner::model::Error&) {
    // The result is not lost for that: known() has seen most of what there was.
  }
}

void ResultStore::stamp(TrialRecord& trial) {
  outrun_known(trial.key);
  trial.measured_at = utc_now();
  trial.sequence = next_sequence();
  stamp_energy(trial);
}

void ResultStore::stamp(FinalRecord& final, std::vector<TrialRecord>& finalists) {
  for (const TrialRecord& trial : finalists) outrun_known(trial.key);
  final.measured_at = utc_now();
  final.sequence = next_sequence();
  for (TrialRecord& trial : finalists) {
    trial.measured_at = final.measured_at;
    trial.sequence = next_sequence();
    stamp_energy(trial);
    if (may_win(trial.role))
      final.coverage.push_back({trial.run, trial.kernel, trial.sequence, trial.sequence});
  }
}

ResultStore::ResultStore(const std::filesystem::path& path, const OpenOptions& options)
    : ResultStore(open_database(path, options)) {}

ResultStore::ResultStore(Connection db)
    : m_db(std::move(db)), m_statements(std::make_unique<Statements>(m_db)) {}

ResultStore::~ResultStore() = default;

void ResultStore::begin_run(const RunRecord& run) {
  RunRecord begun = run;
  if (begun.started_at.empty()) begun.started_at = utc_now();
  if (begun.state.empty()) begun.state = "running";
  Transaction transaction(m_db);
  m_statements->close_attempts_of_dead_processes();
  m_statements->mend_abandoned_runs();
  m_statements->rows.put(begun);
  m_statements->living.try_emplace(begun.id, begun.id);
  transaction.commit();
}

void ResultStore::end_run(const Digest& run, const std::string& state) {
  Transaction transaction(m_db);
  m_statements->end_run.run(utc_now(), state, run);
  transaction.commit();
  m_statements->living.erase(run);
}

void ResultStore::declare(const KernelDeclaration& kernel, const std::vector<Judgement>& judgements) {
  m_statements->declared_here[{kernel.family, kernel.kernel}] = kernel;
  if (judgements.empty() && m_statements->specs.is_current(kernel)) return;
  KernelDeclaration here = kernel;
  if (here.host.empty()) here.host = tuner::util::host_name();
  Transaction transaction(m_db);
  m_statements->specs.declare(here, judgements);
  transaction.commit();
}

void ResultStore::restate(const KernelDeclaration& kernel, const AskSpec& ask) {
  const std::vector<Restatement::Change> changes = m_statements->restatement.changes(kernel, ask);
  if (changes.empty()) return;
  Transaction transaction(m_db);
  for (const Restatement::Change& change : changes) m_statements->restatement.put(change);
  transaction.commit();
}

void ResultStore::open_attempt(const TrialRecord& trial) {
  Transaction transaction(m_db);
  m_statements->put_attempt(trial);
  transaction.commit();
}

void ResultStore::close_attempt(const TrialRecord& trial, TrialStatus how, const std::string& detail) {
  Transaction transaction(m_db);
  const std::string_view outcome = is_death(how) ? to_string(how) : "withdrawn";
  if (!m_statements->close_attempt_of(trial.key, outcome, detail) && is_death(how)) {
    m_statements->put_attempt(trial);
    m_statements->close_attempt_of(trial.key, outcome, detail);
  }
  transaction.commit();
}

void ResultStore::record(const TrialRecord& trial) {
  TrialRecord now = trial;
  stamp(now);
  record_stamped(now, false);
}

void ResultStore::record_stamped(const TrialRecord& trial, bool late) {
  Transaction transaction(m_db);
  m_statements->put(trial, late);
  m_statements->count_measured.run(trial.run);
  transaction.commit();
}

void ResultStore::turn_over(const std::vector<const TrialRecord*>& ended,
                            const std::vector<const TrialRecord*>& next) {
  Transaction transaction(m_db);
  for (const TrialRecord* trial : ended) {
    TrialRecord now = *trial;
    stamp(now);
    m_statements->put(now, false);
    m_statements->count_measured.run(now.run);
  }
  for (const TrialRecord* trial : next) m_statements->put_attempt(*trial);
  transaction.commit();
}

template <class Record>
void ResultStore::put_now(Record record, std::string Record::*at) {
  if ((record.*at).empty()) record.*at = utc_now();
  Transaction transaction(m_db);
  m_statements->rows.put(record);
  transaction.commit();
}

void ResultStore::record_verdict(const ProbeVerdict& verdict) {
  put_now(verdict, &ProbeVerdict::measured_at);
}

void ResultStore::record_final(const FinalRecord& final, const std::vector<TrialRecord>& finalists) {
  FinalRecord now = final;
  std::vector<TrialRecord> measured = finalists;
  stamp(now, measured);
  record_stamped(now, measured, false);
}

void ResultStore::record_stamped(const FinalRecord& final, const std::vector<TrialRecord>& finalists,
                                 bool late) {
  Transaction transaction(m_db);
  // Not counted as measured by the run: they were, when they raced.
  for (const TrialRecord& trial : finalists) m_statements->put(trial, late);
  m_statements->rows.put(final);
  transaction.commit();
}

void ResultStore::record_search(const SearchRecord& search) {
  put_now(search, &SearchRecord::ended_at);
}

void ResultStore::record_ceiling(const Ceiling& ceiling) {
  put_now(ceiling, &Ceiling::measured_at);
}

void ResultStore::record_counters(const Digest& trial, const std::vector<tuner::model::Counter>& counters) {
  Transaction transaction(m_db);
  std::int64_t last = 0;
  for (const StoredCounter& known : db::counters(m_db, trial)) last = std::max(last, known.generation);
  const std::string now = utc_now();
  for (const tuner::model::Counter& counter : counters)
    m_statements->rows.put({trial, counter, last + 1, now});
  transaction.commit();
}

std::vector<KnownResult> ResultStore::known(const std::vector<Digest>& keys) {
  std::vector<KnownResult> found;
  const Snapshot snapshot(m_db);
  for (const Digest& key : keys) {
    auto row = m_statements->known.use(key);
    if (!row.step()) continue;
    KnownResult& result = found.emplace_back(KnownResult{key, read_enum<TrialStatus>(row), read_real(row)});
    result.output_bits = read_bits(row);
    result.energy_j = read_real(row);
    outrun(row.integer());
  }
  return found;
}

std::vector<tuner::model::TriedConfiguration> ResultStore::tried(const Problem& problem,
                                                                 const Environment& environment,
                                                                 const std::string& kernel) {
  const Snapshot snapshot(m_db);
  return find_tried(m_db, case_id(problem, environment), kernel);
}

std::optional<TrialRecord> ResultStore::find(const Digest& trial) {
  return find_trial(m_db, trial);
}

std::optional<double> ResultStore::best_ns(const Problem& problem, const Environment& environment) {
  return m_statements->fields.best_ns(case_id(problem, environment));
}

std::optional<double> ResultStore::least_ns(const std::vector<Digest>& keys) {
  const Snapshot snapshot(m_db);
  return m_statements->fields.least_ns(keys);
}

std::optional<double> ResultStore::least_ns_beside(const std::set<std::string>& kernels,
                                                   const Problem& problem, const Environment& environment) {
  return m_statements->fields.least_ns_beside(kernels, case_id(problem, environment));
}

std::vector<TrialRecord> ResultStore::reopened(const Problem& problem, const Environment& environment,
                                               double within) {
  const Snapshot snapshot(m_db);
  std::vector<Digest> keys;
  for (const auto& [key, kernel] : m_statements->reopened.find(case_id(problem, environment), within))
    keys.push_back(key);
  return TrialLoader(m_db).load(keys);
}

PossibleFinal ResultStore::possible_final(const Problem& problem, const Environment& environment,
                                          double within, int most) {
  const Snapshot snapshot(m_db);
  return m_statements->fields.read(case_id(problem, environment), within, most);
}

int ResultStore::deaths(const Digest& trial) {
  const Machine& machine = m_statements->machine;
  return m_statements->count_deaths.first(&Statement::Use::small, trial, machine.id, machine.boot).value();
}

std::optional<ProbeVerdict> ResultStore::verdict(const Digest& probe) {
  return m_statements->verdict.first(read_row<ProbeVerdict>, probe);
}

std::vector<KernelDeclaration> ResultStore::declared(const std::string& family) {
  return m_statements->specs.declared(family);
}

std::vector<PastTrial> ResultStore::undecided(const KernelDeclaration& kernel) {
  const Snapshot snapshot(m_db);
  return m_statements->specs.undecided(kernel);
}

std::vector<Elsewhere> ResultStore::elsewhere(const ElsewhereQuery& query) {
  const Snapshot snapshot(m_db);
  return find_elsewhere(m_db, query);
}

std::optional<tuner::model::Searched> ResultStore::searched(const tuner::model::Problem& problem,
                                                            const tuner::model::Environment& environment) {
  const Snapshot snapshot(m_db);
  return SearchFinder(m_db).searched(case_id(problem, environment), "");
}

const Connection& ResultStore::connection() const {
  return m_db;
}

const std::string& ResultStore::notice() const {
  return m_db.notice();
}

}  // namespace db
