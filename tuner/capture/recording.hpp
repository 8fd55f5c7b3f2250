#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tuner/capture/ledger.hpp"
#include "tuner/model/captured_kernel.hpp"
#include "tuner/util/files.hpp"

/// What a capture found, as those read it who did not write it (docs/capture.md).
namespace tuner::capture {

/// How often these integers were passed, by the places of their parameters.
struct RecordedIntegers {
  std::uint64_t launches = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> values = {};
};

/// Launches of a kernel on one GPU with one grid and block, by themselves or in graphs.
struct RecordedShape {
  std::uint32_t gpu = 0;  ///< as CUDA numbers GPUs in the process
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t graph = 0;      ///< 0: in none; `other_graphs`: in several
  std::uint64_t launches = 0;   ///< that ran, as far as is known
  std::uint64_t in_graphs = 0;  ///< that were put into graphs
  std::uint64_t timed = 0;
  double total_ns = 0;   ///< of all launches, from the mean of those timed
  double median_ns = 0;  ///< 0 where none was timed
  std::vector<RecordedIntegers> integers = {};
};

struct RecordedParameter {
  std::uint32_t bytes = 0;
  ParameterKind kind = ParameterKind::unknown;
};

struct RecordedKernel {
  std::string name;      ///< as the binary has it
  std::string readable;  ///< demangled
  std::uint32_t registers = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;
  bool has_parameters = false;  ///< else the driver did not say them
  std::vector<RecordedParameter> parameters = {};
  std::uint64_t launches = 0;
  double total_ns = 0;
  std::vector<RecordedShape> shapes = {};  ///< the longest first
};

/// Launches that were replaced by a pack's, or that could not be.
struct RecordedReplacement {
  std::string kernel;
  bool is_replaced = false;
  std::uint64_t launches = 0;
  std::string text;  ///< by what, or why not
};

struct RecordedProcess {
  std::int64_t process = 0;
  std::int64_t parent = 0;
  std::string program;
  std::string device;
  std::string architecture;  ///< `sm_90`
  std::uint32_t driver_version = 0;
  std::uint32_t contexts = 0;
  Timing timing = Timing::none;
  std::string timing_reason;
  End end = End::unknown;
  double seconds = 0;  ///< 0 where its end is not known
  /// What CUPTI's records have cost of that, from what they cost each; 0 where it is not known.
  double cost = 0;
  std::uint64_t launches = 0;
  std::uint64_t untold = 0;  ///< launches of which nothing else is known
  std::uint64_t untold_runs = 0;
  std::uint64_t untold_ns = 0;
  std::uint64_t without_integers = 0;  ///< launches of which all but their integers is known
  std::uint64_t graph_launches = 0;
  std::uint64_t lost_records = 0;
  std::vector<RecordedKernel> kernels = {};  ///< the longest first
  std::vector<RecordedReplacement> replacements = {};
};

/// A launch in the folder of a capture.
struct SavedLaunch {
  std::string folder;  ///< below that of the capture
  std::string kernel;  ///< as the binary has it
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;  ///< of its files
};

struct Recording {
  std::vector<std::string> command = {};
  int exit_code = 0;
  int signal = 0;
  bool was_loaded = false;  ///< the library was, into the first process
  std::vector<RecordedProcess> processes = {};
  std::vector<SavedLaunch> saved = {};
  std::vector<std::string> notes = {};     ///< of the library, for people
  std::vector<std::string> failures = {};  ///< why processes were not captured
  std::uint64_t unfollowed = 0;            ///< processes that used CUDA and were not asked for
};

/// Reads a ledger. Throws model::Error where it is damaged or of another version.
RecordedProcess read_process(const std::filesystem::path& ledger);

/// Makes the final form of what the library left in `folder`, a launch's: compares memory before and after,
/// packs it as `.npy.gz` and writes launch.json last (docs/capture.md). Throws model::Error where the launch
/// is not whole.
SavedLaunch finish_launch(const std::filesystem::path& folder);

/// What the library left in the folder of a capture. Launches that it saved get their final form.
Recording read_folder(const std::filesystem::path& folder);

/// The kernels of all processes, of one name together; where several GPUs ran kernels, of one GPU each.
std::vector<RecordedKernel> all_kernels(const Recording& recording);

nlohmann::json as_json(const Recording& recording);

/// Reads a capture's folder, or its capture.json alone, which has no kept launches. A launch that cannot be
/// read becomes a failure. Throws model::Error where there is no capture, or one that was left half written.
model::Capture read_capture(const std::filesystem::path& path);

/// The numbers of a `.npy.gz`, piece by piece. Throws model::Error where it is damaged or ends early.
class PackedNumbers {
 public:
  explicit PackedNumbers(const std::filesystem::path& packed);
  /// At most `bytes`, and at least one byte; holds until the next call.
  std::string_view next(std::int64_t bytes);
  /// What stands before the numbers.
  const std::string& header() const { return m_header; }

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path m_path;
  util::GzipInput m_in;
  std::string m_header;
  std::string m_piece;
};

/// Writes the contents of a `.npy.gz` to `to`, as a `.npy` or (`is_raw`) without its header. Throws
/// model::Error where it is damaged or holds other than `bytes`.
void unpack(const std::filesystem::path& packed, const std::filesystem::path& to, bool is_raw,
            std::int64_t bytes);

/// The library that is loaded into programs, as a file has it; empty where it was not built.
std::string_view embedded_library();

}  // namespace tuner::capture
