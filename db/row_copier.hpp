#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "db/row_writer.hpp"
#include "db/statement.hpp"

namespace db {

/// Counts new trials as trials_tally_insert does, for all at once.
class NewTallies {
 public:
  void count(const tuner::model::Digest& tuning_case, const tuner::model::Digest& kernel,
             const std::string& status, bool superseded, const std::string& role,
             const std::string& measured_at);
  /// Adds them to what the database has counted.
  void put(const Connection& db) const;

 private:
  using Kind = std::tuple<tuner::model::Digest, tuner::model::Digest, std::string, bool, std::string>;
  struct Tally {
    std::int64_t trials = 0;
    std::string latest;
  };
  std::map<Kind, Tally> m_tallies;
};

/// Rows of a table, asked for by id, mostly one after the other as they lie: the next one is at hand, where
/// to look up each would take two searches of a tree. The table has a rowid and an `id`.
class RowWalk {
 public:
  /// `columns`: of the table as `m`, after its id, which is the first.
  RowWalk(const Connection& db, const std::string& table, const std::string& columns);

  /// The row, at the column after its id; null: there is none. Good until the next call.
  Statement::Use* find(const tuner::model::Digest& id);

 private:
  bool next();

  Statement m_place, m_rows;
  std::unique_ptr<Statement::Use> m_row;  ///< null: it stands nowhere
  tuner::model::Digest m_id;              ///< of the row it stands on
};

/// Copies trials from another database of this schema, row by row as they are, where that is what RowWriter
/// would write: new here, with the ids that their content has, in the words that this program uses. Values
/// are made of what has to be looked at alone, and none is encoded. The caller holds the transaction, keeps a
/// snapshot of the source, and has had its rows checked against the schema (quick_check): they are not
/// checked again.
class RowCopier {
 public:
  /// `writer` puts cases and kernels, and is of the transaction too.
  RowCopier(const Connection& target, const Connection& source, RowWriter& writer);
  /// What `source` holds. Returns the trials that were left for `writer`.
  std::vector<tuner::model::Digest> copy();

 private:
  std::vector<tuner::model::Digest> copy_plain();
  /// A case and a kernel of the source, as the first of their trials shows them.
  struct Place {
    bool has_its_ids = false;
    std::vector<std::string> parameters;
  };
  const Place& place_of(const tuner::model::Digest& trial, Statement::Use& row);
  /// `binary`, `measurement`: the rows that it names; null: it names none, or there is none.
  bool is_plain(Statement::Use& row, const Statement::Use* binary, Statement::Use* measurement);
  bool says_its_id(Statement::Use& row, const Place& place);
  bool has_its_measurement(Statement::Use& row, Statement::Use* measurement) const;
  bool has_failed_probes(Statement::Use& row);
  bool knows_run(const tuner::model::Digest& run);
  bool put(Statement::Use& row);
  void put_what_it_names(Statement::Use& row, const Statement::Use* binary,
                         const Statement::Use* measurement);

  const Connection& m_target;
  const Connection& m_source;
  RowWriter& m_writer;
  std::map<std::pair<tuner::model::Digest, tuner::model::Digest>, Place> m_places;
  std::map<tuner::model::Digest, bool> m_runs;  ///< whether they are in the target
  std::unordered_set<std::string> m_canonical;  ///< texts seen to be as this program writes them
  NewTallies m_tallies;
  bool m_some_probes_failed;
  bool m_some_measured_twice;
  /// As long as rows are copied: checking them again would be a quarter of the time.
  std::optional<UncheckedRows> m_unchecked;
  Statement m_select;
  RowWalk m_binaries, m_measurements;
  Statement m_trial, m_configuration, m_binary, m_binary_kernel, m_measurement, m_failed_probe, m_run;
};

}  // namespace db
