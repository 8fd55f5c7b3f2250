#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/mistakes.hpp"
#include "config/node.hpp"
#include "config/source_files.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

struct ReadSpec {
  tuner::model::KernelSpec spec;
  tuner::model::SourceLocation name_place;
  std::vector<std::filesystem::path> include_folders;  ///< where its headers are looked for
  std::vector<std::string> headers_above;              ///< of `-include`, above its source
};

/// Reads a whole spec; `folder` is where `files` has it. What cannot be read is reported and left out, so the
/// result is a spec only where nothing was. Names inside expressions are not looked at: that is
/// space::validate's.
ReadSpec read_kernel_spec(const Node& document, const FileReader& files, const std::filesystem::path& folder,
                          Mistakes& mistakes);

}  // namespace config
