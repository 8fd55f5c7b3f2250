#pragma once
#include <optional>
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "db/queries.hpp"
#include "db/statement.hpp"
#include "tuner/model/ceiling.hpp"
#include "tuner/model/final.hpp"

namespace db {

/// All finals of the contests that `filter` selects (its family, device, class and problem count; its
/// `superseded` for what they chose), by problem and class, oldest first.
std::vector<tuner::model::FinalRecord> finals(const Connection& db, const TrialFilter& filter = {});

/// The last final that `trial` took part in.
std::optional<tuner::model::FinalRecord> final_with(const Connection& db, const tuner::model::Digest& trial);
/// The last final that both took part in, whichever is named first.
std::optional<tuner::model::FinalRecord> final_between(const Connection& db, const tuner::model::Digest& a,
                                                       const tuner::model::Digest& b);

/// What a device of this model can do at most; by kind and type.
std::vector<tuner::model::Ceiling> ceilings(const Connection& db, const std::string& device);
/// Of every device.
std::vector<tuner::model::Ceiling> ceilings(const Connection& db);

/// Finals with their entries, from rows of select_finals.sql.
class FinalReader {
 public:
  /// `rest`: WHERE clause and order.
  FinalReader(const Connection& db, const std::string& rest);
  Statement::Use use() { return m_final.use(); }
  /// The final that `row`, of use(), stands at.
  tuner::model::FinalRecord read(Statement::Use& row);

 private:
  Statement m_final, m_entries, m_coverage;
};

}  // namespace db
