#include "tuner/capture/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tuner::capture {

std::string text_of(const std::string& path) {
  char text[1 << 16];
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  const ssize_t bytes = read(file, text, sizeof text);
  close(file);
  return {text, bytes < 0 ? 0 : static_cast<std::size_t>(bytes)};
}

bool write_text(const std::string& path, std::string_view text, int flags) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
  if (file < 0) return false;
  const bool is_written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return close(file) == 0 && is_written;
}

void Notes::add(const std::string& line) const {
  write_text(m_path, line + '\n', O_APPEND);
}

OutputFile::OutputFile(const std::string& path)
    : m_file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)), m_is_good(m_file >= 0) {
  m_error = errno;
}

OutputFile::~OutputFile() {
  if (m_file >= 0) ::close(m_file);
}

bool OutputFile::write(const char* bytes, std::size_t count) {
  while (m_is_good && count != 0) {
    const ssize_t written = ::write(m_file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      m_error = errno;
      m_is_good = false;
      break;
    }
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return m_is_good;
}

bool OutputFile::close() {
  if (m_file >= 0 && ::close(std::exchange(m_file, -1)) != 0 && m_is_good) {
    m_error = errno;
    m_is_good = false;
  }
  errno = m_error;
  return m_is_good;
}

}  // namespace tuner::capture
