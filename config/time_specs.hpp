#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/source/program.hpp"

namespace config {

/// A kernel to be timed beside others.
struct TimedKernel {
  std::string name;    ///< that its spec gives it
  std::string source;  ///< an absolute path
  std::string entry;   ///< as it was asked for: `tile` or `tile<32>`
  const tuner::source::Program& program;
  const tuner::source::ProgramFunction& function;
  std::string folder;                     ///< of the source, relative to its spec
  std::vector<std::string> include = {};  ///< folders of headers, likewise
  /// Expressions; what is empty is that of its launch in the source, else of the first kernel, else a guess.
  std::vector<std::string> block = {};
  std::vector<std::string> grid = {};
  std::string shared_bytes = {};
};

struct TimeRequest {
  std::string family;
  std::vector<TimedKernel> kernels;                         ///< at least two
  std::optional<std::string> arguments;                     ///< one for each parameter, see time_specs()
  std::vector<std::pair<std::string, std::string>> macros;  ///< names and values
  std::optional<double> tolerance;                          ///< of results, relative and absolute
  bool compares = true;                                     ///< results with those of the first
  std::string reference_file;                               ///< what specs call the reference
};

/// What lets a sweep time kernels that have no spec.
struct TimeSpecs {
  std::vector<std::string> sizes;                    ///< names of the problem's extents
  std::vector<std::optional<std::int64_t>> present;  ///< of each, what the program of the first has
  std::vector<std::string> specs;                    ///< TOML, one a kernel, without top-level keys
  std::string reference;     ///< source; empty: results are not held against each other …
  std::string not_compared;  ///< … for this reason
  std::vector<std::string> assumed;
};

/// A spec for each kernel, all with the arguments of the first: of equal places, since names may differ. The
/// reference runs the first kernel, twice over different contents, which shows what it writes.
///
/// `arguments` is a list at commas: `float[N, M] in uniform(0, 1)` for a buffer, where type, access and init
/// may be left out and init may be `random`, `zeros` or `ones`; an expression or `NULL` for a value; `_` for
/// a guess. Names in extents and expressions are sizes. Throws model::UsageError where arguments do not fit
/// the signature, signatures differ, or a launch has a name that nobody gives a value.
TimeSpecs time_specs(const TimeRequest& request);

}  // namespace config
