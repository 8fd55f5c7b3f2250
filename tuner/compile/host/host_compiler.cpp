#include "tuner/compile/host/host_compiler.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
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

constexpr std::int64_t most_static_shared_bytes = std::int64_t{48} << 10U;  // as ptxas allows
// As the runtime's headers say, and as a baseline may.
constexpr std::array missing_headers = {"#error \"no CUDA toolkit: ", "#error \"not there: "};
/// What g++ says of some __forceinline__ templates, and what has it call them instead.
constexpr const char* refused_inlining = "inlining failed in call to 'always_inline'";
constexpr const char* without_inlining = "-Dalways_inline=";

bool died(const util::CommandResult& result) {
  return result.exit_code != 0 && (result.signal != 0 || compiler_died(result.output));
}

/// Whether g++ could not read its precompiled headers to their end.
bool has_cut_off_headers(const util::CommandResult& result) {
  constexpr const char* texts[] = {"cannot read PCH file", "while reading precompiled header", ".gch: "};
  return result.exit_code != 0 && std::ranges::any_of(texts, [&](const char* text) {
           return result.output.find(text) != std::string::npos;
         });
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
  m_name = compiler_name(m_command, answer.output, m_options.instrument);
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
  const Arguments options = header_options(m_options.instrument);
  model::DigestBuilder identity;
  identity.add("precompiled headers").add(m_name).add(text).add(toolkit_state());
  for (const std::string& option : options) identity.add(option);
  const model::Digest key = identity.finish();
  if (auto file = m_options.cache->file_of(key)) return file;
  return m_options.cache->keep_file(key, [&](const std::filesystem::path& result) {
    const Arguments command = precompile_command(m_command, options, folder, result);
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
  const bool may_be_headers = died(result) || has_cut_off_headers(result);
  if (!begin->precompiled.empty() && !result.timed_out && may_be_headers) {
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
  const UnitLayout layout =
      job.host_library
          ? write_unit(folder, job, "", "", "unit.cpp", compilation.log)
          : write_translation_unit(folder, job, m_options.instrument == Instrument::memory, compilation.log);
  std::vector<Arguments> commands = commands_of(m_command, m_options.instrument, m_name.starts_with("clang"),
                                                job, layout, folder.path(), compilation);
  if (compilation.log.find(": error: ") != std::string::npos)
    compilation.status = model::TrialStatus::compile_error;

  for (Arguments& command : commands) {
    if (compilation.status != model::TrialStatus::ok) break;
    add(run(command, folder.path(), deadline, begin), limit, compilation);
  }
  if (compilation.status == model::TrialStatus::ok) {
    compilation.binary = bytes_of(folder.path() / made_binary);
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
