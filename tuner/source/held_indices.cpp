#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>

#include "tuner/source/access.hpp"

namespace tuner::source {
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
