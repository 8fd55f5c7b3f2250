#pragma once
#include <string>

#include "tuner/source/kernel_source.hpp"

namespace config {

/// A first spec of a kernel, and what its author has to say before it means anything.
struct SpecDraft {
  std::string spec;  ///< TOML, with a comment at every guess
  std::string
      reference;  ///< CUDA C++ with the reference's declaration; it does not compile until it is written
  std::vector<std::string> questions;  ///< what the source does not say, most important first
};

/// `file` and `reference_file`: what the spec calls the source and its reference. Arguments come from the
/// parameters of `kernel`, one of `source`: integers passed by value are sizes, but for strides and the like;
/// pointers to const are inputs, others what the body does with them; structs are described where they have
/// plain fields alone. Open macros and template parameters
/// become parameters.
SpecDraft draft_spec(const tuner::source::SourceKernel& kernel, const tuner::source::KernelSource& source,
                     const std::string& file, const std::string& reference_file);

}  // namespace config
