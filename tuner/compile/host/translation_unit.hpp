#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/util/files.hpp"

namespace tuner::compile::host {

/// Where things are below the temporary folder a job is compiled in.
struct UnitLayout {
  std::string runtime_folder;  ///< the headers kernels see
  std::string source_folder;   ///< the folder of the main file; its headers are relative to it
  std::string unit;            ///< the file to compile
};

/// `bind_static`: as rewrite_shared() takes it.
/// Writes everything the compiler needs: the runtime headers, the job's headers, and a unit of the main
/// source followed by a launcher for each entry. `#line` makes diagnostics name the job's own files. Returns
/// the layout, and in `problems`, in a compiler's format, what is wrong already; then nothing can be
/// compiled.
UnitLayout write_translation_unit(const util::TemporaryFolder& folder, const model::CompileJob& job,
                                  bool bind_static, std::string& problems);

/// The same for a compiler that knows CUDA, or of a host library: `before`, the sources as they are, and
/// `behind` in the file `unit`.
UnitLayout write_unit(const util::TemporaryFolder& folder, const model::CompileJob& job,
                      const std::string& before, const std::string& behind, const std::string& unit,
                      std::string& problems);

/// A declaration that cannot be rewritten.
struct RewriteProblem {
  int line = 0;
  std::string message;
};

struct RewrittenSource {
  std::string text;  ///< as many lines as the original, each declaration on its own
  std::vector<RewriteProblem> problems;
};

/// Rewrites each declaration of dynamic shared memory,
///   extern __shared__ alignas(16) T name[];      also with its specifiers in another order, in a macro's
///   body, with
///                                                several declarators, further extents, or none
/// into a binding to the running block's memory,
///   T (&name)[] = tuner_cpu::DynamicShared{};                       in a function
///   static tuner_cpu::DynamicSharedArray<T[]> name;                 outside
/// Alignment is dropped: the memory is aligned for every type.
///
/// Where `bind_static` says so, static shared variables of functions, `__shared__ T name[N];`, are bound to
/// memory of their own in the same way: `T (&name)[N] = tuner_cpu::static_shared([] {});`. All other text is
/// left as it is.
RewrittenSource rewrite_shared(std::string_view source, bool bind_static);

/// What a compiler has written.
std::vector<std::byte> bytes_of(const std::filesystem::path& path);

/// `tuner_cpu_kernel_3`
std::string kernel_symbol(std::size_t entry);

/// Names the version of the runtime headers: binaries made with other ones are other binaries. 8 hexadecimal
/// digits.
std::string runtime_version();

/// Macros whose text has `__device__` or `__global__` in it, as `#define DEVICE __device__ inline`.
std::vector<std::string> device_macros(const std::vector<model::SourceText>& sources);

/// The source without the functions that are the host's alone: those of namespaces that say neither
/// `__device__`, `__global__` nor `constexpr`, nor one of `device_macros`. As many lines as before. Classes
/// stay as they are.
std::string without_host_code(std::string_view source, const std::vector<std::string>& device_macros);

}  // namespace tuner::compile::host
