#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"

namespace tuner::compile::host {

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

constexpr const char* object = "kernel.o";

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

/// `g++ 12.2.0` from the first line of `--version`: the last word that starts with a digit and has a point.
std::string family_and_version(const std::string& answer) {
  const std::string line = answer.substr(0, answer.find('\n'));
  std::string version;
  for (const std::string& word : words(line)) {
    if (word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string::npos) version = word;
  }
  return fmt::format("{} {}", line.find("clang") != std::string::npos ? "clang++" : "g++", version);
}

/// What tells two contents of a file apart, for people; empty: it is no file.
std::string digits_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";
  return ' ' + model::DigestBuilder().add(util::text_of(file)).finish().hex().substr(0, 8);
}

/// The words of TUNER_HOST_CXX or CXX from its first option on, and which contents the files have that they
/// name (-include): what they change is another compiler's code.
std::string options_text(const Arguments& command) {
  std::string text;
  for (std::size_t i = 1; i < command.size(); ++i)
    if (!text.empty() || command[i].starts_with('-')) text += ' ' + command[i] + digits_of(command[i]);
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

/// The job's options that mean the same to a host compiler; the others are named in `left_out`. Macros are
/// lines of the unit.
Arguments job_options(const std::vector<std::string>& options, std::string& left_out) {
  Arguments result = {"-std=c++17"};
  for (const std::string& option : options) {
    if (option.starts_with("-std=") || option.starts_with("--std=")) {
      result[0] = standard_of(option);
    } else if (option.starts_with("-O")) {
      result.push_back(option);
    } else if (macro_line(option).empty()) {
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

Arguments compile_command(const Arguments& compiler, Instrument instrument, bool is_clang,
                          const model::CompileJob& job, const UnitLayout& layout,
                          const std::filesystem::path& folder, std::string& left_out) {
  Arguments command;
  if (!job.host_library) command = without_foreign_flags();
  const auto add = [&](const Arguments& more) { add_to(command, more); };
  add(compiler);
  add({"-x", "c++"});
  add(options_in(folder));
  add(job.host_library ? Arguments{"-O2"} : kernel_options(instrument, is_clang));
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
  return {"-shared", "-Wl,-Bsymbolic", "-Wl,--as-needed", "-ldl", "-o", made_binary};
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
                 {"-shared", "-o", made_binary, "-I", layout.source_folder, "-x", "cu", layout.unit});
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

}  // namespace

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

std::string compiler_name(const Arguments& compiler, const std::string& version, Instrument instrument) {
  return fmt::format("{}{} runtime {}{}", family_and_version(version), suffix(instrument), runtime_version(),
                     options_text(compiler));
}

std::string nvcc_host_compiler() {
  const char* const named = std::getenv("NVCC_CCBIN");
  if (named == nullptr || *named == '\0') return "";
  const bool is_folder = std::filesystem::is_directory(named);
  const auto program = util::find_program(named + std::string(is_folder ? "/g++" : ""));
  if (!program) return named;  // nvcc says what is wrong
  const util::CommandResult answer =
      util::run_command({program->string(), "--version"}, "/", std::chrono::seconds(30));
  const bool is_script = util::text_of(*program).starts_with("#!");
  return family_and_version(answer.output) + (is_script ? digits_of(*program) : "");
}

Arguments header_options(Instrument instrument) {
  std::string left_out;
  Arguments options = kernel_options(instrument, false);
  add_to(options, job_options({}, left_out));
  add_to(options, {"-I", RuntimeHeaders::runtime});
  add_to(options, toolkit_options());
  return options;
}

Arguments precompile_command(const Arguments& compiler, const Arguments& options,
                             const std::filesystem::path& folder, const std::filesystem::path& result) {
  Arguments command = without_foreign_flags();
  add_to(command, compiler);
  add_to(command, {"-x", "c++-header"});
  add_to(command, options_in(folder));
  add_to(command, options);
  add_to(command, {RuntimeHeaders::begin, "-o", std::filesystem::absolute(result).string()});
  return command;
}

std::string toolkit_state() {
  const std::filesystem::path header = find_header_folder() / "cuda_fp16.h";
  std::error_code error;
  const auto time = std::filesystem::last_write_time(header, error);
  return error ? "" : fmt::format("{} {}", header.string(), time.time_since_epoch().count());
}

std::vector<Arguments> commands_of(const Arguments& compiler, Instrument instrument, bool is_clang,
                                   const model::CompileJob& job, const UnitLayout& layout,
                                   const std::filesystem::path& folder, model::Compilation& compilation) {
  if (job.is_library_of_nvcc()) return nvcc_commands(job, layout, compilation);
  std::string left_out;
  Arguments compile = compile_command(compiler, instrument, is_clang, job, layout, folder, left_out);
  if (!left_out.empty()) compilation.log += fmt::format("note: options left out on the CPU: {}\n", left_out);
  const bool reports_accesses = instrument == Instrument::accesses && !job.host_library;
  return host_commands(compiler, std::move(compile), reports_accesses);
}

}  // namespace tuner::compile::host
