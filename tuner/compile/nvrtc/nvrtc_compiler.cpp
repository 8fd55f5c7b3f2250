#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "tuner/compile/log_text.hpp"
#include "tuner/compile/nvrtc/cubin.hpp"
#include "tuner/compile/nvrtc/kernels_in_source.hpp"
#include "tuner/compile/nvrtc/options.hpp"
#include "tuner/compile/nvrtc/ptxas_log.hpp"
#include "tuner/compile/nvrtc/stub_headers.hpp"
#include "tuner/compile/toolkit.hpp"
#include "tuner/model/error.hpp"

namespace tuner::compile::nvrtc {
namespace {

using model::Compilation;
using model::CompileJob;
using model::TrialStatus;

/// NVRTC looks for headers beside the main file, on disk, wherever the process happens to stand. What is
/// compiled must be what the job holds, so the main file is given a folder that cannot exist; a #line keeps
/// diagnostics short.
constexpr std::string_view nowhere = "/dev/null/";

/// What nvcc's sources have from the host's <sys/types.h> without asking. Said twice, a typedef is one.
constexpr std::string_view always_there =
    "typedef unsigned int uint; typedef unsigned short ushort; typedef unsigned long ulong;\n";

Compilation failed(TrialStatus status, std::string_view log) {
  Compilation compilation;
  compilation.status = status;
  compilation.log = tidy_log(log);
  return compilation;
}

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

/// Throws for what no source can repair: a compiler that does not know the device.
void require_architecture(const std::string& architecture, const Library& library) {
  int number = 0;
  constexpr std::string_view prefix = "sm_";
  const bool named = architecture.rfind(prefix, 0) == 0;
  if (named)
    std::from_chars(architecture.data() + prefix.size(), architecture.data() + architecture.size(), number);
  const std::vector<int> known = library.architectures();
  if (std::find(known.begin(), known.end(), number) != known.end()) return;
  const Version version = library.version();
  throw model::Error(
      fmt::format("NVRTC {}.{} ({}) does not compile for '{}': it knows sm_{}", version.major, version.minor,
                  library.path().string(), architecture, fmt::join(known, ", sm_")),
      "set TUNER_NVRTC to the libnvrtc of a toolkit that supports the device", model::ExitCode::no_device);
}

std::string kernels_listed(const CompileJob& job) {
  std::vector<std::string> names;
  for (const model::SourceText& file : job.source) {
    for (std::string& name : kernels_in_source(file.text)) names.push_back(std::move(name));
  }
  if (names.empty()) return "the source has no __global__ function";
  return fmt::format("kernels in the source: {}", fmt::join(names, ", "));
}

/// The file in which NVRTC checks name expressions.
constexpr std::string_view name_check = "__nv_name_map(";

/// The entry that NVRTC could not find. NVRTC checks name expressions in a file of its own, behind the
/// source.
std::optional<std::string> missing_entry(const CompileJob& job, std::string_view log) {
  if (!first_error(log, name_check).empty()) return std::nullopt;  // the source's own comes first
  constexpr std::string_view marker = "Input name expression was: \"";
  const std::size_t at = log.find(marker);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view name = log.substr(at + marker.size());
  name = name.substr(0, name.find("\"\n"));
  const std::size_t begin = std::min(name.find_first_not_of(' '), name.size());
  std::string_view why = first_error(log);
  why.remove_prefix(std::min(why.find("error: "), why.size()));
  name.remove_prefix(begin);
  if (name.starts_with('&'))
    return fmt::format("symbol '{}' is not a variable that the source declares: {}",
                       name.substr(std::min(name.find_first_not_of("& "), name.size())), why);
  return fmt::format("entry '{}' is not a kernel that the source declares or can instantiate: {}; {}", name,
                     why, kernels_listed(job));
}

Compilation explain_failure(const CompileJob& job, const PtxasReport& report, std::string_view log) {
  if (const auto excess = find_shared_excess(report)) {
    return failed(
        TrialStatus::unlaunchable,
        fmt::format("kernel '{}' declares {} bytes of static shared memory, the compiler allows {}; more is "
                    "possible as dynamic shared memory only\n{}",
                    excess->symbol, excess->bytes, excess->limit, report.rest));
  }
  if (const auto message = missing_entry(job, log)) {
    return failed(TrialStatus::compile_error, fmt::format("{}\n{}", *message, log));
  }
  return failed(TrialStatus::compile_error, error_first(std::string(log), name_check));
}

/// What is known of each entry; a failure when one is no kernel at all.
Compilation describe(const CompileJob& job, const Request& request, Answer answer,
                     const PtxasReport& report) {
  Compilation compilation;
  compilation.binary = std::move(answer.cubin);
  compilation.log = tidy_log(report.rest);
  for (const std::string& entry : job.entries) {
    const auto name = std::find(request.name_expressions.begin(), request.name_expressions.end(), entry);
    const std::string& symbol =
        answer.symbols.at(static_cast<std::size_t>(name - request.name_expressions.begin()));
    if (entry.starts_with('&')) {
      model::KernelResources& variable = compilation.kernels.emplace_back();
      variable.entry = entry;
      variable.symbol = symbol;
      continue;
    }
    const PtxasFunction* function = report.find(symbol);
    if (function == nullptr) {
      return failed(TrialStatus::compile_error,
                    fmt::format("entry '{}' is not a __global__ function; {}", entry, kernels_listed(job)));
    }
    model::KernelResources& kernel = compilation.kernels.emplace_back();
    kernel.entry = entry;
    kernel.symbol = symbol;
    kernel.registers = function->registers;
    kernel.spill_store_bytes = function->spill_store_bytes + report.called_spill_store_bytes;
    kernel.spill_load_bytes = function->spill_load_bytes + report.called_spill_load_bytes;
    kernel.stack_bytes = function->stack_bytes;
    kernel.static_shared_bytes = function->shared_bytes;
    kernel.constant_bytes = constant_bytes(compilation.binary, symbol);
    kernel.max_threads_per_block = max_threads_per_block(answer.ptx, symbol);
  }
  return compilation;
}

/// Why the job cannot even be handed to NVRTC. Its strings end at the first NUL, and its scanner takes a byte
/// 255 for the end of the file, without a word: what stands behind would not be compiled.
std::optional<std::string> unusable(const CompileJob& job) {
  if (job.source.empty()) return "the job has no source";
  for (const model::SourceText& file : job.source) {
    const std::size_t at = std::min(file.text.find('\0'), file.text.find('\xFF'));
    if (at == std::string::npos) continue;
    const auto line =
        1 + std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return fmt::format("{}({}): error: a byte {} is not text", file.name, line,
                       static_cast<int>(static_cast<unsigned char>(file.text[at])));
  }
  return refused_option(job.options);
}

/// The same job for the features that an architecture alone has (sm_90a), of which its device has all.
CompileJob with_features(CompileJob job) {
  if (!job.architecture.empty() && job.architecture.back() >= '0' && job.architecture.back() <= '9')
    job.architecture += 'a';
  return job;
}

/// Whether a source asks if it is compiled for them: it would compile to something else without.
bool asks_for_features(const CompileJob& job) {
  return std::any_of(job.source.begin(), job.source.end(), [](const model::SourceText& file) {
    return file.text.find("__CUDA_ARCH_FEAT_SM") != std::string::npos;
  });
}

/// ptxas: Instruction 'wgmma.fence' not supported on .target 'sm_90'; … requires .target 'sm_90a'
bool lacks_features(const Answer& answer) {
  return answer.outcome == Answer::Outcome::rejected &&
         (answer.log.find("not supported on .target 'sm_") != std::string::npos ||
          answer.log.find("cannot be compiled for architecture 'sm_") != std::string::npos);
}

std::string as_literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

NvrtcCompiler::NvrtcCompiler(std::shared_ptr<const Library> library)
    : m_library(std::move(library)),
      m_headers(find_header_folder(m_library->path())),
      m_name(fmt::format("nvrtc {}.{}", m_library->version().major, m_library->version().minor)) {}

Compilation NvrtcCompiler::compile(const CompileJob& job) {
  const auto start = std::chrono::steady_clock::now();
  if (const auto reason = unusable(job)) return failed(TrialStatus::compile_error, *reason);
  require_architecture(job.architecture, *m_library);

  Request request;
  request.source = job.source;
  const std::string name = request.source[0].name;
  request.source[0].name = std::string(nowhere) + name;
  request.source[0].text.insert(0, fmt::format("{}#line 1 \"{}\"\n", always_there, as_literal(name)));
  for (model::SourceText& stub : stub_headers(job.source, m_headers))
    request.source.push_back(std::move(stub));
  const bool asks = asks_for_features(job);
  request.options = options_for(asks ? with_features(job) : job, m_library->version(), m_headers);
  for (const std::string& entry : job.entries) {
    const auto& known = request.name_expressions;
    if (std::find(known.begin(), known.end(), entry) == known.end())
      request.name_expressions.push_back(entry);
  }

  Answer answer = m_library->compile(request);
  if (!asks && lacks_features(answer)) {
    request.options = options_for(with_features(job), m_library->version(), m_headers);
    Answer again = m_library->compile(request);
    if (again.outcome == Answer::Outcome::ok) answer = std::move(again);
  }
  erase_all(answer.log, nowhere);
  const PtxasReport report = parse_ptxas_log(answer.log);
  Compilation compilation = answer.outcome == Answer::Outcome::ok
                                ? describe(job, request, std::move(answer), report)
                                : explain_failure(job, report, answer.log);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  compilation.compile_ms = spent.count();
  return compilation;
}

}  // namespace tuner::compile::nvrtc
