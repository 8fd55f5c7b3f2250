#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tuner/sass/analysis.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sass {
namespace {

using Places = std::vector<std::size_t>;

/// The label in `` `(.L_x_6) ``.
std::string_view label_in(std::string_view operands) {
  const std::size_t begin = operands.find("`(");
  if (begin == std::string_view::npos) return {};
  operands.remove_prefix(begin + 2);
  return operands.substr(0, operands.rfind(')'));
}

/// How an instruction leaves its block.
struct Jump {
  Places targets;       ///< instructions
  bool goes_on = true;  ///< the next instruction may follow
  bool ends_block = false;
};

class JumpReader {
 public:
  explicit JumpReader(const Code& code) : m_code(code) {}

  Jump read(const Instruction& instruction) const {
    const std::string_view name = instruction.name();
    if (instruction.is_never_executed()) return {};
    if (name == "EXIT" || name == "RET" || name == "KILL") return {{}, instruction.is_guarded(), true};
    if (name == "BRX" || name == "BRXU" || name == "JMX" || name == "JMXU")
      return {listed_targets(instruction.note), instruction.is_guarded(), true};
    if ((name != "BRA" && name != "JMP") || instruction.has("DIV")) return {};
    // A second condition stands before the label: `BRA.U !UP0, `(.L_x_14)`.
    const bool is_conditional = instruction.is_guarded() || !instruction.operands.starts_with('`');
    Jump jump{{}, is_conditional, true};
    if (const auto target = place_of(label_in(instruction.operands))) jump.targets.push_back(*target);
    return jump;
  }

  std::optional<std::size_t> called_by(const Instruction& instruction) const {
    return instruction.name() == "CALL" ? place_of(label_in(instruction.operands)) : std::nullopt;
  }

  std::optional<std::size_t> place_of(std::string_view label) const {
    const auto found = m_code.labels.find(label);
    if (found == m_code.labels.end() || found->second >= m_code.instructions.size()) return std::nullopt;
    return found->second;
  }

 private:
  Places listed_targets(std::string_view note) const {
    Places targets;
    util::split_first(note, "BRANCH_TARGETS");
    while (!note.empty()) {
      if (const auto target = place_of(util::trimmed(util::split_first(note, ","))))
        targets.push_back(*target);
    }
    return targets;
  }

  const Code& m_code;
};

std::vector<Block> blocks_of(const Code& code) {
  const JumpReader jumps(code);
  const std::size_t count = code.instructions.size();
  std::set<std::size_t> begins = {0};
  for (const std::string& function : code.functions) {
    if (const auto place = jumps.place_of(function)) begins.insert(*place);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Jump jump = jumps.read(code.instructions[i]);
    begins.insert(jump.targets.begin(), jump.targets.end());
    if (jump.ends_block) begins.insert(i + 1);
    if (const auto callee = jumps.called_by(code.instructions[i])) begins.insert(*callee);
  }
  begins.erase(begins.lower_bound(count), begins.end());
  std::vector<Block> blocks;
  std::vector<std::size_t> block_at(count);
  for (const std::size_t begin : begins) {
    if (!blocks.empty()) blocks.back().end = begin;
    block_at[begin] = blocks.size();
    blocks.emplace_back().begin = begin;
  }
  if (!blocks.empty()) blocks.back().end = count;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Block& block = blocks[b];
    const Jump jump = jumps.read(code.instructions[block.end - 1]);
    for (const std::size_t target : jump.targets) block.next.push_back(block_at[target]);
    if (jump.goes_on && b + 1 < blocks.size()) block.next.push_back(b + 1);
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (const auto callee = jumps.called_by(code.instructions[i])) block.calls.push_back(block_at[*callee]);
    }
  }
  return blocks;
}

/// Marks what can be reached; a call of an unknown address may lead to every function.
void mark_reachable(const Code& code, std::vector<Block>& blocks) {
  const JumpReader jumps(code);
  Places open = {0};
  const bool calls_unknown = std::ranges::any_of(code.instructions, [&](const Instruction& instruction) {
    return instruction.name() == "CALL" && label_in(instruction.operands).empty();
  });
  for (const std::string& function : calls_unknown ? code.functions : std::vector<std::string>{}) {
    const auto place = jumps.place_of(function);
    for (std::size_t b = 0; place && b < blocks.size(); ++b) {
      if (blocks[b].begin == *place) open.push_back(b);
    }
  }
  while (!open.empty()) {
    Block& block = blocks[open.back()];
    open.pop_back();
    if (std::exchange(block.reachable, true)) continue;
    open.insert(open.end(), block.next.begin(), block.next.end());
    open.insert(open.end(), block.calls.begin(), block.calls.end());
  }
}

/// Strongly connected components of a part of the blocks (Tarjan 1972, without recursion). Ways to blocks of
/// other parts, and those that `is_cut` names, do not count.
class Components {
 public:
  Components(const std::vector<Block>& blocks, const std::vector<int>& part, const std::vector<bool>& is_cut)
      : m_blocks(blocks), m_part(part), m_is_cut(is_cut), m_states(blocks.size()) {}

  /// Those that are loops: of several blocks, or of one that leads to itself.
  std::vector<Places> loops(const Places& nodes) {
    for (const std::size_t node : nodes) m_states[node] = {};
    m_found.clear();
    m_count = 0;
    for (const std::size_t node : nodes) {
      if (m_states[node].order == 0) visit(node);
    }
    return std::move(m_found);
  }

 private:
  struct State {
    std::size_t order = 0;  ///< 0: not visited
    std::size_t lowest = 0;
    bool on_stack = false;
  };

  bool counts(std::size_t from, std::size_t to) const {
    return m_blocks[to].reachable && m_part[from] == m_part[to] && !m_is_cut[to];
  }

  void enter(std::size_t node) {
    m_states[node] = {++m_count, m_count, true};
    m_stack.push_back(node);
  }

  void visit(std::size_t root) {
    std::vector<std::pair<std::size_t, std::size_t>> path = {{root, 0}};
    enter(root);
    while (!path.empty()) {
      const std::size_t node = path.back().first;
      const auto& next = m_blocks[node].next;
      if (path.back().second < next.size()) {
        const std::size_t to = next[path.back().second++];
        if (!counts(node, to)) continue;
        if (m_states[to].order == 0) {
          enter(to);
          path.emplace_back(to, 0);
        } else if (m_states[to].on_stack) {
          m_states[node].lowest = std::min(m_states[node].lowest, m_states[to].order);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        State& above = m_states[path.back().first];
        above.lowest = std::min(above.lowest, m_states[node].lowest);
      }
      if (m_states[node].lowest == m_states[node].order) leave(node);
    }
  }

  void leave(std::size_t node) {
    Places component;
    do {
      component.push_back(m_stack.back());
      m_states[m_stack.back()].on_stack = false;
      m_stack.pop_back();
    } while (component.back() != node);
    const auto& next = m_blocks[node].next;
    const bool leads_to_itself = std::ranges::find(next, node) != next.end() && counts(node, node);
    if (component.size() == 1 && !leads_to_itself) return;
    std::ranges::sort(component);
    m_found.push_back(std::move(component));
  }

  const std::vector<Block>& m_blocks;
  const std::vector<int>& m_part;
  const std::vector<bool>& m_is_cut;
  std::vector<State> m_states;
  Places m_stack;
  std::vector<Places> m_found;
  std::size_t m_count = 0;
};

/// Loops inside of loops: without the ways back to its headers a loop falls into those that are left
/// (Steensgaard 1993), which needs no reducible flow.
class LoopFinder {
 public:
  explicit LoopFinder(Flow& flow)
      : m_flow(flow),
        m_before(flow.blocks.size()),
        m_loop_of(flow.blocks.size(), -1),
        m_is_header(flow.blocks.size(), false) {}

  void find() {
    Places all;
    for (std::size_t b = 0; b < m_flow.blocks.size(); ++b) {
      const Block& block = m_flow.blocks[b];
      if (!block.reachable) continue;
      all.push_back(b);
      for (const Places* to : {&block.next, &block.calls})
        for (const std::size_t next : *to) m_before[next].push_back(b);
    }
    Components components(m_flow.blocks, m_loop_of, m_is_header);
    std::vector<std::pair<Places, int>> open = {{all, -1}};
    for (std::size_t i = 0; i < open.size(); ++i) {  // it grows
      const auto [nodes, parent] = open[i];
      for (Places& found : components.loops(nodes)) {
        const int depth = parent < 0 ? 1 : m_flow.loops[static_cast<std::size_t>(parent)].depth + 1;
        if (depth > most_depth) continue;
        const int loop = static_cast<int>(m_flow.loops.size());
        m_pending.push_back({loop, found});
        m_flow.loops.push_back({headers_of(found), found, parent, depth});
        open.emplace_back(std::move(found), loop);
      }
      // Only now, since the parts of one loop are looked at together.
      for (const auto& [loop, blocks] : m_pending) enter(loop, blocks);
      m_pending.clear();
    }
  }

 private:
  static constexpr int most_depth = 32;

  /// Where a way from outside, a call or the kernel's own beginning leads into it.
  Places headers_of(const Places& blocks) const {
    Places headers;
    for (const std::size_t block : blocks) {
      const Places& from = m_before[block];
      const bool is_entered = std::ranges::any_of(
          from, [&](std::size_t before) { return !std::ranges::binary_search(blocks, before); });
      if (is_entered || block == 0) headers.push_back(block);
    }
    if (headers.empty()) headers.push_back(blocks.front());
    return headers;
  }

  void enter(int loop, const Places& blocks) {
    const FlowLoop& entered = m_flow.loops[static_cast<std::size_t>(loop)];
    for (const std::size_t block : blocks) {
      m_loop_of[block] = loop;
      m_flow.blocks[block].loop = loop;
      m_flow.blocks[block].depth = entered.depth;
    }
    for (const std::size_t header : entered.headers) m_is_header[header] = true;
  }

  Flow& m_flow;
  std::vector<Places> m_before;  ///< the blocks that lead to each
  std::vector<int> m_loop_of;
  std::vector<bool> m_is_header;
  std::vector<std::pair<int, Places>> m_pending;
};

/// The blocks of the function that begins at `entry`.
std::set<std::size_t> blocks_from(const Flow& flow, std::size_t entry) {
  std::set<std::size_t> seen;
  Places open = {entry};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (seen.insert(at).second)
      open.insert(open.end(), flow.blocks[at].next.begin(), flow.blocks[at].next.end());
  }
  return seen;
}

/// A function is as deep as the deepest call of it. Functions may call others, so this is repeated; what
/// still grows after that is recursion.
void add_depth_of_calls(Flow& flow) {
  constexpr int most_calls = 8;
  std::map<std::size_t, int> depth_of;  // of functions, by where they begin
  bool grows = true;
  for (int round = 0; grows && round < most_calls; ++round) {
    grows = false;
    for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
      if (!flow.blocks[b].reachable) continue;
      for (const std::size_t callee : flow.blocks[b].calls) {
        const int more = flow.blocks[b].depth - depth_of[callee];
        if (more <= 0) continue;
        grows = true;
        depth_of[callee] += more;
        std::set<int> loops;
        for (const std::size_t at : blocks_from(flow, callee)) {
          flow.blocks[at].depth += more;
          for (int loop = flow.blocks[at].loop; loop >= 0;
               loop = flow.loops[static_cast<std::size_t>(loop)].parent)
            loops.insert(loop);
        }
        for (const int loop : loops) flow.loops[static_cast<std::size_t>(loop)].depth += more;
      }
    }
  }
}

}  // namespace

Flow flow_of(const Code& code) {
  Flow flow;
  flow.blocks = blocks_of(code);
  if (flow.blocks.empty()) return flow;
  mark_reachable(code, flow.blocks);
  LoopFinder(flow).find();
  add_depth_of_calls(flow);
  return flow;
}

std::vector<std::size_t> unavoidable_blocks(const Flow& flow, std::size_t loop) {
  const FlowLoop& within = flow.loops[loop];
  const std::set<std::size_t> inside(within.blocks.begin(), within.blocks.end());
  // Whether a turn is possible without `avoided`.
  const auto can_turn_without = [&](std::size_t avoided) {
    std::set<std::size_t> seen;
    Places open = within.headers;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (at == avoided) continue;
      for (const std::size_t next : flow.blocks[at].next) {
        if (next == avoided || !inside.contains(next)) continue;
        if (std::ranges::find(within.headers, next) != within.headers.end()) return true;
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  };
  Places found;
  for (const std::size_t block : within.blocks) {
    if (flow.blocks[block].loop == static_cast<int>(loop) && !can_turn_without(block)) found.push_back(block);
  }
  return found;
}

}  // namespace tuner::sass
