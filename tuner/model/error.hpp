#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace tuner::model {

/// What the process returns; the command line documents these numbers.
enum class ExitCode {
  done = 0,
  failed = 1,
  usage = 2,
  nothing_found = 3,
  no_device = 4,
  slower = 5,   ///< what was compared is surely slower than was allowed
  refused = 6,  ///< what was judged is wrong
  interrupted = 130,
  terminated = 143,
};

/// A command that cannot go on. `what()` names the thing and the value found; `hint()` the next step (may be
/// empty). Failures that a sweep expects (compile, launch, verification) are values, never exceptions.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, std::string hint = "", ExitCode code = ExitCode::failed)
      : std::runtime_error(message), m_hint(std::move(hint)), m_code(code) {}

  const std::string& hint() const { return m_hint; }
  ExitCode code() const { return m_code; }

  /// The same error seen from further out: "context: what".
  Error in_context(const std::string& context) const {
    return Error(context + ": " + what(), m_hint, m_code);
  }

 private:
  std::string m_hint;
  ExitCode m_code;
};

/// The caller asked for something malformed: a flag, a size, a spec.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message, std::string hint = "")
      : Error(message, std::move(hint), ExitCode::usage) {}
};

}  // namespace tuner::model
