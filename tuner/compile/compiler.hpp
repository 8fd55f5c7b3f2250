#pragma once
#include <atomic>
#include <string>

#include "tuner/model/compile_job.hpp"

namespace tuner::compile {

/// Turns source into a binary. A failed compilation is a value; exceptions mean that the compiler itself is
/// missing or broken. One caller at a time per object; several objects may work at once.
class Compiler {
 public:
  Compiler() = default;
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;
  virtual ~Compiler() = default;

  /// Name and version, part of every binary's identity: `nvrtc 13.0`.
  virtual std::string name() const = 0;
  virtual model::Compilation compile(const model::CompileJob& job) = 0;
  /// The same; once `abandoned` is set nobody wants the result, and a compiler that can end early does, with
  /// any result.
  virtual model::Compilation compile_unless(const model::CompileJob& job,
                                            const std::atomic<bool>& abandoned) {
    static_cast<void>(abandoned);
    return compile(job);
  }
};

}  // namespace tuner::compile
