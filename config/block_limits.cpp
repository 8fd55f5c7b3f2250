#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "config/draft_plan.hpp"

namespace config {
namespace {

using Threads = std::array<std::int64_t, 3>;

/// The most threads of a block that the kernel is compiled for: a number or a parameter; empty: not known.
std::string launch_bound(const DraftSource& source, const DraftPlan& plan) {
  const Tokens before = source.kernel.before;
  for (std::size_t i = 0; i + 2 < before.size(); ++i) {
    if (!before[i].is("__launch_bounds__")) continue;
    const auto first = source::parts(before.subspan(i + 2)).front();
    std::string bound(first.front().text);
    if (const auto* const macro = source.program.macro(bound);
        macro != nullptr && macro->tokens.size() == 1 && !plan.has_parameter(bound))
      bound = macro->tokens.front().text;
    const bool is_one = first.size() == 1 || first[1].is(")");
    return is_one && (config::number(bound) || plan.has_parameter(bound)) ? bound : "";
  }
  return "";
}

/// Arrays in shared memory that threads index by what they are in their block.
class SharedArrays {
 public:
  explicit SharedArrays(DraftSource& source) : m_host(source.host) {
    for (const ProgramFunction* const function : source.reached)
      for (const source::LocalVariable& variable : m_host.variables_of(*function).variables)
        if (source::find_one_of(variable.type, {"__shared__"}) < variable.type.size())
          note(*function, variable);
  }

  /// Whether the last thread of such a block stays inside of all of them.
  bool fit(const Threads& block) const {
    return std::ranges::all_of(m_uses, [&](const Use& use) {
      const Value index = source::replaced(use.index, [&](const std::string& symbol) {
        const std::string& name = m_host.facts(symbol).name;
        const auto axis = name.empty() ? 0 : static_cast<std::size_t>(name.back() - 'x');
        const std::int64_t value = name.starts_with("threadIdx.")  ? block[axis] - 1
                                   : name.starts_with("blockDim.") ? block[axis]
                                                                   : present(symbol);
        return std::optional(source::number_value(value));
      });
      return index.kind != Value::Kind::number || index.number < use.extent;
    });
  }

  std::vector<std::int64_t> extents() const {
    std::vector<std::int64_t> all;
    for (const Use& use : m_uses) all.push_back(use.extent);
    return all;
  }

 private:
  struct Use {
    Value index;
    std::int64_t extent;
  };

  std::int64_t present(const std::string& symbol) const {
    const SymbolFacts& facts = m_host.facts(symbol);
    return facts.constant ? facts.present.value_or(0) : 0;
  }

  bool has(const Value& value, std::string_view variable) const {
    return std::ranges::any_of(source::symbols_of(value), [&](const std::string& symbol) {
      return m_host.facts(symbol).name.starts_with(variable);
    });
  }

  void note(const ProgramFunction& function, const source::LocalVariable& array) {
    const Tokens body = function.body;
    for (std::size_t i = array.position + 1 - function.begin; i + 1 < body.size(); ++i) {
      if (!body[i].is(array.name) || !body[i + 1].is("[")) continue;
      const Frame here{&function, function.begin + i, nullptr, {}, {}};
      if (m_host.local(array.name, here) != &array || is_guarded(body, i, here)) continue;
      std::size_t open = i + 1;
      for (const Tokens text : array.extents) {
        if (open >= body.size() || !body[open].is("[")) break;
        const Value extent = source::replaced(m_host.evaluate(text, here), [&](const std::string& symbol) {
          const SymbolFacts& facts = m_host.facts(symbol);
          const bool is_fixed = facts.constant && facts.present && !facts.guarded;
          return is_fixed ? std::optional(source::number_value(*facts.present)) : std::nullopt;
        });
        const Value index = m_host.evaluate(source::inside_bracket(body, open), here);
        if (extent.kind == Value::Kind::number && has(index, "threadIdx."))
          m_uses.push_back({index, extent.number});
        open = source::behind_bracket(body, open);
      }
    }
  }

  /// Whether a condition around it, or one above that leaves, asks which thread of its block it is.
  bool is_guarded(Tokens body, std::size_t at, const Frame& here) {
    std::size_t statement = at;
    while (statement > 0 && !source::is_one_of(body[statement - 1].text, {";", "{", "}"})) --statement;
    const Tokens before = body.subspan(statement, at - statement);
    if (source::find_one_of(before, {"?", "&"}) < before.size()) return true;
    for (std::size_t i = 0; i + 1 < at; ++i) {
      if (!source::is_one_of(body[i].text, {"if", "for", "while"}) || !body[i + 1].is("(")) continue;
      const std::size_t behind = source::behind_bracket(body, i + 1);
      std::size_t first = behind;
      while (first < body.size() && body[first].is("{")) ++first;
      const bool leaves =
          first < body.size() && source::is_one_of(body[first].text, {"return", "continue", "break"});
      if ((leaves || at < source::behind_statement(body, behind)) &&
          asks_for_thread(source::inside_bracket(body, i + 1), here))
        return true;
    }
    return false;
  }

  bool asks_for_thread(Tokens condition, const Frame& here) {
    const bool asks_for_block = source::find_one_of(condition, {"blockIdx"}) < condition.size();
    return std::ranges::any_of(condition, [&](const Token& word) {
      if (!word.is_word()) return false;
      if (word.is("threadIdx")) return !asks_for_block;
      if (m_host.local(word.text, here) == nullptr) return false;
      const Value value = m_host.evaluate({&word, 1}, here);
      return has(value, "threadIdx.") && !has(value, "blockIdx.");
    });
  }

  source::HostCode& m_host;
  std::vector<Use> m_uses;
};

class BlockLimits {
 public:
  BlockLimits(DraftSource& source, DraftPlan& plan)
      : m_plan(plan), m_bound(launch_bound(source, plan)), m_arrays(source) {}

  void keep() {
    keep_bound();
    for (DraftParameter& one : m_plan.parameters) keep_arrays(one);
    keep_arrays_together();
  }

 private:
  /// Blocks beyond `__launch_bounds__` cannot be launched.
  void keep_bound() {
    const std::string block = fmt::format("{}", fmt::join(m_plan.block, " * "));
    if (m_bound.empty() || block == m_bound || block.find('?') != std::string::npos) return;
    DraftParameter* const lone = m_plan.parameter(block);
    if (lone != nullptr && config::number(m_bound))
      lone->keep_up_to(*config::number(m_bound));
    else if (std::ranges::any_of(m_plan.block, [](const std::string& one) { return !config::number(one); }))
      m_plan.constraints.push_back(fmt::format("{} <= {}", block, m_bound));
  }

  /// The block where the parameters have these values, as far as it says so itself.
  Threads block(const std::map<std::string, std::int64_t>& values) const {
    Threads block = {1, 1, 1};
    for (std::size_t axis = 0; axis < m_plan.block.size(); ++axis) {
      const auto given = values.find(m_plan.block[axis]);
      block[axis] = given != values.end() ? given->second : config::number(m_plan.block[axis]).value_or(1);
    }
    return block;
  }

  /// Threads beyond an array would write past its end. What the program launches fits, whatever its text
  /// says.
  void keep_arrays(DraftParameter& one) {
    if (std::ranges::count(m_plan.block, one.name) == 0) return;
    const auto fits = [&](std::int64_t value) { return m_arrays.fit(block({{one.name, value}})); };
    if (const auto usual = config::number(one.usual); usual && !fits(*usual)) return;
    std::int64_t most = 1024;
    while (most > 1 && !fits(most)) most /= 2;
    if (most == 1024) return;
    most = std::max(most, config::number(one.usual).value_or(0));
    one.keep_up_to(most);
  }

  /// Of threads that are numbered over two axes.
  void keep_arrays_together() {
    if (m_plan.block.size() != 2 || !m_plan.has_parameter(m_plan.block[0]) ||
        !m_plan.has_parameter(m_plan.block[1]))
      return;
    for (const std::int64_t extent : m_arrays.extents()) {
      const auto side = [&](std::int64_t x, std::int64_t y) { return m_arrays.fit({x, y, 1}); };
      const bool is_product =
          side(extent, 1) && side(1, extent) && side(2, extent / 2) && !side(extent, 2) && !side(2, extent);
      const std::string said = fmt::format("{} * {} <= {}", m_plan.block[0], m_plan.block[1], extent);
      if (is_product) m_plan.add_constraint(said);
    }
  }

  DraftPlan& m_plan;
  std::string m_bound;
  SharedArrays m_arrays;
};

}  // namespace

void limit_blocks(DraftSource& source, DraftPlan& plan) {
  BlockLimits(source, plan).keep();
}

}  // namespace config
