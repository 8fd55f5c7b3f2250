#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/source/kernel_source.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile::host {
namespace {

/// Headers that sources for nvcc include, and that have nothing but what kernels see anyway.
constexpr std::string_view seen_anyway =
    "cuda_runtime.h cuda_runtime_api.h device_atomic_functions.h device_functions.h "
    "device_launch_parameters.h "
    "math_functions.h vector_functions.h vector_types.h";
/// Standard headers that are no more than that for kernels which need no more than CUDA gives; the host's own
/// where other standard headers are used.
constexpr std::string_view seen_or_standard = "cmath cstdio math.h stdio.h";

/// Other headers that get along with what kernels see: the runtime's own, and those of the host that declare
/// types and limits alone.
constexpr std::string_view light =
    "assert.h cassert cfloat cinttypes climits cooperative_groups.h cooperative_groups/memcpy_async.h "
    "cooperative_groups/reduce.h cooperative_groups/scan.h cstddef cstdint cuda_pipeline.h "
    "cuda_pipeline_primitives.h float.h inttypes.h limits.h stddef.h stdint.h type_traits";

bool is_light(std::string_view name) {
  return util::has_word(light, name) || util::has_word(seen_anyway, name) ||
         util::has_word(seen_or_standard, name);
}

/// Headers of the toolkit that compute in narrow floating types on a host too.
struct NarrowHeader {
  std::string_view name;
  std::string_view before;  ///< that it needs
  std::string_view behind;  ///< what the toolkit leaves to the device
};
constexpr NarrowHeader narrow_headers[] = {
    {"cuda_fp16.h", "\"cuda_on_cpu.hpp\"",
     "#include \"narrow_types.hpp\"\n"
     "TUNER_CPU_NARROW_TYPE(__half, __half2, half, __half2float, __double2half)\n"},
    {"cuda_bf16.h", "<cuda_fp16.h>",
     "TUNER_CPU_NARROW_TYPE(__nv_bfloat16, __nv_bfloat162, bfloat16, __bfloat162float, "
     "__double2bfloat16)\n"},
    {"cuda_fp8.h", "<cuda_bf16.h>", ""}};

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

ForeignHeaders foreign_headers(const model::CompileJob& job) {
  ForeignHeaders headers;
  for (const model::SourceText& file : job.source) {
    for (const source::IncludeLine& line : source::include_lines(file.text)) {
      const std::string& name = line.name;
      const bool own = std::ranges::count(job.source, name, &model::SourceText::name) > 0;
      if (own || is_light(name)) continue;
      headers.need_standard = true;
      auto& standard = headers.standard;
      if (is_standard(name) && std::ranges::count(standard, name) == 0) standard.emplace_back(name);
    }
  }
  return headers;
}

}  // namespace

namespace runtime {
std::span<const model::EmbeddedFile> embedded_files();  // generated
}

namespace {

std::string text_of(const NarrowHeader& header) {
  return fmt::format(
      "#pragma once\n#include {1}\n"
      "#if !__has_include_next(<{0}>)\n"
      "#error \"no CUDA toolkit: {0} is one of its headers; set CUDA_PATH to where one is\"\n#endif\n"
      // It and what it includes mean something else by these words.
      "#pragma push_macro(\"__noinline__\")\n#pragma push_macro(\"__forceinline__\")\n"
      "#undef __noinline__\n#undef __forceinline__\n"
      "#define __forceinline__ __inline__ __attribute__((always_inline))\n"
      "#include_next <{0}>\n"
      "#pragma pop_macro(\"__noinline__\")\n#pragma pop_macro(\"__forceinline__\")\n{2}",
      header.name, header.before, header.behind);
}

/// Calls `write` with the name and the text of each header that kernels see.
template <typename Write>
void for_each_runtime_header(const Write& write) {
  for (const model::EmbeddedFile& file : runtime::embedded_files()) write(file.path, file.text);
  for (const NarrowHeader& header : narrow_headers) write(header.name, text_of(header));
  write("cublasLt.h", "#pragma once\n#include \"cublas_v2.h\"\n");
  write("cuda_pipeline_primitives.h", "#pragma once\n#include \"cuda_pipeline.h\"\n");
  for (std::string_view names = seen_anyway; !names.empty();)
    write(util::split_first(names, " "), "#pragma once\n#include \"cuda_on_cpu.hpp\"\n");
  for (std::string_view names = seen_or_standard; !names.empty();) {
    const std::string_view name = util::split_first(names, " ");
    write(name, fmt::format("#pragma once\n#if defined(TUNER_CPU_STANDARD_HEADERS)\n#include_next <{}>\n"
                            "#else\n#include \"cuda_on_cpu.hpp\"\n#endif\n",
                            name));
  }
}

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

/// The runtime's headers, and behind them the job's macros, which may have the names of what they declare.
std::string before_source(const model::CompileJob& job) {
  std::string text =
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
      "tuner_cpu::Launcher<tuner_cpu_function>::kernel;\n";
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

/// The headers of the host that must come before the runtime's, whose macros they do not expect. One that is
/// not there is missed where the source includes it.
std::string standard_prologue(const model::CompileJob& job) {
  const ForeignHeaders headers = foreign_headers(job);
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

/// A header named `../common/tile.cuh` lies above the main file: the source folder is deep enough for a few
/// of those.
std::optional<std::filesystem::path> below(const std::string& source_folder, const std::string& name) {
  const std::filesystem::path path = (std::filesystem::path(source_folder) / name).lexically_normal();
  if (path.is_absolute() || path.empty() || *path.begin() == "..") return std::nullopt;
  return path;
}

const UnitLayout layout{"runtime", "source/1/2/3/4", "unit.cpp"};

/// All sources but the first, each as `prepare` has it.
template <typename Prepare>
void write_headers(const util::TemporaryFolder& folder, const model::CompileJob& job, Prepare prepare,
                   std::string& problems) {
  if (job.source.empty()) throw model::Error("a compile job without source");
  // The way to a header above it leads through this folder, also where nothing is in it.
  std::filesystem::create_directories(folder.path() / layout.source_folder);
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
  for_each_runtime_header([&](std::string_view name, std::string_view text) {
    folder.write(std::filesystem::path(layout.runtime_folder) / name, text);
  });
  const bool has_host_code = std::ranges::any_of(
      job.source, [](const model::SourceText& source) { return source::host_code_line(source.text) > 0; });
  const std::vector<std::string> macros =
      has_host_code ? device_macros(job.source) : std::vector<std::string>();
  const auto prepare = [&](const model::SourceText& source) {
    if (!has_host_code) return prepared(source, bind_static, problems);
    return prepared({source.name, without_host_code(source.text, macros)}, bind_static, problems);
  };
  write_headers(folder, job, prepare, problems);
  folder.write(layout.unit, standard_prologue(job) + before_source(job) + prepare(job.source.front()) +
                                launchers(job.entries));
  return layout;
}

UnitLayout write_unit(const util::TemporaryFolder& folder, const model::CompileJob& job,
                      const std::string& before, const std::string& behind, const std::string& unit,
                      std::string& problems) {
  write_headers(folder, job, with_line, problems);
  folder.write(unit, before + with_line(job.source.front()) + behind);
  return {layout.runtime_folder, layout.source_folder, unit};
}

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  const std::string text = util::text_of(path);
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string kernel_symbol(std::size_t entry) {
  return fmt::format("tuner_cpu_kernel_{}", entry);
}

std::string runtime_version() {
  model::DigestBuilder digest;
  for_each_runtime_header([&](std::string_view name, std::string_view text) { digest.add(name).add(text); });
  return digest.finish().hex().substr(0, 8);
}

}  // namespace tuner::compile::host
