#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/kernel_space.hpp"

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

/// How a child ended.
struct ChildEnd {
  bool finished = false;              ///< it ran `work` to its end
  bool timed_out = false;             ///< it was killed
  int signal = 0;                     ///< that ended it; 0: it exited
  std::vector<std::string> messages;  ///< what `work` told, in order
  std::string output;                 ///< standard output and error together, the first 256 KiB
};

/// Runs `work` in a forked child, so that what breaks the process breaks only that, and kills it where it
/// tells nothing for `limit`. `work` is given a function that sends one line of text to this process. The
/// calling process must have no other threads. Throws model::Error where no child can be made.
ChildEnd run_isolated(const std::function<void(const std::function<void(const std::string&)>& tell)>& work,
                      std::chrono::milliseconds limit);

/// Whether AddressSanitizer's library was loaded before everything else in this process, as it must be.
bool address_sanitizer_loaded();

/// Replaces this process by itself, arguments and all, with `library` loaded first; returns at once where it
/// is loaded already. To be called early, before there are threads or open files that matter. Throws
/// model::Error where that fails, or where a process so restarted still does not have it.
void restart_with_address_sanitizer(const std::string& library, char** arguments);

/// The variables that make a process load `library` first and report as sanitizer_log expects: `NAME=value`.
/// What the user set in ASAN_OPTIONS and UBSAN_OPTIONS comes last and wins.
std::string preload_variable(const std::string& library);
std::string address_options();
std::string undefined_options();

/// Has `work(i)` done for each i below `count`, in forked children, `most` of them at a time, and gives what
/// each returned to `done`, in the order of i. Threads will not do: work under sanitizers forks in its turn.
/// Throws model::Error with its text where `work` throws, and where a child cannot be made or dies.
void run_side_by_side(std::size_t count, int most, const std::function<std::string(std::size_t)>& work,
                      const std::function<void(std::size_t, const std::string&)>& done);

/// Problems on which edges are wrong if they ever are: every extent 1, a prime, one below and one above the
/// tile; long and flat rectangles where there are several extents; padded rows where the kernel offers
/// padding. The tile of an extent is found by asking the spec at which size the number of blocks grows.
/// Problems for which the spec does not allow the configuration, or has no plan, are left out; where that
/// leaves none, up to three of the least that are allowed, if those are affordable.
std::vector<model::Problem> awkward_problems(const space::KernelSpace& kernel,
                                             const model::Configuration& configuration,
                                             model::ElementType type, const model::DeviceLimits& limits);

struct SanitizerOptions {
  bool memory = true;  ///< AddressSanitizer and UndefinedBehaviorSanitizer
  bool races = true;
  std::chrono::milliseconds run_limit = std::chrono::seconds(60);  ///< for one problem
  std::chrono::milliseconds compile_limit = std::chrono::minutes(2);
  std::shared_ptr<compile::BinaryCache> cache{};  ///< as HostCompilerOptions has it
};

/// Runs kernels on the CPU with everything watched: once under AddressSanitizer and
/// UndefinedBehaviorSanitizer, once with every access reported to the race detector. Runs happen in forked
/// children on exactly sized buffers; one child runs the problems of a configuration one after another, and
/// where it dies the next one goes on with the rest. What hangs once is not run again.
class Sanitizer {
 public:
  /// Throws model::Error where there is no host compiler, or where `memory` is asked for and
  /// AddressSanitizer's library is not loaded in this process (restart_with_address_sanitizer).
  explicit Sanitizer(SanitizerOptions options = {});

  /// What a plan must fit into for check() to run it.
  const model::DeviceLimits& limits() const { return m_limits; }
  /// Everything wrong with one configuration, each kind and place once. The process must have no other
  /// threads. All problems must be of one element type.
  std::vector<Finding> check(const space::KernelSpace& kernel, const model::Configuration& configuration,
                             const std::vector<model::Problem>& problems);

 private:
  using Found = std::vector<Finding>;

  void watch(compile::host::HostCompiler& compiler, const space::KernelSpace& kernel,
             const model::Configuration& configuration, const std::vector<model::Problem>& problems,
             Found& findings);

  SanitizerOptions m_options;
  model::DeviceLimits m_limits;
  compile::host::HostCompiler m_memory;
  compile::host::HostCompiler m_accesses;
};

}  // namespace tuner::device::cpu::sanitize
