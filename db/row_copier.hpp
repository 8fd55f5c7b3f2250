#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/row_writer.hpp"
#include "db/statement.hpp"
#include "db/transaction.hpp"

namespace db {

/// Copies trials from another database of this schema, row by row as they are, where that is what RowWriter
/// would write: new here, with the ids that their content has, in the words that this program uses. Values
/// are made of what has to be looked at alone, and none is encoded. The caller holds the transaction, keeps a
/// snapshot of the source, and has had its rows checked against the schema (quick_check): they are not
/// checked again.
class RowCopier {
 public:
  /// `writer` puts contests and kernels, and is of the transaction too.
  RowCopier(const Connection& target, const Connection& source, RowWriter& writer);
  /// What `source` holds. Returns the trials that were left for `writer`.
  std::vector<tuner::model::Digest> copy();

 private:
  std::vector<tuner::model::Digest> copy_plain();
  /// A contest and a kernel of the source, as the first of their trials shows them.
  struct Place {
    bool has_its_ids = false;
    std::string parameters;
  };
  const Place& place_of(const tuner::model::Digest& trial, Statement::Use& row);
  bool is_plain(Statement::Use& row);
  bool says_its_id(Statement::Use& row, const Place& place) const;
  bool has_its_measurement(Statement::Use& row) const;
  bool has_failed_probes(Statement::Use& row);
  bool put(Statement::Use& row);
  void put_what_it_names(Statement::Use& row);

  const Connection& m_target;
  const Connection& m_source;
  RowWriter& m_writer;
  std::map<std::pair<tuner::model::Digest, tuner::model::Digest>, Place> m_places;
  bool m_some_probes_failed;
  /// As long as rows are copied: checking them again would be a quarter of the time.
  std::optional<UncheckedRows> m_unchecked;
  Statement m_select, m_trial, m_configuration, m_binary, m_binary_kernel, m_measurement, m_failed_probe;
};

}  // namespace db
