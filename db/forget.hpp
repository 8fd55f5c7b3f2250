#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "db/connection.hpp"
#include "tuner/model/digest.hpp"

namespace db {

/// What to forget: one of these.
struct ForgetQuery {
  std::string kernel;  ///< with every trial and its declaration
  std::optional<tuner::model::Digest>
      run;  ///< what it measured; trials that others measured too keep the rest
  std::optional<tuner::model::Digest> trial;
  std::string before;  ///< what was measured before this moment, UTC as the database writes it
};

/// What goes.
struct Forgotten {
  std::int64_t trials = 0;
  std::int64_t measurements = 0;  ///< of trials that stay too
  std::int64_t finals = 0;        ///< that chose a trial which goes, or were held by a run that goes
  std::int64_t runs = 0;
  bool nothing() const { return trials + measurements + finals + runs == 0; }
};

/// Removes it, and what nothing refers to any more, in one transaction; with `dry_run` only tells what would
/// go. A trial whose current measurement goes has the latest of those that stay.
Forgotten forget(const Connection& db, const ForgetQuery& query, bool dry_run);

}  // namespace db
