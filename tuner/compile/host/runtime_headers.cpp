#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include "tuner/compile/compiler.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile::host {
namespace runtime {
std::span<const model::EmbeddedFile> embedded_files();  // generated
}

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

/// The runtime's headers that kernels include and that need no toolkit.
constexpr std::string_view without_toolkit =
    "cooperative_groups.h cooperative_groups/memcpy_async.h cooperative_groups/reduce.h "
    "cooperative_groups/scan.h cuda_pipeline.h cuda_pipeline_primitives.h mma.h";

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
     "__double2bfloat16)\n"
     "TUNER_CPU_INTEGERS_TO_BFLOAT16\n"},
    {"cuda_fp8.h", "<cuda_bf16.h>", ""}};

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

}  // namespace

bool fits_runtime_headers(std::string_view name) {
  return util::has_word(light, name) || util::has_word(seen_anyway, name) ||
         util::has_word(seen_or_standard, name);
}

std::string early_includes(const std::vector<std::string>& always, const std::vector<std::string>& names) {
  const std::filesystem::path toolkit = find_header_folder();
  std::string text;
  std::error_code error;
  for (const NarrowHeader& header : narrow_headers) {
    if (std::ranges::count(always, header.name) > 0 && std::filesystem::exists(toolkit / header.name, error))
      text += fmt::format("#include <{}>\n", header.name);
  }
  for (std::string_view left = without_toolkit; !left.empty();) {
    const std::string_view name = util::split_first(left, " ");
    if (std::ranges::count(names, name) > 0) text += fmt::format("#include <{}>\n", name);
  }
  return text;
}

RuntimeHeaders::RuntimeHeaders() {
  for_each_runtime_header([&](std::string_view name, std::string_view text) {
    m_folder.write(std::filesystem::path(runtime) / name, text);
  });
}

bool RuntimeHeaders::are_there() const {
  std::error_code error;
  return std::filesystem::exists(m_folder.path() / runtime / "cuda_on_cpu.hpp", error);
}

namespace {

void link_folder(const std::filesystem::path& folder, const std::filesystem::path& as) {
  std::error_code error;
  std::filesystem::create_directory_symlink(folder, as, error);
  if (error)
    throw model::Error(fmt::format("cannot make the link {}: {}", as.string(), error.message()),
                       "set TMPDIR to a folder that can be written");
}

/// Where g++ looks for it.
std::filesystem::path precompiled_of(const RuntimeHeaders::Begin& begin) {
  return begin.folder / (std::string(RuntimeHeaders::begin) + ".gch");
}

}  // namespace

RuntimeHeaders::Begin& RuntimeHeaders::begin_of(const std::string& text, const Precompile& precompile) {
  if (const auto known = m_begins.find(text); known != m_begins.end()) return known->second;
  // Children of one process that write theirs at once share the folder.
  const std::filesystem::path name = fmt::format("{}.{}", getpid(), m_begins.size());
  m_folder.write(name / begin, text);
  link_folder(m_folder.path() / runtime, m_folder.path() / name / runtime);
  Begin made{m_folder.path() / name, {}};
  std::error_code error;
  if (const auto file = precompile(made.folder)) {
    std::filesystem::create_symlink(std::filesystem::absolute(*file), precompiled_of(made), error);
    if (!error) made.precompiled = *file;
  }
  return m_begins.emplace(text, std::move(made)).first->second;
}

void RuntimeHeaders::drop_precompiled(Begin& begin) {
  std::error_code ignored;
  std::filesystem::remove(precompiled_of(begin), ignored);
  std::filesystem::remove(begin.precompiled, ignored);
  begin.precompiled.clear();
}

void RuntimeHeaders::show_in(const util::TemporaryFolder& unit, const Begin& begin) {
  const std::filesystem::path begins = std::filesystem::path(RuntimeHeaders::begin).parent_path();
  link_folder(begin.folder / begins, unit.path() / begins);
  link_folder(begin.folder / runtime, unit.path() / runtime);
}

std::string runtime_version() {
  model::DigestBuilder digest;
  for_each_runtime_header([&](std::string_view name, std::string_view text) { digest.add(name).add(text); });
  return digest.finish().hex().substr(0, 8);
}

}  // namespace tuner::compile::host
