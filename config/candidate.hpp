#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "config/kernel_file.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

/// How a candidate is launched where that differs from the spec's default. What is empty is as there.
struct CandidateLaunch {
  std::string entry;               ///< with it one launch takes the place of all
  std::vector<std::string> block;  ///< expressions, as a spec has them
  std::vector<std::string> grid;
  std::string dynamic_shared_bytes;
  std::vector<tuner::model::Assignment> parameters;  ///< macros; names that the spec lacks are added
};

/// `spec` with one configuration alone: `values`, else its default.
tuner::model::KernelSpec one_alone(tuner::model::KernelSpec spec,
                                   const std::vector<tuner::model::Assignment>& values = {});

/// The kernel in `source`, which somebody or a program has written, as a kernel of the family of `spec`,
/// called `candidate`: everything that says what is right, inputs and sizes included, is the spec's. So are
/// the macros and the launch of `usual`, else of its default, and its constraints where no parameter is
/// changed. Its space has one configuration. Mistakes: a source that cannot be read, and where its signature
/// does not fit what it is passed.
LoadedKernels candidate_kernel(const tuner::model::KernelSpec& spec, const std::filesystem::path& source,
                               const CandidateLaunch& launch,
                               const std::vector<tuner::model::Assignment>& usual = {});

}  // namespace config
