#pragma once
#include <chrono>
#include <filesystem>
#include <string>

#include "tuner/util/file_descriptor.hpp"

namespace tuner::cluster {

/// Keeps two publishers of one file apart, between machines too as far as the shared file system has locks;
/// where it has none, there is no lock and no error. The lock is on a file beside it, which stays, and dies
/// with its holder.
class PublishLock {
 public:
  /// Throws model::Error where another process still has it after `patience`, and where the lock's file
  /// cannot be made.
  PublishLock(const std::filesystem::path& published, std::chrono::milliseconds patience);

 private:
  util::FileDescriptor m_file;
};

}  // namespace tuner::cluster
