#include "tuner/source/host_code.hpp"

#include <algorithm>
#include <map>

namespace tuner::source {
namespace {

/// What cudaDeviceProp and cudaDeviceGetAttribute call a limit, and what a spec does.
const std::map<std::string_view, std::string_view> device_limits = {
    {"multiProcessorCount", "multiprocessors"},
    {"warpSize", "warp_size"},
    {"maxThreadsPerBlock", "max_threads_per_block"},
    {"maxThreadsPerMultiProcessor", "max_threads_per_multiprocessor"},
    {"sharedMemPerBlock", "max_static_shared_bytes"},
    {"sharedMemPerBlockOptin", "max_shared_bytes_per_block"},
    {"l2CacheSize", "l2_bytes"},
    {"cudaDevAttrMultiProcessorCount", "multiprocessors"},
    {"cudaDevAttrWarpSize", "warp_size"},
    {"cudaDevAttrMaxThreadsPerBlock", "max_threads_per_block"},
    {"cudaDevAttrMaxThreadsPerMultiProcessor", "max_threads_per_multiprocessor"},
    {"cudaDevAttrMaxSharedMemoryPerBlock", "max_static_shared_bytes"},
    {"cudaDevAttrMaxSharedMemoryPerBlockOptin", "max_shared_bytes_per_block"},
    {"cudaDevAttrL2CacheSize", "l2_bytes"}};

}  // namespace

bool is_dimensions(std::string_view type) {
  return is_one_of(type, {"dim3", "uint3", "uint2"});
}

const Frame* HostCode::keep(Frame frame) {
  m_frames.push_back(std::move(frame));
  return &m_frames.back();
}

Value HostCode::symbol(const std::string& key, SymbolFacts facts) {
  const int changed_line = facts.changed_line;
  SymbolFacts& known = m_symbols.try_emplace(key, std::move(facts)).first->second;
  if (known.changed_line == 0) known.changed_line = changed_line;
  return symbol_value(key);
}

Tokens HostCode::part_of(const Token& parameter, std::size_t part) {
  auto& [name, token] =
      m_parts.emplace_back(std::string(parameter.text) + "#" + std::to_string(part), parameter);
  token.text = name;
  return {&token, 1};
}

std::optional<Tokens> HostCode::argument_of(std::string_view name, const Frame& frame) {
  if (frame.function == nullptr) return std::nullopt;
  const std::size_t mark = name.find('#');
  const std::size_t part =
      mark == std::string_view::npos ? 0 : std::stoul(std::string(name.substr(mark + 1)));
  const auto& parameters = frame.function->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != name.substr(0, mark)) continue;
    if (frame.caller == nullptr) return Tokens();
    const std::size_t place = parameters[i].is_pack ? i + part : i;
    if (place >= frame.arguments.size()) return frame.function->defaults[i];
    const Tokens given = frame.arguments[place];
    if (mark == std::string_view::npos || parameters[i].is_pack) return given;
    return parts(inside_bracket(given, find_one_of(given, {"<"})))[part];
  }
  return std::nullopt;
}

std::optional<std::int64_t> HostCode::number_set_before(const std::string& path, const Frame& frame) {
  std::optional<std::int64_t> number;
  for (const LocalAssignment& assignment : variables_of(*frame.function).assignments) {
    if (assignment.path != path || assignment.position >= frame.position) continue;
    number.reset();
    const bool is_sure =
        !assignment.conditional && !assignment.steps && frame.position < assignment.scope_end;
    if (!is_sure || assignment.value.empty()) continue;
    Frame then = frame;
    then.position = assignment.position;
    const Value value = evaluate(assignment.value, then);
    if (value.kind == Value::Kind::number) number = value.number;
  }
  return number;
}

Value HostCode::variable(const std::string& path, const Frame& frame) {
  if (m_depth >= deepest_value) return {};
  if (path.starts_with("this.")) return member_of_class(path.substr(5));
  if (const auto limit = member_of_device(path)) return *limit;
  if (path.starts_with("threadIdx.") || path.starts_with("blockIdx.") || path.starts_with("blockDim.")) {
    SymbolFacts facts;
    facts.name = path;
    return symbol(path, facts);
  }
  const std::string name = path.substr(0, path.find_first_of(".["));
  const std::string member =
      path.size() > name.size() && path[name.size()] == '.' ? path.substr(name.size() + 1) : "";
  if (frame.function != nullptr) {
    for (std::size_t i = 0; i < frame.function->template_parameters.size(); ++i) {
      const TemplateParameter& parameter = frame.function->template_parameters[i];
      if (parameter.name != name || parameter.type == "typename") continue;
      if (i >= frame.template_arguments.size() || frame.caller == nullptr) return {};
      Value value = evaluate(frame.template_arguments[i], *frame.caller);
      if (!frame.leads_to_launch || value.kind != Value::Kind::number || parameter.type == "bool")
        return value;
      SymbolFacts facts;
      facts.name = name;
      facts.function = frame.function;
      facts.constant = true;
      facts.present = value.number;
      return symbol(frame.function->name + "/" + name, facts);
    }
    if (const LocalVariable* const found = local(name, frame)) return local_value(*found, path, frame);
    if (const auto given = argument_of(name, frame)) {
      if (const auto fixed = number_set_before(path, frame)) {
        SymbolFacts facts;
        facts.name = path;
        facts.function = frame.function;
        facts.present = fixed;
        return symbol(frame.function->name + "/" + path, facts);
      }
      if (!given->empty() && frame.caller != nullptr) {
        if (member.empty()) return evaluate(*given, *frame.caller);
        const Tokens inner = uncast(*given);
        if (inner.size() == 1) return variable(std::string(inner.front().text) + "." + member, *frame.caller);
        if (auto value = component(inner, member, *frame.caller)) return *value;
        return {};
      }
      const auto parameter = std::ranges::find(frame.function->parameters, name, &SourceParameter::name);
      const std::string type = m_program.resolved_type(parameter->type);
      if (member.empty() && (!is_integer_type(type) || parameter->pointer)) return {};
      SymbolFacts facts;
      facts.name = path;
      facts.function = frame.function;
      if (!given->empty()) {
        const Value usual = evaluate(*given, frame);
        if (usual.kind == Value::Kind::number) facts.present = usual.number;
      }
      return symbol(frame.function->name + "/" + path, facts);
    }
  }
  if (const auto value = global_value(name)) return *value;
  const std::size_t scope = name.rfind("::");
  if (scope == std::string::npos) return path == name ? member_of_class(name) : Value();
  // A constant of a class, which a typedef may name: x128::size.
  std::string of = name.substr(0, scope);
  std::vector<Tokens> given;
  if (const Tokens alias = alias_of(of, frame); !alias.empty()) {
    const std::size_t open = find_one_of(alias, {"<"});
    of = type_text(alias.first(open));
    if (open < alias.size()) given = parts(alias.subspan(open + 1, alias.size() - open - 2));
  }
  const ClassMembers* const members = m_program.class_named(of);
  // Or of a namespace or an enumeration.
  if (members == nullptr) return global_value(name.substr(scope + 2)).value_or(Value());
  const GlobalVariable* const found = members->find(name.substr(scope + 2));
  if (found == nullptr) return {};
  ProgramFunction inside;  // a class's parameters are names as a function's are
  inside.name = of;
  inside.template_parameters = members->template_parameters;
  const Frame outside;
  const Frame within{&inside, 0, &outside, {}, given};
  ++m_depth;
  const Value value = evaluate(found->init, within);
  --m_depth;
  m_variables.erase(&inside);
  return value;
}

/// Of an object that is not known: a constant, or what the program has.
Value HostCode::member_of_class(const std::string& name) {
  const GlobalVariable* const found = m_program.member(name);
  if (found == nullptr || found->pointer || !found->extents.empty()) return {};
  SymbolFacts facts;
  facts.name = name;
  facts.constant = found->constant;
  if (found->constant && !found->init.empty()) return constant_value(name, found->init, facts);
  return is_integer_type(m_program.resolved_type(found->type)) ? symbol("this/" + name, facts) : Value();
}

std::optional<Value> HostCode::member_of_device(const std::string& path) {
  const std::string member = path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
  const auto limit = device_limits.find(member);
  if (limit == device_limits.end()) return std::nullopt;
  if (limit->second == "warp_size") return number_value(32);
  SymbolFacts facts;
  facts.name = limit->second;
  facts.is_limit = true;
  return symbol(facts.name, facts);
}

std::array<Value, 3> HostCode::dimensions(Tokens tokens, const Frame& frame) {
  std::array<Value, 3> found = {Value(), number_value(1), number_value(1)};
  if (tokens.empty() || tokens.size() > longest_value || m_depth >= deepest_value) return found;
  const auto from_list = [&](Tokens list) {
    const std::vector<Tokens> given = expression_parts(list);
    if (given.empty()) found[0] = number_value(1);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, given.size()); ++i)
      found[i] = as_integer(evaluate(given[i], frame));
    return found;
  };
  std::size_t open = 0;
  if (tokens.front().is("dim3") || tokens.front().text.starts_with("make_uint")) open = 1;
  if (open < tokens.size() && (open == 1 || tokens[open].is("{") || tokens[open].is("(")) &&
      is_one_of(tokens[open].text, {"(", "{"}) && behind_bracket(tokens, open) == tokens.size()) {
    const Tokens inside = tokens.subspan(open + 1, tokens.size() - open - 2);
    // `dim3 b(dim3(1, 2))` and `((n + 1) / 2)`
    if (expression_parts(inside).size() == 1) return dimensions(inside, frame);
    return from_list(inside);
  }
  if (tokens.size() == 1 && tokens.front().is_word() && frame.function != nullptr) {
    const std::string name(tokens.front().text);
    const LocalVariable* const variable = local(name, frame);
    if (variable != nullptr && is_dimensions(type_text(variable->type))) {
      for (std::size_t i = 0; i < 3; ++i)
        found[i] = local_value(*variable, name + "." + std::string(1, "xyz"[i]), frame);
      for (std::size_t i = 1; i < 3; ++i)
        if (found[i].kind == Value::Kind::symbol &&
            facts(found[i].name).name.find('.') != std::string::npos && variable->init.empty())
          found[i] = number_value(1);
      return found;
    }
    if (variable == nullptr) {
      const auto given = argument_of(name, frame);
      if (given && !given->empty() && frame.caller != nullptr && !number_set_before(name, frame))
        return dimensions(*given, *frame.caller);
      const GlobalVariable* const global = m_program.variable(name);
      if (global != nullptr && global->type == "dim3") return dimensions(global->init, Frame());
    }
  }
  // A member, as config.gridDim: each of its numbers that nothing sets is 1, where one is set. Others, as
  // properties.multiProcessorCount, are numbers themselves.
  if (tokens.size() == 3 && tokens[0].is_word() && tokens[1].is(".") && tokens[2].is_word() &&
      local(tokens[0].text, frame) != nullptr) {
    const std::string member = std::string(tokens[0].text) + "." + std::string(tokens[2].text) + ".";
    std::array<Value, 3> numbers;
    bool is_set = false;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string path = member + "xyz"[i];
      numbers[i] = variable(path, frame);
      if (numbers[i].kind != Value::Kind::symbol || facts(numbers[i].name).name != path) {
        is_set = true;
        continue;
      }
      const auto present = facts(numbers[i].name).present;
      is_set |= present.has_value();
      numbers[i] = number_value(present.value_or(1));
    }
    if (is_set) return numbers;
  }
  // A function that gives a dim3.
  if (tokens.size() > 2 && tokens[0].is_word() && tokens[1].is("(") &&
      behind_bracket(tokens, 1) == tokens.size()) {
    for (const ProgramFunction& function : m_program.functions()) {
      if (function.name != tokens[0].text || type_text(function.before) != "dim3") continue;
      const std::size_t at = find_one_of(function.body, {"return"});
      if (at == function.body.size()) break;
      const std::size_t end = at + find_one_of(function.body.subspan(at), {";"});
      const Frame inside{
          &function, function.begin + at, &frame, expression_parts(tokens.subspan(2, tokens.size() - 3)), {}};
      ++m_depth;
      found = dimensions(function.body.subspan(at + 1, end - at - 1), inside);
      --m_depth;
      return found;
    }
  }
  found[0] = as_integer(evaluate(tokens, frame));
  return found;
}

Value HostCode::constant_value(const std::string& name, Tokens tokens, SymbolFacts facts) {
  if (tokens.empty()) return {};
  if (tokens.front().is("{") || (tokens.front().is("(") && behind_bracket(tokens, 0) == tokens.size()))
    tokens = tokens.subspan(1, tokens.size() - 2);
  ++m_depth;
  Value value = evaluate(tokens, Frame());
  --m_depth;
  if (value.kind != Value::Kind::number) return value;
  facts.name = name;
  facts.present = value.number;
  return symbol("::" + name, facts);
}

std::optional<Value> HostCode::global_value(const std::string& name) {
  static const std::map<std::string_view, std::int64_t> words = {{"true", 1},
                                                                 {"false", 0},
                                                                 {"NULL", 0},
                                                                 {"nullptr", 0},
                                                                 {"RAND_MAX", 2147483647},
                                                                 {"INT_MAX", 2147483647}};
  if (const auto word = words.find(name); word != words.end()) return number_value(word->second);
  SymbolFacts facts;
  facts.constant = true;
  if (const ConstantMacro* const macro = m_program.macro(name)) {
    facts.is_macro = true;
    facts.guarded = macro->guarded;
    return constant_value(name, macro->tokens, facts);
  }
  if (const Enumerator* const enumerator = m_program.enumerator(name))
    return add(enumerator->base.empty() ? number_value(0) : evaluate(enumerator->base, Frame()),
               number_value(enumerator->offset));
  const GlobalVariable* const variable = m_program.variable(name);
  if (variable == nullptr || variable->on_device || variable->pointer) return std::nullopt;
  facts.constant = variable->constant;
  std::vector<std::pair<const ProgramFunction*, const LocalAssignment*>> changes;
  for (const ProgramFunction& function : m_program.functions()) {
    if (function.is_device) continue;
    for (const LocalAssignment& assignment : variables_of(function).assignments)
      if (assignment.path == name) changes.emplace_back(&function, &assignment);
  }
  if (changes.size() == 1 && !changes.front().second->value.empty()) {
    const Frame inside{changes.front().first, changes.front().second->position, nullptr, {}, {}};
    ++m_depth;
    Value value = evaluate(changes.front().second->value, inside);
    --m_depth;
    if (value.is_known() && value.kind != Value::Kind::number) return value;
  }
  Value value = constant_value(name, variable->init, facts);
  if (value.is_known()) return value;
  if (!is_integer_type(m_program.resolved_type(variable->type)) || !variable->extents.empty()) return Value();
  facts.name = name;
  return symbol("::" + name, facts);
}

Value HostCode::inlined(const ProgramFunction& function, const Frame& frame) {
  const Tokens body = function.body;
  // What loops, or changes what it was given, is no expression.
  if (find_one_of(body, {"for", "while", "do"}) < body.size()) return {};
  for (const LocalAssignment& assignment : variables_of(function).assignments)
    if (std::ranges::count(function.parameters, assignment.path, &SourceParameter::name) > 0) return {};
  std::vector<std::size_t> returns;
  for (std::size_t i = 0; i < body.size(); ++i)
    if (body[i].is("return")) returns.push_back(i);
  const auto value_at = [&](std::size_t at) {
    const std::size_t end = at + find_one_of(body.subspan(at), {";"});
    Frame then = frame;
    then.position = function.begin + at;
    ++m_depth;
    Value value = evaluate(body.subspan(at + 1, end - at - 1), then);
    --m_depth;
    return value;
  };
  if (returns.size() == 1) return value_at(returns[0]);
  // if (a) return b; [else] return c;
  if (returns.size() == 2 && body.size() > 4 && body[1].is("if") && body[2].is("(")) {
    Frame then = frame;
    then.position = function.begin + 2;
    const Value condition = evaluate(body.subspan(3, behind_bracket(body, 2) - 4), then);
    Value yes = value_at(returns[0]);
    Value no = value_at(returns[1]);
    if (condition.is_known() && yes.is_known() && no.is_known())
      return call("?:", {condition, std::move(yes), std::move(no)});
  }
  return {};
}

}  // namespace tuner::source
