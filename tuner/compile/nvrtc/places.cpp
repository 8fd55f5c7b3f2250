#include "tuner/compile/nvrtc/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <system_error>

namespace tuner::compile::nvrtc {
namespace {

namespace fs = std::filesystem;

// The plain name last: only development packages have it, and it may be of a version newer than those known
// here.
constexpr const char* sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

fs::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// /usr/local/cuda first, then versioned neighbours, newest first.
std::vector<fs::path> usual_toolkits() {
  std::vector<fs::path> versioned;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().native().rfind("cuda-", 0) == 0) versioned.push_back(entry.path());
  }
  std::sort(versioned.begin(), versioned.end(), std::greater<>());
  versioned.insert(versioned.begin(), "/usr/local/cuda");
  versioned.emplace_back("/opt/cuda");
  return versioned;
}

class CandidateList {
 public:
  void add_file(const std::string& file, const std::string& origin) {
    m_candidates.push_back({file, origin});
  }
  /// The library by each of its names in `folder`.
  void add_folder(const fs::path& folder, const std::string& origin) {
    for (const char* soname : sonames) add_file((folder / soname).string(), origin);
  }
  void add_toolkit(const fs::path& root, const std::string& origin) {
    if (root.empty()) return;
    std::error_code error;
    bool any = false;
    for (const char* lib : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
      if (!fs::is_directory(root / lib, error)) continue;
      add_folder(root / lib, origin);
      any = true;
    }
    if (!any) add_folder(root / "lib64", origin);  // so that a failure names it
  }
  /// `root` itself, or NVIDIA's wheels unpacked in it: one folder for all since CUDA 13, one a component
  /// before.
  void add_wheels(const fs::path& root, const std::string& origin) {
    add_folder(root, origin);
    add_folder(root / "nvidia" / "cu13" / "lib", origin);
    add_folder(root / "nvidia" / "cuda_nvrtc" / "lib", origin);
  }
  std::vector<Candidate> take() { return std::move(m_candidates); }

 private:
  std::vector<Candidate> m_candidates;
};

}  // namespace

std::vector<Candidate> library_candidates(const std::string& explicit_path) {
  CandidateList list;
  std::error_code error;
  if (!explicit_path.empty()) {
    if (fs::is_directory(explicit_path, error)) {
      list.add_wheels(explicit_path, "as asked for");
    } else {
      list.add_file(explicit_path, "as asked for");
    }
    return list.take();
  }
  for (const char* soname : sonames) list.add_file(soname, "the loader's search path");
  list.add_toolkit(from_environment("CUDA_PATH"), "CUDA_PATH");
  list.add_toolkit(from_environment("CUDA_HOME"), "CUDA_HOME");
  for (const fs::path& toolkit : usual_toolkits()) list.add_toolkit(toolkit, "a usual place");
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!executable.empty()) {
    list.add_wheels(executable.parent_path(), "beside this program");
    list.add_wheels(executable.parent_path().parent_path() / "lib", "beside this program");
  }
  const fs::path hint = TUNER_NVRTC_HINT;
  if (!hint.empty()) list.add_wheels(hint, "given when this program was built");
  return list.take();
}

fs::path find_header_folder(const fs::path& library) {
  std::error_code error;
  const fs::path folder = fs::canonical(library, error).parent_path();
  const fs::path toolkit = folder.parent_path();
  std::vector<fs::path> places;
  if (!folder.empty()) {
    places = {toolkit / "include", toolkit.parent_path() / "include",
              toolkit.parent_path() / "cuda_runtime" / "include"};
  }
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const fs::path root = from_environment(name); !root.empty()) places.push_back(root / "include");
  }
  for (const fs::path& root : usual_toolkits()) places.push_back(root / "include");
  places.emplace_back(TUNER_CUDA_INCLUDE_HINT);
  for (const fs::path& place : places) {
    if (!place.empty() && fs::exists(place / "cuda_fp16.h", error)) return place;
  }
  return {};
}

}  // namespace tuner::compile::nvrtc
