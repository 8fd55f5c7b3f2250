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
  std::string type;           ///< from the kernel's mangled name; empty: unknown
  std::string raw;            ///< its bytes
  std::optional<int> region;  ///< index of the device memory that a pointer leads to
  bool has_pointers = false;  ///< a struct that holds addresses
};

/// Memory that a launch could reach.
struct CapturedRegion {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::string element;     ///< element type of the file: `float`; empty: unknown
  std::string before;      ///< path of a `.npy.gz`
  std::string after;       ///< empty: the launch did not change it
  std::string variable;    ///< a variable of the module, `space::factor`; empty: reached by an argument
  std::string again = {};  ///< contents after a second run; empty: the same, or there was no second run
};

/// The source that a program gave to NVRTC.
struct CapturedText {
  std::string name;  ///< as the program called it
  std::string text;
  std::vector<std::string> options;
  std::map<std::string, std::string> headers;  ///< texts, by their names in #include lines

  /// Equal source and options. The name is not compared: a program may name a temporary file, another one in
  /// each process.
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
  std::optional<CapturedText> source;  ///< absent: not made by NVRTC, or not seen
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
  std::vector<CapturedSize> sizes;   ///< the most expensive first
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
