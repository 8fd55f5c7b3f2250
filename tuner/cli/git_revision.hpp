#pragma once
#include <filesystem>
#include <string>

#include "tuner/util/files.hpp"

namespace tuner::cli {

/// Writes `file` as it was in `revision` of its git repository into `folder`, with the headers that it
/// includes and that the revision has. Returns the file there. Throws model::UsageError where there
/// is no git, no repository, no such revision, or no such file in it.
std::filesystem::path write_revision(const std::filesystem::path& file, const std::string& revision,
                                     const util::TemporaryFolder& folder);

}  // namespace tuner::cli
