#pragma once
#include <filesystem>
#include <optional>
#include <string_view>

namespace db {

/// The name of a network or user-space file system by the magic number that statfs(2) gives; absent for local
/// ones. Write-ahead logging shares memory between processes, which those cannot do between machines.
std::optional<std::string_view> network_file_system(long magic);
/// The same for the file system that holds `folder`.
std::optional<std::string_view> network_file_system_of(const std::filesystem::path& folder);

}  // namespace db
