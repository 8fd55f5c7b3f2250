#include "tuner/worker/device_lock.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "tuner/model/error.hpp"

namespace tuner::worker {
namespace {

std::string file_name(const model::DeviceInfo& device) {
  std::string name = device.uuid.empty() ? device.id : device.uuid;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  }
  return fmt::format("tuner-device-{}.lock", name);
}

std::string holder_of(int fd) {
  std::array<char, 16> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size() - 1, 0);
  std::string_view digits(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  return digits.empty() ? "another process" : fmt::format("process {}", digits);
}

}  // namespace

DeviceLock::DeviceLock(const model::DeviceInfo& device, const std::string& folder)
    : m_path(folder + "/" + file_name(device)), m_file(util::open_shared_file(m_path)) {
  const std::string what = fmt::format("{} ({})", device.name, device.id);
  struct stat status {};
  if (!m_file || ::fstat(m_file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw model::Error(fmt::format("cannot lock {}: {}: {}", what, m_path,
                                   m_file ? "not a regular file" : std::strerror(errno)),
                       "remove that file, or let this user write it");
  }
  if (::flock(m_file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      throw model::Error(fmt::format("cannot lock {}: {}", m_path, std::strerror(errno)));
    throw model::Error(fmt::format("{} is in use by another tuner, {}", what, holder_of(m_file.get())),
                       "wait for it to finish, or choose another device with --device");
  }
  // The holder's name is for messages only: the lock holds without it, on a full disk for instance.
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(m_file.get(), 0) == 0)
    static_cast<void>(!::pwrite(m_file.get(), pid.data(), pid.size(), 0));
}

}  // namespace tuner::worker
