#pragma once
#include <string>
#include <vector>

#include "db/connection.hpp"

namespace db {

/// The indexes of trials and measurements, dropped when it is made and made again by make(): to sort all
/// entries at once takes a third of the time of putting each where it belongs. Within one transaction of the
/// caller, so that nobody else ever sees the tables without them and a crash leaves them as they were. What
/// guards a key stays, and with it what looks a row up by its id.
class DeferredIndexes {
 public:
  explicit DeferredIndexes(const Connection& db);
  /// Sorts in temporary files what is more than the connection's cache.
  void make() const;

 private:
  const Connection& m_db;
  std::vector<std::string> m_statements;
};

}  // namespace db
