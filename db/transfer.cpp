#include "db/transfer.hpp"

#include <algorithm>
#include <fstream>
#include <ostream>
#include <set>

#include "db/export_file.hpp"
#include "db/final_queries.hpp"
#include "db/kernel_sources.hpp"
#include "db/row_writer.hpp"
#include "db/statement.hpp"
#include "db/transaction.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::RunRecord;
using tuner::model::TrialRecord;

/// Oldest first, so that a later export of the same database begins like an earlier one.
std::vector<RunRecord> runs_of(const Connection& db, const std::vector<Digest>& trials) {
  Statement select(
      db, "SELECT run FROM trials WHERE id = ?1 UNION SELECT run FROM measurements WHERE trial = ?1");
  std::set<Digest> wanted;
  for (const Digest& trial : trials) {
    auto row = select.use();
    row.bind(trial);
    while (row.step()) wanted.insert(row.digest());
  }
  std::vector<RunRecord> list = runs(db);
  std::erase_if(list, [&](const RunRecord& run) { return !wanted.contains(run.id); });
  std::reverse(list.begin(), list.end());
  return list;
}

std::vector<StoredMeasurement> earlier_of(const Connection& db, const TrialRecord& trial) {
  std::vector<StoredMeasurement> all = measurements(db, trial.key);
  if (!trial.outcome.measurement) return all;
  const StoredMeasurement current{*trial.outcome.measurement, trial.outcome.status, trial.measured_at,
                                  trial.run};
  const Digest key = current.key(trial.key);
  std::erase_if(all, [&](const StoredMeasurement& one) { return one.key(trial.key) == key; });
  return all;
}

/// Those whose contestants are all among `trials`: a part of a final says nothing.
void write_finals(const Connection& db, const TrialFilter& filter, const std::set<Digest>& trials,
                  std::ostream& out) {
  for (const FinalRecord& final : finals(db, filter)) {
    const bool complete =
        std::all_of(final.entries.begin(), final.entries.end(),
                    [&](const FinalRecord::Entry& entry) { return trials.contains(entry.trial); });
    if (complete) out << final_line(final);
  }
}

void write_ceilings(const Connection& db, const std::set<std::string>& devices, std::ostream& out) {
  for (const std::string& device : devices) {
    for (const auto& ceiling : ceilings(db, device)) out << ceiling_line(ceiling);
  }
}

}  // namespace

std::int64_t export_database(const Connection& db, const TrialFilter& filter, std::ostream& out) {
  const Snapshot snapshot(db);
  const std::vector<Digest> keys = trial_keys(db, filter);
  out << header_line({});
  for (const RunRecord& run : runs_of(db, keys)) out << run_line(run);
  std::set<std::string> devices;
  for (const Digest& key : keys) {
    const TrialRecord trial = find_trial(db, key).value();
    devices.insert(trial.comparison_class.device);
    out << trial_line(trial, earlier_of(db, trial));
  }
  write_finals(db, filter, {keys.begin(), keys.end()}, out);
  write_ceilings(db, devices, out);
  out.flush();
  if (!out)
    throw tuner::model::Error("the export could not be written", "check the space left and the permissions");
  return static_cast<std::int64_t>(keys.size());
}

Added import_file(const Connection& target, const std::filesystem::path& path) {
  std::ifstream in = open_export(path);
  Transaction transaction(target);
  const AddedCounter counter(target);
  RowWriter writer(target);
  ExportVisitor visitor;
  visitor.run = [&](RunRecord&& run) { writer.put(run); };
  visitor.trial = [&](TrialRecord&& trial, std::vector<StoredMeasurement>&& earlier) {
    writer.add(trial, earlier);
  };
  visitor.final = [&](FinalRecord&& final) { writer.put(final); };
  visitor.ceiling = [&](tuner::model::Ceiling&& ceiling) { writer.put(ceiling); };
  stream_export(in, path.string(), visitor);
  KernelSources(target).adopt_newest();
  const Added added = counter.since();
  transaction.commit();
  return added;
}

}  // namespace db
