#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/nvrtc/library.hpp"
#include "tuner/model/compile_job.hpp"

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

 private:
  std::shared_ptr<const Library> m_library;
  std::filesystem::path m_headers;
  std::string m_name;
};

/// NVRTC's options for a job: our own, the macros and vocabulary, then the job's own, which win where NVRTC
/// lets the last one win. `headers` may be empty.
std::vector<std::string> options_for(const model::CompileJob& job, Version version,
                                     const std::filesystem::path& headers);

/// Why a job's own options cannot be used, naming the option; nothing when they can. Refused are those that
/// would make something other than a loadable cubin of the job's architecture, change the process, or write
/// files: a spec comes from anywhere.
std::optional<std::string> refused_option(const std::vector<std::string>& options);

/// Whether ptxas, which wrote this log, misses the features of one architecture alone.
bool lacks_features(std::string_view log);

/// Whether the main file says, by a line `#pragma nv_hdrstop`, that what it includes above does not depend on
/// the configuration: NVRTC then reads those headers once a process.
bool has_header_stop(const model::CompileJob& job);

/// The main file of such a job, with its macros behind that line instead of among the options: what stands
/// above must be the same for all configurations, and differ where another header of the job does. `name`: of
/// the file, as a literal has it.
std::string with_macros_behind_stop(const model::CompileJob& job, const std::string& name);

/// NVRTC has no C or C++ standard library, and what most sources include it for (printf, assert, the maths
/// functions, size_t) is built in. These stand-ins answer for the includes of a kernel from a textbook: types
/// of fixed width, limits, std:: names of the maths functions, std::min, max and swap, CUtensorMap of cuda.h,
/// and nothing at all for host-only headers. Where the toolkit has <cuda/std/type_traits> and its like
/// (limits, array, tuple, …), they are found as <type_traits>, in std. Left out are names in `taken` (the
/// job's own headers) and those of CUDA's headers that `toolkit_headers` has. Standard headers are never the
/// host's, even where a distribution keeps them in the same folder as CUDA's: NVRTC cannot read them.
std::vector<model::SourceText> stub_headers(const std::vector<model::SourceText>& taken,
                                            const std::filesystem::path& toolkit_headers);

}  // namespace tuner::compile::nvrtc
