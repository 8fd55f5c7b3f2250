#include "tuner/cli/context.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

void write_all(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

}  // namespace

std::string Context::command_line() const {
  std::string out = "tuner";
  for (const std::string& argument : arguments) out += ' ' + shell_quote(argument);
  return out;
}

std::string shell_quote(const std::string& text) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void write_out(const std::string& text) {
  errno = 0;
  write_all(stdout, text);
  if (std::ferror(stdout) && errno != EPIPE) {
    throw model::Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

void write_err(const std::string& text) {
  write_all(stderr, text + '\n');
}

void write_file(const std::string& path, const std::string& text) {
  const auto fail = [&](const char* what) {
    const std::string reason = std::strerror(errno);
    throw model::Error(fmt::format("{} cannot be written: {}: {}", path, what, reason),
                       "give another path with -o, or make the folder writable");
  };
  if (std::filesystem::is_directory(path)) {
    throw model::Error(fmt::format("{} cannot be written: it is a directory", path),
                       "give the path of a file with -o");
  }
  const std::string temporary = path + ".new";
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (!file) fail("opening it failed");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) {
    const int reason = errno;
    std::remove(temporary.c_str());
    errno = reason;
    fail("writing failed");
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("replacing it failed");
}

}  // namespace tuner::cli
