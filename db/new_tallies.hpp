#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "db/statement.hpp"

namespace db {

/// Counts new trials as trials_tally_insert does, for all at once.
class NewTallies {
 public:
  void count(const tuner::model::Digest& contest, const tuner::model::Digest& kernel,
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

}  // namespace db
