// Finding a CUDA library at run time, for the baselines beside it.
#pragma once
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include <string>
#include <vector>

/// Folders ending in `/`, the loader's own search first: toolkits, and what NVIDIA's wheels have beside
/// NVRTC.
inline std::vector<std::string> cuda_library_folders() {
  std::vector<std::string> folders = {""};
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const char* root = getenv(variable)) folders.push_back(std::string(root) + "/lib64/");
  }
  for (const char* usual : {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/", "/opt/cuda/lib64/"}) {
    folders.push_back(usual);
  }
  dl_iterate_phdr(
      [](dl_phdr_info* loaded, size_t, void* found) {
        const std::string path = loaded->dlpi_name;
        const size_t name = path.rfind("/libnvrtc.so");
        if (name == std::string::npos) return 0;
        auto& all = *static_cast<std::vector<std::string>*>(found);
        all.push_back(path.substr(0, name) + "/");
        all.push_back(path.substr(0, name) + "/../../cublas/lib/");  // a folder a component, before CUDA 13
        return 1;
      },
      &folders);
  return folders;
}

/// The library called e.g. `libcublas`, of CUDA 13 or 12. Null, with what was looked for in `why_not`, where
/// there is none.
inline void* open_cuda_library(const std::string& name, const char** why_not) {
  static std::string message;
  std::string tried;
  for (const std::string& folder : cuda_library_folders()) {
    for (const char* version : {".so.13", ".so.12"}) {
      const std::string file = folder + name + version;
      if (void* library = dlopen(file.c_str(), RTLD_NOW)) return library;
      tried += (tried.empty() ? "" : ", ") + file;
    }
  }
  message = name + " is not there; looked for " + tried;
  *why_not = message.c_str();
  return nullptr;
}

/// Looks up functions of a library; `complete` is false once one was missing.
struct Functions {
  void* library = nullptr;
  bool complete = true;
  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    complete = complete && function != nullptr;
  }
};
