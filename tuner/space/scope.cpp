#include "tuner/space/scope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/space/lexer.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/space/parser.hpp"

namespace tuner::space {

std::string_view describe(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::Kind::size:
      return "a size";
    case Symbol::Kind::padding:
      return "the row padding";
    case Symbol::Kind::element:
      return "a property of the element type";
    case Symbol::Kind::limit:
      return "a device limit";
    case Symbol::Kind::parameter:
      return "a parameter";
    case Symbol::Kind::derived:
      return "a derived value";
    case Symbol::Kind::time:
      return "the measured time";
  }
  return "a name";
}

std::vector<std::string> words_of(const model::ParameterSpec& parameter) {
  std::vector<std::string> words;
  const auto take = [&](const model::Value& value) {
    if (!value.is_word()) return;
    const std::string word = value.text();
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  };
  for (const model::Value& value : parameter.values) take(value);
  if (parameter.when) take(parameter.otherwise);
  return words;
}

Scope::Scope(const model::KernelSpec& spec, std::vector<model::Diagnostic>& diagnostics) {
  using Kind = Symbol::Kind;
  const model::SourceLocation file{spec.path, 0, 0};
  int slot = static_cast<int>(spec.sizes.size()) + 3;
  m_sizes = static_cast<int>(spec.sizes.size());
  add("ELEMENT_BYTES", {Kind::element, element_slot()}, file, diagnostics);
  add("ELEMENT_IS_INTEGER", {Kind::element, element_slot() + 1}, file, diagnostics);
  m_symbols["ELEMENT_TYPE"] = {Kind::element, -1};  // a macro only; here so that nothing else takes the name
  m_symbols["time_ns"] = {Kind::time, -1};
  for (const LimitName& limit : limit_names()) {
    add(std::string(limit.name), {Kind::limit, slot++}, file, diagnostics);
  }
  for (int i = 0; i < m_sizes; ++i) {
    add(spec.sizes[static_cast<std::size_t>(i)], {Kind::size, i, i}, file, diagnostics);
  }
  if (!spec.row_padding.empty()) add(spec.row_padding, {Kind::padding, padding_slot()}, file, diagnostics);
  m_first_parameter = slot;
  int index = 0;
  for (const model::ParameterSpec& parameter : spec.parameters) {
    std::vector<std::string> words = words_of(parameter);
    const bool takes_words = !words.empty();
    add(parameter.name, {Kind::parameter, slot++, index++, takes_words, std::move(words)}, parameter.where,
        diagnostics);
  }
  m_first_derived = slot;
  index = 0;
  for (const model::NamedExpression& derived : spec.derived) {
    add(derived.name, {Kind::derived, slot++, index++}, derived.value.where, diagnostics);
  }
  m_slots = slot;
}

void Scope::add(const std::string& name, const Symbol& symbol, const model::SourceLocation& where,
                std::vector<model::Diagnostic>& diagnostics) {
  const std::string what(describe(symbol.kind));
  const std::vector<std::string_view>& functions = function_names();
  if (!is_identifier(name)) {
    diagnostics.push_back({where, fmt::format("`{}` cannot name {}", excerpt(name), what),
                           "names are letters, digits and underscores, and do not start with a digit"});
  } else if (std::find(functions.begin(), functions.end(), name) != functions.end()) {
    diagnostics.push_back(
        {where, fmt::format("`{}` names {}, but is a function of the expression language", name, what),
         "choose another name"});
  } else if (const auto [taken, fresh] = m_symbols.try_emplace(name, symbol); !fresh) {
    diagnostics.push_back(
        {where, fmt::format("`{}` names {}, but is already {}", name, what, describe(taken->second.kind)),
         "choose another name"});
  }
}

const Symbol* Scope::find(std::string_view name) const {
  const auto found = m_symbols.find(name);
  return found == m_symbols.end() ? nullptr : &found->second;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> all;
  for (const auto& [name, symbol] : m_symbols) all.push_back(name);
  return all;
}

std::string Scope::parameter_offering(std::string_view word) const {
  for (const auto& [name, symbol] : m_symbols) {
    if (std::find(symbol.words.begin(), symbol.words.end(), word) != symbol.words.end()) return name;
  }
  return "";
}

}  // namespace tuner::space
