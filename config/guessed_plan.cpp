#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/draft_plan.hpp"
#include "config/spec_reader.hpp"

namespace config {
namespace {

using tuner::source::OpenMacro;

/// What indices are below, as `n * m / 4`, with what `said` gives for its names; empty: that gives nothing.
template <class Said>
std::string of_sizes(const std::string& bound, const Said& said) {
  std::string text;
  const std::size_t by = bound.find(" / ");
  for (const Token& token : source::tokens_of(std::string_view(bound).substr(0, by))) {
    const std::string one = token.is_word() ? said(std::string(token.text)) : std::string(token.text);
    if (one.empty()) return {};
    text += token.is("*") || token.is("+") ? fmt::format(" {} ", token.text) : one;
  }
  return by == std::string::npos ? text : fmt::format("ceil_div({}, {})", text, bound.substr(by + 3));
}

/// Finds what a kernel's signature, its macros and its text suggest.
class PlanGuess {
 public:
  explicit PlanGuess(DraftSource& source) : m_source(source), m_types(source, m_plan) {}

  DraftPlan plan() {
    m_plan.is_guess = true;
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
    if (is_serial()) {
      m_plan.block = m_plan.grid = {"1"};
      m_plan.launch_from = "? one thread: it does not ask which it is";
      m_source.ask("which blocks and grids? The kernel does not ask for its thread: one is assumed");
      return std::move(m_plan);
    }
    const source::SourceAxis& along_x = m_source.axes[0];
    const auto is_for_block = [&](const DraftParameter& parameter) {
      return names_block(parameter.name) || factor(along_x.threads) == parameter.name ||
             std::ranges::any_of(along_x.factors,
                                 [&](const std::string& word) { return factor(word) == parameter.name; });
    };
    if (std::ranges::none_of(m_plan.parameters, is_for_block) && !fixed(along_x.threads)) add_block();
    guess_launch();
    return std::move(m_plan);
  }

 private:
  bool has_atomics() const {
    return std::ranges::any_of(
        m_source.words, [](std::string_view word) { return word.find("atomic") != std::string_view::npos; });
  }

  /// All threads would do the same, and nothing makes them work together.
  bool is_serial() const {
    constexpr std::array<std::string_view, 9> together = {"threadIdx", "blockIdx", "thread_rank",
                                                          "asm",       "wmma",     "cooperative_groups",
                                                          "cg",        "cub",      "__syncthreads"};
    return m_plan.parameters.empty() && !has_atomics() &&
           std::ranges::none_of(m_source.words, [&](std::string_view word) {
             return std::ranges::count(together, word) > 0 || word.starts_with("__shfl");
           });
  }

  void add_size(const std::string& name) {
    const bool is_known = std::ranges::count(m_plan.sizes, upper(name)) > 0;
    if (!is_known && m_plan.sizes.size() < most_sizes_of_a_kernel) m_plan.sizes.push_back(upper(name));
  }

  void add_block() {
    const char* const why = "threads of a block; the source does not name them, so all share one binary";
    std::vector<DraftParameter> named;
    if (m_source.axes[1].has_threads) {
      named.push_back({"BLOCK_X", {8, 16, 32, 64}, why});
      named.push_back({"BLOCK_Y", {1, 2, 4, 8, 16}, "the same along y"});
      if (m_source.axes[2].has_threads) named.push_back({"BLOCK_Z", {1, 2, 4}, "the same along z"});
    } else {
      named.push_back({"BLOCK_SIZE", {64, 128, 256, 512, 1024}, why});
    }
    for (DraftParameter& one : named) one.is_runtime = true;
    m_plan.parameters.insert(m_plan.parameters.begin(), named.begin(), named.end());
  }

  /// Threads along an axis that nothing is said of, where those along x are known.
  std::string add_side(std::size_t axis) {
    const std::string name = fmt::format("BLOCK_{}", "XYZ"[axis]);
    m_plan.parameters.push_back({.name = name,
                                 .values = {1, 2, 4, 8, 16},
                                 .why = fmt::format("threads of a block along {}", "xyz"[axis]),
                                 .is_runtime = true});
    return name;
  }

  /// The sizes that run along x, y and z: what bounds the index there; else of what is written by rows
  /// and columns the columns along x; else what no other axis has and no loop ends at, rows first. Which of
  /// several is a doubt, unless one is called as what a block is for.
  std::vector<std::string> sizes_along(std::size_t axes) {
    const source::IndexBounds bounds = source::index_bounds(m_source.program, m_source.kernel);
    for (const std::string& one : bounds.along) keep_division(one);
    for (const std::string& one : bounds.of_loops) keep_division(one);
    std::vector<std::string> found(axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto take = [&](const std::string& name) {
        const std::string size = of_sizes(name, [&](const std::string& one) {
          const bool is_size = std::ranges::count(m_plan.sizes, upper(one)) > 0;
          return is_size && !is_length(upper(one), axis) ? upper(one) : "";
        });
        if (found[axis].empty()) found[axis] = size;
      };
      take(bounds.along[axis]);
      for (std::size_t i = 0; i < m_source.shapes.size(); ++i) {
        const std::vector<std::string>& shape = m_source.shapes[i];
        const bool is_of_plane = axes > 1 && shape.size() > std::max<std::size_t>(axis, 1);
        if (is_of_plane && m_source.uses[i].written) take(shape[shape.size() - 1 - axis]);
      }
    }
    for (std::size_t axis = axes; axis-- > 0;) {
      if (!found[axis].empty()) continue;
      const std::string& own_name = m_source.axes[axis].name;
      const auto rank = [&](const std::string& size) {
        if (is_length(size, axis) || std::ranges::count(found, size) > 0) return 12;
        const std::size_t own = axes > 1 ? axis_of(size) : 3;
        const bool is_called_so = !own_name.empty() && size.starts_with(upper(own_name));
        const bool is_of_loop =
            std::ranges::any_of(bounds.of_loops, [&](const std::string& one) { return upper(one) == size; });
        return (own == axis ? 0 : own == 3 ? 4 : 8) + (is_called_so ? 0 : 2) + (is_of_loop ? 1 : 0);
      };
      const std::string& best = *std::ranges::min_element(m_plan.sizes, {}, rank);
      for (const std::string& size : m_plan.sizes)
        if (size != best && rank(size) == rank(best) && rank(size) < 12)
          m_plan.doubts["grid"] = fmt::format("? {}, or is it {}?", best, size);
      found[axis] = best;
    }
    return found;
  }

  /// What ends at `n / 4` leaves a rest of others out.
  void keep_division(const std::string& bound) {
    const std::size_t by = bound.find(" / ");
    if (by == std::string::npos || bound.find('*') < by) return;
    const std::string size = upper(bound.substr(0, by));
    if (std::ranges::count(m_plan.sizes, size) > 0)
      m_plan.add_constraint(fmt::format("{} % {} == 0", size, bound.substr(by + 3)));
  }

  /// The size is how far apart what the blocks along the axis are for lies.
  bool is_length(const std::string& size, std::size_t axis) const {
    const auto is_it = [&](const std::string& one) { return upper(one) == size; };
    return std::ranges::any_of(m_source.axes[axis].factors, is_it) ||
           std::ranges::any_of(m_source.shapes, [&](const std::vector<std::string>& shape) {
             const auto at = std::ranges::find(shape, std::string("gridDim.") + "xyz"[axis]);
             return std::any_of(at, shape.end(), is_it);
           });
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
    m_plan.parameters.push_back(
        {macro.name, m_source.guessed_values(macro.name, macro.usual), why, is_number ? macro.usual : ""});
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
    m_plan.parameters.push_back({name, m_source.guessed_values(parameter.name, "", parameter.type == "bool"),
                                 fmt::format("template parameter {} {}", parameter.type, parameter.name)});
  }

  /// A number or constant of the source, which no parameter is.
  std::optional<std::int64_t> fixed(const std::string& text) const {
    if (text.empty() || m_plan.has_parameter(text)) return std::nullopt;
    if (const auto literal = number(text)) return literal;
    const auto* const macro = m_source.program.macro(text);
    const auto* const variable = m_source.program.variable(text);
    if (macro == nullptr && (variable == nullptr || !variable->constant)) return std::nullopt;
    const Value value = m_source.host.evaluate(macro != nullptr ? macro->tokens : variable->init, {});
    if (value.kind != Value::Kind::number) return std::nullopt;
    return value.number;
  }

  /// A number or a parameter that the source has as a factor; else empty.
  std::string factor(const std::string& word) const {
    if (const auto constant = fixed(word)) return std::to_string(*constant);
    for (const TemplateParameter& parameter : m_source.kernel.template_parameters)
      if (parameter.name == word && m_plan.has_parameter(macro_of(parameter))) return macro_of(parameter);
    return m_plan.has_parameter(word) ? word : "";
  }

  /// What a block covers along an axis: what the source multiplies the block's index with, or else its
  /// threads.
  std::string covered(const source::SourceAxis& axis, const std::string& threads) const {
    const auto is_size = [&](const std::string& word) {
      return std::ranges::count(m_plan.sizes, upper(word)) > 0;
    };
    // A row is far from the next one in one buffer, whatever it is in another.
    if (!axis.name.empty() && axis.threads.empty() && std::ranges::any_of(axis.lone, is_size)) return "";
    for (const std::string& word : axis.factors) {
      if (const std::string known = factor(word); !known.empty()) return known;
      const std::size_t other =
          word.starts_with("blockDim.") ? static_cast<std::size_t>(word.back() - 'x') : 3;
      if (other < m_plan.block.size()) return m_plan.block[other];
    }
    const bool is_for_rows = std::ranges::all_of(axis.factors, is_size);
    return is_for_rows && (!axis.name.empty() || !axis.factors.empty()) ? "" : threads;
  }

  std::string blocks(const source::SourceAxis& axis, const std::string& threads,
                     const std::string& size) const {
    const std::string covers = covered(axis, threads);
    if (covers.empty()) return size;
    const std::string each = factor(axis.each);
    return fmt::format("ceil_div({}, {})", size, each.empty() ? covers : covers + " * " + each);
  }

  void guess_launch() {
    const auto& axes = m_source.axes;
    std::size_t used = 1;
    std::size_t with_threads = 1;
    for (std::size_t axis = 1; axis < axes.size(); ++axis) {
      if (axes[axis].has_threads) with_threads = axis + 1;
      if (axes[axis].has_threads || axes[axis].has_blocks) used = axis + 1;
    }
    std::vector<std::string>& block = m_plan.block;
    for (const DraftParameter& parameter : m_plan.parameters)
      if (names_block(parameter.name) && block.size() < with_threads) block.push_back(parameter.name);
    const std::vector<std::string> sizes = sizes_along(used);
    for (std::size_t axis = 0; axis < used; ++axis) {
      const std::string& threads = axes[axis].threads;
      if (const auto constant = fixed(threads)) {
        block.resize(std::max(block.size(), axis + 1));
        block[axis] = std::to_string(*constant);
        if (!number(threads))
          m_plan.notes.push_back(fmt::format("{} is {} in the source", threads, *constant));
      } else if (const std::string known = factor(threads); !known.empty()) {
        block.resize(std::max(block.size(), axis + 1));
        block[axis] = known;
      }
      if (axis >= with_threads || axis < block.size()) continue;
      const std::string covers = covered(axes[axis], "");
      const bool is_free = covers.empty() && axis > 0 && m_source.asks_for_block();
      block.push_back(is_free ? add_side(axis) : covers.empty() && !block.empty() ? block.front() : covers);
    }
    for (std::size_t axis = 0; axis < used; ++axis) {
      // Blocks that do not ask which they are may share work by atomics.
      const bool is_alone =
          !axes[axis].has_blocks && (axis > 0 || !(m_source.words.contains("blockIdx") || has_atomics()));
      const std::string threads = axis < with_threads ? block[axis] : "";
      m_plan.grid.push_back(is_alone ? "1" : blocks(axes[axis], threads, sizes[axis]));
    }
    std::erase_if(m_plan.parameters, [&](const DraftParameter& one) {
      const auto has_it = [&](const std::string& text) { return mentions(text, one.name); };
      return one.is_runtime && std::ranges::none_of(block, has_it) &&
             std::ranges::none_of(m_plan.grid, has_it);
    });
    const bool is_by_rows = used == 1 && std::ranges::count(m_plan.sizes, m_plan.grid.front()) > 0;
    const char* const each = is_by_rows ? "one block a row" : "one thread an element";
    m_plan.launch_from = fmt::format("? {}", each);
    m_source.ask(fmt::format("which blocks and grids? The source has no launch: {} is assumed", each));
  }

  DraftSource& m_source;
  DraftPlan m_plan;
  DraftTypes m_types;
};

}  // namespace

DraftPlan guess_plan(DraftSource& source) {
  return PlanGuess(source).plan();
}

DraftPlan plan_by_source(DraftSource& source) {
  return source.is_launched() ? plan_launch(source) : guess_plan(source);
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
  if (number(name)) return name;
  if (name.find(' ') != std::string::npos)
    return of_sizes(name, [&](const std::string& one) { return dimension(draft, plan, one); });
  std::string text;
  const auto place_of = [&](const auto& all, auto member) {
    return static_cast<std::size_t>(std::ranges::find(all, name, member) - all.begin());
  };
  const std::size_t place = place_of(draft.kernel.parameters, &SourceParameter::name);
  const std::size_t own = place_of(draft.kernel.template_parameters, &TemplateParameter::name);
  if (own < plan.template_arguments.size()) {
    const std::string& given = plan.template_arguments[own];
    return number(given) || plan.has_parameter(given) ? given : "";
  }
  if (name.starts_with("gridDim.")) {
    const auto axis = static_cast<std::size_t>(name.back() - 'x');
    if (axis < plan.grid.size()) text = plan.grid[axis];
  } else if (place < plan.arguments.size()) {
    text = plan.arguments[place].value;
  } else if (std::ranges::count(plan.sizes, upper(name)) > 0) {
    text = upper(name);
  }
  const auto tokens = source::tokens_of(text);
  const bool is_over_sizes = std::ranges::all_of(tokens, [&](const Token& token) {
    return !token.is_word() || std::ranges::count(plan.sizes, token.text) > 0 ||
           source::is_one_of(token.text, {"ceil_div", "round_up", "min", "max"});
  });
  return is_over_sizes && text != "?" ? text : "";
}

std::vector<std::string> indexed_extent(DraftSource& draft, const DraftPlan& plan, std::size_t argument) {
  std::vector<std::string> extent;
  for (const std::string& name : draft.shapes[argument]) {
    extent.push_back(dimension(draft, plan, name));
    if (extent.back().empty()) return {};
  }
  const SourceParameter& parameter = draft.kernel.parameters[argument];
  if (extent.empty() || parameter.kind != "a pointer to arrays") return extent;
  const std::vector<Token> rows = source::row_extents(parameter);
  for (std::size_t open = 0; open < rows.size(); open = source::behind_bracket(rows, open)) {
    const auto length = draft.fixed_number(source::inside_bracket(rows, open));
    if (!length) return {};
    extent.push_back(std::to_string(*length));
  }
  return extent;
}

}  // namespace config
