#include "tuner/space/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "tuner/model/error.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/expression.hpp"

namespace tuner::space {

std::vector<model::Diagnostic> validate(const model::KernelSpec& spec) {
  std::vector<model::Diagnostic> diagnostics;
  compile_spec(spec, diagnostics);
  return diagnostics;
}

namespace {

std::string offered_types(const model::KernelSpec& spec) {
  std::vector<std::string_view> names;
  for (const model::ElementType type : spec.types) names.push_back(model::cuda_name(type));
  return fmt::format("kernel `{}` offers {}", spec.name, fmt::join(names, ", "));
}

}  // namespace

model::Problem make_problem(const model::KernelSpec& spec, const std::vector<std::int64_t>& sizes,
                            std::optional<model::ElementType> type, std::int64_t row_padding) {
  if (sizes.size() != 1 && sizes.size() != spec.sizes.size()) {
    throw model::UsageError(
        fmt::format("{} numbers for the size of kernel `{}`", sizes.size(), spec.name),
        spec.sizes.size() == 1
            ? "give one number"
            : fmt::format("give one number, or {}: {}", spec.sizes.size(), fmt::join(spec.sizes, " x ")));
  }
  model::Problem problem;
  problem.family = spec.family;
  for (std::size_t i = 0; i < spec.sizes.size(); ++i) {
    const std::int64_t value = sizes.size() == 1 ? sizes[0] : sizes[i];
    if (value < 1) {
      throw model::UsageError(fmt::format("size {} = {}", spec.sizes[i], value), "sizes start at 1");
    }
    problem.sizes.push_back({spec.sizes[i], value});
  }
  if (type && std::ranges::count(spec.types, *type) == 0) {
    throw model::UsageError(
        fmt::format("kernel `{}` has no version for {}", spec.name, model::cuda_name(*type)),
        offered_types(spec));
  }
  problem.type = type ? *type : spec.types.front();
  if (row_padding < 0) throw model::UsageError(fmt::format("row padding {} is negative", row_padding));
  if (row_padding > 0 && spec.row_padding.empty()) {
    throw model::UsageError(
        fmt::format("kernel `{}` has no padded rows, but {} was asked for", spec.name, row_padding),
        "leave --pad out, or give the spec a row_padding name");
  }
  problem.row_padding = row_padding;
  return problem;
}

namespace {

[[noreturn]] void refuse(const std::string& text, const ExpressionError& error) {
  throw model::UsageError(fmt::format("{} at column {} of `{}`", error.message, error.column, text),
                          error.hint);
}

Syntax parsed(const std::string& text) {
  std::variant<Syntax, ExpressionError> syntax = parse(text);
  if (const auto* error = std::get_if<ExpressionError>(&syntax)) refuse(text, *error);
  return std::move(std::get<Syntax>(syntax));
}

/// The names as the parameters of a kernel that has nothing else.
model::KernelSpec spec_of(const std::vector<ConditionName>& names) {
  model::KernelSpec spec;
  for (const ConditionName& name : names) {
    const bool is_new = std::ranges::none_of(
        spec.parameters, [&](const auto& parameter) { return parameter.name == name.name; });
    if (!is_new) continue;
    model::ParameterSpec& parameter = spec.parameters.emplace_back();
    parameter.name = name.name;
    for (const std::string& word : name.words) parameter.values.emplace_back(word);
  }
  return spec;
}

bool mentions(const Syntax& syntax, int node, const std::vector<std::string>& names) {
  if (node < 0) return false;
  const Node& one = syntax.nodes[static_cast<std::size_t>(node)];
  if (one.kind == Node::Kind::name && std::ranges::count(names, one.text) > 0) return true;
  return mentions(syntax, one.a, names) || mentions(syntax, one.b, names) || mentions(syntax, one.c, names);
}

/// Puts 0 in the place of each operand of && and || that has one of `names`.
void leave_out(Syntax& syntax, int node, const std::vector<std::string>& names) {
  if (!mentions(syntax, node, names)) return;
  Node& one = syntax.nodes[static_cast<std::size_t>(node)];
  if (one.kind != Node::Kind::logical_and && one.kind != Node::Kind::logical_or) {
    one = {.offset = one.offset};
    return;
  }
  leave_out(syntax, one.a, names);
  leave_out(syntax, one.b, names);
}

}  // namespace

struct NamedCondition::Compiled {
  Program program;
  std::vector<int> slots;  ///< of each name; -1: an earlier one has it
  Slots zeros;
};

NamedCondition::NamedCondition(std::string text, const std::vector<ConditionName>& names,
                               const std::vector<std::string>& absent)
    : m_compiled(std::make_unique<Compiled>()) {
  std::vector<model::Diagnostic> clashes;  // with the language's own names, which then keep their meaning
  const Scope scope(spec_of(names), clashes);
  Syntax syntax = parsed(text);
  leave_out(syntax, syntax.root, absent);
  std::variant<Program, ExpressionError> program = generate(syntax, syntax.root, scope, {.limits = false});
  if (const auto* error = std::get_if<ExpressionError>(&program)) refuse(text, *error);
  m_compiled->program = std::move(std::get<Program>(program));
  m_compiled->zeros = scope.zeros();
  for (const ConditionName& name : names) {
    const Symbol* symbol = scope.find(name.name);
    const int slot = symbol != nullptr && symbol->kind == Symbol::Kind::parameter ? symbol->slot : -1;
    const bool taken = std::ranges::count(m_compiled->slots, slot) > 0;
    m_compiled->slots.push_back(taken ? -1 : slot);
  }
}

NamedCondition::NamedCondition(NamedCondition&&) noexcept = default;
NamedCondition& NamedCondition::operator=(NamedCondition&&) noexcept = default;
NamedCondition::~NamedCondition() = default;

std::optional<std::int64_t> NamedCondition::value(const std::vector<model::Value>& values) const {
  Slots slots = m_compiled->zeros;
  for (std::size_t i = 0; i < m_compiled->slots.size(); ++i) {
    if (m_compiled->slots[i] >= 0)
      slots.values[static_cast<std::size_t>(m_compiled->slots[i])] = values.at(i).code();
  }
  const Evaluated<std::int64_t> result = evaluate(m_compiled->program, slots);
  return result.fault == Fault::none ? std::optional(result.value) : std::nullopt;
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::pair<int, std::string>> found;  // offset, name
  for (const Node& node : parsed(text).nodes) {
    const auto& functions = function_names();
    const bool is_function = std::ranges::count(functions, node.text) > 0;
    if (node.kind == Node::Kind::name && !is_function) found.emplace_back(node.offset, node.text);
  }
  std::ranges::sort(found);
  std::vector<std::string> names;
  for (auto& [offset, name] : found) {
    if (std::ranges::count(names, name) == 0) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace tuner::space
