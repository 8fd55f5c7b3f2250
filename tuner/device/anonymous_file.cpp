#include "tuner/device/anonymous_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tuner/device/device.hpp"

namespace tuner::device {

int anonymous_file(std::span<const std::byte> bytes) {
  const int file = memfd_create("tuner-binary", MFD_CLOEXEC);
  if (file < 0) refuse(fmt::format("cannot make an anonymous file for a binary: {}", std::strerror(errno)));
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      close(file);
      refuse(fmt::format("cannot write a binary to memory: {}", std::strerror(error)));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return file;
}

}  // namespace tuner::device
