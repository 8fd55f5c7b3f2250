#include "db/spill_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

namespace db {
namespace {

namespace fs = std::filesystem;

std::string first_bytes(const fs::path& path, std::uintmax_t bytes) {
  std::string text(bytes, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

SpillFile::SpillFile(const fs::path& database, const std::string& why)
    : m_name(fmt::format("{}.{}-{}", database.filename().string(), why, getpid())) {
  std::error_code error;
  if (const fs::path temporary = fs::temp_directory_path(error); !error) m_folders.push_back(temporary);
  m_folders.push_back(fs::absolute(database, error).parent_path());
}

bool SpillFile::append(const std::string& line) {
  while (m_file != nullptr || move_on()) {
    if (write(line)) return true;
    m_file.reset();
  }
  return false;
}

bool SpillFile::move_on() {
  // From the file that failed only complete lines are taken along.
  const fs::path old = m_path;
  const std::string kept = old.empty() ? m_preamble : first_bytes(old, m_bytes);
  while (!m_folders.empty()) {
    const fs::path folder = m_folders.back();
    m_folders.pop_back();
    fs::path path = folder / (m_name + ".jsonl");
    for (int i = 2; fs::exists(path); ++i) path = folder / fmt::format("{}-{}.jsonl", m_name, i);
    m_file.reset(std::fopen(path.c_str(), "wbx"));
    if (m_file == nullptr) continue;
    m_bytes = 0;
    std::error_code error;
    if (write(kept)) {
      m_path = path;
      if (!old.empty()) fs::remove(old, error);
      return true;
    }
    m_file.reset();
    fs::remove(path, error);
  }
  // What the last folder took of earlier lines stays there.
  return false;
}

bool SpillFile::write(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), m_file.get()) == text.size() &&
                       std::fflush(m_file.get()) == 0 && fsync(fileno(m_file.get())) == 0;
  if (written) m_bytes += text.size();
  return written;
}

void SpillFile::discard() {
  m_file.reset();
  if (m_path.empty()) return;
  std::error_code error;
  m_folders.push_back(m_path.parent_path());
  fs::remove(m_path, error);
  m_path.clear();
}

}  // namespace db
