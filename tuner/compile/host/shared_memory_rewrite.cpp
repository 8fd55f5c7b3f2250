#include <algorithm>
#include <cstddef>
#include <set>

#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/source/tokens.hpp"

namespace tuner::compile::host {
namespace {

using source::Token;

struct Edit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string replacement;
};

/// Tokens [first, end) of one declaration; `end` is its semicolon, or where its macro's body ends.
struct Declaration {
  std::size_t first = 0;
  std::size_t end = 0;
  bool in_function = true;
};

/// A name with its extents, tokens [name, end); `name` may also be `end` where there is none.
struct Declarator {
  std::size_t name = 0;
  std::size_t end = 0;
};

/// What a declaration is made of.
struct Parts {
  bool is_extern = false;
  std::vector<Edit> dropped;
  std::vector<std::size_t> type;  ///< tokens
  std::vector<Declarator> declarators;
};

class Rewriter {
 public:
  Rewriter(std::string_view source, bool bind_static)
      : m_source(source), m_bind_static(bind_static), m_tokens(source::tokens_of(source)) {}

  RewrittenSource run() {
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
      if (m_tokens[i].in_directive) {
        i = directive(i);
      } else {
        follow_scopes(i);
        if (m_tokens[i].is("__shared__"))
          i = declaration_at(i);
        else if (m_dynamic.contains(m_tokens[i].text) && stands_alone(i))
          m_edits.push_back({m_tokens[i].offset, 0, "+"});
      }
    }
    return {apply_edits(), std::move(m_problems)};
  }

 private:
  /// Remembers where declarations begin, and whether that is inside a function or a class.
  void follow_scopes(std::size_t i) {
    if (m_tokens[i].is("{")) {
      m_scopes.push_back(source::opens_namespace(tokens(m_start, i)));
    } else if (m_tokens[i].is("}") && !m_scopes.empty()) {
      m_scopes.pop_back();
    }
    if (m_tokens[i].is("{") || m_tokens[i].is("}") || m_tokens[i].is(";")) m_start = i + 1;
  }

  /// A whole argument, or a whole initializer.
  bool stands_alone(std::size_t i) const {
    if (i < 2 || i + 1 >= m_tokens.size()) return false;
    const std::string_view before = m_tokens[i - 1].text;
    const bool is_operand =
        before == "(" && source::is_one_of(m_tokens[i - 2].text, {"sizeof", "alignof", "decltype"});
    return source::is_one_of(before, {"(", ",", "="}) && !is_operand &&
           source::is_one_of(m_tokens[i + 1].text, {")", ",", ";"});
  }

  /// A preprocessor line: only the body of a #define can declare something. Returns its last token.
  std::size_t directive(std::size_t hash) {
    std::size_t end = hash + 1;
    while (end < m_tokens.size() && m_tokens[end].in_directive && !m_tokens[end].starts_line) ++end;
    if (m_start <= hash) m_start = end;
    if (hash + 2 >= end || !m_tokens[hash + 1].is("define")) return end - 1;
    std::size_t start = hash + 3;
    for (std::size_t i = start; i < end; ++i) {
      if (m_tokens[i].is(";") || m_tokens[i].is("{") || m_tokens[i].is("}")) start = i + 1;
      if (!m_tokens[i].is("__shared__")) continue;
      if (start == hash + 3) start = macro_body(hash, end);
      std::size_t stop = i;
      while (stop < end && !m_tokens[stop].is(";")) ++stop;
      rewrite({start, stop, true}, i);
      i = stop;
      start = stop + 1;
    }
    return end - 1;
  }

  /// The first token after `#define NAME` or `#define NAME(a, b)`.
  std::size_t macro_body(std::size_t hash, std::size_t end) const {
    const Token& name = m_tokens[hash + 2];
    std::size_t body = hash + 3;
    const bool has_parameters =
        body < end && m_tokens[body].is("(") && m_tokens[body].offset == name.offset + name.text.size();
    if (!has_parameters) return body;
    while (body < end && !m_tokens[body].is(")")) ++body;
    return body + 1;
  }

  /// Returns the last token that needs no further look.
  std::size_t declaration_at(std::size_t shared) {
    std::size_t end = shared;
    while (end < m_tokens.size() && !m_tokens[end].is(";") && !m_tokens[end].is("{") &&
           !m_tokens[end].in_directive) {
      ++end;
    }
    const bool in_function = std::ranges::count(m_scopes, false) > 0;
    rewrite({m_start, end, in_function}, shared);
    return end - 1;
  }

  void rewrite(const Declaration& declaration, std::size_t shared) {
    const Parts parts = split(declaration);
    const bool complete = !parts.declarators.empty() && !parts.type.empty() && !opens_brace(declaration.end);
    if (!parts.is_extern) {
      if (!m_bind_static || !complete || !declaration.in_function) return move_alignment(declaration);
      m_edits.insert(m_edits.end(), parts.dropped.begin(), parts.dropped.end());
      for (const Declarator& declarator : parts.declarators)
        bind(declarator, "tuner_cpu::static_shared([] {})");
      return;
    }
    if (!complete) {
      m_problems.push_back({m_tokens[shared].line,
                            "`extern __shared__` is not followed by a type and a name here: write the whole "
                            "declaration in one place, so that it can be bound to the block's memory"});
      return;
    }
    m_edits.insert(m_edits.end(), parts.dropped.begin(), parts.dropped.end());
    for (const Declarator& declarator : parts.declarators) {
      if (declaration.in_function) {
        bind(declarator, "tuner_cpu::DynamicShared{}");
      } else {
        declare(declarator, parts.type.front(), &declarator == &parts.declarators.front());
      }
    }
  }

  /// To its first place: `alignas` may not follow what `__shared__` stands for.
  void move_alignment(const Declaration& declaration) {
    for (std::size_t i = declaration.first + 1; i < declaration.end; ++i) {
      if (source::is_one_of(m_tokens[i].text, {"[", "=", "("})) return;
      if (!m_tokens[i].is("alignas")) continue;
      const std::size_t last = closing(i + 1, declaration.end);
      const std::size_t offset = m_tokens[i].offset;
      m_edits.push_back({m_tokens[declaration.first].offset, 0,
                         std::string(m_source.substr(offset, end_of(last) - offset)) + " "});
      m_edits.push_back(erase(i, last));
      i = last;
    }
  }

  bool opens_brace(std::size_t token) const { return token < m_tokens.size() && m_tokens[token].is("{"); }

  /// Separates `extern`, `__shared__` and alignments, which go, from the remaining specifiers and the
  /// declarators.
  Parts split(const Declaration& declaration) const {
    Parts parts;
    std::vector<std::size_t> plain;  // tokens of the current declarator, the first one's after the specifiers
    int angles = 0;
    for (std::size_t i = declaration.first; i < declaration.end; ++i) {
      const Token& token = m_tokens[i];
      const bool alignment = token.is("alignas") || token.is("__align__") || token.is("__attribute__");
      if (token.is("extern") || token.is("__shared__") || alignment) {
        parts.is_extern = parts.is_extern || token.is("extern");
        const std::size_t last = alignment ? closing(i + 1, declaration.end) : i;
        parts.dropped.push_back(erase(i, last));
        i = last;
      } else if (token.is(",") && angles == 0) {
        finish_declarator(plain, i, parts);
        plain.clear();
      } else if (token.is("[") || token.is("(")) {
        plain.push_back(i);  // what is inside the brackets declares nothing
        i = closing(i, declaration.end);
      } else {
        angles += token.is("<") ? 1 : token.is(">") ? -1 : 0;
        plain.push_back(i);
      }
    }
    finish_declarator(plain, declaration.end, parts);
    return parts;
  }

  /// The name is the last word before the first extent.
  void finish_declarator(const std::vector<std::size_t>& plain, std::size_t end, Parts& parts) const {
    std::size_t name = 0;
    while (name < plain.size() && !m_tokens[plain[name]].is("[")) ++name;
    if (name-- == 0 || !m_tokens[plain[name]].is_word()) return;
    if (parts.declarators.empty())
      parts.type.assign(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(name));
    parts.declarators.push_back({plain[name], end});
  }

  /// The bracket that closes the one at `open`, or the last token before `end`.
  std::size_t closing(std::size_t open, std::size_t end) const {
    return open < end ? source::behind_bracket(tokens(0, end), open) - 1 : end - 1;
  }

  source::Tokens tokens(std::size_t begin, std::size_t end) const {
    return source::Tokens(m_tokens).subspan(begin, end - begin);
  }

  void bind(const Declarator& declarator, const std::string& to) {
    const Token& name = m_tokens[declarator.name];
    m_edits.push_back({name.offset, name.text.size(), "(&" + std::string(name.text) + ")"});
    m_edits.push_back({end_of(declarator.end - 1), 0, " = " + to});
  }

  void declare(const Declarator& declarator, std::size_t type, bool is_first) {
    const Token& name = m_tokens[declarator.name];
    if (!is_first) {
      m_problems.push_back({name.line, "declare one dynamic shared array a line outside functions: " +
                                           std::string(name.text)});
      return;
    }
    m_dynamic.insert(name.text);
    m_edits.push_back({m_tokens[type].offset, 0, "static tuner_cpu::DynamicSharedArray<"});
    m_edits.push_back({name.offset, name.text.size(), ""});
    m_edits.push_back({end_of(declarator.end - 1), 0, "> " + std::string(name.text)});
  }

  /// Removes tokens [first, last] but keeps the ends of lines between them.
  Edit erase(std::size_t first, std::size_t last) const {
    const std::size_t offset = m_tokens[first].offset;
    const std::string_view text = m_source.substr(offset, end_of(last) - offset);
    std::string kept;
    for (const char c : text) {
      if (c == '\n') kept += m_tokens[first].in_directive ? "\\\n" : "\n";
    }
    return {offset, text.size(), kept};
  }

  std::size_t end_of(std::size_t token) const { return m_tokens[token].offset + m_tokens[token].text.size(); }

  std::string apply_edits() {
    std::ranges::stable_sort(m_edits, [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
    std::string text;
    std::size_t at = 0;
    for (const Edit& edit : m_edits) {
      text.append(m_source.substr(at, edit.offset - at)).append(edit.replacement);
      at = edit.offset + edit.length;
    }
    return text.append(m_source.substr(at));
  }

  std::string_view m_source;
  bool m_bind_static;
  std::vector<Token> m_tokens;
  std::size_t m_start = 0;               ///< first token of the declaration or statement being read
  std::vector<bool> m_scopes;            ///< of each open brace: a namespace?
  std::set<std::string_view> m_dynamic;  ///< arrays declared outside functions
  std::vector<Edit> m_edits;
  std::vector<RewriteProblem> m_problems;
};

}  // namespace

RewrittenSource rewrite_shared(std::string_view source, bool bind_static) {
  return Rewriter(source, bind_static).run();
}

}  // namespace tuner::compile::host
