#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tuner::compile::nvrtc {

/// Something to try as the NVRTC library.
struct Candidate {
  std::string file;    ///< as dlopen takes it: a soname for the loader's own search, or a path
  std::string origin;  ///< why it is tried: `the loader's search path`, `CUDA_PATH`
};

/// In order: `explicit_path` alone when it is not empty (a file, or a folder with the library in it); else
/// the loader's search, CUDA_PATH and CUDA_HOME, the usual toolkit folders, our executable's folder and its
/// neighbour `lib` with the layouts of NVIDIA's Python wheels, and the folder given at build time.
std::vector<Candidate> library_candidates(const std::string& explicit_path);

}  // namespace tuner::compile::nvrtc
