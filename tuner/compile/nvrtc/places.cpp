#include <system_error>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"

namespace tuner::compile::nvrtc {
namespace {

namespace fs = std::filesystem;

using Folders = std::vector<fs::path>;

Folders folders_of_toolkit(const fs::path& root) {
  std::error_code error;
  Folders folders;
  for (const char* lib :
       {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "extras/CUPTI/lib64"})
    if (fs::is_directory(root / lib, error)) folders.push_back(root / lib);
  return folders.empty() ? Folders{root / "lib64"} : folders;  // so that a failure names it
}

/// `root` itself, or NVIDIA's wheels unpacked in it: one folder for all since CUDA 13, one a component
/// before.
Folders folders_of_wheels(const fs::path& root, const std::string& wheel) {
  return {root, root / "nvidia" / "cu13" / "lib", root / "nvidia" / wheel / "lib"};
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
  // The plain name last: only development packages have it, and it may be of a version newer than those known
  // here.
  return library_candidates(explicit_path,
                            {{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, "cuda_nvrtc"});
}

std::vector<Candidate> library_candidates(const std::string& explicit_path, const LibraryNames& library) {
  std::vector<Candidate> all;
  const auto add = [&](const Folders& folders, const std::string& origin) {
    for (const fs::path& folder : folders)
      for (const std::string& soname : library.sonames) all.push_back({(folder / soname).string(), origin});
  };
  const auto wheels = [&](const fs::path& root) { return folders_of_wheels(root, library.wheel); };
  std::error_code error;
  if (!explicit_path.empty() && !fs::is_directory(explicit_path, error))
    return {{explicit_path, "as asked for"}};
  if (!explicit_path.empty()) {
    add(wheels(explicit_path), "as asked for");
    return all;
  }
  for (const std::string& soname : library.sonames) all.push_back({soname, "the loader's search path"});
  for (const ToolkitFolder& toolkit : toolkit_folders())
    add(folders_of_toolkit(toolkit.path), toolkit.origin);
  if (const fs::path executable = fs::read_symlink("/proc/self/exe", error); !executable.empty()) {
    const fs::path folder = executable.parent_path();
    add(wheels(folder), "beside this program");
    add(wheels(folder.parent_path() / "lib"), "beside this program");
    for (const fs::path& packages : python_packages(folder.parent_path()))
      add(wheels(packages), "the Python packages beside this program");
  }
  const fs::path hint = TUNER_NVRTC_HINT;
  if (!hint.empty()) add(wheels(hint), "given when this program was built");
  return all;
}

}  // namespace tuner::compile::nvrtc
