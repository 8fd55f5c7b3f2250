#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/nvrtc/library.hpp"

namespace tuner::compile::nvrtc {

/// Compiles CUDA C++ to a cubin of exactly `job.architecture`, or, where the source needs that, of its
/// architecture-specific features (sm_90a for sm_90), with resources as ptxas reports them. NVRTC's
/// own cache is always off, so compile_ms is the time of a compilation. The headers of the toolkit are found
/// where there is one; stand-ins answer for the host headers that textbook sources include (see
/// stub_headers()).
class NvrtcCompiler final : public Compiler {
 public:
  explicit NvrtcCompiler(std::shared_ptr<const Library> library);

  /// `nvrtc 13.0`
  std::string name() const override { return m_name; }
  model::Compilation compile(const model::CompileJob& job) override;

  /// Where <cuda_fp16.h> and its like are taken from; empty: nowhere.
  const std::filesystem::path& header_folder() const { return m_headers; }

 private:
  std::shared_ptr<const Library> m_library;
  std::filesystem::path m_headers;
  std::string m_name;
};

}  // namespace tuner::compile::nvrtc
