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

/// `double NAME = …` in its body: there the name is no macro.
bool declares(const ProgramFunction& function, std::string_view name) {
  const Tokens body = function.body;
  for (std::size_t i = 1; i + 1 < body.size(); ++i)
    if (body[i].is(name) && body[i - 1].is_word() && body[i + 1].is("=")) return true;
  return false;
}

/// `template <>`: what it stands beside is not copied.
bool is_specialised(const ProgramFunction& function) {
  for (std::size_t i = 0; i + 2 < function.before.size(); ++i)
    if (function.before[i].is("template") && function.before[i + 1].is("<") && function.before[i + 2].is(">"))
      return true;
  return false;
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

std::string DoubleText::word(const Token& token) const {
  if (token.kind == Token::Kind::number) {
    std::string text(token.text);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (!hex && (text.ends_with("f") || text.ends_with("F"))) text.pop_back();
    return text;
  }
  if (!token.is_word()) return std::string(token.text);
  return name(std::string(token.text));
}

/// As it is laid out in the source.
std::string DoubleText::written(Tokens tokens) const {
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
             word(tokens[at]) == "double" && (at == 0 || !tokens[at - 1].is("("));
    };
    if (token.is("const") && points(i + 1)) continue;
    text += points(i) ? "auto" : word(token);
    if (points(i)) ++i;
  }
  return text;
}

std::string DoubleText::helper(const ProgramFunction& function) const {
  std::vector<std::string> declared;
  for (const SourceParameter& parameter : function.parameters)
    declared.push_back(written(tuner::source::tokens_of(parameter.text)));
  std::string before;
  for (const Token& token : function.before)
    if (!tuner::source::is_one_of(token.text, {"static", "inline", "__host__", "__device__", "__inline__",
                                               "__forceinline__", "extern"}) &&
        token.kind != Token::Kind::literal)
      before += word(token) + " ";
  const std::size_t end = before.starts_with("template") ? before.find("> ") : std::string::npos;
  before.insert(end == std::string::npos ? 0 : end + 2, "static __device__ ");
  return fmt::format("{}{}({}) {}\n\n", before, function.name, fmt::join(declared, ", "), body(function));
}

std::string DoubleText::constants(const std::vector<const ProgramFunction*>& functions) const {
  std::vector<std::string_view> names;
  const auto note = [&](Tokens tokens) {
    for (const Token& token : tokens)
      if (token.is_word() && std::ranges::count(names, token.text) == 0) names.push_back(token.text);
  };
  for (const ProgramFunction* one : functions) {
    note(one->body);
    for (const SourceParameter& parameter : one->parameters) note(tuner::source::row_extents(parameter));
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::any_of(functions, [&](const auto* one) { return declares(*one, names[i]); })) continue;
    if (const tuner::source::ConstantMacro* const macro = m_program.macro(names[i])) {
      note(macro->tokens);
      text = fmt::format("#define {} {}\n", names[i], written(macro->tokens)) + text;
    } else if (const tuner::source::GlobalVariable* const variable = m_program.variable(names[i])) {
      if (!variable->constant || variable->init.empty() || !variable->extents.empty()) continue;
      note(variable->init);
      text = fmt::format("static constexpr {} {} = {};\n", in_double(variable->type), names[i],
                         written(variable->init)) +
             text;
    }
  }
  return text.empty() ? text : text + "\n";
}

std::optional<std::string> DoubleText::used_by(const ProgramFunction& function) const {
  std::vector<const ProgramFunction*> called = {&function};
  for (std::size_t i = 0; i < called.size() && i < 16; ++i)
    for (const Token& token : called[i]->body)
      for (const ProgramFunction& other : m_program.functions())
        if (token.is_word() && other.name == token.text && !other.is_kernel &&
            std::ranges::count(called, &other) == 0)
          called.push_back(&other);
  for (const ProgramFunction* one : called)
    if (!computes_alone(*one) || is_specialised(*one)) return std::nullopt;
  std::string text = constants(called);
  for (std::size_t i = called.size(); i-- > 1;) text += helper(*called[i]);
  return text;
}

}  // namespace config
