#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace config {

/// The value of an environment variable; absent when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
Environment process_environment();

/// HOME. Throws model::UsageError where it is not an absolute path.
std::filesystem::path home_folder(const Environment& environment);

/// The folders of the XDG base directory specification, `tuner` appended. A variable that is empty or not
/// absolute counts as unset; then ~/.config, ~/.local/share and ~/.cache serve. Throw model::UsageError
/// without HOME.
std::filesystem::path config_folder(const Environment& environment);
std::filesystem::path data_folder(const Environment& environment);
std::filesystem::path cache_folder(const Environment& environment);

/// Where results are kept unless a setting says otherwise: data_folder()/tuner.db.
std::filesystem::path default_database(const Environment& environment);

/// `tuner.toml` in `working_directory` or the nearest folder above it, up to the root of its git repository.
/// Outside of a repository only `working_directory` itself is asked.
std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& working_directory);

}  // namespace config
