#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/source/program.hpp"
#include "tuner/source/values.hpp"

namespace tuner::source {
namespace {

/// What the compiler of device code says of itself, for conditions.
const std::map<std::string_view, std::int64_t> predefined = {{"__CUDA_ARCH__", 900},
                                                             {"__CUDACC__", 1},
                                                             {"__NVCC__", 1},
                                                             {"__cplusplus", 201703},
                                                             {"CUDART_VERSION", 13000},
                                                             {"CUDA_VERSION", 13000},
                                                             {"__CUDACC_VER_MAJOR__", 13},
                                                             {"__linux__", 1},
                                                             {"__GNUC__", 12},
                                                             {"__x86_64__", 1}};

constexpr std::size_t most_tokens = 4'000'000;
constexpr int deepest_include = 40;
constexpr int deepest_condition = 256;  // brackets and signs within each other

/// Numbers of `#if`, as C's preprocessor reads them.
class Condition {
 public:
  explicit Condition(Tokens tokens) : m_tokens(tokens) {}

  std::int64_t value() { return binary(1); }

 private:
  bool take(std::string_view text) {
    if (m_at >= m_tokens.size() || !m_tokens[m_at].is(text)) return false;
    ++m_at;
    return true;
  }

  std::int64_t binary(int least) {
    std::int64_t left = single();
    while (true) {
      const std::string name = operator_at(m_tokens, m_at);
      if (name.empty() || strength(name) < least) return left;
      m_at += name.size();
      left = folded(name, left, binary(strength(name) + 1)).value_or(0);
    }
  }

  std::int64_t single() {
    if (m_depth == deepest_condition) return 0;
    ++m_depth;
    const std::int64_t value = single_within();
    --m_depth;
    return value;
  }
  std::int64_t single_within() {
    if (take("!")) return single() == 0 ? 1 : 0;
    if (take("-")) return -single();
    if (take("(")) {
      const std::int64_t inner = binary(1);
      take(")");
      return inner;
    }
    if (m_at >= m_tokens.size()) return 0;
    const Token& token = m_tokens[m_at++];
    if (token.kind != Token::Kind::number) return 0;
    return std::strtoll(std::string(token.text).c_str(), nullptr, 0);
  }

  Tokens m_tokens;
  std::size_t m_at = 0;
  int m_depth = 0;
};

/// Whether a macro of this text is a number or is computed from other constants.
bool is_constant(Tokens tokens) {
  if (tokens.empty()) return false;
  return std::ranges::all_of(tokens, [&](const Token& token) {
    if (token.kind == Token::Kind::number) return true;
    if (token.is_word())
      return std::ranges::all_of(token.text, [](unsigned char c) { return std::islower(c) == 0; });
    return is_one_of(token.text, {"+", "-", "*", "/", "%", "(", ")", "<", ">"});
  });
}

}  // namespace

/// Reads the files of a program into its code.
class Preprocessor {
 public:
  Preprocessor(Program& program, const Program::Find& find) : m_program(program), m_find(find) {}

  /// A macro of the build, which it may give another value.
  void predefine(const std::string& name, const std::string& value) {
    m_program.m_made.push_back(name + ' ' + value);
    std::vector<Token> tokens = tokens_of(m_program.m_made.back());
    for (Token& token : tokens) token.line = 0;
    m_program.m_kept.push_back(std::move(tokens));
    define(m_program.m_kept.back(), true);
  }

  /// `file`: its place among the program's files.
  void read(std::size_t file, int depth = 0) {
    const std::string_view text = m_program.m_files[file].text;
    std::vector<Token> tokens = tokens_of(text);
    for (Token& token : tokens) token.file = static_cast<int>(file);
    m_program.m_kept.push_back(std::move(tokens));
    const std::vector<Token>& all = m_program.m_kept.back();
    const std::size_t conditions = m_conditions.size();
    std::vector<Token> plain;
    for (std::size_t i = 0; i < all.size();) {
      if (!all[i].in_directive) {
        if (is_active()) plain.push_back(all[i]);
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < all.size() && all[end].in_directive && !all[end].starts_line) ++end;
      // A macro's call may not reach over a directive, but a definition changes what comes behind it.
      flush(plain);
      directive(Tokens(all).subspan(i, end - i), file, depth);
      i = end;
    }
    flush(plain);
    m_conditions.resize(conditions);
  }

 private:
  struct Macro {
    std::vector<std::string_view> parameters;
    Tokens tokens;
    bool takes_arguments = false;
    bool constant = false;
    bool guarded = false;
    int file = 0;
    int line = 0;
  };
  struct Branch {
    bool active = false;
    bool taken = false;  ///< a branch of this `#if` was active
  };

  bool is_active() const {
    return std::ranges::all_of(m_conditions, [](const Branch& branch) { return branch.active; });
  }

  void flush(std::vector<Token>& plain) {
    if (!plain.empty()) expand(plain, m_program.m_code, {});
    plain.clear();
  }

  void directive(Tokens line, std::size_t file, int depth) {
    if (line.size() < 2) return;
    const std::string_view name = line[1].text;
    const Tokens rest = line.subspan(2);
    if (is_one_of(name, {"if", "ifdef", "ifndef"})) {
      const bool before = is_active();
      const bool defined = !rest.empty() && is_defined(rest.front().text);
      const bool holds = name == "if" ? before && condition(rest) : (name == "ifdef") == defined;
      m_conditions.push_back({holds, holds});
      m_guard = name == "ifndef" && !rest.empty() ? rest.front().text : std::string_view();
      return;
    }
    if (is_one_of(name, {"elif", "else", "endif"})) {
      if (m_conditions.empty()) return;
      Branch& branch = m_conditions.back();
      if (name == "endif") {
        m_conditions.pop_back();
      } else {
        branch.active = !branch.taken && (name == "else" || condition(rest));
        branch.taken |= branch.active;
      }
      return;
    }
    const std::string_view guard = std::exchange(m_guard, {});
    if (!is_active() || rest.empty()) return;
    if (name == "define") {
      define(rest, rest.front().text == guard);
    } else if (name == "undef") {
      m_macros.erase(rest.front().text);
    } else if (name == "include") {
      include(rest, file, depth);
    }
  }

  void define(Tokens rest, bool guarded) {
    Macro macro;
    macro.guarded = guarded;
    std::size_t body = 1;
    // A bracket that follows at once begins parameters.
    const Token& name = rest.front();
    if (rest.size() > 1 && rest[1].is("(") && rest[1].offset == name.offset + name.text.size()) {
      macro.takes_arguments = true;
      body = behind_bracket(rest, 1);
      for (const Tokens part : parts(rest.subspan(2, std::max<std::size_t>(body, 3) - 3)))
        macro.parameters.push_back(part.size() == 1 && part[0].is_word() ? part[0].text : "__VA_ARGS__");
    }
    macro.tokens = rest.subspan(std::min(body, rest.size()));
    macro.line = name.line;
    macro.file = name.file;
    if (!guarded) m_program.m_fixed.emplace(name.text);
    macro.constant = !macro.takes_arguments && is_constant(macro.tokens);
    if (macro.constant)
      m_program.m_macros[std::string(name.text)] = {macro.tokens, guarded, name.file, name.line};
    m_macros[name.text] = std::move(macro);
  }

  void include(Tokens rest, std::size_t file, int depth) {
    const bool bracketed = rest.front().is("<");
    const std::string_view text = m_program.m_files[file].text;
    const std::size_t begin = rest.front().offset + 1;
    const std::size_t end = text.find_first_of(bracketed ? ">\n" : "\"\n", begin);
    if (end == std::string_view::npos || depth >= deepest_include) return;
    auto found =
        m_find(std::string(text.substr(begin, end - begin)), bracketed, m_program.m_files[file].name);
    if (!found) return;
    // Once each, as `#pragma once` and guards have it.
    for (const ProgramFile& known : m_program.m_files)
      if (known.name == found->name) return;
    m_program.m_files.push_back(std::move(*found));
    read(m_program.m_files.size() - 1, depth + 1);
  }

  bool is_defined(std::string_view name) const {
    return m_macros.contains(name) || predefined.contains(name);
  }

  bool condition(Tokens tokens) {
    std::vector<Token> decided;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      Token token = tokens[i];
      if (token.is("defined") && i + 1 < tokens.size()) {
        const bool bracketed = tokens[i + 1].is("(");
        const std::size_t name = i + (bracketed ? 2 : 1);
        if (name >= tokens.size()) break;
        token.kind = Token::Kind::number;
        token.text = is_defined(tokens[name].text) ? "1" : "0";
        i = name + (bracketed ? 1 : 0);
      }
      decided.push_back(token);
    }
    m_expands_constants = true;
    std::vector<Token> expanded;
    expand(decided, expanded, {});
    m_expands_constants = false;
    for (Token& token : expanded) {
      if (!token.is_word()) continue;
      const auto known = predefined.find(token.text);
      if (known == predefined.end()) continue;
      m_program.m_made.push_back(std::to_string(known->second));
      token.text = m_program.m_made.back();
      token.kind = Token::Kind::number;
    }
    return Condition(expanded).value() != 0;
  }

  void expand(Tokens tokens, std::vector<Token>& into, const std::set<std::string_view>& within) {
    for (std::size_t i = 0; i < tokens.size() && into.size() < most_tokens; ++i) {
      const Token& token = tokens[i];
      const auto found =
          token.is_word() && !within.contains(token.text) ? m_macros.find(token.text) : m_macros.end();
      const bool is_call = i + 1 < tokens.size() && tokens[i + 1].is("(");
      if (found == m_macros.end() || (found->second.takes_arguments && !is_call) ||
          (found->second.constant && !m_expands_constants)) {
        into.push_back(token);
        continue;
      }
      const Macro& macro = found->second;
      std::vector<Token> body(macro.tokens.begin(), macro.tokens.end());
      if (macro.takes_arguments) {
        std::vector<Token> arguments;
        expand(inside_bracket(tokens, i + 1), arguments, within);
        body = with_arguments(macro, arguments);
        i = behind_bracket(tokens, i + 1) - 1;
      }
      for (Token& one : body) {
        one.in_directive = one.starts_line = false;
        one.line = token.line;
        one.file = token.file;
      }
      if (!body.empty()) body.front().starts_line = token.starts_line;
      std::set<std::string_view> inner = within;
      inner.insert(token.text);
      if (inner.size() < 64) expand(body, into, inner);
    }
  }

  std::vector<Token> with_arguments(const Macro& macro, Tokens arguments) {
    const std::vector<Tokens> given = expression_parts(arguments, false);
    const auto argument = [&](std::string_view name) -> std::optional<Tokens> {
      const auto at = std::ranges::find(macro.parameters, name);
      if (at == macro.parameters.end()) return std::nullopt;
      const auto index = static_cast<std::size_t>(at - macro.parameters.begin());
      if (index >= given.size()) return Tokens();
      if (name != "__VA_ARGS__") return given[index];
      const Token* const first = given[index].data();
      return Tokens(first, arguments.data() + arguments.size());
    };
    std::vector<Token> body;
    for (std::size_t i = 0; i < macro.tokens.size(); ++i) {
      const Token& token = macro.tokens[i];
      const bool pastes = token.is("#") && i + 1 < macro.tokens.size() && macro.tokens[i + 1].is("#");
      if (pastes && !body.empty() && i + 2 < macro.tokens.size()) {
        i += 2;
        std::string pasted(body.back().text);
        if (const auto right = argument(macro.tokens[i].text)) {
          if (!right->empty()) pasted += right->front().text;
        } else {
          pasted += macro.tokens[i].text;
        }
        m_program.m_made.push_back(std::move(pasted));
        body.back().text = m_program.m_made.back();
      } else if (token.is("#")) {
        Token literal = token;
        literal.kind = Token::Kind::literal;
        literal.text = "\"\"";
        body.push_back(literal);
        ++i;
      } else if (const auto value = argument(token.text)) {
        body.insert(body.end(), value->begin(), value->end());
      } else {
        body.push_back(token);
      }
    }
    return body;
  }

  Program& m_program;
  const Program::Find& m_find;
  std::map<std::string_view, Macro> m_macros;
  std::vector<Branch> m_conditions;
  std::string_view m_guard;  ///< what an `#ifndef` on the line before asks for
  bool m_expands_constants = false;
};

void Program::preprocess(const Find& find, const std::vector<std::pair<std::string, std::string>>& macros) {
  Preprocessor preprocessor(*this, find);
  for (const auto& [name, value] : macros) preprocessor.predefine(name, value);
  preprocessor.read(0);
}

}  // namespace tuner::source
