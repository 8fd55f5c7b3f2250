#pragma once
#include <map>
#include <string>
#include <vector>

#include "config/settings.hpp"

namespace tuner::cli {

/// What every command works in: how it was called, and what surrounds it.
struct Context {
  std::vector<std::string> arguments;  ///< without argv[0]
  config::Surroundings surroundings;
  std::map<std::string, std::string> flags;  ///< settings given on the command line, by setting name

  config::Settings settings() const { return config::Settings::load(flags, surroundings); }
  /// `tuner run --sizes 512..4096`, quoted for a shell.
  std::string command_line() const;
};

/// `text` as one word of a POSIX shell.
std::string shell_quote(const std::string& text);

/// Data for whoever reads stdout. Throws model::Error when it cannot be written, except where the reader went
/// away.
void write_out(const std::string& text);
/// A line for people, on stderr.
void write_err(const std::string& text);

/// Writes a whole file through a temporary one beside it. Throws model::Error naming the path.
void write_file(const std::string& path, const std::string& text);

}  // namespace tuner::cli
