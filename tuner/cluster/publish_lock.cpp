#include "tuner/cluster/publish_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "tuner/model/error.hpp"

namespace tuner::cluster {

PublishLock::PublishLock(const std::filesystem::path& published, std::chrono::milliseconds patience) {
  const std::string path = published.string() + ".lock";
  m_file = util::FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!m_file) {
    throw model::Error(fmt::format("{}: cannot be replaced: {}", published.string(), std::strerror(errno)));
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(m_file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // a file system without locks
    if (std::chrono::steady_clock::now() >= deadline) {
      throw model::Error(fmt::format("{}: another process is replacing it", published.string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace tuner::cluster
