#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "config/draft_plan.hpp"
#include "tuner/util/text.hpp"

namespace config {

namespace {

/// Functions that are called so in double precision, and with an `f` behind it in single.
constexpr std::string_view real_functions =
    "sqrt rsqrt exp exp2 log log2 log1p expm1 tanh pow fabs fmax fmin sin cos tan cosh sinh atan acos asin "
    "atan2 erf floor ceil round fma cbrt hypot";

const std::map<std::string_view, std::string_view> double_names = {{"float", "double"},
                                                                   {"half", "double"},
                                                                   {"__half", "double"},
                                                                   {"__nv_bfloat16", "double"},
                                                                   {"nv_bfloat16", "double"},
                                                                   {"int64_t", "long long"},
                                                                   {"uint64_t", "unsigned long long"},
                                                                   {"int32_t", "int"},
                                                                   {"uint32_t", "unsigned int"},
                                                                   {"uint8_t", "unsigned char"},
                                                                   {"M_PI", "3.14159265358979323846"},
                                                                   {"FLT_MAX", "3.402823466e+38"},
                                                                   {"INFINITY", "(1e308 * 10)"},
                                                                   {"FLT_EPSILON", "1.1920929e-07"},
                                                                   {"NULL", "nullptr"},
                                                                   {"inline", ""},
                                                                   {"static", ""}};

/// Words of functions that do more than compute.
bool is_beyond(std::string_view word) {
  constexpr std::string_view words =
      "malloc calloc new delete free printf fprintf rand exit FILE throw vector thread cout cerr memcpy "
      "memset "
      "string srand clock chrono thrust omp_get_thread_num curand try catch";
  return word.starts_with("cuda") || word.starts_with("cublas") || word.starts_with("cufft") ||
         tuner::util::has_word(words, word);
}

/// `template <>`: what it stands beside is not copied.
bool is_specialised(const ProgramFunction& function) {
  for (std::size_t i = 0; i + 2 < function.before.size(); ++i)
    if (function.before[i].is("template") && function.before[i + 1].is("<") && function.before[i + 2].is(">"))
      return true;
  return false;
}

bool is_specifier(const Token& token) {
  return tuner::source::is_one_of(token.text, {"static", "inline", "__host__", "__device__", "__inline__",
                                               "__forceinline__", "extern"}) ||
         token.kind == Token::Kind::literal;
}

/// Words that stand for themselves, and not for a member or a part of a namespace.
template <class Use>
void each_name(Tokens tokens, const Use& use) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_part = i > 0 && tuner::source::is_one_of(tokens[i - 1].text, {".", "::"});
    const bool is_pointed_to = i > 1 && tokens[i - 1].is(">") && tokens[i - 2].is("-");
    if (tokens[i].is_word() && !is_part && !is_pointed_to) use(tokens[i].text);
  }
}

}  // namespace

bool computes_alone(const ProgramFunction& function) {
  for (std::size_t i = 0; i + 2 < function.body.size(); ++i) {
    const Token& token = function.body[i];
    if (token.kind == Token::Kind::literal) return false;
    if (token.is_word() && is_beyond(token.text)) return false;
    const bool casts_pointer = token.is("*") && function.body[i + 1].is(")");
    const bool launches = token.is("<") && function.body[i + 1].is("<") && function.body[i + 2].is("<");
    if (casts_pointer || launches) return false;
  }
  return !function.parameters.empty();
}

std::string in_double(const std::string& name) {
  if (const auto found = double_names.find(name); found != double_names.end())
    return std::string(found->second);
  const std::string without = name.substr(0, name.empty() ? 0 : name.size() - 1);
  return name.ends_with('f') && tuner::util::has_word(real_functions, without) ? without : name;
}

std::string DoubleText::name(const std::string& word) const {
  const auto given = m_types.find(word);
  return given != m_types.end() ? given->second : in_double(m_program.resolved_type(word));
}

DoubleText::Names DoubleText::locals(const ProgramFunction& function) {
  Names found;
  for (const source::LocalVariable& variable : m_host.variables_of(function).variables)
    found.insert(variable.name);
  for (const SourceParameter& parameter : function.parameters) found.insert(parameter.name);
  return found;
}

std::string DoubleText::word(const Token& token, const Names& kept) const {
  if (token.kind == Token::Kind::number) {
    std::string text(token.text);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (!hex && (text.ends_with("f") || text.ends_with("F"))) text.pop_back();
    return text;
  }
  if (!token.is_word() || kept.contains(token.text)) return std::string(token.text);
  return name(std::string(token.text));
}

/// As it is laid out in the source.
std::string DoubleText::written(Tokens tokens, const Names& kept) const {
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("}")) --depth;
    if (i > 0 && token.starts_line) {
      text += "\n" + std::string(static_cast<std::size_t>(std::max(0, depth)) * 2, ' ');
    } else if (i > 0) {
      const Token& before = tokens[i - 1];
      const bool adjoins = before.file == token.file && before.offset + before.text.size() == token.offset;
      const bool are_words = (before.is_word() || before.kind == Token::Kind::number) && token.is_word();
      if (!adjoins || are_words) text += " ";
    }
    if (token.is("{")) ++depth;
    if (token.is("std") && i + 1 < tokens.size() && tokens[i + 1].is("::")) {
      ++i;
      continue;
    }
    if (token.is("assert") && i + 1 < tokens.size() && tokens[i + 1].is("(")) {
      i = tuner::source::behind_bracket(tokens, i + 1) - 1;
      text += "(void)0";
      continue;
    }
    // A pointer into an input or an output has the type of what it points into.
    const auto points = [&](std::size_t at) {
      return at + 1 < tokens.size() && tokens[at].is_word() && tokens[at + 1].is("*") &&
             word(tokens[at], kept) == "double" && (at == 0 || !tokens[at - 1].is("("));
    };
    if (token.is("const") && points(i + 1)) continue;
    text += points(i) ? "auto" : word(token, kept);
    if (points(i)) ++i;
  }
  return text;
}

std::string DoubleText::result(const ProgramFunction& function) const {
  const Tokens before = function.before;
  const bool is_template = before.size() > 1 && before[0].is("template");
  std::vector<Token> type;
  for (const Token& token : before.subspan(is_template ? source::behind_bracket(before, 1) : 0))
    if (!is_specifier(token)) type.push_back(token);
  return written(type);
}

std::string DoubleText::helper(const ProgramFunction& function) {
  const Names kept = locals(function);
  std::vector<std::string> declared;
  for (const SourceParameter& parameter : function.parameters)
    declared.push_back(written(source::tokens_of(parameter.text), kept));
  std::string before;
  for (const Token& token : function.before)
    if (!is_specifier(token)) before += word(token, {}) + " ";
  const std::size_t end = before.starts_with("template") ? before.find("> ") : std::string::npos;
  before.insert(end == std::string::npos ? 0 : end + 2, "static __device__ ");
  return fmt::format("{}{}({}) {}\n\n", before, function.name, fmt::join(declared, ", "), body(function));
}

std::optional<std::string> DoubleText::constant(std::string_view name) const {
  const std::string text(name);
  if (m_sizes.contains(text)) return fmt::format("static __device__ int {};\n", text);
  if (const source::ConstantMacro* const macro = m_program.macro(name))
    return fmt::format("#define {} {}\n", text, written(macro->tokens));
  if (const source::Enumerator* const one = m_program.enumerator(name))
    return fmt::format("static constexpr int {} = {}{};\n", text,
                       one->base.empty() ? "" : written(one->base) + " + ", one->offset);
  if (const GlobalVariable* const variable = m_program.variable(name)) {
    if (!variable->constant || variable->init.empty() || variable->pointer) return std::nullopt;
    const std::string type = in_double(variable->type);
    if (variable->extents.empty())
      return fmt::format("static constexpr {} {} = {};\n", type, text, written(variable->init));
    std::string extents;
    for (const Tokens extent : variable->extents) extents += "[" + written(extent) + "]";
    const std::string init = written(variable->init);
    return fmt::format("static __device__ const {} {}{} = {};\n", type, text, extents,
                       init.starts_with("{") ? init : "{" + init + "}");
  }
  if (m_program.class_named(m_program.resolved_type(text)) != nullptr) return std::nullopt;
  return "";
}

bool DoubleText::is_extent(std::string_view name, const std::vector<const ProgramFunction*>& functions) {
  const auto has_it = [&](Tokens tokens) {
    return std::ranges::any_of(tokens, [&](const Token& token) { return token.is(name); });
  };
  return std::ranges::any_of(functions, [&](const ProgramFunction* function) {
    return std::ranges::any_of(
               m_host.variables_of(*function).variables,
               [&](const auto& variable) { return std::ranges::any_of(variable.extents, has_it); }) ||
           std::ranges::any_of(function->parameters, [&](const SourceParameter& parameter) {
             return has_it(source::row_extents(parameter));
           });
  });
}

std::optional<std::string> DoubleText::constants(const std::vector<const ProgramFunction*>& functions) {
  std::vector<std::string_view> names;
  const auto note = [&](std::string_view name) {
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  };
  for (const ProgramFunction* const one : functions) {
    const Names own = locals(*one);
    each_name(one->body, [&](std::string_view name) {
      if (!own.contains(name)) note(name);
    });
    for (const SourceParameter& parameter : one->parameters) {
      for (const Token& token : source::row_extents(parameter))
        if (token.is_word()) note(token.text);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<std::string> found = constant(names[i]);
    if (!found || (m_sizes.contains(std::string(names[i])) && is_extent(names[i], functions)))
      return std::nullopt;
    text = *found + text;
    if (const source::ConstantMacro* const macro = m_program.macro(names[i])) each_name(macro->tokens, note);
    if (const source::Enumerator* const one = m_program.enumerator(names[i])) each_name(one->base, note);
    if (const GlobalVariable* const variable = m_program.variable(names[i])) {
      each_name(variable->init, note);
      for (const Tokens extent : variable->extents) each_name(extent, note);
    }
  }
  return text.empty() ? text : text + "\n";
}

std::optional<std::string> DoubleText::used_by(const ProgramFunction& function) {
  std::vector<const ProgramFunction*> called = {&function};
  for (std::size_t i = 0; i < called.size() && i < 16; ++i)
    for (const Token& token : called[i]->body)
      for (const ProgramFunction& other : m_program.functions())
        if (token.is_word() && other.name == token.text && !other.is_kernel &&
            std::ranges::count(called, &other) == 0)
          called.push_back(&other);
  for (const ProgramFunction* one : called)
    if (!computes_alone(*one) || is_specialised(*one)) return std::nullopt;
  std::optional<std::string> text = constants(called);
  for (std::size_t i = called.size(); text && i-- > 1;) *text += helper(*called[i]);
  return text;
}

}  // namespace config
