#include <algorithm>
#include <iterator>

#include "tuner/source/host_code.hpp"

namespace tuner::source {
namespace {

/// Types of CUDA C++ of one size; names have `|` between them.
struct SizedTypes {
  std::int64_t bytes;
  bool are_integers;
  std::string_view names;
};
constexpr SizedTypes known_types[] = {
    {1, true, "char|unsigned char|bool|uint8_t"},
    {1, false, "signed char|int8_t|uchar"},
    {2, true, "short|unsigned short|uint16_t"},
    {2, false, "int16_t|ushort|half|__half|nv_bfloat16|__nv_bfloat16"},
    {3, false, "uchar3"},
    {4, true, "int|unsigned|unsigned int|uint|int32_t|uint32_t"},
    {4, false, "float|half2|__half2|__nv_bfloat162|uchar4"},
    {8, true, "long|long int|unsigned long|unsigned long int|int64_t|uint64_t|size_t|ptrdiff_t"},
    {8, true, "long long|long long int|unsigned long long|unsigned long long int"},
    {8, false, "double|float2|int2|uint2|cuFloatComplex|cufftComplex"},
    {12, false, "float3|int3"},
    {16, false, "float4|double2|int4|uint4|longlong2|cuDoubleComplex"},
    {32, false, "double4"},
};

/// Null where it is none of them.
const SizedTypes* find_type(std::string_view type) {
  if (type.starts_with("std::")) type.remove_prefix(5);
  const auto has_it = [&](const SizedTypes& types) {
    for (std::size_t at = types.names.find(type); at != std::string_view::npos;
         at = types.names.find(type, at + 1)) {
      const std::size_t end = at + type.size();
      const bool begins = at == 0 || types.names[at - 1] == '|';
      if (begins && (end == types.names.size() || types.names[end] == '|')) return !type.empty();
    }
    return false;
  };
  const auto* const found = std::ranges::find_if(known_types, has_it);
  return found == std::end(known_types) ? nullptr : found;
}

}  // namespace

std::int64_t bytes_of(std::string_view type) {
  const SizedTypes* const found = find_type(type);
  return found == nullptr ? 0 : found->bytes;
}

bool is_integer_type(std::string_view type) {
  const SizedTypes* const found = find_type(type);
  return type == "auto" || (found != nullptr && found->are_integers);
}

Tokens uncast(Tokens tokens) {
  while (!tokens.empty()) {
    if (tokens.front().is("(") && behind_bracket(tokens, 0) == tokens.size()) {
      tokens = tokens.subspan(1, tokens.size() - 2);
    } else if (tokens.front().is("(") && tokens.size() > 1) {
      const std::size_t end = behind_bracket(tokens, 0);
      const Tokens inside = tokens.subspan(1, end - 2);
      if (find_one_of(inside, {"*"}) == inside.size()) return tokens;
      tokens = tokens.subspan(end);
    } else if (tokens.front().text.ends_with("_cast") && tokens.size() > 3 && tokens[1].is("<")) {
      const std::size_t end = behind_bracket(tokens, 1);
      if (end >= tokens.size()) return tokens;
      tokens = tokens.subspan(end);
    } else {
      return tokens;
    }
  }
  return tokens;
}

Value HostCode::size_of(const std::string& type) {
  const std::string known = m_program.resolved_type(type);
  if (const std::int64_t bytes = bytes_of(known); bytes > 0) return number_value(bytes);
  if (known.empty()) return {};
  SymbolFacts facts;
  facts.name = "sizeof " + known;
  return symbol(facts.name, facts);
}

Tokens HostCode::alias_of(const std::string& type, const Frame& frame) {
  const Tokens* const known = m_program.type_alias(type);
  if (known != nullptr || frame.function == nullptr) return known != nullptr ? *known : Tokens();
  const Tokens body = frame.function->body;
  for (std::size_t i = 0; i + 3 < body.size(); ++i) {
    if (!body[i].is("using") || !body[i + 1].is(type) || !body[i + 2].is("=")) continue;
    const Tokens behind = body.subspan(i + 3);
    const Tokens alias = behind.first(find_one_of(behind, {";"}));
    const bool is_open = std::ranges::any_of(alias, [&](const Token& token) {
      return std::ranges::count(frame.function->template_parameters, token.text, &TemplateParameter::name) >
                 0 ||
             std::ranges::count(variables_of(*frame.function).variables, token.text, &LocalVariable::name) >
                 0;
    });
    return is_open ? Tokens() : alias;
  }
  return {};
}

std::string HostCode::type_in(Tokens tokens, const Frame& frame) {
  const std::string type = type_text(tokens);
  if (frame.function == nullptr || m_depth >= deepest_value) return m_program.resolved_type(type);
  if (type.find('#') != std::string::npos && frame.caller != nullptr)
    return type_in(argument_of(type, frame).value_or(Tokens()), *frame.caller);
  const auto& parameters = frame.function->template_parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != type || frame.caller == nullptr) continue;
    if (i < frame.template_arguments.size()) return type_in(frame.template_arguments[i], *frame.caller);
    // The type of the first argument that has to have it.
    for (std::size_t k = 0; k < frame.function->parameters.size() && k < frame.arguments.size(); ++k) {
      if (frame.function->parameters[k].type != type) continue;
      ++m_depth;
      const std::string deduced = origin(frame.arguments[k], *frame.caller).type;
      --m_depth;
      if (!deduced.empty()) return deduced;
      // An object that is made for it: `Scale{2}`.
      const Tokens given = frame.arguments[k];
      const std::size_t open = find_one_of(given, {"{", "("});
      if (open > 0 && open < given.size() && m_program.class_named(given.front().text) != nullptr)
        return type_text(given.first(open));
    }
  }
  const std::string known = m_program.resolved_type(type);
  const Tokens alias = known == type ? alias_of(type, frame) : Tokens();
  return alias.empty() ? known : m_program.resolved_type(type_text(alias));
}

PointerOrigin HostCode::origin(Tokens tokens, const Frame& frame) {
  tokens = uncast(tokens);
  PointerOrigin found;
  if (tokens.empty() || m_depth >= deepest_value) return found;
  if (tokens.size() == 1 && is_one_of(tokens.front().text, {"NULL", "nullptr", "0"})) {
    found.is_null = true;
    return found;
  }
  if (tokens.front().is("thrust") || tokens.front().is("raw_pointer_cast")) {
    const std::size_t open = find_one_of(tokens, {"("});
    if (open + 2 < tokens.size()) tokens = tokens.subspan(open + 1, behind_bracket(tokens, open) - open - 2);
  }
  if (tokens.front().is("&")) tokens = tokens.subspan(1);
  tokens = uncast(tokens);
  if (tokens.empty() || !tokens.front().is_word()) return found;
  std::string path(tokens.front().text);
  for (std::size_t i = 1; i + 1 < tokens.size() && tokens[i].is(".") && tokens[i + 1].is_word(); i += 2)
    path += "." + std::string(tokens[i + 1].text);
  const std::string name(tokens.front().text);
  if (path.ends_with(".data") || path.ends_with(".get")) path = name;
  const LocalVariable* const variable = local(name, frame);
  // Of an array of pointers each leads to a buffer of its own.
  if (variable != nullptr && variable->pointer && !variable->extents.empty() && tokens.size() > 1 &&
      tokens[1].is("["))
    path += joined(tokens.subspan(1, behind_bracket(tokens, 1) - 1));
  ++m_depth;
  if (variable != nullptr) {
    found = {&frame, path, type_in(variable->type, frame), false};
    // A pointer into another's buffer.
    if (variable->pointer || find_one_of(variable->type, {"auto"}) < variable->type.size()) {
      Tokens source = variable->init;
      for (const LocalAssignment& assignment : variables_of(*frame.function).assignments)
        if (assignment.path == name && assignment.position > variable->position &&
            assignment.position < frame.position && !assignment.value.empty())
          source = assignment.value;
      const Tokens inner = uncast(source);
      const bool is_call = inner.size() > 1 && (inner[1].is("(") || inner[1].is("::") || inner[1].is("<"));
      if (!inner.empty() && inner.front().is_word() && !is_call &&
          !is_one_of(inner.front().text, {"new", "NULL", "nullptr", "0"})) {
        Frame before = frame;
        before.position = variable->position;
        const PointerOrigin from = origin(inner, *keep(before));
        if (from.frame != nullptr && !from.path.empty()) {
          const std::string own = found.type;
          found = from;
          if (!own.empty() && own != "auto" && own != "void") found.type = own;
        }
      }
    }
  } else if (const auto given = argument_of(name, frame)) {
    const auto parameter = std::ranges::find(frame.function->parameters, name, &SourceParameter::name);
    if (!given->empty() && frame.caller != nullptr) {
      found = origin(*given, *frame.caller);
      found.path += path.substr(name.size());
    } else {
      found = {&frame, path, m_program.resolved_type(parameter->type), false};
    }
  } else if (const GlobalVariable* const global = m_program.variable(name)) {
    found = {&frame, path, m_program.resolved_type(global->type), false};
  }
  --m_depth;
  return found;
}

std::vector<Frame> HostCode::calls_of(const ProgramFunction& called) {
  std::vector<Frame> found;
  for (const ProgramFunction& function : m_program.functions()) {
    if (function.is_device || &function == &called) continue;
    const Tokens body = function.body;
    for (std::size_t i = 1; i + 1 < body.size(); ++i) {
      if (!body[i].is(called.name) || body[i - 1].is(".") || body[i - 1].is("::")) continue;
      std::size_t open = i + 1;
      Frame frame{&function, function.begin + i, nullptr, {}, {}};
      if (body[open].is("<")) {
        frame.template_arguments = parts(inside_bracket(body, open));
        open = behind_bracket(body, open);
      }
      if (open >= body.size() || !body[open].is("(")) continue;
      frame.arguments = expression_parts(inside_bracket(body, open));
      const bool has_pack = !called.parameters.empty() && called.parameters.back().is_pack;
      if (has_pack || frame.arguments.size() <= called.parameters.size()) found.push_back(std::move(frame));
    }
  }
  return found;
}

}  // namespace tuner::source
