#pragma once
#include <compare>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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

}  // namespace tuner::compile::nvrtc
