#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "db/row_writer.hpp"
#include "db/statement.hpp"

struct sqlite3_context;
struct sqlite3_value;

namespace db {

/// Takes the trials of another database of this schema, with their configurations, binaries and measurements,
/// from SELECTs that say them in this program's words: ids that follow from content are computed anew, JSON
/// is written anew, and the rows that a trial repeats are read where they are. Both the SELECTs and the
/// INSERTs follow from the description of a trial (rows.hpp). The caller holds the transaction, keeps a
/// snapshot of the source, and has had its rows checked against the schema (quick_check).
class MergeRows {
 public:
  /// `writer` puts cases and kernels, and is of the transaction too.
  MergeRows(const Connection& target, const Connection& source, RowWriter& writer);
  MergeRows(const MergeRows&) = delete;
  MergeRows& operator=(const MergeRows&) = delete;
  ~MergeRows() = default;
  void copy();

 private:
  using Digest = tuner::model::Digest;
  using Function = std::function<void(sqlite3_context*, sqlite3_value**)>;
  /// A function that SELECTs on the source may call. What it throws is the error of the SELECT.
  void define(const char* name, int arguments, Function function);
  void define_functions();
  /// As this program writes the JSON of a column.
  void define_rewriting(const char* name, const std::function<std::string(const std::string&)>& rewritten);
  void map_cases_and_kernels();
  void pump(const std::string& select, const std::string& insert);
  void copy_configurations();
  void copy_trials();
  void add_known(const std::vector<Digest>& trials);

  const Connection& m_target;
  const Connection& m_source;
  RowWriter& m_writer;
  std::map<Digest, Digest> m_cases;  ///< ours by theirs
  struct Kernel {
    Digest id;
    std::vector<std::string> parameters;
  };
  std::map<Digest, Kernel> m_kernels;
  std::map<Digest, Digest> m_measurements;  ///< of those whose content gives another id than theirs
};

}  // namespace db
