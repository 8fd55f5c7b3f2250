#include <map>
#include <string_view>

#include "tuner/source/kernel_source.hpp"

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
    if (is(m_end, "*") && m_end + 1 < m_body.size()) m_axis.factors.emplace_back(m_body[m_end + 1].text);
    if (m_begin > 1 && is(m_begin - 1, "*") && m_body[m_begin - 2].is_word())
      m_axis.factors.emplace_back(m_body[m_begin - 2].text);
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
  bool is(std::size_t at, std::string_view text) const { return at < m_body.size() && m_body[at].is(text); }

  Tokens m_body;
  std::size_t m_begin;
  std::size_t m_end;
  SourceAxis& m_axis;
};

}  // namespace

std::array<SourceAxis, 3> axes_of(Tokens body) {
  std::array<SourceAxis, 3> axes;
  std::map<std::string_view, SourceAxis*> names;
  for (std::size_t i = 0; i + 2 < body.size(); ++i) {
    if (const auto named = names.find(body[i].text); named != names.end())
      BlockUse(body, i, i + 1, *named->second).note_factors();
    if (!is_one_of(body[i].text, {"blockIdx", "threadIdx"}) || !is_one_of(body[i + 2].text, {"x", "y", "z"}))
      continue;
    SourceAxis& axis = axes[static_cast<std::size_t>(body[i + 2].text[0] - 'x')];
    (body[i].is("blockIdx") ? axis.has_blocks : axis.has_threads) = true;
    if (!body[i].is("blockIdx")) continue;
    BlockUse use(body, i, i + 3, axis);
    use.note_factors();
    use.note_threads();
    if (const std::string_view name = use.name(); !name.empty()) {
      axis.name = name;
      names[name] = &axis;
    }
  }
  return axes;
}

}  // namespace tuner::source
