#include <system_error>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/nvrtc/library.hpp"

namespace tuner::compile::nvrtc {
namespace {

namespace fs = std::filesystem;

// The plain name last: only development packages have it, and it may be of a version newer than those known
// here.
constexpr const char* sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

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
  for (const ToolkitFolder& toolkit : toolkit_folders()) list.add_toolkit(toolkit.path, toolkit.origin);
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!executable.empty()) {
    list.add_wheels(executable.parent_path(), "beside this program");
    list.add_wheels(executable.parent_path().parent_path() / "lib", "beside this program");
  }
  const fs::path hint = TUNER_NVRTC_HINT;
  if (!hint.empty()) list.add_wheels(hint, "given when this program was built");
  return list.take();
}

}  // namespace tuner::compile::nvrtc
