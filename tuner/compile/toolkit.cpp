#include "tuner/compile/toolkit.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <system_error>

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<ToolkitFolder> toolkit_folders() {
  std::vector<ToolkitFolder> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') folders.push_back({value, variable});
  }
  std::vector<fs::path> usual;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().native().rfind("cuda-", 0) == 0) usual.push_back(entry.path());
  }
  std::sort(usual.begin(), usual.end(), std::greater<>());
  usual.insert(usual.begin(), "/usr/local/cuda");
  usual.emplace_back("/opt/cuda");
  for (fs::path& path : usual) folders.push_back({std::move(path), "a usual place"});
  return folders;
}

fs::path find_header_folder(const fs::path& library) {
  std::error_code error;
  std::vector<fs::path> places;
  if (const fs::path folder = fs::canonical(library, error).parent_path(); !folder.empty()) {
    const fs::path toolkit = folder.parent_path();
    places = {toolkit / "include", toolkit.parent_path() / "include",
              toolkit.parent_path() / "cuda_runtime" / "include"};
  }
  for (const ToolkitFolder& toolkit : toolkit_folders()) places.push_back(toolkit.path / "include");
  places.emplace_back(TUNER_CUDA_INCLUDE_HINT);
  for (const fs::path& place : places) {
    if (!place.empty() && fs::exists(place / "cuda_fp16.h", error)) return place;
  }
  return {};
}

}  // namespace tuner::compile
