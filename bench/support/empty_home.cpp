#include "bench/support/empty_home.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace bench {
namespace {

/// This process's environment, less what tells a tuner where its files are, and with every cache off.
std::vector<std::string> environment_in(const std::filesystem::path& home) {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const bool ours = text.starts_with("XDG_") || text.starts_with("HOME=") ||
                      text.starts_with("CUDA_CACHE") ||
                      (text.starts_with("TUNER_") && !text.starts_with("TUNER_NVRTC="));
    if (!ours) out.push_back(text);
  }
  out.push_back("HOME=" + home.string());
  out.push_back("CUDA_CACHE_DISABLE=1");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

EmptyHome::EmptyHome() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tuner-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  m_path = pattern;
}

EmptyHome::~EmptyHome() {
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

double EmptyHome::run(std::vector<std::string> command) const {
  std::vector<std::string> environment = environment_in(m_path);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [descriptor, name] : {std::pair(STDOUT_FILENO, "out"), std::pair(STDERR_FILENO, "err")}) {
    posix_spawn_file_actions_addopen(&actions, descriptor, (m_path / name).c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
  pid_t child = -1;
  const auto begin = std::chrono::steady_clock::now();
  const int error = posix_spawn(&child, command.front().c_str(), &actions, nullptr, pointers(command).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}", command.front(), std::strerror(error)));
  int status = 0;
  waitpid(child, &status, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (status != 0) {
    throw std::runtime_error(
        fmt::format("{} ended with status {}:\n{}", fmt::join(command, " "), status, err()));
  }
  return took.count();
}

std::string EmptyHome::err() const {
  return text_of(m_path / "err");
}

}  // namespace bench
