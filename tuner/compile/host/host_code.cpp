#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/source/kernel_source.hpp"
#include "tuner/source/tokens.hpp"

namespace tuner::compile::host {
namespace {

using source::behind_bracket;
using source::is_one_of;
using source::Token;
using source::Tokens;

class HostFunctions {
 public:
  HostFunctions(std::string_view source, const std::vector<std::string>& device_macros)
      : m_source(source), m_device_macros(device_macros), m_lines(source::lines_of(source)) {}

  std::string blanked() {
    for (std::size_t i = 0; i < m_code.size(); ++i) {
      if (m_code[i].is("(")) {
        i = behind_bracket(m_code, i) - 1;
      } else if (m_code[i].is("{")) {
        i = brace(i);
      } else if (is_one_of(m_code[i].text, {";", "}"}) || is_label(i)) {
        if (m_code[i].is(";") && makes_host_function(i)) blank(m_code[m_start].offset, m_code[i].offset);
        m_start = i + 1;
      }
    }
    return std::move(m_text);
  }

 private:
  /// `public:`
  bool is_label(std::size_t at) const {
    return m_code[at].is(":") && at > 0 && is_one_of(m_code[at - 1].text, {"public", "protected", "private"});
  }

  /// Of a namespace, a class or a function. Returns the last token that needs no further look.
  std::size_t brace(std::size_t open) {
    if (source::opens_namespace(declaration(open)) || opens_class(open)) {
      m_start = open + 1;
      return open;
    }
    const std::size_t end = behind_bracket(m_code, open) - 1;
    // A constructor's `member{1}` is followed by the next one, or by the body.
    const bool is_member = end + 1 < m_code.size() && is_one_of(m_code[end + 1].text, {",", "{"});
    if (is_member || !is_function(open)) return end;
    if (!is_device(open)) blank(m_code[m_start].offset, m_code[end].offset + m_code[end].text.size());
    m_start = end + 1;
    return end;
  }

  /// `template int f<float>(int);`
  bool makes_host_function(std::size_t end) const {
    const Tokens tokens = declaration(end);
    return tokens.size() > 2 && tokens[0].is("template") && !tokens[1].is("<") && is_function(end) &&
           !is_device(end);
  }

  bool opens_class(std::size_t brace) const {
    const Tokens tokens = declaration(brace);
    const auto is_there = [&](std::initializer_list<std::string_view> words) {
      return source::find_one_of(tokens, words) < tokens.size();
    };
    return is_there({"struct", "class", "union"}) && !is_there({"enum", "="}) && !is_function(brace);
  }

  /// Parameters come directly before its body, or `const`, `noexcept`, `-> T`.
  bool is_function(std::size_t brace) const {
    bool has_parameters = false;
    for (std::size_t i = m_start; i < brace; ++i) {
      if (m_code[i].is("=") && !m_code[i + 1].is("=") && has_parameters) return false;
      // The type that a function returns, else a class of its own.
      if (is_one_of(m_code[i].text, {"struct", "class", "union", "enum"})) has_parameters = false;
      if (m_code[i].is("(")) {
        has_parameters = i == m_start || !is_one_of(m_code[i - 1].text,
                                                    {"alignas", "__align__", "__attribute__", "decltype"});
        i = behind_bracket(m_code, i) - 1;
      }
    }
    return has_parameters;
  }

  bool is_device(std::size_t brace) const {
    const Tokens tokens = declaration(brace);
    return std::ranges::any_of(tokens, [&](const Token& token) {
      return is_one_of(token.text, {"__device__", "__global__", "constexpr", "consteval"}) ||
             std::ranges::count(m_device_macros, token.text) > 0;
    });
  }

  Tokens declaration(std::size_t brace) const { return m_code.subspan(m_start, brace - m_start); }

  /// Directives stay: an #endif must.
  void blank(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (m_text[i] != '\n') m_text[i] = ' ';
    for (const source::Directive& directive : m_lines.directives) {
      const auto at = static_cast<std::size_t>(directive.text.data() - m_source.data());
      if (at >= begin && at < end) m_text.replace(at, directive.text.size(), directive.text);
    }
  }

  std::string_view m_source;
  const std::vector<std::string>& m_device_macros;
  source::Lines m_lines;
  Tokens m_code = m_lines.code;
  std::size_t m_start = 0;  ///< first token of the declaration being read
  std::string m_text = std::string(m_source);
};

}  // namespace

std::vector<std::string> device_macros(const std::vector<model::SourceText>& sources) {
  const auto is_device = [](const Token& token) {
    return is_one_of(token.text, {"__device__", "__global__"});
  };
  std::vector<std::string> names;
  for (const model::SourceText& file : sources)
    for (const source::Directive& directive : source::lines_of(file.text).directives)
      if (directive.name == "define" && std::ranges::any_of(directive.tokens, is_device))
        names.emplace_back(directive.tokens.front().text);
  return names;
}

std::string without_host_code(std::string_view source, const std::vector<std::string>& device_macros) {
  return HostFunctions(source, device_macros).blanked();
}

namespace {

/// Why a source with code for the host does not compile, in one line before its log.
std::string host_code_note(const model::CompileJob& job, const std::string& log) {
  for (const model::SourceText& source : job.source) {
    const int line = source::host_code_line(source.text);
    if (line == 0) continue;
    return fmt::format(
        "{} (the CPU device removes functions of the host, see {}:{}, and the rest does not compile; "
        "devices = [\"cuda\"] restricts the kernel to GPUs)\n",
        first_error(log), source.name, line);
  }
  return "";
}

/// Where a compiler or an assembler did not know instructions of a GPU: that, in one line before its log.
std::string assembly_note(const model::CompileJob& job, const std::string& log) {
  const std::string_view error = first_error(log);
  const bool is_about_it = log.find("Assembler messages") != std::string::npos ||
                           error.find("constraint") != std::string::npos ||
                           error.find("instruction") != std::string::npos;
  for (const model::SourceText& source : job.source) {
    if (!is_about_it) break;
    for (const source::Token& token : source::tokens_of(source.text)) {
      if (token.in_directive || !(token.is("asm") || token.is("__asm__") || token.is("__asm"))) continue;
      return fmt::format(
          "{}:{}: error: inline PTX does not run on the CPU: put it behind #ifdef __CUDA_ARCH__ "
          "(devices = [\"cuda\"] restricts the kernel to GPUs)\n",
          source.name, token.line);
    }
  }
  return "";
}

}  // namespace

std::string note_on_source(const model::CompileJob& job, const std::string& log) {
  const std::string note = assembly_note(job, log);
  return note.empty() ? host_code_note(job, log) : note;
}

}  // namespace tuner::compile::host
