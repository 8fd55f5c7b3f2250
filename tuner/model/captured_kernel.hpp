#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// A kernel as `tuner capture` found it in a program (docs/capture.md).
namespace tuner::model {

struct CapturedArgument {
  std::int64_t bytes = 0;
  std::string type;           ///< as the kernel's mangled name has it; empty: it does not say
  std::string raw;            ///< its bytes
  std::optional<int> region;  ///< of a pointer, where it leads to memory of the device
  bool has_pointers = false;  ///< a struct that holds addresses
};

/// Memory that a launch could reach.
struct CapturedRegion {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::string element;     ///< of the file's numbers: `float`; empty: not known
  std::string before;      ///< path of a `.npy.gz`
  std::string after;       ///< empty: the launch left it as it was
  std::string variable;    ///< a variable of the module, `space::factor`; empty: an argument leads there
  std::string again = {};  ///< what a second run left; empty: the same, or there was none
};

/// What a program gave NVRTC, which made a kernel of it.
struct CapturedText {
  std::string name;  ///< as the program called it
  std::string text;
  std::vector<std::string> options;
  std::map<std::string, std::string> headers;  ///< texts, by the names that the source includes them by

  /// Whether the same was compiled in the same way. A program may call it by the name of a temporary file,
  /// another one in each process.
  bool operator==(const CapturedText& other) const {
    return text == other.text && options == other.options && headers == other.headers;
  }
};

/// A launch that was kept whole.
struct CapturedLaunch {
  std::string folder;
  std::uint64_t number = 0;  ///< among the kernel's, from 1
  std::string architecture;  ///< `sm_90`
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::array<std::int64_t, 3> cluster = {1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  bool twice = false;                  ///< it was run twice, from the same memory
  std::optional<CapturedText> source;  ///< none: NVRTC did not make it, or that was not seen
  std::vector<CapturedArgument> arguments;
  std::vector<CapturedRegion> regions;
};

/// Launches with the same grid, block and integers.
struct CapturedSize {
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  std::map<int, std::int64_t> integers;  ///< by the place of the parameter
  std::uint64_t launches = 0;
  double total_ns = 0;  ///< 0: none was timed
};

struct CapturedKernel {
  std::string name;      ///< as the binary has it
  std::string readable;  ///< `void scale<float>(float*, int)`
  std::string plain;     ///< `scale`
  std::uint64_t launches = 0;
  double total_ns = 0;
  std::vector<CapturedSize> sizes;   ///< those that cost most first
  std::vector<CapturedLaunch> kept;  ///< in the order of their launches
};

struct Capture {
  std::string path;
  std::string device;  ///< of the first process
  double total_ns = 0;
  std::vector<CapturedKernel> kernels;  ///< the longest first
  std::vector<std::string> failures;    ///< why something is missing
};

}  // namespace tuner::model
