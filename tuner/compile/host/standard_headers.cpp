#include "tuner/compile/host/standard_headers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "tuner/compile/host/cuda_tokens.hpp"

namespace tuner::compile::host {
namespace {

/// Headers that get along with what kernels see: the runtime's own, and those of the host that declare types
/// and limits alone.
constexpr std::array<std::string_view, 23> light = {"assert.h",
                                                    "cassert",
                                                    "cfloat",
                                                    "cinttypes",
                                                    "climits",
                                                    "cmath",
                                                    "cooperative_groups.h",
                                                    "cooperative_groups/reduce.h",
                                                    "cstddef",
                                                    "cstdint",
                                                    "cstdio",
                                                    "cuda_runtime.h",
                                                    "cuda_runtime_api.h",
                                                    "device_launch_parameters.h",
                                                    "float.h",
                                                    "inttypes.h",
                                                    "limits.h",
                                                    "math.h",
                                                    "stddef.h",
                                                    "stdint.h",
                                                    "stdio.h",
                                                    "type_traits",
                                                    "vector_types.h"};

constexpr std::array<std::string_view, 11> standard_c = {"ctype.h",  "errno.h",  "locale.h", "memory.h",
                                                         "signal.h", "stdarg.h", "stdlib.h", "string.h",
                                                         "time.h",   "wchar.h",  "complex.h"};

template <std::size_t count>
bool among(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// C++'s headers are those without a suffix and a folder.
bool is_standard(std::string_view name) {
  return name.find_first_of("./") == std::string_view::npos || among(name, standard_c);
}

/// `name` of each `#include <name>` and `#include "name"`, conditions not evaluated.
std::vector<std::string_view> included(std::string_view source) {
  std::vector<std::string_view> names;
  const std::vector<Token> tokens = tokenise(source);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].starts_line || tokens[i].text != "#" || tokens[i + 1].text != "include") continue;
    const Token& opening = tokens[i + 2];
    if (opening.text.size() > 2 && opening.kind == Token::Kind::literal) {
      names.push_back(opening.text.substr(1, opening.text.size() - 2));
    } else if (opening.text == "<") {
      const std::string_view rest = source.substr(opening.offset + 1);
      const std::size_t end = rest.find_first_of(">\n");
      if (end != std::string_view::npos && rest[end] == '>') names.push_back(rest.substr(0, end));
    }
  }
  return names;
}

}  // namespace

ForeignHeaders foreign_headers(const model::CompileJob& job) {
  ForeignHeaders headers;
  for (const model::SourceText& file : job.source) {
    for (const std::string_view name : included(file.text)) {
      const bool own = std::any_of(job.source.begin(), job.source.end(),
                                   [&](const model::SourceText& other) { return other.name == name; });
      if (own || among(name, light)) continue;
      headers.need_standard = true;
      auto& standard = headers.standard;
      if (is_standard(name) && std::find(standard.begin(), standard.end(), name) == standard.end())
        standard.emplace_back(name);
    }
  }
  return headers;
}

}  // namespace tuner::compile::host
