#include "db/transfer.hpp"

#include <algorithm>
#include <istream>
#include <map>
#include <memory>
#include <ostream>
#include <set>

#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/finals.hpp"
#include "db/kernel_specs.hpp"
#include "db/row_reader.hpp"
#include "db/row_writer.hpp"
#include "db/searches.hpp"
#include "db/statement.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::ProbeVerdict;
using tuner::model::RunRecord;
using tuner::model::SearchRecord;
using tuner::model::TrialRecord;

/// Oldest first, so that a later export of the same database begins like an earlier one.
std::vector<RunRecord> runs_of(const Connection& db, const std::set<Digest>& wanted) {
  std::vector<RunRecord> list = runs(db);
  std::erase_if(list, [&](const RunRecord& run) { return !wanted.contains(run.id); });
  std::reverse(list.begin(), list.end());
  return list;
}

/// Those whose finalists are all among `trials`: a part of a final says nothing.
void write_finals(const Connection& db, const TrialFilter& filter, const std::set<Digest>& trials,
                  std::ostream& out) {
  for (const FinalRecord& final : finals(db, filter)) {
    const bool complete =
        std::all_of(final.entries.begin(), final.entries.end(),
                    [&](const FinalRecord::Entry& entry) { return trials.contains(entry.trial); });
    if (complete) out << final_line(final);
  }
}

void write_verdicts(const std::vector<Probing>& all, const std::set<Digest>& probes, std::ostream& out) {
  for (const Probing& probing : all) {
    if (probes.contains(probing.verdict.probe)) out << verdict_line(probing);
  }
}

using KernelNames = std::set<std::pair<std::string, std::string>>;  // family and kernel

void write_declarations(const Connection& db, const KernelNames& kernels, std::ostream& out) {
  for (const StoredDeclaration& declaration : declarations(db)) {
    const bool is_wanted = kernels.contains({declaration.kernel.family, declaration.kernel.kernel});
    if (is_wanted) out << declaration_line(declaration);
  }
}

/// A line for each spec, or several where it has judged very many.
void write_judgements(const Connection& db, const std::set<Digest>& trials, std::ostream& out) {
  std::map<Digest, SpecJudgements> lines;
  const auto write = [&](SpecJudgements& line) {
    if (line.describes.size() + line.excludes.size() > 0) out << judgement_line(line);
    line.describes.clear();
    line.excludes.clear();
  };
  for_each_judgement(db, [&](const StoredJudgement& judgement) {
    if (!trials.contains(judgement.trial)) return;
    SpecJudgements& line = lines[judgement.spec];
    line.spec = judgement.spec;
    (judgement.describes ? line.describes : line.excludes).push_back(judgement.trial);
    if (line.describes.size() + line.excludes.size() == most_judgements) write(line);
  });
  for (auto& [spec, line] : lines) write(line);
}

bool selects_all(const TrialFilter& filter) {
  return filter.family.empty() && filter.kernel.empty() && filter.device.empty() && !filter.environment &&
         !filter.problem && !filter.status && !filter.superseded && !filter.failures && filter.ceilings;
}

/// What runs whose trials are exported said of the cases that they are of.
void write_searches(const Connection& db, const TrialFilter& filter, const std::set<Digest>& runs,
                    std::ostream& out) {
  for (const SearchRecord& search : searches(db, filter)) {
    if (runs.contains(search.run)) out << search_line(search);
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
  std::set<Digest> keys;
  std::set<Digest> probes;
  std::set<Digest> wanted_runs;
  std::set<std::string> devices;
  KernelNames kernels;
  // Lines of trials are kept as text until the runs they name are known, which come first.
  std::string lines;
  for_each_trial(db, filter, {.samples = true, .measurements = true},
                 [&](TrialRecord&& trial, std::vector<StoredMeasurement>&& earlier) {
                   keys.insert(trial.key);
                   if (!trial.probe_key.empty()) probes.insert(trial.probe_key);
                   devices.insert(trial.environment.device);
                   kernels.emplace(trial.problem.family, trial.kernel);
                   wanted_runs.insert(trial.run);
                   for (const StoredMeasurement& past : earlier) wanted_runs.insert(past.run);
                   lines += trial_line(trial, earlier);
                 });
  std::vector<PastFailure> failures = past_failures(db);
  std::erase_if(failures, [&](const PastFailure& failure) { return !keys.contains(failure.trial); });
  for (const PastFailure& failure : failures) wanted_runs.insert(failure.run);
  if (selects_all(filter)) {
    for (const RunRecord& run : runs(db)) wanted_runs.insert(run.id);
  }
  out << header_line({});
  for (const RunRecord& run : runs_of(db, wanted_runs)) out << run_line(run);
  out << lines;
  for (const PastFailure& failure : failures) out << failure_line(failure);
  write_verdicts(probings(db), probes, out);
  write_finals(db, filter, keys, out);
  write_searches(db, filter, wanted_runs, out);
  write_ceilings(db, devices, out);
  write_declarations(db, kernels, out);
  write_judgements(db, keys, out);
  out.flush();
  if (!out)
    throw tuner::model::Error("the export could not be written", "check the space left and the permissions");
  return static_cast<std::int64_t>(keys.size());
}

namespace {

/// Makes `trial` what `run` said of it, where that is an outcome that a later run has replaced.
bool restore_failure(Statement& select, TrialRecord& trial, const Digest& run) {
  auto row = select.use();
  if (!row.bind(run).bind(trial.key).step()) return false;
  const auto failure = read_row<PastFailure>(row);
  trial.outcome = {};
  trial.outcome.status = failure.status;
  trial.outcome.detail = failure.detail;
  trial.outcome.verification = failure.verification;
  trial.measured_at = failure.measured_at;
  trial.sequence = failure.sequence;
  trial.metrics.clear();
  trial.run = run;
  return true;
}

}  // namespace

Connection extract_run(const Connection& db, const Digest& run) {
  const Snapshot snapshot(db);
  Connection own = open_in_memory();
  Transaction transaction(own);
  RowWriter writer(own);
  for (const RunRecord& record : runs(db)) {
    if (record.id == run) writer.put(record);
  }
  Statement select(db,
                   "SELECT id FROM trials WHERE run = ?1 UNION SELECT trial FROM measurements WHERE run = ?1 "
                   "UNION SELECT trial FROM earlier_failures WHERE run = ?1");
  Statement failures(db, "SELECT " + columns_of<PastFailure>().names() +
                             " FROM earlier_failures WHERE run = ? AND trial = ?");
  std::set<Digest> keys;
  auto row = select.use();
  row.bind(run);
  while (row.step()) {
    const Digest key = row.digest();
    keys.insert(key);
    TrialRecord trial = find_trial(db, key).value();
    std::vector<StoredMeasurement> taken = measurements(db, key);
    std::erase_if(taken, [&](const StoredMeasurement& stored) { return stored.run != run; });
    if (trial.run != run && !restore_failure(failures, trial, run) && !taken.empty())
      trial = as_measured(std::move(trial), taken.back());
    writer.add(trial, taken);
  }
  for (const ProbeVerdict& verdict : verdicts(db)) {
    if (verdict.run == run) writer.put(verdict);
  }
  for (const FinalRecord& final : finals(db)) {
    if (final.run == run) writer.put(final);
  }
  for (const SearchRecord& search : searches(db)) {
    if (search.run == run) writer.put(search);
  }
  for (const auto& ceiling : ceilings(db)) writer.put(ceiling);
  KernelSpecs specs(own);
  // Whoever adds this to what else is known is told what measured it; which spec is in force, a run does not
  // say.
  for_each_judgement(db, [&](const StoredJudgement& judgement) {
    if (keys.contains(judgement.trial)) specs.put(judgement);
  });
  specs.settle();
  transaction.commit();
  return own;
}

Added import_file(const Connection& target, const std::filesystem::path& path, const Judge& judge) {
  const std::unique_ptr<std::istream> in = open_export(path);
  Transaction transaction(target);
  const AddedCounter counter(target);
  RowWriter writer(target, RowWriter::Life::one_transaction);
  ExportVisitor visitor;
  visitor.run = [&](RunRecord&& run) { writer.put(run); };
  visitor.trial = [&](TrialRecord&& trial, std::vector<StoredMeasurement>&& earlier) {
    writer.add(trial, earlier);
  };
  KernelSpecs specs(target);
  std::set<Digest> probed;
  visitor.failure = [&](PastFailure&& failure) { writer.put(failure); };
  visitor.verdict = [&](Probing&& probing) {
    writer.note(probing);
    probed.insert(probing.verdict.probe);
  };
  visitor.declaration = [&](StoredDeclaration&& declaration) { specs.put(declaration); };
  visitor.judgements = [&](SpecJudgements&& judged) {
    for (const Digest& trial : judged.describes) specs.put({trial, judged.spec, true});
    for (const Digest& trial : judged.excludes) specs.put({trial, judged.spec, false});
  };
  visitor.final = [&](FinalRecord&& final) { writer.put(final); };
  visitor.search = [&](SearchRecord&& search) { writer.put(search); };
  visitor.ceiling = [&](tuner::model::Ceiling&& ceiling) { writer.put(ceiling); };
  const ExportHeader header = stream_export(*in, path.string(), visitor);
  if (header.version == 1) Statement(target, sql("mark_ceilings")).use().run();
  for (const Digest& probe : probed) writer.condemn(probe);
  writer.settle_failures();
  specs.settle(judge);
  const Added added = counter.since();
  transaction.commit();
  return added;
}

}  // namespace db
