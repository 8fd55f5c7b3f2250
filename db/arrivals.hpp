#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "db/case_finder.hpp"
#include "db/finals.hpp"
#include "db/kernel_specs.hpp"
#include "db/row_writer.hpp"
#include "db/rows.hpp"

namespace db {

/// What a merge or an import added.
struct Added {
  std::int64_t runs = 0;
  std::int64_t trials = 0;
  std::int64_t measurements = 0;
};

/// Records of another database or of an export, in any order but for what they refer to: a merge and an
/// import add them alike. The caller holds the transaction.
class Arrivals {
 public:
  explicit Arrivals(const Connection& target);

  /// Runs, failures of the past, finals, searches, ceilings and counters.
  template <class Record>
  void put(const Record& record) {
    m_rows.put(record);
  }
  /// One that its probes failed has no measurement until their failure is known.
  void put(const StoredTrial& stored);
  void put(const Probing& probing);
  void put(const StoredDeclaration& declaration) { m_specs.put(declaration); }
  void put(const StoredJudgement& judgement) { m_specs.put(judgement); }
  void put(const SpecJudgements& judgements);
  /// All trials of another database of this schema, or those whose current result is of `run`, with their
  /// configurations, binaries and measurements, from SELECTs that say them in this program's words: ids that
  /// follow from content are computed anew, JSON is written anew, and the rows that a trial repeats are read
  /// where they are. Both the SELECTs and the INSERTs follow from the description of a trial (rows.hpp). The
  /// caller keeps a snapshot of the source, and has had its rows checked against the schema (quick_check).
  void put_trials_of(const Connection& source, const std::optional<tuner::model::Digest>& run = {});

  /// Works out what follows from all that has come: which probes fail which trials, what runs said last,
  /// which specs are in force, and what those that `judge` knows say.
  void finish(const Judge& judge);
  /// Since then, as long as nothing is deleted.
  Added added_since(const Added& before) const;
  /// All that is here.
  Added count() const;

 private:
  const Connection& m_target;
  RowWriter m_rows;
  KernelSpecs m_specs;
  Statement m_failed_probing;
  std::set<tuner::model::Digest> m_probed;
  std::map<tuner::model::Digest, std::vector<StoredTrial>> m_unfounded;  ///< failed by these probes
};

/// Visits what a database holds beside runs and trials, kind after kind. Of the filter its family, device,
/// environment and problem select finals and searches.
template <class Visit>
void for_each_record(const Connection& db, const TrialFilter& filter, const Visit& visit) {
  const auto each = [&](const auto& records) {
    for (const auto& record : records) visit(record);
  };
  each(past_failures(db));
  each(probings(db));
  each(finals(db, filter));
  each(searches(db, filter));
  each(ceilings(db));
  each(declarations(db));
  each(counters(db));
  for_each_judgement(db, visit);
}

}  // namespace db
