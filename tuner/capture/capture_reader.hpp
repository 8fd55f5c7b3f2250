#pragma once
#include <filesystem>

#include "tuner/model/captured_kernel.hpp"
#include "tuner/util/files.hpp"

namespace tuner::capture {

/// Reads a capture's folder, or its capture.json alone, which has no kept launches. A launch that cannot be
/// read becomes a failure. Throws model::Error where there is no capture, or one that was left half written.
model::Capture read_capture(const std::filesystem::path& path);

/// The numbers of a `.npy.gz`, piece by piece. Throws model::Error where it is damaged or ends early.
class PackedNumbers {
 public:
  explicit PackedNumbers(const std::filesystem::path& packed);
  /// At most `bytes`, and at least one byte; holds until the next call.
  std::string_view next(std::int64_t bytes);
  /// What stands before the numbers.
  const std::string& header() const { return m_header; }

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path m_path;
  util::GzipInput m_in;
  std::string m_header;
  std::string m_piece;
};

/// Writes the contents of a `.npy.gz` to `to`, as a `.npy` or (`is_raw`) without its header. Throws
/// model::Error where it is damaged or holds other than `bytes`.
void unpack(const std::filesystem::path& packed, const std::filesystem::path& to, bool is_raw,
            std::int64_t bytes);

/// The library that is loaded into programs, as a file has it; empty where it was not built.
std::string_view embedded_library();

}  // namespace tuner::capture
