#pragma once
#include <filesystem>
#include <istream>
#include <memory>

namespace tuner::util {

/// Reads a file, and unpacks it on the way where it is gzipped. Is in a failed state where there is no such
/// file or it may not be opened. Reading throws model::Error where what is packed is damaged or ends early.
class GzipInput : public std::istream {
 public:
  explicit GzipInput(const std::filesystem::path& path);
  ~GzipInput() override;
  GzipInput(const GzipInput&) = delete;
  GzipInput& operator=(const GzipInput&) = delete;

 private:
  class Buffer;
  std::unique_ptr<Buffer> m_buffer;
};

}  // namespace tuner::util
