#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace mutants {

/// Throws model::Error where it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Makes the folders on the way, and leaves a file alone that says just this already, so that nothing is
/// compiled again for it. Throws model::Error.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace mutants
