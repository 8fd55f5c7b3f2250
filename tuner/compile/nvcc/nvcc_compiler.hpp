#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/nvrtc/cubin.hpp"

namespace tuner::compile::nvcc {

/// C++ to stand behind a source: for each entry a variable that holds its address, which instantiates a
/// template and shows the entry's name in the PTX. Diagnostics about an entry name the file entry_file().
std::string lines_for(const std::vector<std::string>& entries);

/// `entry 2`
std::string entry_file(std::size_t entry);

/// The kernel's or the variable's name in the binary, from the PTX of a source with lines_for() its entries.
/// Nothing where the entry is neither.
std::optional<std::string> symbol_of(std::size_t entry, const std::string& expression, std::string_view ptx,
                                     const nvrtc::PtxasReport& report);

/// The PTX without those variables, which would be part of the binary.
std::string without_names(std::string_view ptx);

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

/// `13.0` of `nvrtc 13.0`, and of `nvrtc 13.0, nvcc with g++ 12.2.0`.
std::string release_of(const std::string& compiler);

/// nvcc's options for a job, its macros and what is made of it apart: our own, then the job's.
std::vector<std::string> options_for(const model::CompileJob& job);

/// Why a job's own options cannot be used, naming the option; nothing when they can. Refused are those that
/// would make something other than a loadable cubin of the job's architecture, read or write files that are
/// no part of the job, or run other programs: nvcc hands its options to a shell.
std::optional<std::string> refused_option(const std::vector<std::string>& options);

}  // namespace tuner::compile::nvcc
