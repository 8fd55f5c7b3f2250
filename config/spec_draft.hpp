#pragma once
#include <string>
#include <vector>

#include "config/build_options.hpp"
#include "config/captured_source.hpp"
#include "tuner/source/program.hpp"

namespace config {

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
