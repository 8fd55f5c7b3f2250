#include "tuner/compile/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <unordered_map>

#include "tuner/model/error.hpp"
#include "tuner/source/kernel_source.hpp"
#include "tuner/source/program.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile {
namespace fs = std::filesystem;

std::vector<ToolkitFolder> toolkit_folders() {
  std::vector<ToolkitFolder> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') folders.push_back({value, variable});
  }
  std::vector<fs::path> usual;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().native().rfind("cuda-", 0) == 0) usual.push_back(entry.path());
  }
  std::ranges::sort(usual, std::greater<>());
  usual.insert(usual.begin(), "/usr/local/cuda");
  usual.emplace_back("/opt/cuda");
  for (fs::path& path : usual) folders.push_back({std::move(path), "a usual place"});
  return folders;
}

std::vector<std::string> toolkit_program_places(const std::string& name, const char* variable) {
  if (const char* asked_for = std::getenv(variable)) return {asked_for};
  std::vector<std::string> places = {name};
  for (const ToolkitFolder& toolkit : toolkit_folders())
    places.push_back((toolkit.path / "bin" / name).string());
  return places;
}

fs::path find_header_folder(const fs::path& library) {
  std::error_code error;
  std::vector<fs::path> places;
  if (const fs::path folder = fs::canonical(library, error).parent_path(); !folder.empty()) {
    const fs::path toolkit = folder.parent_path();
    places = {toolkit / "include", toolkit.parent_path() / "include",
              toolkit.parent_path() / "cuda_runtime" / "include"};
  }
  for (const ToolkitFolder& toolkit : toolkit_folders()) places.push_back(toolkit.path / "include");
  places.emplace_back(TUNER_CUDA_INCLUDE_HINT);
  for (const fs::path& place : places) {
    if (!place.empty() && fs::exists(place / "cuda_fp16.h", error)) return place;
  }
  return {};
}

namespace {

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Control characters could play with a terminal; a Windows line end is a line end.
std::string sanitised(std::string_view raw) {
  const std::string text = util::valid_utf8(raw);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    if (byte == '\r' && at + 1 < text.size() && text[at + 1] == '\n') continue;
    const bool control =
        (static_cast<unsigned char>(byte) < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
    out += control ? ' ' : byte;
  }
  return out;
}

bool is_error(std::string_view line, std::string_view but) {
  const bool excluded = !but.empty() && line.find(but) != std::string_view::npos;
  return !excluded && (line.find(": error: ") != std::string_view::npos ||
                       line.find(": fatal error: ") != std::string_view::npos ||
                       line.find(": error : ") != std::string_view::npos);
}

}  // namespace

model::Compilation failed(model::TrialStatus status, std::string_view log) {
  model::Compilation compilation;
  compilation.status = status;
  compilation.log = tidy_log(log);
  return compilation;
}

std::string defines(const model::CompileJob& job) {
  std::string text;
  for (const auto* macros : {&job.vocabulary, &job.macros}) {
    for (const model::Macro& macro : *macros) text += fmt::format("#define {} {}\n", macro.name, macro.value);
  }
  return text;
}

namespace {

/// What the source calls the device's variables: that one whose name ends so, or all of them.
std::string variables_of(const model::CompileJob& job, std::string_view symbol) {
  if (job.source.empty()) return {};
  const source::Program program(
      {job.source.front().name, job.source.front().text},
      [&](const std::string& name, bool, const std::string&) -> std::optional<source::ProgramFile> {
        const auto found = std::ranges::find(job.source, name, &model::SourceText::name);
        if (found == job.source.end()) return std::nullopt;
        return source::ProgramFile{found->name, found->text};
      },
      {});
  std::vector<std::string> names;
  for (const source::GlobalVariable& variable : program.variables()) {
    if (!variable.on_device) continue;
    const std::string name = variable.qualified_name();
    if (name.ends_with(fmt::format("::{}", symbol))) return fmt::format("; its name is '{}'", name);
    names.push_back(name);
  }
  return names.empty() ? "" : fmt::format("; variables in the source: {}", fmt::join(names, ", "));
}

}  // namespace

std::string entry_mistake(const model::CompileJob& job, std::string_view entry, std::string_view why) {
  if (model::is_variable(entry)) {
    const std::string_view symbol = entry.substr(std::min(entry.find_first_not_of("& "), entry.size()));
    return fmt::format("symbol '{}' is not a variable that the source declares{}{}{}", symbol,
                       why.empty() ? "" : ": ", why, variables_of(job, symbol));
  }
  if (why.find("overloaded function") != std::string_view::npos)
    return fmt::format(
        "entry '{0}' is the name of several functions; say which by its parameters: entry = \"{0}(float*, "
        "int)\"",
        entry);
  std::vector<std::string> names;
  for (const model::SourceText& file : job.source)
    for (std::string& name : source::kernel_names(file.text)) names.push_back(std::move(name));
  const std::string kernels = names.empty()
                                  ? "the source has no __global__ function"
                                  : fmt::format("kernels in the source: {}", fmt::join(names, ", "));
  if (why.empty()) return fmt::format("entry '{}' is not a __global__ function; {}", entry, kernels);
  return fmt::format("entry '{}' is not a kernel that the source declares or can instantiate: {}; {}", entry,
                     why, kernels);
}

std::string_view first_error(std::string_view log, std::string_view but) {
  while (!log.empty()) {
    if (const std::string_view line = util::split_first(log, "\n"); is_error(line, but)) return line;
  }
  return {};
}

bool compiler_died(std::string_view log) {
  const auto says = [log](std::string_view text) { return log.find(text) != std::string_view::npos; };
  for (const std::string_view full : {"No space left on device", "Disk quota exceeded"}) {
    if (says(full))
      throw model::Error(fmt::format("a compiler cannot write its files: {}", full),
                         "make room, or set TMPDIR to a folder of another disk");
  }
  // Of GCC and its linker, then of clang and nvcc.
  return says("signal terminated program") || says("terminated with signal") || says("due to signal") ||
         says("internal compiler error") || says("frontend command failed with exit code") ||
         // Of memory: NVRTC and nvcc, ptxas, GCC, clang, the system.
         says("catastrophic error: out of memory") || says("_ERROR_OUT_OF_MEMORY") ||
         says("Memory allocation failure") || says("out of memory allocating") ||
         says("virtual memory exhausted") || says("LLVM ERROR: out of memory") ||
         says("Cannot allocate memory");
}

std::string_view gist(std::string_view log) {
  if (const std::string_view error = first_error(log); !error.empty()) return error;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = util::split_first(rest, "\n");
    const bool is_note = line.starts_with("note: ") || line.find(": note: ") != std::string_view::npos;
    if (!line.empty() && !is_note) return line;
  }
  return util::split_first(log, "\n");
}

std::string error_first(std::string log, std::string_view but) {
  const std::string_view error = first_error(log, but);
  if (error.empty() || error.data() == log.data()) return log;
  const auto begin = static_cast<std::size_t>(error.data() - log.data());
  std::string line(error);
  log.erase(begin, line.size() + 1);
  return line + '\n' + log;
}

std::vector<model::SourceText> with_headers_once(std::vector<model::SourceText> source) {
  std::unordered_map<std::string, std::string> names;  // by text
  for (model::SourceText& file : source) {
    if (file.text.find("#pragma once") == std::string::npos) continue;
    const auto [first, is_new] = names.try_emplace(file.text, file.name);
    if (!is_new) file.text = fmt::format("#include <{}>\n", first->second);
  }
  return source;
}

std::string tidy_log(std::string_view raw, std::size_t limit) {
  // A compiler that prints megabytes is not sanitised whole: what the cut below could keep is enough.
  std::string text;
  std::size_t cut = 0;
  if (raw.size() > 2 * limit) {
    cut = raw.size() - 2 * limit;
    text = sanitised(raw.substr(0, limit)) + sanitised(raw.substr(raw.size() - limit));
  } else {
    text = sanitised(raw);
  }
  const std::size_t last = text.find_last_not_of(" \t\n");
  text.resize(last == std::string::npos ? 0 : last + 1);
  if (text.size() <= limit && cut == 0) return text;

  // Two thirds for the head: the first error usually causes the others.
  std::size_t head = std::min(limit * 2 / 3, text.size());
  while (head > 0 && is_continuation(text[head])) --head;
  if (const std::size_t line = text.rfind('\n', head); line != std::string::npos && line > head / 2)
    head = line;
  std::size_t tail = std::max(text.size() - std::min(limit / 3, text.size()), head);
  while (tail < text.size() && is_continuation(text[tail])) ++tail;
  if (const std::size_t line = text.find('\n', tail); line != std::string::npos && line - tail < limit / 6)
    tail = line;
  return fmt::format("{}\n[... {} bytes left out ...]\n{}", std::string_view(text).substr(0, head),
                     cut + tail - head, std::string_view(text).substr(text[tail] == '\n' ? tail + 1 : tail));
}

namespace {
constexpr int first_with_features = 90;  // there is no sm_89a
}

model::CompileJob with_features(model::CompileJob job) {
  constexpr std::string_view prefix = "sm_";
  const bool is_plain = job.architecture.starts_with(prefix) && std::isdigit(job.architecture.back()) != 0;
  if (is_plain && std::atoi(job.architecture.c_str() + prefix.size()) >= first_with_features)
    job.architecture += 'a';
  return job;
}

bool asks_for_features(const model::CompileJob& job) {
  return std::ranges::any_of(job.source, [](const model::SourceText& file) {
    return file.text.find("__CUDA_ARCH_FEAT_SM") != std::string::npos;
  });
}

}  // namespace tuner::compile
