#pragma once
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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
  /// The same; once `abandoned` is set the result is not needed. A compiler that can end early does, with any
  /// result.
  virtual model::Compilation compile_unless(const model::CompileJob& job,
                                            const std::atomic<bool>& abandoned) {
    static_cast<void>(abandoned);
    return compile(job);
  }
};

/// Where a CUDA toolkit may be; the folder need not exist.
struct ToolkitFolder {
  std::filesystem::path path;
  std::string origin;  ///< why it is looked at: `CUDA_PATH`, `a usual place`
};

/// In the order they are looked at: CUDA_PATH and CUDA_HOME where they are set, /usr/local/cuda, its
/// versioned neighbours with the newest first, /opt/cuda.
std::vector<ToolkitFolder> toolkit_folders();

/// Where a program of a toolkit may be: what the variable names, else the PATH, then the toolkits' folders.
std::vector<std::string> toolkit_program_places(const std::string& name, const char* variable);

/// The folder of the toolkit's device headers (cuda_fp16.h): that which goes with the NVRTC library at
/// `library`, where it is not empty and has one, else the first there is. Empty: none.
std::filesystem::path find_header_folder(const std::filesystem::path& library = {});

/// The same job with the features of one architecture alone (sm_90a), where it has any; its device has all.
model::CompileJob with_features(model::CompileJob job);

/// Whether a source asks if it is compiled for them: it would compile to something else without.
bool asks_for_features(const model::CompileJob& job);

/// The sources of a job as a compiler without the folders that they come from needs them. One file that is
/// included by two names is there twice, and its `#pragma once` would not hold; behind its second name there
/// is an `#include` of the first.
std::vector<model::SourceText> with_headers_once(std::vector<model::SourceText> source);

/// A log longer than this loses its middle: the first errors and the final summary are what people read.
inline constexpr std::size_t longest_log_bytes = std::size_t{64} << 10U;

/// A compiler's log, fit to be stored and sent: bytes that are not UTF-8 become U+FFFD, control characters
/// other than newline and tab become spaces, trailing white space goes, and from a text above `limit` bytes
/// whole lines are cut out of the middle, with a note saying how many bytes.
std::string tidy_log(std::string_view raw, std::size_t limit = longest_log_bytes);

/// A failure as a value, with the log tidied.
model::Compilation failed(model::TrialStatus status, std::string_view log);

/// The macros of a job as lines of its source.
std::string defines(const model::CompileJob& job);

/// What is wrong with `entry`, for which the compiler gives the reason `why`; without one it compiled to no
/// kernel. Names the kernels of the source.
std::string entry_mistake(const model::CompileJob& job, std::string_view entry, std::string_view why = {});

/// A compiler's log with its first error as the first line: warnings, and how GCC came to the file, follow.
/// `but` is a text that lines must not have to count.
std::string error_first(std::string log, std::string_view but = {});

/// The first line of a log that is an error; empty: none.
std::string_view first_error(std::string_view log, std::string_view but = {});

/// Whether a compiler that failed was killed, had no memory left, or broke: none says that its source is
/// wrong. Throws model::Error where a disk was full: the next compilation would fail as well.
bool compiler_died(std::string_view log);

/// What a log says in one line: its first error or, without one, its first line that is no note.
std::string_view gist(std::string_view log);

}  // namespace tuner::compile
