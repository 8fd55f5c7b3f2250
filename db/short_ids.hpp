#pragma once
#include <string>

#include "db/statement.hpp"
#include "tuner/model/digest.hpp"

namespace db {

/// Identifiers of trials as short as people like them: seven hexadecimal digits, and more only where another
/// trial of the database begins with the same ones. find_trial() takes them.
class ShortIds {
 public:
  explicit ShortIds(const Connection& db);
  std::string of(const tuner::model::Digest& trial);

 private:
  Statement m_before, m_after;
};

}  // namespace db
