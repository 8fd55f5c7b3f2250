#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::device::cpu::sanitize {

/// Something wrong with a kernel that a run showed.
struct Finding {
  enum class Kind {
    out_of_bounds,        ///< of global or shared memory, or a local array
    undefined_behaviour,  ///< UndefinedBehaviorSanitizer: a shift, an overflow, a misaligned access …
    race,                 ///< two threads of a block, one location, nothing between them
    divergence,           ///< a barrier or warp operation that not all threads reach
    launch,               ///< the launch does not fit the kernel
    compilation,          ///< the host compiler rejects the source
    crash,                ///< a signal or a false assertion
    timeout,
  };

  Kind kind = Kind::crash;
  std::string kernel;
  model::Configuration configuration;
  model::Problem problem;       ///< the first one that shows it
  model::SourceLocation where;  ///< in the kernel's own files; no file where that is unknown
  std::string text;             ///< one line
  int occurrences = 1;          ///< problems of this configuration that show the same

  /// `naive BLOCK_SIZE=32, 37x5: out of bounds at naive.cu:12: heap-buffer-overflow, WRITE of size 4 …`
  std::string line() const;
};

/// `out of bounds`
std::string_view to_string(Finding::Kind kind);

/// What a process that died said on its standard error, as a finding with kind, place and text:
/// reports of AddressSanitizer and UndefinedBehaviorSanitizer, failed assertions. `sources` are the names of
/// the kernel's files; the place is the innermost frame in one of them. For a text without any of these the
/// kind is `crash` and the text its last line.
Finding read_sanitizer_log(std::string_view log, const std::vector<model::SourceText>& sources);

/// The first `file:line:column: error: text` of a compiler's log.
Finding read_compiler_log(std::string_view log);

}  // namespace tuner::device::cpu::sanitize
