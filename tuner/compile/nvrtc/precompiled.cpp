#include "tuner/compile/nvrtc/precompiled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tuner::compile::nvrtc {
namespace {

constexpr std::string_view stop = "#pragma nv_hdrstop";

/// Where the line behind the stop begins; npos: there is none.
std::size_t behind_stop(std::string_view text) {
  for (std::size_t at = text.find(stop); at != std::string_view::npos; at = text.find(stop, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    return std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  return std::string_view::npos;
}

}  // namespace

bool has_header_stop(const model::CompileJob& job) {
  return behind_stop(job.source.front().text) != std::string_view::npos;
}

std::string with_macros_behind_stop(const model::CompileJob& job, const std::string& name) {
  const std::string& text = job.source.front().text;
  const std::size_t split = behind_stop(text);
  const std::size_t stop_line = text.rfind(stop, split);
  // NVRTC compares the directives above the stop, not what the headers hold.
  const std::vector<model::SourceText> headers(job.source.begin() + 1, job.source.end());
  std::string result = text.substr(0, stop_line) +
                       fmt::format("#define TUNER_HEADERS_{}\n", model::source_key(headers).hex()) +
                       text.substr(stop_line, split - stop_line);
  for (const auto* macros : {&job.vocabulary, &job.macros}) {
    for (const model::Macro& macro : *macros)
      result += fmt::format("#define {} {}\n", macro.name, macro.value);
  }
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(split), '\n');
  return result + fmt::format("#line {} \"{}\"\n", lines + 1, name) + text.substr(split);
}

}  // namespace tuner::compile::nvrtc
