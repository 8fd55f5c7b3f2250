#include "tuner/cli/context.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tuner/cli/same_database.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/output_file.hpp"
#include "tuner/util/text.hpp"
#include "tuner/util/wrap.hpp"

namespace tuner::cli {
namespace {

void write_all(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

}  // namespace

std::string Context::command_line() const {
  std::string out = "tuner";
  for (const std::string& argument : arguments) out += ' ' + util::shell_quote(argument);
  return out;
}

const char* version() {
  return TUNER_VERSION;
}

terminal::Terminal open_terminal(const config::Settings& settings) {
  const auto wish = [&](const char* name) {
    const std::string& word = settings.text(name);
    if (word == "auto") return terminal::Wish::automatic;
    return word == "always" ? terminal::Wish::always : terminal::Wish::never;
  };
  return terminal::open_terminal(STDERR_FILENO, wish("color"), wish("progress"));
}

void write_out(const std::string& text) {
  errno = 0;
  write_all(stdout, text);
  if (std::ferror(stdout) && errno != EPIPE) {
    throw model::Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

void write_err(const std::string& text) {
  write_all(stderr, util::wrapped_message(in_same_database(text), terminal::columns_of(STDERR_FILENO)));
}

std::string pasteable(const std::string& command) {
  std::string out;
  for (const std::string& line : util::wrapped_command(command, terminal::columns_of(STDERR_FILENO) - 2))
    out += "\n  " + line;
  return out;
}

void deliver(const std::string& path, const std::string& text) {
  if (is_stdout(path)) return write_out(text);
  util::write_file(path, text, "give another path with -o");
}

}  // namespace tuner::cli
