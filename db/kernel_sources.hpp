#pragma once
#include <string>

#include "db/statement.hpp"
#include "tuner/model/digest.hpp"

namespace db {

/// Which source each kernel has now. Trials of another one are marked as superseded: they are kept, and do
/// not compete until their source is used again. Trials of which the source is unknown are never superseded.
class KernelSources {
 public:
  explicit KernelSources(const Connection& db);

  /// Whether `source` is what the kernel has now; an empty one is, being unknown. Writes nothing.
  bool is_current(const std::string& family, const std::string& kernel, const tuner::model::Digest& source);
  /// Makes it so, and marks the kernel's trials accordingly: reads them all. The caller holds the
  /// transaction.
  void set(const std::string& family, const std::string& kernel, const tuner::model::Digest& source);
  /// Of kernels whose source is not known here the one measured last is taken: after foreign trials came. The
  /// caller holds the transaction.
  void adopt_newest();

 private:
  const Connection& m_db;
  Statement m_current, m_put, m_mark_tallies, m_mark_trials, m_newest;
};

}  // namespace db
