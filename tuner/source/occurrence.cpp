#include "tuner/source/occurrence.hpp"

#include <optional>

namespace tuner::source {
namespace {

/// Follows one occurrence outwards, until it is known what is done with it.
class Occurrence {
 public:
  Occurrence(Tokens body, std::size_t at, const BufferName& name)
      : m_body(body), m_begin(at), m_end(at + 1), m_element(name.is_element), m_partial(name.is_partial) {}

  Outcome follow() {
    for (int steps = 0; steps < 64; ++steps)
      if (const auto outcome = m_element ? element_step() : pointer_step()) return *outcome;
    return {Deed::handed_on};
  }

 private:
  std::string_view before(std::size_t back = 1) const {
    return m_begin >= back ? m_body[m_begin - back].text : std::string_view();
  }
  std::string_view behind(std::size_t ahead = 0) const {
    return m_end + ahead < m_body.size() ? m_body[m_end + ahead].text : std::string_view();
  }

  std::optional<Outcome> pointer_step() {
    if (behind() == "[") {
      m_end = behind_bracket(m_body, m_end);
      m_element = true;
      return std::nullopt;
    }
    if (behind() == "-" && behind(1) == ">") {
      m_end += 3;
      m_element = true;
      return std::nullopt;
    }
    if (is_one_of(behind(), {"+", "-"}) && behind(1) == behind()) {
      m_end += 2;
      return std::nullopt;
    }
    if (is_one_of(behind(), {"+", "-"}) && behind(1) == "=") return Outcome();
    if (is_one_of(before(), {"+", "-"}) && before(2) == before()) {
      m_begin -= 2;
      return std::nullopt;
    }
    if (before() == "*") {
      m_begin -= 1;
      m_element = true;
      return std::nullopt;
    }
    const bool is_choice = is_one_of(before(), {"?"}) || (is_one_of(before(), {":"}) && behind() != ";") ||
                           (before() == ":" && behind() == ";");
    if (is_one_of(before(), {"+", "-"}) || is_one_of(behind(), {"+", "-", ":"}) || is_choice) {
      widen();
      return std::nullopt;
    }
    if (before() == ")") {
      const std::size_t open = opening_bracket(m_body, m_begin - 1);
      const Tokens inside = m_body.subspan(open, m_begin - open);
      if (find_one_of(inside, {"*"}) == inside.size()) return Outcome();
      m_begin = open;
      return std::nullopt;
    }
    if (before() == "=") {
      if (is_one_of(before(2), {"=", "!", "<", ">"})) return Outcome();
      if (m_begin < 2 || !m_body[m_begin - 2].is_word()) return Outcome{Deed::handed_on};
      return Outcome{Deed::alias, before(2)};
    }
    if (is_one_of(behind(), {"=", "!", "<", ">", "&", "|", "?"}) ||
        is_one_of(before(), {"!", "&", "|", "<", ">"}))
      return Outcome();
    if (is_one_of(before(), {"(", ","}) && is_one_of(behind(), {")", ","})) return argument();
    if (is_one_of(before(), {"{", ","}) && is_one_of(behind(), {"}", ","})) return Outcome{Deed::handed_on};
    if (before() == "return") return Outcome{Deed::handed_on};
    if (behind() == "." || before() == "[") return Outcome{Deed::handed_on};
    return Outcome();
  }

  /// To the whole of a sum or a choice that the pointer is part of.
  void widen() {
    while (m_begin > 0) {
      const std::string_view text = before();
      if (is_one_of(text, {")", "]"})) {
        m_begin = opening_bracket(m_body, m_begin - 1);
      } else if (is_one_of(text, {"(", ",", ";", "{", "}", "=", "[", "return"})) {
        break;
      } else if (text == "*" && is_one_of(before(2), {"(", "=", ",", ";", "{", "}"})) {
        break;
      } else {
        --m_begin;
      }
    }
    m_end = find_outside(m_body, m_end, {")", ",", ";", "]", "}"});
  }

  /// Between brackets, alone or among arguments.
  std::optional<Outcome> argument() {
    std::size_t open = m_begin - 1;
    std::size_t index = 0;
    while (open > 0 && !m_body[open].is("(")) {
      if (is_one_of(m_body[open].text, {"{", ";"})) return Outcome{Deed::handed_on};
      if (m_body[open].is(",")) ++index;
      open = is_one_of(m_body[open].text, {")", "]", "}"}) ? opening_bracket(m_body, open) - 1 : open - 1;
    }
    if (open == 0) return Outcome();
    const std::size_t close = behind_bracket(m_body, open);
    std::size_t name = open - 1;
    if (m_body[name].is(">")) {
      int depth = 0;
      while (name > 0) {
        if (m_body[name].is(">")) ++depth;
        if (m_body[name].is("<") && --depth == 0) break;
        --name;
      }
      if (name == 0) return Outcome();
      --name;
      if (m_body[name].text.ends_with("_cast")) {
        const Tokens type = m_body.subspan(name, open - name);
        m_element = m_element || find_one_of(type, {"&"}) < type.size();
        m_begin = name;
        m_end = close;
        return std::nullopt;
      }
    }
    // "l"(pointer): an operand of asm
    if (m_body[name].kind == Token::Kind::literal) return Outcome{Deed::handed_on};
    const bool names_function =
        m_body[name].is_word() && !is_one_of(m_body[name].text, {"if", "while", "for", "return", "switch"});
    if (names_function) {
      const Tokens inside = m_body.subspan(open + 1, std::max(close, open + 2) - open - 2);
      return Outcome{Deed::call, m_body[name].text, index, expression_parts(inside).size()};
    }
    if (index > 0 || behind() == ",") return Outcome();
    if (is_one_of(m_body[name].text, {"if", "while", "for", "switch"})) return Outcome();
    m_begin = open;
    m_end = close;
    return std::nullopt;
  }

  std::optional<Outcome> element_step() {
    while (behind() == "." || behind() == "[") {
      m_partial |= behind() == ".";
      m_end = behind() == "[" ? behind_bracket(m_body, m_end) : m_end + 2;
    }
    const bool takes_address =
        before() == "&" && m_begin > 1 &&
        (is_one_of(before(2), {"(", ",", "=", "{", ";", "return", "?", ":"}) || before(2) == ")");
    if (takes_address) {
      m_begin -= 1;
      m_element = false;
      return std::nullopt;
    }
    if (before() == "(" && behind() == ")") {
      if (auto outcome = argument()) {
        return outcome->kind == Deed::call ? by_reference(*outcome) : done(Deed::read);
      }
      return std::nullopt;
    }
    const bool names_it = before() == "=" && before(3) == "&" && is_one_of(behind(), {";", ","}) &&
                          m_begin > 3 && m_body[m_begin - 2].is_word();
    if (names_it)
      return Outcome{.kind = Deed::alias, .name = before(2), .partial = m_partial, .is_element = true};
    const bool assigned = behind() == "=" && behind(1) != "=";
    const bool updated =
        (is_one_of(behind(), {"+", "-", "*", "/", "%", "&", "|", "^"}) && behind(1) == "=") ||
        (is_one_of(behind(), {"<", ">"}) && behind(1) == behind() && behind(2) == "=") ||
        (is_one_of(behind(), {"+", "-"}) && behind(1) == behind()) ||
        (is_one_of(before(), {"+", "-"}) && before(2) == before());
    if (assigned) return done(Deed::write);
    if (updated) return done(Deed::update);
    if (is_one_of(before(), {"(", ","}) && is_one_of(behind(), {")", ","}))
      if (const auto outcome = argument(); outcome && outcome->kind == Deed::call)
        return by_reference(*outcome);
    return done(Deed::read);
  }

  Outcome done(Deed deed) const {
    return {.kind = deed, .partial = m_partial, .element = m_body.subspan(m_begin, m_end - m_begin)};
  }

  /// An element that is handed to a function: it is read, and written where the parameter is a reference.
  Outcome by_reference(Outcome outcome) const {
    outcome.count = 0;  // marks it as an element
    outcome.element = m_body.subspan(m_begin, m_end - m_begin);
    return outcome;
  }

  Tokens m_body;
  std::size_t m_begin;
  std::size_t m_end;
  bool m_element;
  bool m_partial;
};

}  // namespace

Outcome outcome_of(Tokens body, std::size_t at, const BufferName& name) {
  return Occurrence(body, at, name).follow();
}

}  // namespace tuner::source
