#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/captured_kernel.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/source/program.hpp"

namespace config {
namespace model = tuner::model;

/// A macro and its value.
using BuildMacro = std::pair<std::string, std::string>;

/// What a build gives a source besides its text.
struct BuildOptions {
  std::vector<BuildMacro> macros;
  std::vector<std::string> folders;  ///< of headers
  std::vector<std::string> others;   ///< as they were given, but for those that `tuner` sets itself
};

/// Of options as NVRTC takes them. The last of a macro's values counts.
BuildOptions read_build_options(const std::vector<std::string>& options);

/// Of `NAME` or `NAME=VALUE`. Throws model::UsageError where that is none.
BuildMacro read_build_macro(const std::string& text);

/// A value takes the place of an earlier one.
void set_macro(std::vector<BuildMacro>& macros, const BuildMacro& macro);

/// The `#define`s of whole numbers with which a source begins: a program that makes its source out of
/// strings gives parameters so.
std::vector<BuildMacro> leading_macros(const std::string& text);

/// The source as one that a build may give other numbers: `macros`, and the numbers that it begins with, are
/// defined behind an `#ifndef` each; macros with other values are defined plainly.
std::string with_open_macros(const std::string& text, const std::vector<BuildMacro>& macros);

/// Reads the memory of kept launches for a draft.
class CapturedMemory {
 public:
  /// What a launch left in a region, as numbers of one type.
  struct Contents {
    std::int64_t numbers = 0;
    std::int64_t changed = 0;  ///< by the launch
    std::int64_t nans = 0;
    double largest = 0;     ///< of their absolute values, without NaN and infinity
    bool was_zero = false;  ///< all of it, before the launch
  };

  virtual ~CapturedMemory() = default;
  /// Of the region's first bytes.
  virtual Contents contents(const model::CapturedRegion& region, model::ElementType type,
                            std::int64_t bytes) = 0;
  virtual bool same_before(const model::CapturedRegion& a, const model::CapturedRegion& b) = 0;
  /// The largest difference between what two launches left, as numbers; 0: the same bits.
  virtual double difference(const model::CapturedRegion& a, const model::CapturedRegion& b,
                            model::ElementType type) = 0;
  virtual double number(model::ElementType type, const std::string& bytes) = 0;
};

/// A kernel of a capture that a draft is made from.
struct CapturedSource {
  const model::CapturedKernel& kernel;
  CapturedMemory& memory;
  std::string device;  ///< it ran on; empty: not known
  std::string folder;  ///< of the files that the spec reads, relative to it
};

/// A file that a spec reads, made from one of a capture.
struct DraftFile {
  std::string packed;  ///< a `.npy.gz`
  std::string name;    ///< relative to the spec
  bool is_raw = false;
  std::int64_t bytes = 0;  ///< of numbers
};

/// A first spec of a kernel, and what its author has to say before it means anything.
struct SpecDraft {
  std::string spec;                    ///< TOML, with a comment at every guess
  std::string reference;               ///< CUDA C++; empty: the spec verifies nothing
  std::string sizes;                   ///< of the program, for `--sizes`; empty: not known
  std::vector<std::string> questions;  ///< what the source does not say, most important first
  std::vector<DraftFile> files;        ///< that the spec reads
};

struct DraftRequest {
  std::string file;                          ///< what the spec calls the source
  std::string reference_file;                ///< what it calls the reference
  std::vector<std::string> include = {};     ///< folders in which local headers were found
  const CapturedSource* captured = nullptr;  ///< null: the source alone
  std::vector<std::string> options = {};     ///< of the compiler
  std::vector<BuildMacro> macros = {};       ///< that the build gave, known to the program
  std::string family = {};                   ///< empty: the kernel's name
};

/// A spec of `kernel`, a function of `program`. Where the program launches it, sizes, extents, parameters and
/// launch are those of the launch, and a function that computes the same on the CPU becomes the reference.
/// Where it does not, integers passed by value are sizes, open macros and template parameters become
/// parameters, and the rest is guessed. With a capture the spec has the recorded launches, values and memory,
/// and the source says what may change.
SpecDraft draft_spec(const tuner::source::Program& program, const tuner::source::ProgramFunction& kernel,
                     const DraftRequest& request);

}  // namespace config
