#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/compiler.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"

namespace tuner::compile::host {

/// What is built into a binary besides the kernel.
enum class Instrument {
  none,
  memory,    ///< AddressSanitizer and UndefinedBehaviorSanitizer, stopping at the first finding
  accesses,  ///< every memory access is reported to the device, which looks for races
};

struct HostCompilerOptions {
  Instrument instrument = Instrument::none;
  /// Of one compilation, times CompileJob::patience().
  std::chrono::milliseconds deadline = std::chrono::minutes(2);
  util::CommandGroup group = util::CommandGroup::own;  ///< what the compiler runs in
  /// Keeps the headers of kernels as g++ has read them, which saves a third to two thirds of a compilation;
  /// null: they are read each time.
  std::shared_ptr<BinaryCache> cache{};
  /// Reading them may take so long of the first job's time; else they are read each time.
  std::chrono::milliseconds precompile_limit = std::chrono::seconds(30);
};

/// For a process whose parent has the deadline, and kills it with its group.
HostCompilerOptions host_options_of_worker();

/// Whether a source may include this header and still see no more than the runtime's headers and those of the
/// host that declare types and limits alone.
bool fits_runtime_headers(std::string_view name);

/// The line that `-D` or `-U` is in a source, by any of their names; empty: another option.
std::string macro_line(const std::string& option);

/// The begin of a job's unit: the headers of the host that its sources need, the runtime's, and those of the
/// toolkit for narrow types that its sources include whatever their macros are. Many jobs share it, so it can
/// be precompiled. The job's macros come behind it, and cannot be names in it.
std::string begin_of_unit(const model::CompileJob& job);

/// `#include` lines of the narrow types' headers among `always` that this machine has, and of the runtime's
/// own among `names`.
std::string early_includes(const std::vector<std::string>& always, const std::vector<std::string>& names);

/// The headers of tuner/device/cpu/runtime as files, and begins of units, for all that one compiler makes.
class RuntimeHeaders {
 public:
  static constexpr const char* runtime = "runtime";  ///< a folder
  static constexpr const char* begin = "begin/begin.hpp";

  /// A begin of units as it lies on the disk.
  struct Begin {
    std::filesystem::path folder;       ///< has `begin` and `runtime`
    std::filesystem::path precompiled;  ///< what the compiler reads in place of it; empty: nothing
  };
  /// Names the file that has a begin, at `begin` below this folder, as the compiler has read it.
  using Precompile = std::function<std::optional<std::filesystem::path>(const std::filesystem::path& folder)>;

  /// Writes the runtime's. Throws model::Error where a temporary folder cannot be written.
  RuntimeHeaders();

  /// False where something else has removed them.
  bool are_there() const;
  /// The begin of this text, which is written and precompiled when it is asked for first. Throws
  /// model::Error.
  Begin& begin_of(const std::string& text, const Precompile& precompile);
  /// Removes the file that a begin was precompiled to, wherever it is kept.
  static void drop_precompiled(Begin& begin);
  /// Makes a begin and the runtime appear in a unit's folder, so that units compile to the same wherever
  /// these are. Throws model::Error.
  static void show_in(const util::TemporaryFolder& unit, const Begin& begin);

 private:
  util::TemporaryFolder m_folder;
  std::map<std::string, Begin> m_begins;  ///< by their texts
};

/// Makes a shared object for the CPU device from a kernel's CUDA C++ source, with the host's C++ compiler:
/// $TUNER_HOST_CXX, else the first of $CXX, c++, g++ and clang++ that exists. GCC and Clang are understood.
///
/// The kernel sees the headers of tuner/device/cpu/runtime before its own first line; diagnostics name its
/// own files and lines. Register counts do not exist here and stay 0; `static_shared_bytes` is that of the
/// whole source, and more than 48 KB of it is `unlaunchable`, as on a GPU. The binary can be loaded by
/// CpuDevice alone.
///
/// A job for a host library (CompileJob::host_library) is plain C++ for any device: none of the above is
/// added to it, and its entries keep their names. One whose main file is `.cu` is made by nvcc, for the job's
/// architecture; where there is no nvcc its status is `skipped`, as it is where a source says with
/// `#error "not there: …"` which headers it misses.
class HostCompiler final : public Compiler {
 public:
  /// Throws model::Error where no compiler is found, or not the one asked for, or it does not answer.
  explicit HostCompiler(HostCompilerOptions options = {});
  ~HostCompiler() override;

  /// `g++ 12.2.0`, followed by the instrument where there is one, and by what identifies the runtime headers.
  std::string name() const override;
  /// Options of the form -std=…, -D…, -U… and -O… reach the compiler; others are NVRTC's, and the log says
  /// that they were left out. Throws model::Error where a temporary folder cannot be written.
  model::Compilation compile(const model::CompileJob& job) override;
  /// Writes the runtime's headers, which otherwise the first job does. To be called before this process
  /// forks children that compile. Throws model::Error where a temporary folder cannot be written.
  void prepare();

  /// AddressSanitizer's shared library, which must be loaded before anything else (LD_PRELOAD) in a process
  /// that loads binaries built with Instrument::memory. Throws model::Error where the compiler has none.
  std::string address_sanitizer_library() const;

 private:
  RuntimeHeaders::Begin& begin_of(const std::string& text);
  std::optional<std::filesystem::path> precompiled(const std::string& text,
                                                   const std::filesystem::path& folder) const;
  util::CommandResult run(std::vector<std::string>& command, const std::filesystem::path& folder,
                          std::chrono::steady_clock::time_point deadline, RuntimeHeaders::Begin* begin) const;

  HostCompilerOptions m_options;
  std::vector<std::string> m_command;  ///< program and the arguments that always come first
  std::string m_name;
  std::optional<RuntimeHeaders> m_headers;
};

/// Where things are below the temporary folder a job is compiled in.
struct UnitLayout {
  std::string source_folder;  ///< the folder of the main file; its headers are relative to it
  std::string unit;           ///< the file to compile
};

/// `bind_static`: as rewrite_shared() takes it.
/// Writes what a job brings: its headers, and a unit of the main
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

/// Where nvcc is looked for, in order; a plain name is looked up in the PATH.
std::vector<std::string> nvcc_places();

/// $TUNER_NVCC, else nvcc of the PATH, of $CUDA_PATH, of $CUDA_HOME, and of where toolkits usually are.
/// Nothing, with what was looked for in `why_not`, where there is none.
std::optional<std::string> find_nvcc(std::string& why_not);

/// The begin of a command to a compiler of kernels. What the environment's CPATH names and what nvcc's flags
/// there ask for would be no part of a binary's identity.
std::vector<std::string> without_foreign_flags();

/// A program and what it is given.
using Arguments = std::vector<std::string>;
/// What commands make, in the folder that they run in.
inline constexpr const char* made_binary = "kernel.so";

/// $TUNER_HOST_CXX, else the first of $CXX, c++, g++ and clang++ that exists. Throws model::Error where there
/// is none.
Arguments find_compiler();

/// HostCompiler::name() of a compiler that answers `version` to --version.
std::string compiler_name(const Arguments& compiler, const std::string& version, Instrument instrument);

/// The compiler that NVCC_CCBIN has nvcc read sources with: `g++ 12.2.0`, and what a script says. Empty:
/// none.
std::string nvcc_host_compiler();

/// What decides whether g++ takes headers that it has read before, for jobs without options of their own.
Arguments header_options(Instrument instrument);

/// Has g++ read RuntimeHeaders::begin in `folder` and write it to `result`.
Arguments precompile_command(const Arguments& compiler, const Arguments& options,
                             const std::filesystem::path& folder, const std::filesystem::path& result);

/// Changes when the toolkit's headers do.
std::string toolkit_state();

/// Make the job's binary of a unit in `folder`, one after the other. What the compiler does not understand of
/// the job's options is left out, and `compilation` says so. Where nvcc is needed and not there, they are
/// none and the compilation is `skipped`.
std::vector<Arguments> commands_of(const Arguments& compiler, Instrument instrument, bool is_clang,
                                   const model::CompileJob& job, const UnitLayout& layout,
                                   const std::filesystem::path& folder, model::Compilation& compilation);

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
/// Alignment is dropped: the memory is aligned for every type. Where such an array outside functions is an
/// argument or an initializer as it is, `+` makes its address of it.
///
/// Where `bind_static` says so, static shared variables of functions, `__shared__ T name[N];`, are bound to
/// memory of their own in the same way: `T (&name)[N] = tuner_cpu::static_shared([] {});`. In other
/// declarations of static shared variables `alignas` becomes the first word. All other text is left as it is.
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

/// What a source that does not compile has that the CPU device does not take, code for the host or PTX, in
/// one line before its log; empty: neither.
std::string note_on_source(const model::CompileJob& job, const std::string& log);

}  // namespace tuner::compile::host
