#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/paths.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

/// A line of a settings file: checked, its path resolved.
struct FileSetting {
  std::string name;
  std::string value;
  tuner::model::SourceLocation where;
};

/// Reads `text`, the settings file that people know as `name`: keys of known_settings() at the top level,
/// values as strings, numbers, or lists for what the command line separates by commas. Relative paths become
/// relative to `folder`. Throws model::UsageError with every mistake of the file, a line each.
std::vector<FileSetting> read_settings(std::string_view text, const std::string& name,
                                       const std::filesystem::path& folder, const Environment& environment);

/// The same for a file on disk.
std::vector<FileSetting> read_settings_file(const std::filesystem::path& path,
                                            const Environment& environment);

}  // namespace config
