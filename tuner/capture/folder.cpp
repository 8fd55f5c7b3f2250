#include "tuner/capture/folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace tuner::capture {
namespace {

constexpr const char* words[] = {"first", "every", "sizes"};

std::string first_word(std::string& text) {
  const std::size_t blank = std::min(text.find(' '), text.size());
  const std::string word = text.substr(0, blank);
  text.erase(0, blank + 1);
  return word;
}

/// `every 10 NAME`
SaveRequest read_save(std::string text) {
  SaveRequest save;
  const std::string which = first_word(text);
  for (int i = 0; i < 3; ++i)
    if (which == words[i]) save.which = static_cast<SaveRequest::Which>(i);
  save.every = std::max<std::uint64_t>(1, std::strtoull(first_word(text).c_str(), nullptr, 10));
  save.kernel = text;
  return save;
}

}  // namespace

std::string written(const Request& request) {
  std::string text;
  if (request.children) text += "children 1\n";
  if (request.events) text += "events 1\n";
  if (request.twice) text += "twice 1\n";
  for (const SaveRequest& save : request.saves)
    text += std::string("save ") + words[static_cast<int>(save.which)] + ' ' + std::to_string(save.every) +
            ' ' + save.kernel + '\n';
  if (!request.pack.empty()) text += "use " + request.pack + '\n';
  if (!request.replaced.empty()) text += "replaced " + request.replaced + '\n';
  text += "verify " + std::to_string(request.verify) + '\n';
  return text + "at_most " + std::to_string(request.at_most_bytes) + '\n';
}

Request read_request(const std::string& text) {
  Request request;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::string key = first_word(line);
    if (key == "children") request.children = true;
    if (key == "events") request.events = true;
    if (key == "twice") request.twice = true;
    if (key == "save") request.saves.push_back(read_save(line));
    if (key == "use") request.pack = line;
    if (key == "replaced") request.replaced = line;
    if (key == "verify") request.verify = std::strtoull(line.c_str(), nullptr, 10);
    if (key == "at_most") request.at_most_bytes = std::strtoull(line.c_str(), nullptr, 10);
  }
  return request;
}

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
