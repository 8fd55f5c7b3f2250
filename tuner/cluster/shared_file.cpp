#include "tuner/cluster/shared_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "db/json.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"

namespace tuner::cluster {
namespace {

namespace fs = std::filesystem;
using util::FileDescriptor;

constexpr const char* leftover_mark = ".new-";

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw model::Error(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

FileDescriptor open_file(const fs::path& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666));
}

FileMark mark_of_open(int file, const fs::path& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) fail(path, "cannot be looked at");
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

void write_all(int file, std::string_view text, const fs::path& path) {
  if (!util::write_all(file, text)) fail(path, "cannot be written");
}

void copy_all(int from, int to, const fs::path& source, const fs::path& path) {
  std::vector<char> piece(std::size_t{1} << 20U);
  for (;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got == 0) return;
    if (got < 0 && errno != EINTR) fail(source, "cannot be read");
    if (got > 0) write_all(to, {piece.data(), static_cast<std::size_t>(got)}, path);
  }
}

std::string own_suffix() {
  return fmt::format("{}{}-{}", leftover_mark, util::host_name(), ::getpid());
}

/// Not every file system can be asked to keep a folder's entries; what is renamed is whole either way.
void keep_entry(const fs::path& target) {
  const FileDescriptor folder =
      open_file(target.has_parent_path() ? target.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
  if (folder) static_cast<void>(::fsync(folder.get()));
}

FileMark replace(const fs::path& target, const std::function<void(int file)>& fill) {
  const fs::path fresh = target.string() + own_suffix();
  const FileDescriptor file = open_file(fresh, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file) fail(target, "cannot be replaced");
  try {
    fill(file.get());
    if (::fsync(file.get()) != 0) fail(target, "cannot be written");
    if (::rename(fresh.c_str(), target.c_str()) != 0) fail(target, "cannot be replaced");
    keep_entry(target);
    return mark_of_open(file.get(), target);
  } catch (...) {
    ::unlink(fresh.c_str());
    throw;
  }
}

}  // namespace

FileMark mark_of(const fs::path& path) {
  const FileDescriptor file = open_file(path, O_RDONLY);
  if (!file && errno == ENOENT) return {};
  if (!file) fail(path, "cannot be opened");
  return mark_of_open(file.get(), path);
}

FileMark replace_by_copy(const fs::path& target, const fs::path& source) {
  const FileDescriptor from = open_file(source, O_RDONLY);
  if (!from) fail(source, "cannot be opened");
  return replace(target, [&](int file) { copy_all(from.get(), file, source, target); });
}

void replace_by_text(const fs::path& target, std::string_view text) {
  replace(target, [&](int file) { write_all(file, text, target); });
}

void remove_leftovers(const fs::path& target) {
  const std::string start = target.filename().string() + leftover_mark;
  std::error_code ignored;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(start)) fs::remove(entry.path(), ignored);
  }
}

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

namespace {

constexpr int progress_schema = 1;
constexpr std::size_t most_progress_bytes = std::size_t{1} << 16U;
constexpr std::array<std::string_view, 4> state_words = {"running", "interrupted", "done", "failed"};

/// The fields of a progress file; a name, once released, stays.
template <class Archive, class Progress>
void describe(Archive& a, Progress& v) {
  a("shard", v.part.number);
  a("of", v.part.of);
  a("state", v.state);
  a("planned", v.planned);
  a("known", v.known);
  a("finished", v.finished);
  a("trials_per_second", v.trials_per_second);
  a("host", v.host);
  a("process", v.process);
  a("job", v.job);
  a("owner", v.owner);
  a("database", v.database);
  a("next_within_s", v.next_within_s);
}

struct ProgressWriter {
  db::Json json = {{"schema_version", progress_schema}};

  template <class T>
  void operator()(const char* key, const T& value) {
    json[key] = value;
  }
  void operator()(const char* key, RunState state) { json[key] = to_string(state); }
};

/// Every key must be there, and no number is below 0.
struct ProgressReader {
  const db::Json& json;

  template <class T>
  void operator()(const char* key, T& value) const {
    db::read(at(key), {key}, value);
    if constexpr (std::is_arithmetic_v<T>) {
      constexpr double most = std::is_same_v<T, int> ? 1e6 : 0x1p53;  // of parts, and of all else
      const auto number = static_cast<double>(value);
      if (!(number >= 0 && number <= most)) db::refuse({key}, at(key), fmt::format("0 to {}", most));
    }
  }
  void operator()(const char* key, RunState& state) const {
    std::string word;
    (*this)(key, word);
    const auto found = std::ranges::find(state_words, word);
    if (found == state_words.end())
      db::refuse({key}, word, fmt::format("one of {}", fmt::join(state_words, ", ")));
    state = static_cast<RunState>(found - state_words.begin());
  }

 private:
  const db::Json& at(const char* key) const {
    static const db::Json missing;
    return json.is_object() && json.contains(key) ? json.at(key) : missing;
  }
};

}  // namespace

std::string_view to_string(RunState state) {
  return state_words.at(static_cast<std::size_t>(state));
}

std::filesystem::path progress_file_of(const std::filesystem::path& published) {
  return published.string() + ".progress.json";
}

std::string progress_text(const PartProgress& progress) {
  ProgressWriter writer;
  describe(writer, progress);
  return writer.json.dump(2, ' ', false, db::Json::error_handler_t::replace) + '\n';
}

PartProgress parse_progress(std::string_view text, const std::string& origin) {
  try {
    const db::Json json = db::parse_json(text);
    const ProgressReader reader{json};
    int schema = 0;
    reader("schema_version", schema);
    if (schema > progress_schema) db::refuse({"schema_version"}, schema, "a version that is known here");
    PartProgress progress;
    describe(reader, progress);
    return progress;
  } catch (const model::Error& error) {
    throw model::Error(fmt::format("{}: no progress of a run: {}", origin, error.what()));
  }
}

std::optional<PartProgress> read_progress(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(most_progress_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most_progress_bytes)
    throw model::Error(fmt::format("{}: too long for the progress of a run", file.string()));
  return parse_progress(text, file.string());
}

}  // namespace tuner::cluster
