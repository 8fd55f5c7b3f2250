#pragma once
#include <string>

#include "tuner/model/device.hpp"
#include "tuner/util/files.hpp"

namespace tuner::worker {

/// Keeps a second tuner off the same GPU. The lock belongs to an open file, so it dies with its holder
/// however that dies, and it is not inherited by workers. The file stays: removing it would let two holders
/// lock two files.
class DeviceLock {
 public:
  /// The folder is one that all users share, since the GPU is.
  static constexpr const char* usual_folder = "/tmp";

  /// Throws model::Error, naming the holder's process id, where another process has `device` (by uuid, else
  /// id).
  explicit DeviceLock(const model::DeviceInfo& device, const std::string& folder = usual_folder);

  const std::string& path() const { return m_path; }

 private:
  std::string m_path;
  util::FileDescriptor m_file;
};

}  // namespace tuner::worker
