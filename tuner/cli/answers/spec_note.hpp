#pragma once
#include <string>

namespace tuner::cli::answers {

/// What became of the spec that an answer was measured by.
struct SpecNote {
  enum class State {
    unknown,    ///< nobody declared it, or its file is not here
    unchanged,  ///< the file says what was measured
    changed,    ///< what the kernel runs, or what is right, is another: spec, source or a header was edited
    widened,    ///< its lists or constraints are others, and still have the answer
    excluded,   ///< its lists or constraints are others, and have the answer no longer
    unreadable  ///< the file has mistakes, or the kernel no longer
  };
  State state = State::unknown;
  std::string path;         ///< empty: nobody declared it
  std::string declared_at;  ///< UTC
  std::string host;         ///< that declared it
  std::string device;       ///< as `--device` takes it; empty: it need not be said
  std::string command;      ///< measures it anew; empty where nothing has changed
};

/// `changed`
const char* to_string(SpecNote::State state);
/// For people: what it means; empty where nothing has changed.
std::string sentence(const SpecNote& note, const std::string& kernel);

}  // namespace tuner::cli::answers
