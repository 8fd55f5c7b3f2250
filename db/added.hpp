#pragma once
#include <cstdint>

#include "db/connection.hpp"

namespace db {

/// What a merge or an import added.
struct Added {
  std::int64_t runs = 0;
  std::int64_t trials = 0;
  std::int64_t measurements = 0;
};

/// Counts rows that come between now and when asked, while none is deleted.
class AddedCounter {
 public:
  explicit AddedCounter(const Connection& db);
  Added since() const;

 private:
  const Connection& m_db;
  Added m_before;
};

}  // namespace db
