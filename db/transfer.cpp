#include "db/transfer.hpp"

#include <algorithm>
#include <istream>
#include <map>
#include <memory>
#include <ostream>
#include <set>

#include "db/arrivals.hpp"
#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/statement.hpp"
#include "tuner/interchange/recorded_space.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

using tuner::model::Ceiling;
using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::ProbeVerdict;
using tuner::model::RunRecord;
using tuner::model::SearchRecord;
using tuner::model::TrialRecord;

/// What the trials that are exported are of. It decides which of the other records go with them.
class Selected {
 public:
  explicit Selected(std::set<Digest> runs, bool is_all) : m_runs(std::move(runs)), m_is_all(is_all) {}
  void add(const StoredTrial& stored) {
    const TrialRecord& trial = stored.trial;
    m_trials.insert(trial.key);
    if (!trial.probe_key.empty()) m_probes.insert(trial.probe_key);
    m_devices.insert(trial.environment.device);
    m_kernels.emplace(trial.problem.family, trial.kernel);
  }
  std::int64_t trials() const { return static_cast<std::int64_t>(m_trials.size()); }

  bool has(const PastFailure& failure) const { return m_trials.contains(failure.trial); }
  bool has(const Probing& probing) const { return m_probes.contains(probing.verdict.probe); }
  /// A part of a final says nothing.
  bool has(const FinalRecord& final) const {
    return std::all_of(final.entries.begin(), final.entries.end(),
                       [&](const FinalRecord::Entry& entry) { return m_trials.contains(entry.trial); });
  }
  /// One whose run measured nothing new may be the one that ended a space.
  bool has(const SearchRecord& search) const { return m_is_all || m_runs.contains(search.run); }
  bool has(const Ceiling& ceiling) const { return m_devices.contains(ceiling.device); }
  bool has(const StoredDeclaration& declaration) const {
    return m_kernels.contains({declaration.kernel.family, declaration.kernel.kernel});
  }
  bool has(const StoredCounter& counter) const { return m_trials.contains(counter.trial); }
  bool has(const StoredJudgement& judgement) const { return m_trials.contains(judgement.trial); }

 private:
  std::set<Digest> m_runs;
  bool m_is_all;
  std::set<Digest> m_trials;
  std::set<Digest> m_probes;
  std::set<std::string> m_devices;
  std::set<std::pair<std::string, std::string>> m_kernels;  ///< family and name
};

/// Judgements as lines: one for each spec, or several where it has judged very many.
class JudgementLines {
 public:
  explicit JudgementLines(std::ostream& out) : m_out(out) {}
  void add(const StoredJudgement& judgement) {
    SpecJudgements& line = m_lines[judgement.spec];
    line.spec = judgement.spec;
    (judgement.describes ? line.describes : line.excludes).push_back(judgement.trial);
    if (line.describes.size() + line.excludes.size() == most_judgements) write(line);
  }
  void finish() {
    for (auto& [spec, line] : m_lines) write(line);
  }

 private:
  void write(SpecJudgements& line) {
    if (line.describes.size() + line.excludes.size() > 0) m_out << export_line(line);
    line = {};
  }

  std::ostream& m_out;
  std::map<Digest, SpecJudgements> m_lines;
};

bool selects_all(const TrialFilter& filter) {
  return filter.family.empty() && filter.kernel.empty() && filter.device.empty() && !filter.environment &&
         !filter.problem && !filter.status && !filter.superseded && !filter.failures && filter.ceilings;
}

}  // namespace

std::int64_t export_database(const Connection& db, const TrialFilter& filter, std::ostream& out) {
  const Snapshot snapshot(db);
  const bool is_all = selects_all(filter);
  const std::set<Digest> of_trials = runs_of_trials(db, filter);
  out << header_line();
  // Oldest first, so that a later export of the same database begins like an earlier one.
  const std::vector<RunRecord> newest_first = runs(db);
  for (auto run = newest_first.rbegin(); run != newest_first.rend(); ++run)
    if (is_all || of_trials.contains(run->id)) out << export_line(*run);
  Selected selected(of_trials, is_all);
  for_each_trial(db, filter, {.samples = true, .measurements = true}, [&](StoredTrial&& stored) {
    selected.add(stored);
    out << export_line(std::move(stored));
  });
  JudgementLines judgements(out);
  for_each_record(db, filter, [&]<class Record>(const Record& record) {
    if (!selected.has(record)) return;
    if constexpr (std::is_same_v<Record, StoredJudgement>)
      judgements.add(record);
    else
      out << export_line(record);
  });
  judgements.finish();
  out.flush();
  if (!out)
    throw tuner::model::Error("the export could not be written", "check the space left and the permissions");
  return selected.trials();
}

namespace {

/// Trials that it measured and a later run measured again, each as it was then.
void put_replaced(const Connection& db, const Digest& run, Arrivals& arrivals) {
  Statement select(db,
                   "SELECT m.trial FROM measurements AS m JOIN trials AS t ON t.id = m.trial "
                   "WHERE m.run = ?1 AND t.run IS NOT ?1 UNION SELECT f.trial FROM earlier_failures AS f "
                   "JOIN trials AS t ON t.id = f.trial WHERE f.run = ?1 AND t.run IS NOT ?1");
  Statement failures(db, select_from<PastFailure>("earlier_failures WHERE run = ? AND trial = ?"));
  Statement taken(db, select_from<StoredMeasurement>(
                          "measurements WHERE trial = ? AND run = ? ORDER BY measured_at, id"));
  TrialLoader loader(db);
  for (auto row = select.use(run); row.step();) {
    const Digest key = row.digest();
    StoredTrial stored{loader.find(key, true).value(), taken.all(read_row<StoredMeasurement>, key, run)};
    const auto last =
        std::ranges::max_element(stored.earlier, {}, [](const auto& one) { return rank_of(one); });
    if (const auto failure = failures.first(read_row<PastFailure>, run, key))
      stored.trial = as_failed(std::move(stored.trial), *failure);
    else if (last != stored.earlier.end())
      stored.trial = as_measured(std::move(stored.trial), *last);
    arrivals.put(stored);
  }
}

}  // namespace

Connection extract_run(const Connection& db, const Digest& run) {
  const Snapshot snapshot(db);
  Connection own = open_in_memory();
  const Setting unenforced = unenforced_keys(own);
  Transaction transaction(own);
  const DeferredIndexes deferred(own);
  Arrivals arrivals(own);
  for (const RunRecord& record : runs(db))
    if (record.id == run) arrivals.put(record);
  arrivals.put_trials_of(db, run);
  put_replaced(db, run, arrivals);
  deferred.make();
  const auto keys_of_own = Statement(own, "SELECT id FROM trials ORDER BY id").all(&Statement::Use::digest);
  const std::set<Digest> keys(keys_of_own.begin(), keys_of_own.end());
  for (const ProbeVerdict& verdict : verdicts(db))
    if (verdict.run == run) arrivals.put(Probing{verdict, false});
  for_each_record(db, {}, [&]<class Record>(const Record& record) {
    if constexpr (std::is_same_v<Record, FinalRecord> || std::is_same_v<Record, SearchRecord>) {
      if (record.run == run) arrivals.put(record);
    } else if constexpr (std::is_same_v<Record, Ceiling>) {
      arrivals.put(record);
    } else if constexpr (std::is_same_v<Record, StoredJudgement>) {
      // A reader that adds this to what else is known is told what measured it; which spec is in force, a run
      // does not say.
      if (keys.contains(record.trial)) arrivals.put(record);
    } else if constexpr (std::is_same_v<Record, StoredCounter>) {
      if (keys.contains(record.trial)) arrivals.put(record);
    }
  });
  arrivals.finish({});
  transaction.commit();
  return own;
}

namespace {

void put_export(const Connection& target, const std::filesystem::path& path, Arrivals& arrivals) {
  const std::unique_ptr<std::istream> in = open_export(path);
  const int version = stream_export(*in, path.string(), [&](ExportRecord&& record) {
    std::visit([&](const auto& one) { arrivals.put(one); }, record);
  });
  if (version == 1) Statement(target, sql("mark_ceilings")).run();
}

void put_recording(const std::filesystem::path& path, Arrivals& arrivals) {
  using namespace tuner::interchange;
  RecordedTrials recorded = recorded_trials(read_recorded_space(path));
  arrivals.put(recorded.run);
  for (TrialRecord& trial : recorded.trials) {
    trial.sequence -= before_version_9;  // a place in this file means nothing in another
    arrivals.put(StoredTrial{std::move(trial), {}});
  }
}

}  // namespace

std::vector<Added> import_files(const Connection& target, const std::vector<std::filesystem::path>& paths,
                                const Judge& judge) {
  const Setting sorting = sorting_in_files(target);
  const Setting unenforced = unenforced_keys(target);
  Transaction transaction(target);
  const DeferredIndexes deferred(target, paths);
  Arrivals arrivals(target);
  std::vector<Added> added;
  for (const std::filesystem::path& path : paths) {
    const Added before = arrivals.count();
    if (tuner::interchange::looks_like_recorded_space(path))
      put_recording(path, arrivals);
    else
      put_export(target, path, arrivals);
    added.push_back(arrivals.added_since(before));
  }
  deferred.make();
  arrivals.finish(judge);
  transaction.commit();
  return added;
}

void require_importable(const std::filesystem::path& path) {
  const std::unique_ptr<std::istream> in = open_export(path);
  if (!tuner::interchange::looks_like_recorded_space(path)) read_header(*in, path.string());
}

Added import_file(const Connection& target, const std::filesystem::path& path, const Judge& judge) {
  return import_files(target, {path}, judge).front();
}

Connection open_results(const std::filesystem::path& path) {
  if (!tuner::interchange::looks_like_recorded_space(path) && !looks_like_export(path))
    return open_for_reading(path);
  Connection own = open_in_memory();
  import_file(own, path);
  return own;
}

}  // namespace db
