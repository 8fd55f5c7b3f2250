#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/model/compiler_option.hpp"
#include "tuner/model/error.hpp"
#include "tuner/source/kernel_source.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile::host {
namespace {

constexpr std::string_view standard_c =
    "ctype.h errno.h locale.h memory.h signal.h stdarg.h stdlib.h string.h time.h wchar.h complex.h";

/// C++'s headers are those without a suffix and a folder.
bool is_standard(std::string_view name) {
  return name.find_first_of("./") == std::string_view::npos || util::has_word(standard_c, name);
}

/// What a job's sources include besides each other.
struct ForeignHeaders {
  /// Whether any needs more of the C++ standard library than kernels get (see cuda_on_cpu.hpp): another of
  /// its headers, or one of the CUDA toolkit, which include some.
  bool need_standard = false;
  /// Those of the standard library, in the order met, each once.
  std::vector<std::string> standard;
};

/// Of each of a job's sources.
using Includes = std::vector<std::vector<source::IncludeLine>>;

Includes includes_of(const model::CompileJob& job) {
  Includes includes;
  for (const model::SourceText& file : job.source) includes.push_back(source::include_lines(file.text));
  return includes;
}

ForeignHeaders foreign_headers(const model::CompileJob& job, const Includes& includes) {
  ForeignHeaders headers;
  for (const std::vector<source::IncludeLine>& lines : includes) {
    for (const source::IncludeLine& line : lines) {
      const std::string& name = line.name;
      const bool own = std::ranges::count(job.source, name, &model::SourceText::name) > 0;
      if (own || fits_runtime_headers(name)) continue;
      headers.need_standard = true;
      auto& standard = headers.standard;
      if (is_standard(name) && std::ranges::count(standard, name) == 0) standard.emplace_back(name);
    }
  }
  return headers;
}

/// The headers of the host that must come before the runtime's, whose macros they do not expect. One that is
/// not there is missed where the source includes it.
std::string standard_prologue(const ForeignHeaders& headers) {
  if (!headers.need_standard) return "";
  std::string text = "#define TUNER_CPU_STANDARD_HEADERS\n";
  for (const char* needed : {"cmath", "cstdint", "cstdlib", "cstring", "utility"}) {
    text += fmt::format("#include <{}>\n", needed);
  }
  for (const std::string& name : headers.standard) {
    text += fmt::format("#if __has_include(<{0}>)\n#include <{0}>\n#endif\n", name);
  }
  return text;
}

/// Headers that a job's sources include whatever their macros are, from the main file on.
std::vector<std::string> always_included(const model::CompileJob& job, const Includes& includes) {
  std::vector<std::string> reached = {job.source.front().name};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto file = std::ranges::find(job.source, reached[i], &model::SourceText::name);
    if (file == job.source.end()) continue;
    for (const source::IncludeLine& line : includes[static_cast<std::size_t>(file - job.source.begin())])
      if (line.always && std::ranges::count(reached, line.name) == 0) reached.push_back(line.name);
  }
  return reached;
}

/// Headers that a job's sources include, some only where macros say so.
std::vector<std::string> names_in(const Includes& includes) {
  std::vector<std::string> names;
  for (const std::vector<source::IncludeLine>& lines : includes)
    for (const source::IncludeLine& line : lines) names.push_back(line.name);
  return names;
}

/// Whether a job says what the toolkit's headers for narrow types must leave out, as
/// __CUDA_NO_HALF_OPERATORS__ does: its macros then come before them.
bool limits_narrow_types(const model::CompileJob& job) {
  constexpr std::string_view limit = "CUDA_NO_";
  const auto has_limit = [&](const std::string& text) { return text.find(limit) != std::string::npos; };
  return std::ranges::any_of(job.source, has_limit, &model::SourceText::text) ||
         std::ranges::any_of(job.options, has_limit) ||
         std::ranges::any_of(job.vocabulary, has_limit, &model::Macro::name) ||
         std::ranges::any_of(job.macros, has_limit, &model::Macro::name);
}

}  // namespace

std::string macro_line(const std::string& option) {
  const std::string text = model::with_short_name(option);
  if (text.starts_with("-U")) return fmt::format("#undef {}\n", text.substr(2));
  if (!text.starts_with("-D")) return "";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return fmt::format("#define {} 1\n", text.substr(2));
  return fmt::format("#define {} {}\n", text.substr(2, equals - 2), text.substr(equals + 1));
}

std::string begin_of_unit(const model::CompileJob& job) {
  if (job.source.empty()) throw model::Error("a compile job without source");
  const Includes includes = includes_of(job);
  return standard_prologue(foreign_headers(job, includes)) +
         "#include \"cuda_on_cpu.hpp\"\n"
         "#define TUNER_CPU_SHOWN __attribute__((__visibility__(\"default\")))\n"
         "extern \"C\" TUNER_CPU_SHOWN const tuner_cpu::Module tuner_cpu_module = tuner_cpu::this_module;\n"
         "using tuner_cpu_kernel = tuner_cpu::Kernel;\n"
         // The runtime's macros of these names have members of its structs in them, as `index`.
         "inline uint3 tuner_cpu_thread_index() { return threadIdx; }\n"
         "inline uint3 tuner_cpu_block_index() { return blockIdx; }\n"
         "inline dim3 tuner_cpu_block_size() { return blockDim; }\n"
         "inline dim3 tuner_cpu_grid_size() { return gridDim; }\n"
         "#undef threadIdx\n#undef blockIdx\n#undef blockDim\n#undef gridDim\n"
         "#define threadIdx (tuner_cpu_thread_index())\n#define blockIdx (tuner_cpu_block_index())\n"
         "#define blockDim (tuner_cpu_block_size())\n#define gridDim (tuner_cpu_grid_size())\n"
         "template <auto tuner_cpu_function>\n"
         "inline constexpr const tuner_cpu_kernel& tuner_cpu_launcher = "
         "tuner_cpu::Launcher<tuner_cpu_function>::kernel;\n" +
         (limits_narrow_types(job) ? "" : early_includes(always_included(job, includes), names_in(includes)));
}

namespace {

/// `text` as the inside of a string literal.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string with_line(const model::SourceText& source) {
  return fmt::format("#line 1 \"{}\"\n{}\n", escaped(source.name), source.text);
}

std::string prepared(const model::SourceText& source, bool bind_static, std::string& problems) {
  RewrittenSource rewritten = rewrite_shared(source.text, bind_static);
  for (const RewriteProblem& problem : rewritten.problems) {
    problems += fmt::format("{}:{}: error: {}\n", source.name, problem.line, problem.message);
  }
  return with_line({source.name, std::move(rewritten.text)});
}

/// Where a variable is and how large, for device::cpu::SharedObject.
std::string variable_export(const std::string& entry, const std::string& symbol) {
  return fmt::format(
      "#line 1 \"symbol {0}\"\n"
      "extern \"C\" TUNER_CPU_SHOWN const struct {{ void* tuner_cpu_address; unsigned long tuner_cpu_bytes; "
      "}}"
      " {1} = {{{2}, sizeof(*({2}))}};\n",
      escaped(entry.substr(1)), symbol, entry);
}

/// The job's macros come behind the headers: they may have the names of what these declare.
std::string before_source(const model::CompileJob& job) {
  std::string text = fmt::format("#include \"{}\"\n", RuntimeHeaders::begin);
  for (const std::string& option : job.options) text += macro_line(option);
  for (const auto* macros : {&job.vocabulary, &job.macros}) {
    for (const model::Macro& macro : *macros) text += fmt::format("#define {} {}\n", macro.name, macro.value);
  }
  return text;
}

std::string launchers(const std::vector<std::string>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (model::is_variable(entries[i])) {
      text += variable_export(entries[i], kernel_symbol(i));
      continue;
    }
    text += fmt::format(
        "#line 1 \"launch of {0}\"\n"
        "extern \"C\" TUNER_CPU_SHOWN const tuner_cpu_kernel {1} = tuner_cpu_launcher<{2}>;\n",
        escaped(entries[i]), kernel_symbol(i), model::address_of(entries[i]));
  }
  return text;
}

/// A header named `../common/tile.cuh` lies above the main file: the source folder is deep enough for a few
/// of those.
std::optional<std::filesystem::path> below(const std::string& source_folder, const std::string& name) {
  const std::filesystem::path path = (std::filesystem::path(source_folder) / name).lexically_normal();
  if (path.is_absolute() || path.empty() || *path.begin() == "..") return std::nullopt;
  return path;
}

const UnitLayout layout{"source/1/2/3/4", "unit.cpp"};

/// All sources but the first, each as `prepare` has it.
template <typename Prepare>
void write_headers(const util::TemporaryFolder& folder, const model::CompileJob& job, Prepare prepare,
                   std::string& problems) {
  if (job.source.empty()) throw model::Error("a compile job without source");
  // The way to a header above it leads through this folder, also where nothing is in it.
  if (job.source.size() > 1) std::filesystem::create_directories(folder.path() / layout.source_folder);
  const std::vector<model::SourceText> source = with_headers_once(job.source);
  for (std::size_t i = 1; i < source.size(); ++i) {
    if (const auto path = below(layout.source_folder, source[i].name)) {
      folder.write(*path, prepare(source[i]));
    } else {
      problems +=
          fmt::format("{}:1: error: this header is too far from its kernel: at most four folders above it\n",
                      source[i].name);
    }
  }
}

}  // namespace

UnitLayout write_translation_unit(const util::TemporaryFolder& folder, const model::CompileJob& job,
                                  bool bind_static, std::string& problems) {
  const bool has_host_code =
      job.by_nvcc || std::ranges::any_of(job.source, [](const model::SourceText& source) {
        return source::host_code_line(source.text) > 0;
      });
  const std::vector<std::string> macros =
      has_host_code ? device_macros(job.source) : std::vector<std::string>();
  const auto prepare = [&](const model::SourceText& source) {
    if (!has_host_code) return prepared(source, bind_static, problems);
    return prepared({source.name, without_host_code(source.text, macros)}, bind_static, problems);
  };
  write_headers(folder, job, prepare, problems);
  folder.write(layout.unit, before_source(job) + prepare(job.source.front()) + launchers(job.entries));
  return layout;
}

UnitLayout write_unit(const util::TemporaryFolder& folder, const model::CompileJob& job,
                      const std::string& before, const std::string& behind, const std::string& unit,
                      std::string& problems) {
  write_headers(folder, job, with_line, problems);
  folder.write(unit, before + with_line(job.source.front()) + behind);
  return {layout.source_folder, unit};
}

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  const std::string text = util::text_of(path);
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string kernel_symbol(std::size_t entry) {
  return fmt::format("tuner_cpu_kernel_{}", entry);
}

}  // namespace tuner::compile::host
