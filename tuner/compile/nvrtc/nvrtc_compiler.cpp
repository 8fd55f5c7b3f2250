#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/nvrtc/cubin.hpp"
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

/// What nvcc's sources have from the host's <sys/types.h> without asking, in a header of its own. Said twice,
/// a typedef is one.
constexpr std::string_view always_there = "tuner_always_there.h";
constexpr std::string_view always_there_text =
    "typedef unsigned int uint; typedef unsigned short ushort; typedef unsigned long ulong;\n";

/// PCH with a heap that can be set came with 12.8.
constexpr Version precompiles{12, 8};

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
  if (std::ranges::count(known, number) > 0) return;
  const Version version = library.version();
  throw model::Error(
      fmt::format("NVRTC {}.{} ({}) does not compile for '{}': it knows sm_{}", version.major, version.minor,
                  library.path().string(), architecture, fmt::join(known, ", sm_")),
      "set TUNER_NVRTC to the libnvrtc of a toolkit that supports the device", model::ExitCode::no_device);
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
  return entry_mistake(job, name, why);
}

/// The log, its first error first. Code for the host gives a page of errors, and the way out is another
/// compiler.
std::string log_of_failure(std::string_view log) {
  const bool has_host_code = log.find("host functions are not allowed in JIT mode") != std::string_view::npos;
  const std::string way_out = fmt::format(
      "{} (the source has code for the host, which NVRTC does not take; compiler = \"nvcc\" in "
      "[kernel] has nvcc compile it)\n",
      first_error(log, name_check));
  return (has_host_code ? way_out : "") + error_first(std::string(log), name_check);
}

Compilation explain_failure(const CompileJob& job, const PtxasReport& report, std::string_view log) {
  if (log.find_first_not_of(" \n") == std::string_view::npos)  // as where it had no memory to begin with
    return failed(TrialStatus::crashed, "NVRTC did not say why it failed");
  if (compiler_died(log)) return failed(TrialStatus::crashed, log);
  if (const auto excess = find_shared_excess(report)) {
    return failed(TrialStatus::unlaunchable, text_of(*excess) + report.rest);
  }
  if (const auto message = missing_entry(job, log)) {
    return failed(TrialStatus::compile_error, fmt::format("{}\n{}", *message, log));
  }
  return failed(TrialStatus::compile_error, log_of_failure(log));
}

/// Of an overload its address; a plain name is a name expression as it is.
std::string expression_of(const std::string& entry) {
  return model::parameters_of(entry) < entry.size() ? model::address_of(entry) : entry;
}

/// What is known of each entry; a failure when one is no kernel at all.
Compilation describe(const CompileJob& job, const Request& request, Answer answer,
                     const PtxasReport& report) {
  Compilation compilation;
  compilation.binary = std::move(answer.cubin);
  compilation.log = tidy_log(report.rest);
  for (const std::string& entry : job.entries) {
    const auto name = std::ranges::find(request.name_expressions, expression_of(entry));
    const std::string& symbol =
        answer.symbols.at(static_cast<std::size_t>(name - request.name_expressions.begin()));
    if (model::is_variable(entry)) {
      compilation.kernels.push_back({entry, symbol});
      continue;
    }
    if (report.find(symbol) == nullptr) return failed(TrialStatus::compile_error, entry_mistake(job, entry));
    compilation.kernels.push_back(resources_of(entry, symbol, report, compilation.binary, answer.ptx));
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
  request.source = with_headers_once(job.source);
  const std::string name = request.source[0].name;
  request.source[0].name = std::string(nowhere) + name;
  request.source.push_back({std::string(always_there), std::string(always_there_text)});
  CompileJob with_options = job;  // without the macros that are lines of the source
  request.precompiles = m_library->version() >= precompiles && has_header_stop(job);
  if (request.precompiles) {
    // No #line above the stop: NVRTC would keep nothing.
    request.source[0].text = with_macros_behind_stop(job, as_literal(name));
    with_options.macros.clear();
    with_options.vocabulary.clear();
    with_options.options.push_back(fmt::format("--pre-include={}", always_there));
  } else {
    request.source[0].text.insert(
        0, fmt::format("#include \"{}\"\n#line 1 \"{}\"\n", always_there, as_literal(name)));
  }
  for (model::SourceText& stub : stub_headers(job.source, m_headers))
    request.source.push_back(std::move(stub));
  const bool asks = asks_for_features(job);
  request.options =
      options_for(asks ? with_features(with_options) : with_options, m_library->version(), m_headers);
  for (const std::string& entry : job.entries) {
    const auto& known = request.name_expressions;
    if (std::ranges::find(known, expression_of(entry)) == known.end())
      request.name_expressions.push_back(expression_of(entry));
  }

  Answer answer = m_library->compile(request);
  if (!asks && answer.outcome == Answer::Outcome::rejected && lacks_features(answer.log)) {
    request.options = options_for(with_features(with_options), m_library->version(), m_headers);
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
