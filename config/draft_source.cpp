#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "config/draft_plan.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/util/text.hpp"

namespace config {

static std::set<std::string_view> with_macros(const Program& program, std::set<std::string_view> words) {
  std::vector<std::string_view> open(words.begin(), words.end());
  while (!open.empty()) {
    const tuner::source::ConstantMacro* const macro = program.macro(open.back());
    open.pop_back();
    if (macro == nullptr) continue;
    for (const tuner::source::Token& token : macro->tokens)
      if (token.is_word() && words.insert(token.text).second) open.push_back(token.text);
  }
  return words;
}

bool DraftSource::asks_for_block() const {
  constexpr std::array<std::string_view, 7> asking = {
      "blockDim", "group_size", "thread_rank", "num_threads", "meta_group_size", "group_dim", "dim_threads"};
  return std::ranges::any_of(asking, [&](std::string_view word) { return words_with_macros.contains(word); });
}

bool DraftSource::may_be_size(const SourceParameter& parameter, const std::string& type) const {
  return is_integer(type) && !is_no_size(parameter.name) && !program.is_enumeration(parameter.type);
}

bool DraftSource::has_number(std::int64_t wanted) const {
  if (wanted <= 1) return false;
  const std::string digits = std::to_string(wanted);
  for (const ProgramFunction* function : reached)
    for (const tuner::source::Token& token : function->body)
      if (token.kind == tuner::source::Token::Kind::number && token.is(digits)) return true;
  return false;
}

std::optional<std::int64_t> DraftSource::fixed_number(Tokens expression) {
  const Value value = tuner::source::replaced(host.evaluate(expression, {}),
                                              [&](const std::string& symbol) -> std::optional<Value> {
                                                const SymbolFacts& facts = host.facts(symbol);
                                                if (!facts.constant || !facts.present) return std::nullopt;
                                                return tuner::source::number_value(*facts.present);
                                              });
  return value.kind == Value::Kind::number ? std::optional(value.number) : std::nullopt;
}

namespace {

/// `a::b::` before the name at `at`, as far as it is written; none: nothing is.
std::optional<std::string> written_scope(Tokens body, std::size_t at) {
  if (at == 0 || !body[at - 1].is("::")) return std::nullopt;
  std::string scope;
  for (; at > 1 && body[at - 1].is("::") && body[at - 2].is_word(); at -= 2)
    scope = std::string(body[at - 2].text) + "::" + scope;
  return scope;
}

/// `a_b` of `a::b`.
std::string with_underscores(std::string name) {
  for (std::size_t at = 0; (at = name.find("::", at)) != std::string::npos;) name.replace(at, 2, "_");
  return name;
}

/// Whether the function means this one of several variables of one name.
bool means(const ProgramFunction& function, const GlobalVariable& one,
           const std::vector<const GlobalVariable*>& all) {
  const auto encloses = [&](const GlobalVariable& other) {
    return other.name == one.name && function.scope.starts_with(other.scope);
  };
  const bool is_hidden = std::ranges::any_of(all, [&](const GlobalVariable* other) {
    return encloses(*other) && (!encloses(one) || other->scope.size() > one.scope.size());
  });
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    if (!function.body[i].is(one.name)) continue;
    const std::optional<std::string> scope = written_scope(function.body, i);
    if (scope ? ("::" + one.scope).ends_with("::" + *scope) && (!scope->empty() || one.scope.empty())
              : !is_hidden)
      return true;
  }
  return false;
}

}  // namespace

std::vector<DeviceVariable> DraftSource::device_variables() const {
  std::vector<const GlobalVariable*> all;
  for (const GlobalVariable& variable : program.variables())
    if (variable.on_device && !variable.pointer && words.contains(variable.name)) all.push_back(&variable);
  std::vector<DeviceVariable> used;
  for (const GlobalVariable* const one : all) {
    const bool is_only = std::ranges::count(all, one->name, &GlobalVariable::name) == 1;
    const bool is_meant = std::ranges::any_of(
        reached, [&](const ProgramFunction* function) { return means(*function, *one, all); });
    if (!is_only && !is_meant) continue;
    const bool is_taken = std::ranges::count(used, one->name, &DeviceVariable::name) > 0;
    used.push_back({one, is_taken ? with_underscores(one->qualified_name()) : one->name});
  }
  return used;
}

DraftSource::DraftSource(const Program& its_program, const ProgramFunction& its_kernel,
                         const DraftRequest& its_request)
    : program(its_program),
      kernel(its_kernel),
      request(its_request),
      host(its_program),
      axes(tuner::source::axes_of(its_kernel.body)),
      macros(tuner::source::open_macros(its_program.files()[static_cast<std::size_t>(its_kernel.file)].text)),
      host_code_line(tuner::source::host_code_line(its_program.files().front().text)),
      uses(pointer_uses(its_program, its_kernel)),
      shapes(tuner::source::indexed_shapes(its_program, its_kernel)),
      held(tuner::source::held_indices(its_kernel)),
      launches(launches_of(host, its_kernel)),
      reached(reached_functions(its_program, its_kernel)),
      words(words_of(reached)),
      words_with_macros(with_macros(its_program, words)) {
  std::erase_if(macros, [&](const auto& macro) { return program.fixes(macro.name); });
  for (const auto& [name, value] : request.macros) {
    if (!config::number(value)) std::erase_if(macros, [&](const auto& macro) { return macro.name == name; });
    for (tuner::source::OpenMacro& macro : macros)
      if (macro.name == name) macro.usual = value;
  }
  for (const auto& file : program.files())
    for (tuner::source::SourceStruct& one : structs_of(tuner::source::lines_of(file.text))) {
      for (SourceField& field : one.fields) {  // of a type by another name
        if (model::parse_element_type(field.type)) continue;
        field.is_choice = program.is_enumeration(field.type);
        field.type = spec_name(program.resolved_type(field.type));
      }
      structs.push_back(std::move(one));
    }
  const auto runs_on_host = [](const ProgramFunction& one) {
    return !one.is_device && one.file == 0 && find_one_of(one.before, {"constexpr"}) == one.before.size();
  };
  if (host_code_line > 0) return;
  if (const auto first = std::ranges::find_if(program.functions(), runs_on_host);
      first != program.functions().end())
    host_code_line = first->line;
}

namespace {

/// Names of types that a spec does not have, and its own for them.
const std::map<std::string_view, std::string_view> other_names = {
    {"unsigned", "unsigned int"},
    {"uint", "unsigned int"},
    {"long", "long long"},
    {"long int", "long long"},
    {"uchar", "unsigned char"},
    {"ushort", "unsigned short"},
    {"unsigned long", "unsigned long long"},
    {"ulong", "unsigned long long"},
    {"long long int", "long long"},
    {"unsigned long long int", "unsigned long long"},
    {"short int", "short"},
    {"ptrdiff_t", "long long"},
    {"long unsigned int", "unsigned long long"},
    {"cufftComplex", "float2"}};

}  // namespace

std::string spec_name(const std::string& type) {
  const auto other = other_names.find(type);
  return other == other_names.end() ? type : std::string(other->second);
}

std::string DraftParameter::toml(const std::string& list) const {
  const char* const kind = is_runtime ? "runtime" : is_spelled ? "spelled" : "";
  return *kind == 0 ? fmt::format("[{}]", list) : fmt::format("{{ values = [{}], {} = true }}", list, kind);
}

void DraftParameter::keep_up_to(std::int64_t largest) {
  std::erase_if(values, [&](std::int64_t value) { return value > largest; });
  if (values.empty()) values = {largest};
}

std::string DraftPlan::launch_kind() const {
  std::string text = cooperative ? "cooperative = true\n" : "";
  if (cluster != std::array<std::int64_t, 3>{1, 1, 1})
    text += fmt::format("cluster = [{}]\n", fmt::join(cluster, ", "));
  return text;
}

const DraftParameter* DraftPlan::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &DraftParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

DraftParameter* DraftPlan::parameter(std::string_view name) {
  return const_cast<DraftParameter*>(std::as_const(*this).parameter(name));
}

bool DraftPlan::mentions_parameter(const std::string& text) const {
  return std::ranges::any_of(parameters, [&](const DraftParameter& one) { return mentions(text, one.name); });
}

void DraftPlan::add_constraint(const std::string& constraint) {
  if (std::ranges::count(constraints, constraint) == 0) constraints.push_back(constraint);
}

void DraftPlan::add_doubt(const std::string& key, const std::string& doubt) {
  std::string& all = doubts[key];
  all += (all.empty() ? "" : "\n") + doubt;
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append({'\\', c});
    else if (code < 32 || code == 127)
      out += fmt::format("\\u{:04X}", code);
    else
      out += c;
  }
  return out + '"';
}

std::string commented(const std::string& line, const std::string& comments) {
  if (comments.empty()) return line + "\n";
  if (comments.find('\n') == std::string::npos) return fmt::format("{}  # {}\n", line, comments);
  std::string above;
  for (std::string_view rest = comments; !rest.empty();)
    above += fmt::format("# {}\n", tuner::util::split_first(rest, "\n"));
  return above + line + "\n";
}

std::string toml_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + toml_text(name);
  return "[" + text + "]";
}

std::string field_text(const SourceField& field) {
  return fmt::format("{} {}{}", field.type, field.name,
                     field.length == 0 ? "" : fmt::format("[{}]", field.length));
}

std::string DraftTypes::resolved(const SourceParameter& parameter) const {
  const auto at = static_cast<std::size_t>(&parameter - m_source.kernel.parameters.data());
  if (at < m_plan.arguments.size() && !m_plan.arguments[at].type.empty()) return m_plan.arguments[at].type;
  return m_source.program.resolved_type(parameter.type);
}

const SourceStruct* DraftTypes::defined(const std::string& type) const {
  if (model::parse_element_type(type)) return nullptr;
  const auto found = std::ranges::find(m_source.structs, type, &SourceStruct::name);
  return found == m_source.structs.end() ? nullptr : &*found;
}

const SourceStruct* DraftTypes::plain(const std::string& type, bool by_value) const {
  const SourceStruct* const one = defined(type);
  return one != nullptr && no_plain_struct(*one, by_value).empty() ? one : nullptr;
}

const SourceStruct* DraftTypes::struct_of(const SourceParameter& parameter) const {
  return plain(resolved(parameter), !parameter.pointer);
}

const SourceStruct* DraftTypes::struct_of(const GlobalVariable& variable) const {
  return plain(m_source.program.resolved_type(variable.type), false);
}

std::vector<const SourceStruct*> DraftTypes::structs_of(
    const std::function<bool(const SourceParameter&)>& counts) const {
  std::vector<const SourceStruct*> used;
  for (const SourceStruct& one : m_source.structs)
    if (std::ranges::any_of(m_source.kernel.parameters, [&](const SourceParameter& parameter) {
          return struct_of(parameter) == &one && counts(parameter);
        }))
      used.push_back(&one);
  return used;
}

std::string DraftTypes::spec_type(const std::string& type, bool pointer, const std::string& name) {
  if (m_plan.element_types.contains(type)) return "ELEMENT_TYPE";
  const std::string plain = type.starts_with("std::") ? type.substr(5) : type;
  if (const auto known = model::parse_element_type(spec_name(plain)))
    return std::string(model::cuda_name(*known));
  const SourceStruct* const one = defined(type);
  if (one == nullptr) {
    m_source.ask(
        fmt::format("{}: `{}` is no type that a spec has; [[arguments]] type has to be one of the same size",
                    name, type));
  } else if (const std::string beyond = no_plain_struct(*one, !pointer); !beyond.empty()) {
    m_source.ask(
        fmt::format("{}: `{}` of line {} has {}, which no [structs] has; [[arguments]] type has to be one of "
                    "the same size",
                    name, one->name, one->line, beyond));
  }
  return type;
}

std::string DraftTypes::doubt(const SourceParameter& parameter) const {
  if (!parameter.kind.empty()) return "  # ? it is " + parameter.kind;
  const SourceStruct* const one = defined(resolved(parameter));
  if (one == nullptr || struct_of(parameter) != nullptr) return {};
  return fmt::format("  # ? line {}: it has {}", one->line, no_plain_struct(*one, !parameter.pointer));
}

std::string DraftTypes::tables() const {
  std::string text;
  std::vector<const SourceStruct*> all = structs_of([](const SourceParameter&) { return true; });
  for (const DeviceVariable& used : m_source.device_variables())
    if (const SourceStruct* const one = struct_of(*used.variable); one && std::ranges::count(all, one) == 0)
      all.push_back(one);
  for (const SourceStruct* const one : all) {
    std::vector<std::string> fields;
    for (const SourceField& field : one->fields) fields.push_back(field_text(field));
    text += fmt::format("\n[structs.{}]  # line {}\nfields = {}\n", one->name, one->line, toml_list(fields));
    if (one->align > 0) text += fmt::format("align = {}\n", one->align);
  }
  return text;
}

}  // namespace config
