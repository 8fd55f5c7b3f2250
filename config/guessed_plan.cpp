#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/draft_plan.hpp"
#include "config/source_guesses.hpp"

namespace config {
namespace {

using tuner::source::OpenMacro;

/// Finds what a kernel's signature, its macros and its text suggest.
class PlanGuess {
 public:
  explicit PlanGuess(DraftSource& source) : m_source(source), m_types(source, m_plan) {}

  DraftPlan plan() {
    m_plan.is_guess = true;
    m_plan.launch_from = "? one thread an element";
    for (const SourceParameter& parameter : m_source.kernel.parameters) {
      if (parameter.pointer) continue;
      if (m_source.may_be_size(parameter, m_source.program.resolved_type(parameter.type)))
        add_size(parameter.name);
      if (const SourceStruct* const one = m_types.struct_of(parameter))
        for (const SourceField& field : one->fields)
          if (is_scalar_size(field)) add_size(field.name);
    }
    if (m_plan.sizes.empty()) {
      m_plan.sizes.emplace_back("N");
      m_source.ask("how large is the problem? No integer argument says so: sizes is a guess");
    }
    for (const OpenMacro& macro : m_source.macros)
      if (is_of_kernel(macro)) add_macro(macro);
    for (const TemplateParameter& parameter : m_source.kernel.template_parameters)
      add_template_parameter(parameter);
    const auto is_for_block = [&](const DraftParameter& parameter) {
      return names_block(parameter.name) || parameter.name == m_source.text.block_covers[0];
    };
    if (std::ranges::none_of(m_plan.parameters, is_for_block) && !fixed(m_source.text.block_threads[0])) {
      m_plan.parameters.insert(
          m_plan.parameters.begin(),
          {"BLOCK_SIZE", "{ values = [64, 128, 256, 512, 1024], runtime = true }",
           "threads of a block; the source does not name them, so all share one binary", ""});
    }
    guess_launch();
    return std::move(m_plan);
  }

 private:
  void add_size(const std::string& name) {
    if (std::ranges::find(m_plan.sizes, upper(name)) == m_plan.sizes.end())
      m_plan.sizes.push_back(upper(name));
  }

  /// A macro that the kernel or what it calls has, or a condition inside of them.
  bool is_of_kernel(const OpenMacro& macro) const {
    const bool is_local = m_source.program.enumerator(macro.name) != nullptr ||
                          m_source.program.variable(macro.name) != nullptr ||
                          m_source.program.class_named(macro.name) != nullptr;
    if (is_local) return false;
    if (m_source.words_with_macros.contains(macro.name)) return true;
    return macro.in_condition && std::ranges::any_of(m_source.reached, [&](const ProgramFunction* function) {
             return macro.line >= function->line && macro.line <= function->body.back().line;
           });
  }

  void add_macro(const OpenMacro& macro) {
    const auto* const known = m_source.program.macro(macro.name);
    const std::string why = known != nullptr && known->line == 0 ? "given by the build"
                            : macro.usual.empty()
                                ? fmt::format("used in line {} and not defined", macro.line)
                                : fmt::format("line {}: {} by default", macro.line, macro.usual);
    const bool is_number = number(macro.usual).has_value();
    m_plan.parameters.push_back({macro.name, guessed_values(macro.name, macro.usual, macro.in_condition), why,
                                 is_number ? macro.usual : ""});
    if (!macro.usual.empty() && !is_number)
      m_source.ask(
          fmt::format("{}: it is `{}` by default; which values make sense?", macro.name, macro.usual));
  }

  void add_template_parameter(const TemplateParameter& parameter) {
    if (parameter.type == "typename") {
      m_plan.template_arguments.emplace_back("ELEMENT_TYPE");
      m_plan.element_types.insert(parameter.name);
      m_source.ask(fmt::format("which types may {} be? [kernel] types lists them", parameter.name));
      return;
    }
    const std::string name = macro_of(parameter);
    m_plan.template_arguments.push_back(name);
    m_plan.parameters.push_back(
        {name, parameter.type == "bool" ? "[0, 1]" : guessed_values(parameter.name, "", false),
         fmt::format("template parameter {} {}", parameter.type, parameter.name), ""});
  }

  /// A number or constant of the source, which no parameter is.
  std::optional<std::int64_t> fixed(const std::string& text) const {
    const auto is_it = [&](const DraftParameter& one) { return one.name == text; };
    if (text.empty() || std::ranges::any_of(m_plan.parameters, is_it)) return std::nullopt;
    if (const auto literal = number(text)) return literal;
    const auto* const macro = m_source.program.macro(text);
    const auto* const variable = m_source.program.variable(text);
    if (macro == nullptr && (variable == nullptr || !variable->constant)) return std::nullopt;
    const Value value = m_source.host.evaluate(macro != nullptr ? macro->tokens : variable->init, {});
    if (value.kind != Value::Kind::number) return std::nullopt;
    return value.number;
  }

  /// What a block covers along x or y: what the source multiplies the block's index with, or else the threads
  /// of the block.
  std::string covered(std::size_t axis, const std::string& threads) const {
    const std::string& covers = m_source.text.block_covers[axis];
    if (const auto constant = fixed(covers)) return std::to_string(*constant);
    return std::ranges::count(m_plan.parameters, covers, &DraftParameter::name) > 0 ? covers : threads;
  }

  void guess_launch() {
    const bool is_plane = m_source.text.uses_block_y;
    std::vector<std::string>& block = m_plan.block;
    for (const DraftParameter& parameter : m_plan.parameters)
      if (names_block(parameter.name) && block.size() < (is_plane ? 2U : 1U)) block.push_back(parameter.name);
    for (std::size_t axis = 0; axis < (is_plane ? 2U : 1U); ++axis) {
      const std::string& threads = m_source.text.block_threads[axis];
      if (const auto constant = fixed(threads)) {
        block.resize(std::max(block.size(), axis + 1));
        block[axis] = std::to_string(*constant);
        if (!number(threads))
          m_plan.notes.push_back(fmt::format("{} is {} in the source", threads, *constant));
      }
      if (block.size() <= axis) block.push_back(covered(axis, block.empty() ? "" : block.front()));
      // Rows first: the second size runs along x.
      const std::size_t size = is_plane && m_plan.sizes.size() > 1 ? 1 - axis : 0;
      m_plan.grid.push_back(fmt::format("ceil_div({}, {})", m_plan.sizes[size], covered(axis, block[axis])));
    }
    m_source.ask("which blocks and grids? The source has no launch: one thread an element is assumed");
  }

  DraftSource& m_source;
  DraftPlan m_plan;
  DraftTypes m_types;
};

}  // namespace

DraftPlan guess_plan(DraftSource& source) {
  return PlanGuess(source).plan();
}

std::vector<std::string> guessed_extent(DraftSource& source, const DraftPlan& plan) {
  static const std::string question =
      "how many elements has each buffer? A guess that is too small is told as out of bounds";
  if (!source.is_launched() && plan.sizes.size() > 1 && std::ranges::count(source.questions, question) == 0)
    source.ask(question);
  std::vector<std::string> extent(
      plan.sizes.begin(),
      plan.sizes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, plan.sizes.size())));
  if (extent.empty()) extent.emplace_back("1024");
  return extent;
}

/// A dimension of indexed_shapes() over the plan's sizes; empty: it is none.
static std::string dimension(const DraftSource& draft, const DraftPlan& plan, const std::string& name) {
  std::string text;
  if (name.starts_with("gridDim.")) {
    const auto axis = static_cast<std::size_t>(name.back() - 'x');
    if (axis < plan.grid.size()) text = plan.grid[axis];
    return std::ranges::count(plan.sizes, text) > 0 ? text : "";
  }
  if (number(name)) return name;
  const auto& of_template = draft.kernel.template_parameters;
  const auto own = std::ranges::find(of_template, name, &TemplateParameter::name) - of_template.begin();
  if (static_cast<std::size_t>(own) < plan.template_arguments.size())
    return plan.template_arguments[static_cast<std::size_t>(own)];
  const auto& parameters = draft.kernel.parameters;
  const auto at = std::ranges::find(parameters, name, &SourceParameter::name) - parameters.begin();
  const auto place = static_cast<std::size_t>(at);
  if (place < plan.arguments.size())
    text = plan.arguments[place].value;
  else if (std::ranges::count(plan.sizes, upper(name)) > 0)
    text = upper(name);
  const auto tokens = source::tokens_of(text);
  const bool is_over_sizes = std::ranges::all_of(tokens, [&](const Token& token) {
    return !token.is_word() || std::ranges::count(plan.sizes, token.text) > 0 ||
           source::is_one_of(token.text, {"ceil_div", "round_up", "min", "max"});
  });
  return is_over_sizes && text != "?" ? text : "";
}

std::vector<std::string> indexed_extent(const DraftSource& source, const DraftPlan& plan,
                                        std::size_t argument) {
  std::vector<std::string> extent;
  for (const std::string& name : source.shapes[argument]) {
    extent.push_back(dimension(source, plan, name));
    if (extent.back().empty()) return {};
  }
  return extent;
}

}  // namespace config
