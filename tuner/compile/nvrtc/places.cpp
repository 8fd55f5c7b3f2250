#include <system_error>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/nvrtc/library.hpp"

namespace tuner::compile::nvrtc {
namespace {

namespace fs = std::filesystem;

// The plain name last: only development packages have it, and it may be of a version newer than those known
// here.
constexpr const char* sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

using Folders = std::vector<fs::path>;

/// The library by each of its names in each of these.
void add(const Folders& folders, const std::string& origin, std::vector<Candidate>& to) {
  for (const fs::path& folder : folders)
    for (const char* soname : sonames) to.push_back({(folder / soname).string(), origin});
}

Folders folders_of_toolkit(const fs::path& root) {
  std::error_code error;
  Folders folders;
  for (const char* lib : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
    if (fs::is_directory(root / lib, error)) folders.push_back(root / lib);
  return folders.empty() ? Folders{root / "lib64"} : folders;  // so that a failure names it
}

/// `root` itself, or NVIDIA's wheels unpacked in it: one folder for all since CUDA 13, one a component
/// before.
Folders folders_of_wheels(const fs::path& root) {
  return {root, root / "nvidia" / "cu13" / "lib", root / "nvidia" / "cuda_nvrtc" / "lib"};
}

/// The packages of each Python that `prefix` has, where any is of NVIDIA.
Folders python_packages(const fs::path& prefix) {
  std::error_code error;
  Folders folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(prefix / "lib", error))
    if (entry.path().filename().string().starts_with("python3"))
      for (const char* packages : {"site-packages", "dist-packages"})
        if (fs::is_directory(entry.path() / packages / "nvidia", error))
          folders.push_back(entry.path() / packages);
  return folders;
}

}  // namespace

std::vector<Candidate> library_candidates(const std::string& explicit_path) {
  std::vector<Candidate> all;
  std::error_code error;
  if (!explicit_path.empty() && !fs::is_directory(explicit_path, error))
    return {{explicit_path, "as asked for"}};
  if (!explicit_path.empty()) {
    add(folders_of_wheels(explicit_path), "as asked for", all);
    return all;
  }
  for (const char* soname : sonames) all.push_back({soname, "the loader's search path"});
  for (const ToolkitFolder& toolkit : toolkit_folders())
    add(folders_of_toolkit(toolkit.path), toolkit.origin, all);
  if (const fs::path executable = fs::read_symlink("/proc/self/exe", error); !executable.empty()) {
    const fs::path folder = executable.parent_path();
    add(folders_of_wheels(folder), "beside this program", all);
    add(folders_of_wheels(folder.parent_path() / "lib"), "beside this program", all);
    for (const fs::path& packages : python_packages(folder.parent_path()))
      add(folders_of_wheels(packages), "the Python packages beside this program", all);
  }
  const fs::path hint = TUNER_NVRTC_HINT;
  if (!hint.empty()) add(folders_of_wheels(hint), "given when this program was built", all);
  return all;
}

}  // namespace tuner::compile::nvrtc
