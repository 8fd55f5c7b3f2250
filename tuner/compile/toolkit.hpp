#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tuner::compile {

/// Where a CUDA toolkit may be; the folder need not exist.
struct ToolkitFolder {
  std::filesystem::path path;
  std::string origin;  ///< why it is looked at: `CUDA_PATH`, `a usual place`
};

/// In the order they are looked at: CUDA_PATH and CUDA_HOME where they are set, /usr/local/cuda, its
/// versioned neighbours with the newest first, /opt/cuda.
std::vector<ToolkitFolder> toolkit_folders();

/// The folder of the toolkit's device headers (cuda_fp16.h): that which goes with the NVRTC library at
/// `library`, where it is not empty and has one, else the first there is. Empty: none.
std::filesystem::path find_header_folder(const std::filesystem::path& library = {});

}  // namespace tuner::compile
