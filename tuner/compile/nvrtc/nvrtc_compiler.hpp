#pragma once
#include <compare>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::compile::nvrtc {

struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
};

/// What NVRTC is asked for.
struct Request {
  std::vector<model::SourceText>
      source;  ///< main file first, then the headers by the names #include lines use
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;  ///< without repetitions
  /// What stands above `#pragma nv_hdrstop` is kept in this process for the next request with the same there.
  bool precompiles = false;
};

/// What NVRTC answers.
struct Answer {
  enum class Outcome { ok, rejected, invalid_option };
  Outcome outcome = Outcome::ok;
  std::string log;                   ///< as NVRTC wrote it
  std::vector<std::byte> cubin;      ///< ok only
  std::string ptx;                   ///< ok only; empty where the version gives none beside a cubin
  std::vector<std::string> symbols;  ///< ok only; one per name expression
};

/// The NVRTC library, loaded at run time; the only place that knows nvrtc.h. Thread-safe: NVRTC compiles
/// different programs on different threads at once.
class Library {
 public:
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  virtual ~Library() = default;

  virtual Version version() const = 0;
  /// The file it was loaded from.
  virtual const std::filesystem::path& path() const = 0;
  /// Compute capabilities this version compiles for, as major * 10 + minor, ascending.
  virtual std::vector<int> architectures() const = 0;
  /// Throws model::Error when NVRTC itself fails (out of memory, internal error).
  virtual Answer compile(const Request& request) const = 0;

 protected:
  Library() = default;
};

/// Loads NVRTC: from `explicit_path` alone when it is not empty, else from the environment's TUNER_NVRTC
/// alone when that is set (both a library file or the folder it is in), else from wherever
/// library_candidates() says. Throws model::Error with ExitCode::no_device listing everything that was tried.
std::shared_ptr<const Library> load_library(const std::string& explicit_path = "");

/// Something to try as the NVRTC library.
struct Candidate {
  std::string file;    ///< as dlopen takes it: a soname for the loader's own search, or a path
  std::string origin;  ///< why it is tried: `the loader's search path`, `CUDA_PATH`
};

/// A library of NVIDIA's, as toolkits and wheels have it.
struct LibraryNames {
  std::vector<std::string> sonames;
  std::string wheel;  ///< the folder of its wheel before CUDA 13: `cuda_nvrtc`
};

/// In order: `explicit_path` alone when it is not empty (a file, or a folder with the library in it); else
/// the loader's search, CUDA_PATH and CUDA_HOME, the usual toolkit folders, our executable's folder and its
/// neighbour `lib` with the layouts of NVIDIA's Python wheels, and the folder given at build time.
std::vector<Candidate> library_candidates(const std::string& explicit_path);
/// The same for another library.
std::vector<Candidate> library_candidates(const std::string& explicit_path, const LibraryNames& library);

/// Compiles CUDA C++ to a cubin of exactly `job.architecture`, or, where the source needs that, of its
/// architecture-specific features (sm_90a for sm_90), with resources as ptxas reports them. NVRTC's
/// own cache is always off, so compile_ms is the time of a compilation. The headers of the toolkit are found
/// where there is one; stand-ins answer for the host headers that textbook sources include (see
/// stub_headers()).
class NvrtcCompiler final : public Compiler {
 public:
  explicit NvrtcCompiler(std::shared_ptr<const Library> library);

  /// `nvrtc 13.0`
  std::string name() const override { return m_name; }
  model::Compilation compile(const model::CompileJob& job) override;

 private:
  std::shared_ptr<const Library> m_library;
  std::filesystem::path m_headers;
  std::string m_name;
};

/// NVRTC's options for a job: our own, the macros and vocabulary, then the job's own, which win where NVRTC
/// lets the last one win. `headers` may be empty.
std::vector<std::string> options_for(const model::CompileJob& job, Version version,
                                     const std::filesystem::path& headers);

/// Why a job's own options cannot be used, naming the option; nothing when they can. Refused are those that
/// would make something other than a loadable cubin of the job's architecture, change the process, or write
/// files: a spec comes from anywhere.
std::optional<std::string> refused_option(const std::vector<std::string>& options);

/// Whether ptxas, which wrote this log, misses the features of one architecture alone.
bool lacks_features(std::string_view log);

/// Whether the main file says, by a line `#pragma nv_hdrstop`, that what it includes above does not depend on
/// the configuration: NVRTC then reads those headers once a process.
bool has_header_stop(const model::CompileJob& job);

/// The main file of such a job, with its macros behind that line instead of among the options: what stands
/// above must be the same for all configurations, and differ where another header of the job does. `name`: of
/// the file, as a literal has it.
std::string with_macros_behind_stop(const model::CompileJob& job, const std::string& name);

/// NVRTC has no C or C++ standard library, and what most sources include it for (printf, assert, the maths
/// functions, size_t) is built in. These stand-ins answer for the includes of a kernel from a textbook: types
/// of fixed width, limits, std:: names of the maths functions, std::min, max and swap, CUtensorMap of cuda.h,
/// and nothing at all for host-only headers. Where the toolkit has <cuda/std/type_traits> and its like
/// (limits, array, tuple, …), they are found as <type_traits>, in std. Left out are names in `taken` (the
/// job's own headers) and those of CUDA's headers that `toolkit_headers` has. Standard headers are never the
/// host's, even where a distribution keeps them in the same folder as CUDA's: NVRTC cannot read them.
std::vector<model::SourceText> stub_headers(const std::vector<model::SourceText>& taken,
                                            const std::filesystem::path& toolkit_headers);

}  // namespace tuner::compile::nvrtc
