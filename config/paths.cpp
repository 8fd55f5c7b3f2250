#include "config/paths.hpp"

#include <cstdlib>
#include <system_error>

#include "tuner/model/error.hpp"

namespace config {
namespace {

/// The folder a variable of the specification names, or its default below the home folder.
std::filesystem::path base_folder(const Environment& environment, const char* variable,
                                  const char* below_home) {
  if (const auto value = environment(variable)) {
    std::filesystem::path folder(*value);
    if (folder.is_absolute()) return folder / "tuner";
  }
  return home_folder(environment) / below_home / "tuner";
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

std::filesystem::path home_folder(const Environment& environment) {
  const auto home = environment("HOME");
  if (!home || home->empty() || home->front() != '/') {
    throw tuner::model::UsageError(
        "HOME is not set to an absolute path, so there is no place for settings and results",
        "set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_CACHE_HOME");
  }
  return *home;
}

std::filesystem::path config_folder(const Environment& environment) {
  return base_folder(environment, "XDG_CONFIG_HOME", ".config");
}

std::filesystem::path data_folder(const Environment& environment) {
  return base_folder(environment, "XDG_DATA_HOME", ".local/share");
}

std::filesystem::path cache_folder(const Environment& environment) {
  return base_folder(environment, "XDG_CACHE_HOME", ".cache");
}

std::filesystem::path default_database(const Environment& environment) {
  return data_folder(environment) / "tuner.db";
}

std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& working_directory) {
  std::error_code error;
  std::filesystem::path nearest;
  for (std::filesystem::path folder = working_directory;; folder = folder.parent_path()) {
    const std::filesystem::path candidate = folder / "tuner.toml";
    if (nearest.empty() && std::filesystem::exists(candidate, error)) nearest = candidate;
    // A work tree of git has its `.git` as a file.
    const bool root_of_repository = std::filesystem::exists(folder / ".git", error);
    if (root_of_repository && !nearest.empty()) return nearest;
    if (root_of_repository || folder == folder.parent_path()) break;
  }
  if (nearest.parent_path() == working_directory && !nearest.empty()) return nearest;
  return std::nullopt;
}

}  // namespace config
