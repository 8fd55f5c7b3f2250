#include "tuner/cli/answers/spec_note.hpp"

#include <fmt/format.h>

namespace tuner::cli::answers {

const char* to_string(SpecNote::State state) {
  switch (state) {
    case SpecNote::State::unknown:
      return "unknown";
    case SpecNote::State::unchanged:
      return "unchanged";
    case SpecNote::State::changed:
      return "changed";
    case SpecNote::State::widened:
      return "widened";
    case SpecNote::State::excluded:
      return "excluded";
    case SpecNote::State::unreadable:
      return "unreadable";
  }
  return "unknown";
}

std::string sentence(const SpecNote& note, const std::string& kernel) {
  switch (note.state) {
    case SpecNote::State::unknown:
    case SpecNote::State::unchanged:
      return "";
    case SpecNote::State::changed:
      return fmt::format("{} was edited since: {}, or a file that it names, is not what was measured", kernel,
                         note.path);
    case SpecNote::State::widened:
      return fmt::format("{} was edited since: {} has other lists or constraints than what was searched",
                         kernel, note.path);
    case SpecNote::State::excluded:
      return fmt::format("{} was edited since: {} excludes a configuration that is named here", kernel,
                         note.path);
    case SpecNote::State::unreadable:
      return fmt::format("{} was edited since: {} cannot be read as its spec any more", kernel, note.path);
  }
  return "";
}

}  // namespace tuner::cli::answers
