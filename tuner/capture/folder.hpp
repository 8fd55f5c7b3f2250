#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::capture {

/// The variable that names the folder of a capture to the library.
inline constexpr const char* folder_variable = "TUNER_CAPTURE";
/// Files of that folder.
inline constexpr const char* request_file = "request";  ///< what is asked for
inline constexpr const char* first_file = "first";  ///< the number of the process that the capture began with
inline constexpr const char* manifest_file = "capture.json";  ///< written last, by rename
/// Of a process's folder.
inline constexpr const char* process_prefix = "process-";
inline constexpr const char* ledger_file = "ledger";
inline constexpr const char* notes_file = "notes";         ///< lines for people
inline constexpr const char* launch_prefix = "launch-";    ///< a folder for each launch that was saved
inline constexpr const char* draft_file = "draft.json";    ///< of a launch, by the library: written last
inline constexpr const char* source_file = "source.cu";    ///< what NVRTC made its module of
inline constexpr const char* header_prefix = "header-";    ///< of a header that NVRTC was given, from 0
inline constexpr const char* launch_file = "launch.json";  ///< of a launch, by who read the draft
inline constexpr const char* unfollowed_prefix =
    "unfollowed-";                                       ///< a process that used CUDA and was not captured
inline constexpr const char* failed_prefix = "failed-";  ///< why a process could not be captured

/// Which launches of a kernel are saved.
struct SaveRequest {
  enum class Which { first, every, sizes };

  std::string kernel;  ///< as the binary has it, or its plain name
  Which which = Which::first;
  std::uint64_t every = 1;
};

/// What `tuner capture` asks of the library. As text: a line `key value` each.
struct Request {
  bool children = false;  ///< also the processes that the first one starts
  bool events = false;    ///< times by events alone
  std::vector<SaveRequest> saves = {};
  bool twice = false;               ///< what is saved is launched twice, from the same memory
  std::uint64_t at_most_bytes = 0;  ///< of what is saved, in all
  std::string pack = {};            ///< whose kernels are used in place of the program's
  std::string replaced = {};        ///< the program's kernel that they stand for; empty: of the same name
  std::uint64_t verify = 0;         ///< so many launches of each kernel are compared with the program's own
};

std::string written(const Request& request);
/// Keys that it does not know are passed over.
Request read_request(const std::string& text);

/// The beginning of a file, 64 KiB at most; empty where there is none.
std::string text_of(const std::string& path);
/// `flags`: of open(), beside those that create it. False where it cannot be written whole; errno says why.
bool write_text(const std::string& path, std::string_view text, int flags);

/// Lines for people, in a file of the process's folder. They are printed when the program has ended.
class Notes {
 public:
  void set_file(std::string path) { m_path = std::move(path); }
  void add(const std::string& line) const;

 private:
  std::string m_path;
};

/// A new file that is written piece by piece.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  bool write(const char* bytes, std::size_t count);
  /// False where something was not written; errno says why.
  bool close();

 private:
  int m_file;
  bool m_is_good;
  int m_error = 0;
};

}  // namespace tuner::capture
