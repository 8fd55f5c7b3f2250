#pragma once
#include <string>

#include "tuner/compile/compiler.hpp"

namespace tuner::compile::nvcc {

/// Compiles CUDA C++ to a cubin as NvrtcCompiler does, architecture-specific features included, by the
/// toolkit's own nvcc: what is for the host in a source is left out of the binary. Diagnostics name the job's
/// files; options are nvcc's (see refused_option()). Nothing ends a compilation but the end of this process's
/// group, in which all of nvcc's programs are.
class NvccCompiler final : public Compiler {
 public:
  /// Looks where nvcc_places() says for one of this release (`13.0`), which is that of the sweep's toolkit
  /// and with it part of every binary's identity. Throws model::Error with what was found.
  explicit NvccCompiler(const std::string& release);

  /// `nvcc 13.0.88`
  std::string name() const override { return m_name; }
  model::Compilation compile(const model::CompileJob& job) override;

 private:
  std::string m_program;
  std::string m_name;
};

/// `13.0` of `nvrtc 13.0`.
std::string release_of(const std::string& compiler);

}  // namespace tuner::compile::nvcc
