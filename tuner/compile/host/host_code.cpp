#include "tuner/compile/host/host_code.hpp"

#include <algorithm>
#include <cstddef>

#include "tuner/compile/host/cuda_tokens.hpp"

namespace tuner::compile::host {
namespace {

bool says_device(std::string_view word) {
  return word == "__device__" || word == "__global__" || word == "constexpr" || word == "consteval";
}

class HostFunctions {
 public:
  HostFunctions(std::string_view source, const std::vector<std::string>& device_macros)
      : m_source(source), m_device_macros(device_macros) {
    for (const Token& token : tokenise(source))
      if (!token.in_directive) m_tokens.push_back(token);
  }

  std::string blanked() {
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
      if (is(m_tokens[i], "(")) {
        i = closing(i);
      } else if (is(m_tokens[i], "{")) {
        i = brace(i);
      } else if (is(m_tokens[i], ";") || is(m_tokens[i], "}")) {
        m_start = i + 1;
      }
    }
    return std::move(m_text);
  }

 private:
  /// At namespace level. Returns the last token that needs no further look.
  std::size_t brace(std::size_t open) {
    if (opens_namespace(open)) {
      m_start = open + 1;
      return open;
    }
    const std::size_t end = closing(open);
    if (!is_function(open)) return end;
    if (!is_device(open)) blank(m_tokens[m_start].offset, m_tokens[end].offset + m_tokens[end].text.size());
    m_start = end + 1;
    return end;
  }

  /// `namespace a::b {` and `extern "C" {`.
  bool opens_namespace(std::size_t brace) const {
    for (std::size_t i = m_start; i < brace; ++i) {
      if (is(m_tokens[i], "namespace")) return true;
      if (is(m_tokens[i], "extern") && i + 2 == brace && m_tokens[i + 1].kind == Token::Kind::literal)
        return true;
    }
    return false;
  }

  /// Parameters come directly before its body, or `const`, `noexcept`, `-> T`.
  bool is_function(std::size_t brace) const {
    bool has_parameters = false;
    for (std::size_t i = m_start; i < brace; ++i) {
      if (is(m_tokens[i], "=") && !is(m_tokens[i + 1], "=") && has_parameters) return false;
      if (is(m_tokens[i], "struct") || is(m_tokens[i], "class") || is(m_tokens[i], "union") ||
          is(m_tokens[i], "enum")) {
        // The type that a function returns, else a class of its own.
        has_parameters = false;
      }
      if (is(m_tokens[i], "(")) {
        has_parameters = !(i > m_start && is_attribute(m_tokens[i - 1].text));
        i = closing(i);
      }
    }
    return has_parameters;
  }

  static bool is_attribute(std::string_view word) {
    return word == "alignas" || word == "__align__" || word == "__attribute__" || word == "decltype";
  }

  bool is_device(std::size_t brace) const {
    for (std::size_t i = m_start; i < brace; ++i) {
      const std::string_view word = m_tokens[i].text;
      if (says_device(word) ||
          std::find(m_device_macros.begin(), m_device_macros.end(), word) != m_device_macros.end())
        return true;
    }
    return false;
  }

  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < m_tokens.size(); ++i) {
      const std::string_view text = m_tokens[i].text;
      if (text == "(" || text == "{" || text == "[") ++depth;
      if (text == ")" || text == "}" || text == "]") --depth;
      if (depth == 0) return i;
    }
    return m_tokens.size() - 1;
  }

  /// What lies in directives stays: an #endif must.
  void blank(std::size_t begin, std::size_t end) {
    bool in_directive = false;
    bool line_is_empty = true;
    for (std::size_t i = begin; i < end; ++i) {
      char& c = m_text[i];
      if (c == '\n') {
        in_directive = in_directive && m_source[i - 1] == '\\';
        line_is_empty = true;
        continue;
      }
      in_directive = in_directive || (line_is_empty && c == '#');
      line_is_empty = line_is_empty && (c == ' ' || c == '\t');
      if (!in_directive) c = ' ';
    }
  }

  std::string_view m_source;
  const std::vector<std::string>& m_device_macros;
  std::vector<Token> m_tokens;
  std::size_t m_start = 0;  ///< first token of the declaration being read
  std::string m_text = std::string(m_source);
};

}  // namespace

int host_code_line(std::string_view source) {
  const std::vector<Token> tokens = tokenise(source);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_main = is(tokens[i], "int") && is(tokens[i + 1], "main") && is(tokens[i + 2], "(");
    const bool is_launch = is(tokens[i], "<") && is(tokens[i + 1], "<") && is(tokens[i + 2], "<");
    if ((!is_main && !is_launch) || tokens[i].in_directive) continue;
    std::string_view before = source.substr(0, tokens[i].offset);
    // What was put above the source ends with a line that says so.
    constexpr std::string_view begins = "#line 1\n";
    if (const std::size_t at = before.rfind(begins); at != std::string_view::npos)
      before.remove_prefix(at + begins.size());
    return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  }
  return 0;
}

std::vector<std::string> device_macros(const std::vector<model::SourceText>& sources) {
  std::vector<std::string> names;
  for (const model::SourceText& source : sources) {
    std::string_view name;
    const std::vector<Token> tokens = tokenise(source.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].in_directive || (tokens[i].starts_line && is(tokens[i], "#"))) name = {};
      if (i > 0 && is(tokens[i - 1], "define") && tokens[i].in_directive) name = tokens[i].text;
      if (!name.empty() && (is(tokens[i], "__device__") || is(tokens[i], "__global__")))
        names.emplace_back(name);
    }
  }
  return names;
}

std::string without_host_code(std::string_view source, const std::vector<std::string>& device_macros) {
  return HostFunctions(source, device_macros).blanked();
}

}  // namespace tuner::compile::host
