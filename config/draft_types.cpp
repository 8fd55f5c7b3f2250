#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "config/draft_plan.hpp"
#include "config/source_guesses.hpp"
#include "tuner/model/element_type.hpp"

namespace config {

using tuner::source::SourceField;
using tuner::source::SourceParameter;
using tuner::source::SourceStruct;

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

std::string toml_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
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
  if (tuner::model::parse_element_type(type)) return nullptr;
  const auto found = std::ranges::find(m_source.structs, type, &SourceStruct::name);
  return found == m_source.structs.end() ? nullptr : &*found;
}

const SourceStruct* DraftTypes::struct_of(const SourceParameter& parameter) const {
  const SourceStruct* const one = defined(resolved(parameter));
  return one != nullptr && no_plain_struct(*one, !parameter.pointer).empty() ? one : nullptr;
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
  if (const auto known = tuner::model::parse_element_type(spec_name(plain)))
    return std::string(tuner::model::cuda_name(*known));
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
  const SourceStruct* const one = defined(resolved(parameter));
  if (one == nullptr || struct_of(parameter) != nullptr) return {};
  return fmt::format("  # ? line {}: it has {}", one->line, no_plain_struct(*one, !parameter.pointer));
}

std::string DraftTypes::tables() const {
  std::string text;
  for (const SourceStruct* const one : structs_of([](const SourceParameter&) { return true; })) {
    std::vector<std::string> fields;
    for (const SourceField& field : one->fields) fields.push_back(field_text(field));
    text += fmt::format("\n[structs.{}]  # line {}\nfields = {}\n", one->name, one->line, toml_list(fields));
    if (one->align > 0) text += fmt::format("align = {}\n", one->align);
  }
  return text;
}

}  // namespace config
