#pragma once
#include <string>

#include "tuner/model/run_record.hpp"
#include "tuner/util/file_descriptor.hpp"

namespace db {

/// Tells everybody on this host that a run is under way, until the object goes or the process dies, however
/// it does: a lock on the run's own byte of a file in the folder for temporary files. It is no part of the
/// database, since copies and merged databases have the run too. Where the file cannot be had, nothing is
/// told.
class LivingRun {
 public:
  explicit LivingRun(const tuner::model::Digest& run);

 private:
  tuner::util::FileDescriptor m_file;
};

/// Whether the run is on record as under way on this host, and no process has it.
bool is_abandoned(const tuner::model::RunRecord& run);
bool is_abandoned(const tuner::model::Digest& run, const std::string& state, const std::string& host);

}  // namespace db
