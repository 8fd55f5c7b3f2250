#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "tuner/source/access.hpp"

// What a kernel does with its block's indices, and with those that a buffer holds.
namespace tuner::source {
namespace {

/// What `body` says of a block's index, or its name, that stands at `i` and ends at `end`.
class BlockUse {
 public:
  BlockUse(Tokens body, std::size_t i, std::size_t end, SourceAxis& axis)
      : m_body(body), m_begin(i), m_end(end), m_axis(axis) {
    while (is(m_end, ")")) ++m_end;  // of a cast
  }

  void note_factors() {
    const std::size_t known = m_axis.factors.size();
    if (is(m_end, "*")) note_factor(m_end + 1);
    const bool is_first = m_axis.factors.size() == known;
    const bool follows = m_begin > 1 && is(m_begin - 1, "*") && m_body[m_begin - 2].is_word();
    if (follows) note_factor(m_begin > 3 && is(m_begin - 3, ".") ? m_begin - 4 : m_begin - 2);
    if (is_first || !follows)
      m_axis.lone.insert(m_axis.lone.end(), m_axis.factors.begin() + static_cast<std::ptrdiff_t>(known),
                         m_axis.factors.end());
    note_each();
  }

  /// Of `(blockIdx.x * 64 + threadIdx.x) * EACH`.
  void note_each() {
    std::size_t open = m_begin;  // the sum's own bracket
    while (open > 0 && !is_one_of(m_body[open - 1].text, {"(", ";", "{", ","})) --open;
    if (open == 0 || !is(open - 1, "(")) return;
    const std::size_t behind = behind_bracket(m_body, open - 1);
    const Tokens sum = m_body.subspan(open, std::max(behind, open + 1) - open - 1);
    if (find_one_of(sum, {"+"}) < sum.size() && is(behind, "*") && behind + 1 < m_body.size())
      m_axis.each = m_body[behind + 1].text;
  }

  /// Of `blockIdx.x * TILE + threadIdx.x`.
  void note_threads() {
    const std::size_t at = m_end + 2;
    const bool adds = is(m_end, "*") && is(at, "+") && is(at + 1, "threadIdx") &&
                      is(at + 3, m_body[m_begin + 2].text) && at + 4 < m_body.size() && !is(at + 4, "*");
    if (adds) m_axis.threads = m_body[m_end + 1].text;
  }

  /// Of `row = blockIdx.x;`, `row`.
  std::string_view name() const {
    if (!is(m_end, ";") && !is(m_end, ",")) return {};
    std::size_t at = m_begin;
    while (at > 1 && (m_body[at - 1].is_word() || is_one_of(m_body[at - 1].text, {"(", ")", "<", ">"}))) --at;
    return at > 1 && is(at - 1, "=") && m_body[at - 2].is_word() ? m_body[at - 2].text : std::string_view();
  }

 private:
  /// `TILE`, `blockDim.y`, and of `(n / 2)` its words.
  void note_factor(std::size_t at) {
    if (at + 2 >= m_body.size()) return;
    if (is(at, "(")) {
      for (const Token& token : inside_bracket(m_body, at))
        if (token.is_word()) m_axis.factors.emplace_back(token.text);
    } else {
      m_axis.factors.emplace_back(m_body[at].text);
      if (is(at, "blockDim")) m_axis.factors.back() += "." + std::string(m_body[at + 2].text);
    }
  }

  bool is(std::size_t at, std::string_view text) const { return at < m_body.size() && m_body[at].is(text); }

  Tokens m_body;
  std::size_t m_begin;
  std::size_t m_end;
  SourceAxis& m_axis;
};

/// How far apart lies what a thread does in turn, which has to be the threads of its block: `32` behind
/// `for (int i = threadIdx.x; i < n; i += 32)`, `ROWS` of `tile[threadIdx.y + j]` where `j += ROWS`. `i` is
/// where threadIdx stands. Empty: nothing is said of it.
std::string_view step(Tokens body, std::size_t i) {
  const bool begins = i > 1 && body[i - 1].is("=") && body[i + 3].is(";");
  const bool adds = i > 0 && is_one_of(body[i - 1].text, {"[", "("}) && body[i + 3].is("+") &&
                    is_one_of(body[i + 5].text, {"]", ")"});
  if (!begins && !adds) return {};
  const std::string_view counter = body[begins ? i - 2 : i + 4].text;
  for (std::size_t at = begins ? i : 0; at + 4 < body.size(); ++at) {
    const bool steps =
        body[at].is(counter) && body[at + 1].is("+") && body[at + 2].is("=") && body[at + 4].is(")");
    if (steps) return body[at + 3].text;
    if (begins && body[at].is("{")) break;
  }
  return {};
}

}  // namespace

std::array<SourceAxis, 3> axes_of(Tokens body) {
  std::array<SourceAxis, 3> axes;
  std::map<std::string_view, SourceAxis*> names;
  std::array<std::string_view, 3> steps;
  for (std::size_t i = 0; i + 2 < body.size(); ++i) {
    if (const auto named = names.find(body[i].text); named != names.end())
      BlockUse(body, i, i + 1, *named->second).note_factors();
    if (!is_one_of(body[i].text, {"blockIdx", "threadIdx"}) || !is_one_of(body[i + 2].text, {"x", "y", "z"}))
      continue;
    SourceAxis& axis = axes[static_cast<std::size_t>(body[i + 2].text[0] - 'x')];
    (body[i].is("blockIdx") ? axis.has_blocks : axis.has_threads) = true;
    if (body[i].is("threadIdx") && i + 5 < body.size())
      if (const std::string_view found = step(body, i); !found.empty())
        steps[static_cast<std::size_t>(&axis - axes.data())] = found;
    if (!body[i].is("blockIdx")) continue;
    BlockUse use(body, i, i + 3, axis);
    use.note_factors();
    use.note_threads();
    if (const std::string_view name = use.name(); !name.empty()) {
      axis.name = name;
      names[name] = &axis;
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!steps[i].empty()) axes[i].threads = steps[i];
  return axes;
}

namespace {

/// Follows numbers from the buffer that they are read from to the indices that they become.
class HeldIndices {
 public:
  explicit HeldIndices(const ProgramFunction& kernel) : m_body(kernel.body) {
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      m_found.push_back({i, false, false});
      if (kernel.parameters[i].pointer) m_buffers[kernel.parameters[i].name] = i;
    }
  }

  std::vector<HeldIndex> find() {
    for (std::size_t at = 0; at + 1 < m_body.size(); ++at)
      if (const auto buffer = m_buffers.find(m_body[at].text); is_read(at) && buffer != m_buffers.end())
        read(buffer->second, at);
    for (std::size_t at = 0; at + 1 < m_body.size(); ++at) {
      const auto held = m_variables.find(m_body[at].text);
      if (held == m_variables.end()) continue;
      name(held->second, at, at + 1);
      use(held->second, at, at + 1);
    }
    return std::move(m_found);
  }

 private:
  bool is_read(std::size_t at) const {
    return m_body[at + 1].is("[") && (at == 0 || !is_one_of(m_body[at - 1].text, {".", ">"}));
  }

  /// `buffer[…]` at `at`: what is made of it.
  void read(std::size_t buffer, std::size_t at) {
    const std::size_t end = behind_bracket(m_body, at + 1);
    note_row(buffer, at, end);
    name(buffer, at, end);
    use(buffer, at, end);
  }

  /// `column = buffer[i];`
  void name(std::size_t buffer, std::size_t begin, std::size_t end) {
    if (begin > 1 && m_body[begin - 1].is("=") && m_body[begin - 2].is_word() && is(end, {";", ","}))
      m_variables.emplace(m_body[begin - 2].text, buffer);
  }

  bool is(std::size_t at, std::initializer_list<std::string_view> texts) const {
    return at < m_body.size() && is_one_of(m_body[at].text, texts);
  }

  /// `buffer[i + 1]`, where `buffer[i]` is read too.
  void note_row(std::size_t buffer, std::size_t at, std::size_t end) {
    const Tokens index = m_body.subspan(at + 2, end - at - 3);
    if (index.size() < 3 || !index.back().is("1") || !index[index.size() - 2].is("+")) return;
    const Tokens first = index.first(index.size() - 2);
    for (std::size_t i = 0; i + 2 < m_body.size(); ++i) {
      if (!m_body[i].is(m_body[at].text) || !m_body[i + 1].is("[")) continue;
      const Tokens other = inside_bracket(m_body, i + 1);
      if (std::ranges::equal(other, first, {}, &Token::text, &Token::text)) m_found[buffer].begins_row = true;
    }
  }

  /// What stands from `begin` to `end` has a number of the buffer: is it in the index of another?
  void use(std::size_t buffer, std::size_t begin, std::size_t end) {
    std::size_t open = begin;
    while (open > 0 && is_one_of(m_body[open - 1].text, {"(", ")", "int", "size_t"})) --open;
    while (is(end, {")"})) ++end;
    if (open < 2 || !m_body[open - 1].is("[") || !is(end, {"]", "*"})) return;
    const auto other = m_buffers.find(m_body[open - 2].text);
    if (other == m_buffers.end() || other->second == buffer || m_found[buffer].of != buffer) return;
    m_found[buffer].of = other->second;
    m_found[buffer].is_row = m_body[end].is("*");
  }

  Tokens m_body;
  std::map<std::string_view, std::size_t> m_buffers;
  std::map<std::string_view, std::size_t> m_variables;  ///< that have a number of a buffer
  std::vector<HeldIndex> m_found;
};

}  // namespace

std::vector<HeldIndex> held_indices(const ProgramFunction& kernel) {
  return HeldIndices(kernel).find();
}

}  // namespace tuner::source
