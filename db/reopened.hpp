#pragma once
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "db/statement.hpp"
#include "tuner/model/digest.hpp"

namespace db {

/// What is worth a word beside the best: it would be in the next final (model::FinalPolicy::within).
constexpr double near_the_best = 1.1;

/// Trials that were dropped early, for somebody who is not that much faster any more: edited, forgotten,
/// found wrong, or outside of the question. How fast they are is unknown.
class ReopenedFinder {
 public:
  explicit ReopenedFinder(const Connection& db);

  /// Those of a contest whose time is at most `within` times the least that any who competes ever had there,
  /// fastest first. Of `kernel` alone, and beside those of `beside` alone, where one is named.
  std::vector<tuner::model::Digest> find(const tuner::model::Digest& contest, double within,
                                         const std::string& kernel = "", const std::string& beside = "");

 private:
  Statement m_select;
};

}  // namespace db
