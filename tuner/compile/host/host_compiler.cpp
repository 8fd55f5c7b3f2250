#include "tuner/compile/host/host_compiler.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"

namespace tuner::compile::host {
namespace {

/// Bytes of thread-local storage a shared object declares in its program headers (ELF, PT_TLS): the static
/// shared arrays of its kernels, and nothing else. 0 for anything that is not an ELF file of this machine's
/// word size.
std::int64_t thread_local_bytes(std::span<const std::byte> binary) {
  ElfW(Ehdr) header;
  if (binary.size() < sizeof header) return 0;
  std::memcpy(&header, binary.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr))) return 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t offset = header.e_phoff + i * sizeof(ElfW(Phdr));
    if (offset > binary.size() || binary.size() - offset < sizeof(ElfW(Phdr))) return 0;
    ElfW(Phdr) segment;
    std::memcpy(&segment, binary.data() + offset, sizeof segment);
    if (segment.p_type == PT_TLS) return static_cast<std::int64_t>(segment.p_memsz);
  }
  return 0;
}

}  // namespace

std::vector<std::string> nvcc_places() {
  return toolkit_program_places("nvcc", "TUNER_NVCC");
}

std::optional<std::string> find_nvcc(std::string& why_not) {
  const std::vector<std::string> places = nvcc_places();
  for (const std::string& place : places) {
    if (const auto program = util::find_program(place)) return program->string();
  }
  why_not =
      fmt::format("it has device code, for nvcc of a CUDA toolkit; looked for {}", fmt::join(places, ", "));
  return std::nullopt;
}

std::vector<std::string> without_foreign_flags() {
  std::vector<std::string> command = {"env"};
  for (const char* const foreign :
       {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    command.insert(command.end(), {"-u", foreign});
  return command;
}

namespace {

using Arguments = std::vector<std::string>;
constexpr std::int64_t most_static_shared_bytes = std::int64_t{48} << 10U;  // as ptxas allows
// As the runtime's headers say, and as a baseline may.
constexpr std::array missing_headers = {"#error \"no CUDA toolkit: ", "#error \"not there: "};
/// What g++ says of some __forceinline__ templates, and what has it call them instead.
constexpr const char* refused_inlining = "inlining failed in call to 'always_inline'";
constexpr const char* without_inlining = "-Dalways_inline=";
constexpr const char* object = "kernel.o";
constexpr const char* binary = "kernel.so";

/// Words of a variable such as CXX, which may hold `ccache g++`.
Arguments words(std::string_view text) {
  Arguments result;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    result.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

Arguments find_compiler() {
  std::string tried;
  constexpr std::string_view asked_for =
      "TUNER_HOST_CXX";  // of us, unlike CXX, which may be meant for others
  for (const std::string_view variable : {asked_for, std::string_view("CXX")}) {
    const char* value = std::getenv(variable.data());
    Arguments command = words(value != nullptr ? value : "");
    if (command.empty()) continue;
    const auto program = util::find_program(command[0]);
    if (program && (variable == asked_for || program->filename() != "nvcc")) {
      command[0] = program->string();
      return command;
    }
    if (variable == asked_for) {
      throw model::Error(fmt::format("{} is {}, which does not exist", variable, command[0]),
                         "name a g++ or clang++ that exists, or unset it");
    }
    tried += fmt::format("{} (from {}), ", command[0], variable);
  }
  for (const char* name : {"c++", "g++", "clang++"}) {
    if (const auto program = util::find_program(name)) return {program->string()};
  }
  throw model::Error(
      fmt::format("no C++ compiler for the CPU device: looked for {}c++, g++ and clang++ on the PATH", tried),
      "install g++ or clang++, or set TUNER_HOST_CXX");
}

/// `g++ 12.2.0` from the first line of `--version`: the last word that starts with a digit and has a point.
std::string family_and_version(const std::string& answer) {
  const std::string line = answer.substr(0, answer.find('\n'));
  std::string version;
  for (const std::string& word : words(line)) {
    if (word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string::npos) version = word;
  }
  return fmt::format("{} {}", line.find("clang") != std::string::npos ? "clang++" : "g++", version);
}

/// The words of TUNER_HOST_CXX or CXX from its first option on: what they change is another compiler's code.
std::string options_text(const Arguments& command) {
  std::string text;
  for (std::size_t i = 1; i < command.size(); ++i)
    if (!text.empty() || command[i].starts_with('-')) text += ' ' + command[i];
  return text;
}

std::string_view suffix(Instrument instrument) {
  switch (instrument) {
    case Instrument::none:
      return "";
    case Instrument::memory:
      return " address+undefined";
    case Instrument::accesses:
      return " accesses";
  }
  return "";
}

Arguments instrument_options(Instrument instrument, bool is_clang) {
  switch (instrument) {
    case Instrument::none:
      return {"-O2"};
    case Instrument::memory: {
      Arguments options = {"-O1",
                           "-fsanitize=address,undefined",
                           "-fno-sanitize=vptr",
                           "-fno-sanitize-recover=all",
                           "-fno-omit-frame-pointer",
                           "-DTUNER_CPU_STATIC_SHARED"};
      if (is_clang) options.emplace_back("-shared-libasan");
      return options;
    }
    case Instrument::accesses:
      return {"-O1", "-fsanitize=thread", "-DTUNER_CPU_REPORT_ACCESSES"};
  }
  return {};
}

/// The runtime's headers need C++17; what is written for an older one is that too.
std::string standard_of(const std::string& option) {
  const std::string name = option.substr(option.find('=') + 1);
  constexpr std::array older = {"98", "03", "0x", "11", "1y", "14"};
  const bool is_older = std::ranges::any_of(older, [&](const char* end) { return name.ends_with(end); });
  return is_older ? "-std=c++17" : "-std=" + name;
}

/// The job's options that mean the same to a host compiler; the others are named in `left_out`.
Arguments job_options(const std::vector<std::string>& options, std::string& left_out) {
  Arguments result = {"-std=c++17"};
  for (const std::string& option : options) {
    const std::string_view text = option;
    if (text.starts_with("-std=") || text.starts_with("--std=")) {
      result[0] = standard_of(option);
    } else if (text.starts_with("-D") || text.starts_with("-U") || text.starts_with("-O")) {
      result.push_back(option);
    } else {
      left_out += fmt::format("{}{}", left_out.empty() ? "" : " ", option);
    }
  }
  return result;
}

/// The toolkit's headers come last: its folder may be one where the host's own are.
Arguments toolkit_options() {
  const std::filesystem::path headers = find_header_folder();
  if (headers.empty()) return {};
  return {"-idirafter", headers.string(), "-idirafter", (headers / "cccl").string()};
}

void add_to(Arguments& command, const Arguments& more) {
  command.insert(command.end(), more.begin(), more.end());
}

Arguments options_in(const std::filesystem::path& folder) {
  // Equal jobs give equal binaries.
  return {"-fPIC", "-g1", "-w", fmt::format("-ffile-prefix-map={}=.", folder.string())};
}

/// Kernels reinterpret arrays as wider types, which nvcc permits; deep frames must not jump over a fibre's
/// guard page.
Arguments kernel_options(Instrument instrument, bool is_clang) {
  Arguments options = {"-fvisibility=hidden", "-fno-strict-aliasing", "-fstack-clash-protection",
                       "-ffp-contract=off"};
  add_to(options, instrument_options(instrument, is_clang));
  return options;
}

/// Changes when the toolkit's headers do.
std::string toolkit_state() {
  const std::filesystem::path header = find_header_folder() / "cuda_fp16.h";
  std::error_code error;
  const auto time = std::filesystem::last_write_time(header, error);
  return error ? "" : fmt::format("{} {}", header.string(), time.time_since_epoch().count());
}

Arguments compile_command(const Arguments& compiler, const HostCompilerOptions& options, bool is_clang,
                          const model::CompileJob& job, const UnitLayout& layout,
                          const util::TemporaryFolder& folder, std::string& left_out) {
  Arguments command;
  if (!job.host_library) command = without_foreign_flags();
  const auto add = [&](const Arguments& more) { add_to(command, more); };
  add(compiler);
  add({"-x", "c++"});
  add(options_in(folder.path()));
  add(job.host_library ? Arguments{"-O2"} : kernel_options(options.instrument, is_clang));
  add(job_options(job.options, left_out));
  if (job.host_library) {
    for (const auto* macros : {&job.vocabulary, &job.macros}) {
      for (const model::Macro& macro : *macros)
        command.push_back(fmt::format("-D{}={}", macro.name, macro.value));
    }
  }
  if (!job.host_library) add({"-I", RuntimeHeaders::runtime});
  add({"-I", layout.source_folder, layout.unit});
  if (!job.host_library) add(toolkit_options());
  return command;
}

Arguments link_options() {
  return {"-shared", "-Wl,-Bsymbolic", "-Wl,--as-needed", "-ldl", "-o", binary};
}

/// What makes a shared object of C++ with device code, with CUDA's runtime linked in: it uses the primary
/// context, as the process that loads it does.
Arguments nvcc_options(const model::CompileJob& job) {
  const std::string code = (asks_for_features(job) ? with_features(job) : job).architecture;
  // -arch=sm_90a would compile for compute_90 too.
  const std::string target =
      fmt::format("-gencode=arch=compute_{},code={}", code.substr(code.find('_') + 1), code);
  return {"-std=c++17", "-O3", "-w", "-Xcompiler", "-fPIC", "-cudart", "static", target};
}

/// What nvcc is asked; nothing where there is none, which `compilation` then says.
std::vector<Arguments> nvcc_commands(const model::CompileJob& job, const UnitLayout& layout,
                                     model::Compilation& compilation) {
  const auto nvcc = find_nvcc(compilation.log);
  if (!nvcc) {
    compilation.status = model::TrialStatus::skipped;  // tried again, unlike a mistake in the source
    return {};
  }
  Arguments command = {*nvcc};
  for (std::string& option : nvcc_options(job)) command.push_back(std::move(option));
  for (const model::Macro& macro : job.macros)
    command.push_back(fmt::format("-D{}={}", macro.name, macro.value));
  command.insert(command.end(),
                 {"-shared", "-o", binary, "-I", layout.source_folder, "-x", "cu", layout.unit});
  return {std::move(command)};
}

/// In two steps where accesses are reported: linking with -fsanitize=thread would bring in ThreadSanitizer's
/// own library.
std::vector<Arguments> host_commands(const Arguments& compiler, Arguments compile, bool reports_accesses) {
  const Arguments link_with = link_options();
  if (!reports_accesses) {
    compile.insert(compile.end(), link_with.begin(), link_with.end());
    return {std::move(compile)};
  }
  compile.insert(compile.end(), {"-c", "-o", object});
  Arguments link = compiler;
  link.emplace_back(object);
  link.insert(link.end(), link_with.begin(), link_with.end());
  return {std::move(compile), std::move(link)};
}

bool died(const util::CommandResult& result) {
  return result.exit_code != 0 && (result.signal != 0 || compiler_died(result.output));
}

/// Adds what a command said and how it ended.
void add(const util::CommandResult& result, std::chrono::milliseconds limit,
         model::Compilation& compilation) {
  compilation.log += error_first(result.output);
  if (result.timed_out) {
    compilation.status = model::TrialStatus::timeout;
    compilation.log += fmt::format("the host compiler did not finish within {} s\n", limit.count() / 1000);
  } else if (result.exit_code != 0) {
    const bool lacks_headers = std::ranges::any_of(
        missing_headers, [&](const char* text) { return result.output.find(text) != std::string::npos; });
    compilation.status = died(result)    ? model::TrialStatus::crashed
                         : lacks_headers ? model::TrialStatus::skipped  // tried again
                                         : model::TrialStatus::compile_error;
    if (result.signal != 0)
      compilation.log += fmt::format("the host compiler was ended by signal {}\n", result.signal);
  }
}

void describe_entries(const model::CompileJob& job, model::Compilation& compilation) {
  const std::int64_t shared_bytes = job.host_library ? 0 : thread_local_bytes(compilation.binary);
  for (std::size_t i = 0; i < job.entries.size(); ++i) {
    const std::string& entry = job.entries[i];
    compilation.kernels.push_back({entry, job.host_library ? entry : kernel_symbol(i)});
    compilation.kernels.back().static_shared_bytes = static_cast<int>(shared_bytes);
  }
  if (shared_bytes > most_static_shared_bytes) {
    compilation.status = model::TrialStatus::unlaunchable;
    compilation.log += fmt::format("{} bytes of static shared memory; the most is {}\n", shared_bytes,
                                   most_static_shared_bytes);
    compilation.binary.clear();
  }
}

}  // namespace

HostCompilerOptions host_options_of_worker() {
  return {.deadline = std::chrono::hours(12), .group = util::CommandGroup::callers};
}

HostCompiler::HostCompiler(HostCompilerOptions options) : m_options(options), m_command(find_compiler()) {
  Arguments question = m_command;
  question.emplace_back("--version");
  const util::CommandResult answer = util::run_command(question, "/", std::chrono::seconds(30));
  if (answer.exit_code != 0) {
    throw model::Error(fmt::format("{} does not answer --version: {}", fmt::join(m_command, " "),
                                   tidy_log(answer.output, 400)),
                       "set TUNER_HOST_CXX to a working g++ or clang++");
  }
  m_name = fmt::format("{}{} runtime {}{}", family_and_version(answer.output), suffix(m_options.instrument),
                       runtime_version(), options_text(m_command));
}

HostCompiler::~HostCompiler() = default;

std::string HostCompiler::name() const {
  return m_name;
}

void HostCompiler::prepare() {
  if (!m_headers || !m_headers->are_there()) m_headers.emplace();
}

RuntimeHeaders::Begin& HostCompiler::begin_of(const std::string& text) {
  prepare();
  return m_headers->begin_of(text, [&](const auto& folder) { return precompiled(text, folder); });
}

/// g++ sees itself whether the result fits a unit's options, and reads the text where it does not.
std::optional<std::filesystem::path> HostCompiler::precompiled(const std::string& text,
                                                               const std::filesystem::path& folder) const {
  if (!m_options.cache || m_name.starts_with("clang")) return std::nullopt;
  std::string left_out;
  Arguments options = kernel_options(m_options.instrument, false);
  add_to(options, job_options({}, left_out));
  add_to(options, {"-I", RuntimeHeaders::runtime});
  add_to(options, toolkit_options());
  model::DigestBuilder identity;
  identity.add("precompiled headers").add(m_name).add(text).add(toolkit_state());
  for (const std::string& option : options) identity.add(option);
  const model::Digest key = identity.finish();
  if (auto file = m_options.cache->file_of(key)) return file;
  return m_options.cache->keep_file(key, [&](const std::filesystem::path& result) {
    Arguments command = without_foreign_flags();
    add_to(command, m_command);
    add_to(command, {"-x", "c++-header"});
    add_to(command, options_in(folder));
    add_to(command, options);
    add_to(command, {RuntimeHeaders::begin, "-o", std::filesystem::absolute(result).string()});
    return util::run_command(command, folder, m_options.precompile_limit, m_options.group).exit_code == 0;
  });
}

/// Runs a compilation or what follows it, and once more where g++ breaks down over its headers.
util::CommandResult HostCompiler::run(Arguments& command, const std::filesystem::path& folder,
                                      std::chrono::steady_clock::time_point deadline,
                                      RuntimeHeaders::Begin* begin) const {
  const auto attempt = [&] {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return util::run_command(command, folder, std::max(left, std::chrono::milliseconds(1)), m_options.group);
  };
  util::CommandResult result = attempt();
  if (begin == nullptr) return result;
  if (!begin->precompiled.empty() && !result.timed_out && died(result)) {
    RuntimeHeaders::drop_precompiled(*begin);
    result = attempt();
  }
  if (result.output.find(refused_inlining) != std::string::npos) {
    command.emplace_back(without_inlining);
    result = attempt();
  }
  return result;
}

model::Compilation HostCompiler::compile(const model::CompileJob& job) {
  RuntimeHeaders::Begin* const begin = job.host_library ? nullptr : &begin_of(begin_of_unit(job));
  const auto start = std::chrono::steady_clock::now();
  const auto limit = job.patience() * m_options.deadline;
  const auto deadline = start + limit;
  const util::TemporaryFolder folder;
  if (begin != nullptr) RuntimeHeaders::show_in(folder, *begin);
  model::Compilation compilation;
  std::string left_out;
  const UnitLayout layout =
      job.host_library
          ? write_unit(folder, job, "", "", "unit.cpp", compilation.log)
          : write_translation_unit(folder, job, m_options.instrument == Instrument::memory, compilation.log);
  std::vector<Arguments> commands;
  if (job.is_library_of_nvcc()) {
    commands = nvcc_commands(job, layout, compilation);
  } else {
    Arguments compile =
        compile_command(m_command, m_options, m_name.starts_with("clang"), job, layout, folder, left_out);
    const bool reports_accesses = m_options.instrument == Instrument::accesses && !job.host_library;
    commands = host_commands(m_command, std::move(compile), reports_accesses);
  }
  if (!left_out.empty()) compilation.log += fmt::format("note: options left out on the CPU: {}\n", left_out);
  if (compilation.log.find(": error: ") != std::string::npos)
    compilation.status = model::TrialStatus::compile_error;

  for (Arguments& command : commands) {
    if (compilation.status != model::TrialStatus::ok) break;
    add(run(command, folder.path(), deadline, begin), limit, compilation);
  }
  if (compilation.status == model::TrialStatus::ok) {
    compilation.binary = bytes_of(folder.path() / binary);
    describe_entries(job, compilation);
  }
  if (compilation.status == model::TrialStatus::compile_error && !job.host_library) {
    compilation.log.insert(0, note_on_source(job, compilation.log));
  }
  compilation.log = tidy_log(compilation.log);
  compilation.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return compilation;
}

std::string HostCompiler::address_sanitizer_library() const {
  for (const char* name : {"libasan.so", "libclang_rt.asan-x86_64.so", "libclang_rt.asan-aarch64.so"}) {
    Arguments question = m_command;
    question.push_back(fmt::format("-print-file-name={}", name));
    const util::CommandResult answer = util::run_command(question, "/", std::chrono::seconds(30));
    const std::string path = answer.output.substr(0, answer.output.find('\n'));
    // A compiler that does not have the file answers with the bare name.
    if (answer.exit_code == 0 && path.find('/') != std::string::npos && std::filesystem::exists(path)) {
      return std::filesystem::canonical(path).string();
    }
  }
  throw model::Error(fmt::format("{} has no AddressSanitizer library", m_command[0]),
                     "install libasan (with g++) or libclang-rt (with clang++)");
}

}  // namespace tuner::compile::host
