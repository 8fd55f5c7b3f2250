#include "tuner/compile/nvcc/nvcc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/compile/nvrtc/cubin.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile::nvcc {
namespace {

constexpr std::string_view variable_prefix = "tuner_names_entry_";

std::string variable_of(std::size_t entry) {
  return fmt::format("{}{}", variable_prefix, entry);
}

/// What an entry's variable is initialised with: `_Z4tileIfLi4EEvPfS0_`, of a variable `generic(table)`.
std::string_view address_in(std::string_view ptx, std::size_t entry) {
  const std::string before = " " + variable_of(entry) + " = ";
  const std::size_t at = ptx.find(before);
  if (at == std::string_view::npos) return {};
  ptx.remove_prefix(at + before.size());
  constexpr std::string_view generic = "generic(";
  if (ptx.starts_with(generic)) ptx.remove_prefix(generic.size());
  return ptx.substr(0, ptx.find_first_of("); +\n"));
}

/// Whether a variable of that name is declared in the PTX.
bool declares(std::string_view ptx, std::string_view name) {
  for (std::size_t at = 0; (at = ptx.find(name, at)) != std::string_view::npos; at += name.size()) {
    const std::size_t line = ptx.rfind('\n', at) + 1;
    const std::string_view behind = ptx.substr(at + name.size(), 1);
    const bool is_word = at > 0 && ptx[at - 1] == ' ' && behind.find_first_of("[; =") == 0;
    if (is_word && ptx[line] == '.') return true;
  }
  return false;
}

}  // namespace

std::string entry_file(std::size_t entry) {
  return fmt::format("entry {}", entry);
}

std::string lines_for(const std::vector<std::string>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += fmt::format("\n#line 1 \"{}\"\n__device__ void* {} = (void*)({});\n", entry_file(i),
                        variable_of(i), model::address_of(entries[i]));
  }
  return text;
}

std::optional<std::string> symbol_of(std::size_t entry, const std::string& expression, std::string_view ptx,
                                     const nvrtc::PtxasReport& report) {
  const std::string_view name = address_in(ptx, entry);
  if (name.empty()) return std::nullopt;
  const bool is_there = model::is_variable(expression) ? declares(ptx, name) : report.find(name) != nullptr;
  return is_there ? std::optional(std::string(name)) : std::nullopt;
}

std::string without_names(std::string_view ptx) {
  std::string kept;
  for (std::string_view rest = ptx; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n') + 1, rest.size());
    const std::string_view line = rest.substr(0, end == 0 ? rest.size() : end);
    if (line.find(variable_prefix) != std::string_view::npos) {
      if (!line.starts_with(".")) return std::string(ptx);  // debugging information names it too
    } else {
      kept += line;
    }
    rest.remove_prefix(line.size());
  }
  return kept;
}

namespace {

using model::Compilation;
using model::CompileJob;
using model::TrialStatus;

/// The caller has the deadline; this one is for an orphan.
constexpr std::chrono::hours longest{12};
constexpr const char* cubin_file = "kernel.cubin";

/// `13.0.88` of `Cuda compilation tools, release 13.0, V13.0.88`; empty: no such line.
std::string version_of(const std::string& program) {
  const util::CommandResult answer = util::run_command({program, "--version"}, "/", std::chrono::seconds(30));
  constexpr std::string_view before = ", V";
  const std::size_t release = answer.output.find("release ");
  const std::size_t at = answer.output.find(before, std::min(release, answer.output.size()));
  if (answer.exit_code != 0 || at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return answer.output.substr(begin, answer.output.find_first_not_of("0123456789.", begin) - begin);
}

std::vector<std::string> distinct(const std::vector<std::string>& entries) {
  std::vector<std::string> known;
  for (const std::string& entry : entries)
    if (std::ranges::count(known, entry) == 0) known.push_back(entry);
  return known;
}

/// What nvcc says of its own steps, and the banners between their messages.
std::string without_chatter(const std::string& log) {
  std::string kept;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = util::split_first(rest, "\n");
    if (!line.starts_with("# --error") && !line.starts_with("# $ ")) kept.append(line).append("\n");
  }
  return kept;
}

/// Where a mistake in an entry alone is told.
std::optional<std::string> wrong_entry(const CompileJob& job, const std::vector<std::string>& entries,
                                       const std::string& log) {
  const std::string_view error = first_error(log);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!error.starts_with(entry_file(i) + "(")) continue;
    const std::string_view why = error.substr(std::min(error.find("error"), error.size()));
    return entry_mistake(job, entries[i], why.substr(std::min(why.find(": ") + 2, why.size())));
  }
  return std::nullopt;
}

Compilation explain_failure(const CompileJob& job, const std::vector<std::string>& entries,
                            const util::CommandResult& result, const nvrtc::PtxasReport& report) {
  const std::string log = without_chatter(report.rest);
  if (const auto excess = nvrtc::find_shared_excess(report))
    return failed(TrialStatus::unlaunchable, nvrtc::text_of(*excess) + log);
  if (result.timed_out) return failed(TrialStatus::timeout, log + "nvcc did not finish\n");
  if (result.signal != 0 || compiler_died(log)) return failed(TrialStatus::crashed, log);
  if (const auto message = wrong_entry(job, entries, log))
    return failed(TrialStatus::compile_error, *message + "\n" + log);
  return failed(TrialStatus::compile_error, error_first(log));
}

/// nvcc's two steps for one architecture, between which the names of the entries are read and taken out.
class Compiling {
 public:
  Compiling(const std::string& program, const CompileJob& job, const std::vector<std::string>& entries,
            const util::TemporaryFolder& folder, const host::UnitLayout& layout)
      : m_program(program), m_job(job), m_entries(entries), m_folder(folder), m_layout(layout) {}

  void run() {
    m_result = step({"-ptx", "-I", m_layout.source_folder, "-o", "named.ptx", m_layout.unit});
    if (!succeeded()) return;
    const std::string front_end = std::move(m_result.output);
    m_ptx = util::text_of(m_folder.path() / "named.ptx");
    m_folder.write("kernel.ptx", without_names(m_ptx));
    m_result = step({"-cubin", "--resource-usage", "-o", cubin_file, "kernel.ptx"});
    m_result.output.insert(0, front_end);
  }

  bool succeeded() const { return m_result.exit_code == 0; }
  const std::string& output() const { return m_result.output; }

  Compilation compilation() const {
    const nvrtc::PtxasReport report = nvrtc::parse_ptxas_log(m_result.output);
    return succeeded() ? described(report) : explain_failure(m_job, m_entries, m_result, report);
  }

 private:
  util::CommandResult step(const std::vector<std::string>& more) const {
    std::vector<std::string> command = host::without_foreign_flags();
    command.push_back(m_program);
    for (std::string& option : options_for(m_job)) command.push_back(std::move(option));
    command.insert(command.end(), more.begin(), more.end());
    return util::run_command(command, m_folder.path(), longest, util::CommandGroup::callers);
  }

  Compilation described(const nvrtc::PtxasReport& report) const {
    Compilation compilation;
    compilation.binary = host::bytes_of(m_folder.path() / cubin_file);
    compilation.log = tidy_log(without_chatter(report.rest));
    for (const std::string& entry : m_job.entries) {
      const auto place = std::ranges::find(m_entries, entry) - m_entries.begin();
      const auto symbol = symbol_of(static_cast<std::size_t>(place), entry, m_ptx, report);
      if (symbol && model::is_variable(entry)) {
        compilation.kernels.push_back({entry, *symbol});
        continue;
      }
      if (!symbol) return failed(TrialStatus::compile_error, entry_mistake(m_job, entry));
      compilation.kernels.push_back(nvrtc::resources_of(entry, *symbol, report, compilation.binary, m_ptx));
    }
    return compilation;
  }

  const std::string& m_program;
  const CompileJob& m_job;
  const std::vector<std::string>& m_entries;
  const util::TemporaryFolder& m_folder;
  const host::UnitLayout& m_layout;
  util::CommandResult m_result;
  std::string m_ptx;  ///< with the names of the entries
};

}  // namespace

std::string release_of(const std::string& compiler) {
  const std::size_t begin = compiler.find(' ') + 1;
  return compiler.substr(begin, compiler.find(',') - begin);
}

NvccCompiler::NvccCompiler(const std::string& release) {
  std::string looked_for;
  bool found_other = false;
  for (const std::string& place : host::nvcc_places()) {
    looked_for += "\n  " + place;
    const auto program = util::find_program(place);
    if (!program) continue;
    const std::string version = version_of(program->string());
    if (version.starts_with(release + ".")) {
      m_program = program->string();
      m_name = "nvcc " + version;
      return;
    }
    found_other = true;
    looked_for += version.empty() ? ": does not say its version" : ": is " + version;
  }
  throw model::Error(
      fmt::format("nvcc {} was not found; a spec asks for it with compiler = \"nvcc\". Looked for:{}",
                  release, looked_for),
      found_other ? "NVRTC and nvcc must be of one toolkit: set TUNER_NVCC, or TUNER_NVRTC, to the other's"
                  : "install the CUDA toolkit, or set TUNER_NVCC, or CUDA_HOME",
      model::ExitCode::no_device);
}

Compilation NvccCompiler::compile(const CompileJob& job) {
  const auto start = std::chrono::steady_clock::now();
  if (job.source.empty()) return failed(TrialStatus::compile_error, "the job has no source");
  if (const auto reason = refused_option(job.options)) return failed(TrialStatus::compile_error, *reason);

  const std::vector<std::string> entries = distinct(job.entries);
  const util::TemporaryFolder folder;
  std::string problems;
  // nvcc hands its options to a shell, and the toolkit's headers come before the lines of the source.
  const host::UnitLayout layout =
      host::write_unit(folder, job, defines(job), lines_for(entries), "unit.cu", problems);
  if (!problems.empty()) return failed(TrialStatus::compile_error, problems);
  const CompileJob featured = with_features(job);
  const bool asks = asks_for_features(job);
  Compiling compiling(m_program, asks ? featured : job, entries, folder, layout);
  compiling.run();
  Compilation compilation = compiling.compilation();
  if (!asks && !compiling.succeeded() && nvrtc::lacks_features(compiling.output())) {
    Compiling again(m_program, featured, entries, folder, layout);
    again.run();
    if (again.succeeded()) compilation = again.compilation();
  }
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  compilation.compile_ms = spent.count();
  return compilation;
}

}  // namespace tuner::compile::nvcc
