#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#ifdef TUNER_HAVE_NVRTC
#include <nvrtc.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "tuner/model/error.hpp"

namespace tuner::compile::nvrtc {
#ifdef TUNER_HAVE_NVRTC
namespace {

namespace fs = std::filesystem;

struct CloseLibrary {
  void operator()(void* handle) const noexcept { ::dlclose(handle); }
};
using Handle = std::unique_ptr<void, CloseLibrary>;

/// Never unmapped: NVRTC keeps state in the threads that used it, which may end after the last user of the
/// library.
Handle open_library(const std::string& file) {
  return Handle(::dlopen(file.c_str(), RTLD_NOW | RTLD_NODELETE));
}

std::string last_loader_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "unknown error" : text;
}

/// For headers kept in memory: those of CUTLASS need 300 MB. Reserved, not used before there are any.
constexpr std::size_t most_precompiled_bytes = std::size_t{2} << 30U;

/// Members of Functions, and what the library calls them.
#define TUNER_NVRTC_FUNCTIONS(FUNCTION)                   \
  FUNCTION(error_string, nvrtcGetErrorString)             \
  FUNCTION(version, nvrtcVersion)                         \
  FUNCTION(architecture_count, nvrtcGetNumSupportedArchs) \
  FUNCTION(architectures, nvrtcGetSupportedArchs)         \
  FUNCTION(create, nvrtcCreateProgram)                    \
  FUNCTION(destroy, nvrtcDestroyProgram)                  \
  FUNCTION(add_name, nvrtcAddNameExpression)              \
  FUNCTION(compile, nvrtcCompileProgram)                  \
  FUNCTION(lowered_name, nvrtcGetLoweredName)             \
  FUNCTION(log_size, nvrtcGetProgramLogSize)              \
  FUNCTION(log, nvrtcGetProgramLog)                       \
  FUNCTION(cubin_size, nvrtcGetCUBINSize)                 \
  FUNCTION(cubin, nvrtcGetCUBIN)                          \
  FUNCTION(ptx_size, nvrtcGetPTXSize)                     \
  FUNCTION(ptx, nvrtcGetPTX)

struct Functions {
#define TUNER_MEMBER(member, symbol) decltype(&symbol) member = nullptr;
  TUNER_NVRTC_FUNCTIONS(TUNER_MEMBER)
#undef TUNER_MEMBER
  nvrtcResult (*set_precompiled_heap)(std::size_t) = nullptr;  ///< null before 12.8
};

/// Null where the library has no such function.
template <typename Function>
void find(void* library, Function& into, const char* symbol) {
  into = reinterpret_cast<Function>(::dlsym(library, symbol));
}

/// Fills `functions`; returns the names that the library lacks.
std::string read_functions(void* library, Functions& functions) {
  std::string missing;
#define TUNER_FIND(member, symbol)          \
  find(library, functions.member, #symbol); \
  if (functions.member == nullptr) missing += missing.empty() ? #symbol : ", " #symbol;
  TUNER_NVRTC_FUNCTIONS(TUNER_FIND)
#undef TUNER_FIND
  find(library, functions.set_precompiled_heap, "nvrtcSetPCHHeapSize");
  return missing;
}

/// The file behind a handle, as the loader resolved it.
fs::path path_of(void* handle) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  std::error_code error;
  const fs::path canonical = fs::canonical(map->l_name, error);
  return error ? fs::path(map->l_name) : canonical;
}

class Program {
 public:
  Program(const Functions& functions, nvrtcProgram program) : m_functions(functions), m_program(program) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { m_functions.destroy(&m_program); }
  nvrtcProgram get() const { return m_program; }

 private:
  const Functions& m_functions;
  nvrtcProgram m_program;
};

class LoadedLibrary final : public Library {
 public:
  LoadedLibrary(Handle handle, Handle builtins, const Functions& functions, Version version, fs::path path)
      : m_handle(std::move(handle)),
        m_builtins(std::move(builtins)),
        m_functions(functions),
        m_version(version),
        m_path(std::move(path)) {}

  Version version() const override { return m_version; }
  const fs::path& path() const override { return m_path; }

  std::vector<int> architectures() const override {
    int count = 0;
    must(m_functions.architecture_count(&count), "the number of architectures");
    std::vector<int> architectures(static_cast<std::size_t>(std::max(count, 0)));
    if (count > 0) must(m_functions.architectures(architectures.data()), "the architectures");
    std::ranges::sort(architectures);
    return architectures;
  }

  Answer compile(const Request& request) const override {
    const Program program = create(request);
    for (const std::string& name : request.name_expressions) {
      must(m_functions.add_name(program.get(), name.c_str()), "a name expression");
    }
    std::vector<const char*> options;
    for (const std::string& option : request.options) options.push_back(option.c_str());
    const std::string folder = "--pch-dir=" + fs::temp_directory_path().string();
    if (request.precompiles) {
      // 630, 639: headers are not kept, for lack of memory or because they differ. That is no mistake.
      // 20282: another process kept them. 20283 is said of #line wherever it stands, also where they are
      // kept.
      options.insert(options.end(), {"--pch", "--pch-messages=false", "--diag-suppress=630,639,20282,20283",
                                     folder.c_str()});
    }
    const nvrtcResult result =
        m_functions.compile(program.get(), static_cast<int>(options.size()), options.data());
    Answer answer;
    answer.outcome = outcome_of(result);
    answer.log = text<char>(program, m_functions.log_size, m_functions.log, "the log");
    if (answer.outcome == Answer::Outcome::ok) {
      read_product(program, request, answer);
    } else if (result != NVRTC_ERROR_COMPILATION) {
      answer.log += fmt::format("\nNVRTC says {}", m_functions.error_string(result));
    }
    return answer;
  }

 private:
  Program create(const Request& request) const {
    std::vector<const char*> headers;
    std::vector<const char*> names;
    for (std::size_t i = 1; i < request.source.size(); ++i) {
      headers.push_back(request.source[i].text.c_str());
      names.push_back(request.source[i].name.c_str());
    }
    nvrtcProgram program = nullptr;
    must(m_functions.create(&program, request.source.at(0).text.c_str(), request.source[0].name.c_str(),
                            static_cast<int>(headers.size()), headers.data(), names.data()),
         "a program");
    return Program(m_functions, program);
  }

  /// What one source can provoke is an answer about that source; the rest is NVRTC not working.
  Answer::Outcome outcome_of(nvrtcResult result) const {
    switch (result) {
      case NVRTC_SUCCESS:
        return Answer::Outcome::ok;
      case NVRTC_ERROR_INVALID_OPTION:
        return Answer::Outcome::invalid_option;
      case NVRTC_ERROR_COMPILATION:
      case NVRTC_ERROR_OUT_OF_MEMORY:
      case NVRTC_ERROR_INTERNAL_ERROR:
        return Answer::Outcome::rejected;
      default:
        must(result, "a compilation");
        return Answer::Outcome::rejected;
    }
  }

  void read_product(const Program& program, const Request& request, Answer& answer) const {
    answer.cubin = bytes<std::byte>(program, m_functions.cubin_size, m_functions.cubin, "the cubin");
    std::size_t size = 0;
    if (m_functions.ptx_size(program.get(), &size) == NVRTC_SUCCESS && size > 0) {
      answer.ptx = text<char>(program, m_functions.ptx_size, m_functions.ptx, "the PTX");
    }
    for (const std::string& name : request.name_expressions) {
      const char* symbol = nullptr;
      must(m_functions.lowered_name(program.get(), name.c_str(), &symbol), "a kernel's symbol");
      answer.symbols.emplace_back(symbol);
    }
  }

  template <typename Byte, typename Size, typename Get>
  std::vector<Byte> bytes(const Program& program, Size size_of, Get get, const char* what) const {
    std::size_t size = 0;
    must(size_of(program.get(), &size), what);
    std::vector<Byte> out(size);
    if (size > 0) must(get(program.get(), reinterpret_cast<char*>(out.data())), what);
    return out;
  }

  /// Without the terminating NUL that NVRTC counts.
  template <typename Char, typename Size, typename Get>
  std::string text(const Program& program, Size size_of, Get get, const char* what) const {
    const std::vector<Char> raw = bytes<Char>(program, size_of, get, what);
    return std::string(raw.begin(), std::ranges::find(raw, '\0'));
  }

  void must(nvrtcResult result, const char* what) const {
    if (result == NVRTC_SUCCESS) return;
    throw model::Error(fmt::format("NVRTC {}.{} ({}) failed to make {}: {}", m_version.major, m_version.minor,
                                   m_path.string(), what, m_functions.error_string(result)),
                       "", model::ExitCode::no_device);
  }

  Handle m_handle;
  Handle m_builtins;
  Functions m_functions;
  Version m_version;
  fs::path m_path;
};

/// What was tried and why it was not it, for the error message.
class Attempts {
 public:
  void add(const Candidate& candidate, const std::string& why) {
    m_text += fmt::format("\n  {} ({}): {}", candidate.file, candidate.origin, why);
    m_absent_place.clear();
  }
  /// Names missing from the same folder share a line.
  void add_absent(const Candidate& candidate) {
    const fs::path file = candidate.file;
    const std::string place = fmt::format("{} ({})", file.parent_path().string(), candidate.origin);
    m_text += place == m_absent_place ? ", " : fmt::format("\n  {}: no ", place);
    m_text += file.filename().string();
    m_absent_place = place;
  }
  /// `wanted`: the one place that TUNER_NVRTC names; empty: none.
  [[noreturn]] void fail(const std::string& wanted) const {
    throw model::Error(
        "NVRTC, CUDA's run-time compiler, could not be loaded. Tried:" + m_text,
        (wanted.empty() ? "install the CUDA toolkit 12.4 or newer, or set TUNER_NVRTC to libnvrtc or the "
                          "folder it is in; "
                        : fmt::format("TUNER_NVRTC is {}: name libnvrtc or the folder it is in, or unset it "
                                      "to have the usual places searched; ",
                                      wanted)) +
            "where pip installed this program: pip install nvidia-cuda-nvrtc nvidia-cuda-runtime "
            "nvidia-cuda-crt; "
            "`tuner run` and `tuner check` can use this processor instead: --device cpu",
        model::ExitCode::no_device);
  }

 private:
  std::string m_text;
  std::string m_absent_place;
};

/// NVRTC opens its library of builtins by name at its first compilation. Opened from NVRTC's own folder
/// beforehand it is found wherever that is, LD_LIBRARY_PATH or not.
Handle open_builtins(const fs::path& nvrtc, Version version, std::string& why_not) {
  const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", version.major, version.minor);
  for (const std::string& file : {(nvrtc.parent_path() / name).string(), name}) {
    if (Handle handle = open_library(file)) return handle;
    why_not = last_loader_error();
  }
  return nullptr;
}

std::shared_ptr<const Library> try_candidate(const Candidate& candidate, Attempts& attempts) {
  std::error_code error;
  if (candidate.file.find('/') != std::string::npos && !fs::exists(candidate.file, error)) {
    attempts.add_absent(candidate);
    return nullptr;
  }
  Handle handle = open_library(candidate.file);
  if (!handle) {
    attempts.add(candidate, last_loader_error());
    return nullptr;
  }
  Functions functions;
  if (const std::string missing = read_functions(handle.get(), functions); !missing.empty()) {
    attempts.add(candidate, "lacks " + missing);
    return nullptr;
  }
  Version version;
  if (functions.version(&version.major, &version.minor) != NVRTC_SUCCESS) {
    attempts.add(candidate, "does not say its version");
    return nullptr;
  }
  if (functions.set_precompiled_heap != nullptr) functions.set_precompiled_heap(most_precompiled_bytes);
  const fs::path path = path_of(handle.get());
  std::string why_not;
  Handle builtins = open_builtins(path, version, why_not);
  if (!builtins) {
    attempts.add(candidate, "its library of builtins is missing: " + why_not);
    return nullptr;
  }
  return std::make_shared<LoadedLibrary>(std::move(handle), std::move(builtins), functions, version, path);
}

}  // namespace

std::shared_ptr<const Library> load_library(const std::string& explicit_path) {
  std::string wanted = explicit_path;
  if (const char* from_environment = std::getenv("TUNER_NVRTC");
      wanted.empty() && from_environment != nullptr) {
    wanted = from_environment;
  }
  Attempts attempts;
  for (const Candidate& candidate : library_candidates(wanted)) {
    if (std::shared_ptr<const Library> library = try_candidate(candidate, attempts)) return library;
  }
  attempts.fail(wanted);
}

#else  // its interface is not known

std::shared_ptr<const Library> load_library(const std::string&) {
  throw model::Error("this build has no NVRTC: there were no CUDA headers where it was built",
                     "build again with a CUDA toolkit 12.4 or newer, or with -DTUNER_CUDA_INCLUDE_DIR=FOLDER "
                     "of nvrtc.h; `tuner "
                     "run` and `tuner check` can use this processor: --device cpu",
                     model::ExitCode::no_device);
}

#endif
}  // namespace tuner::compile::nvrtc
