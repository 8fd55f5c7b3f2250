#include "tuner/source/access.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tuner/source/host_code.hpp"

namespace tuner::source {
namespace {

/// What one occurrence of a pointer in a body comes to.
struct Outcome {
  enum class Deed { nothing, read, write, update, alias, call, handed_on };
  Deed kind = Deed::nothing;
  std::string_view name = {};  ///< of the alias or the function
  std::size_t argument = 0;    ///< of the call
  std::size_t count = 0;       ///< of its arguments
  bool partial = false;        ///< a member of the element alone
  bool is_element = false;     ///< the alias is a reference to an element
  Tokens element = {};         ///< as it is written
};

using Deed = Outcome::Deed;

/// What leads to the elements of a buffer: a pointer, or a reference to one of them.
struct Name {
  std::string_view text;
  bool is_element = false;
  bool is_partial = false;
};

/// Follows one occurrence outwards, until it is known what is done with it.
class Occurrence {
 public:
  Occurrence(Tokens body, std::size_t at, const Name& name)
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

class AccessReader {
 public:
  explicit AccessReader(const Program& program) : m_program(program), m_host(program) {}

  PointerUse use(const ProgramFunction& function, std::size_t parameter) {
    const auto key = std::pair(&function, parameter);
    if (const auto known = m_known.find(key); known != m_known.end()) return known->second;
    m_known[key] = {};  // a function that calls itself adds nothing
    PointerUse found;
    const SourceParameter& declared = function.parameters[parameter];
    std::vector<Name> names = {{declared.name}};
    const Tokens body = function.body;
    // Aliases first: a pointer may be used above the line that moves it.
    for (std::size_t count = 0; count != names.size() && names.size() < 32;) {
      count = names.size();
      each(function, names, [&](std::size_t, const Outcome& outcome) {
        if (outcome.kind == Deed::alias && std::ranges::count(names, outcome.name, &Name::text) == 0)
          names.push_back({outcome.name, outcome.is_element, outcome.partial});
      });
    }
    struct Event {
      std::size_t statement;  ///< its end, where the outcome waits for the rest of it
      int order;
      std::size_t at;
      Outcome outcome;
    };
    std::vector<Event> events;
    each(function, names, [&](std::size_t at, const Outcome& outcome) {
      // What is assigned or handed to a function is worked out before; of calls the inner one comes first.
      const bool writes = outcome.kind == Deed::write;
      if (!writes && outcome.kind != Deed::call) return events.push_back({at, 0, at, outcome});
      events.push_back({at + find_one_of(body.subspan(at), {";"}), writes ? 2 : 1,
                        writes ? at : body.size() - at, outcome});
    });
    std::ranges::sort(events, {},
                      [](const Event& one) { return std::tuple(one.statement, one.order, one.at); });
    std::vector<Access> accesses;
    for (const Event& event : events) {
      const PointerUse one = use_of(event.outcome, declared);
      if (!one.read && !one.written) continue;
      found.read |= one.read;
      found.written |= one.written;
      found.atomic |= one.atomic;
      found.handed_on |= one.handed_on;
      accesses.push_back({event.at, event.outcome, one});
    }
    found.written_first = writes_first(body, accesses);
    return m_known[key] = found;
  }

 private:
  struct Access {
    std::size_t at;
    Outcome outcome;
    PointerUse use;
  };

  template <class Use>
  void each(const ProgramFunction& function, std::vector<Name> names, const Use& use) {
    const Tokens body = function.body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (!body[i].is_word()) continue;
      const auto name = std::ranges::find(names, body[i].text, &Name::text);
      if (name == names.end() || is_set_anew(function, i, name->is_element)) continue;
      if (i > 0 &&
          (body[i - 1].is(".") || body[i - 1].is("::") || (body[i - 1].is(">") && body[i - 2].is("-"))))
        continue;
      use(i, Occurrence(body, i, *name).follow());
    }
  }

  /// At `i` the name is made one of another place, and no element is written: `float *a = x, *b = y`.
  bool is_set_anew(const ProgramFunction& function, std::size_t i, bool is_element) {
    const Tokens body = function.body;
    if (i == 0 || i + 2 >= body.size() || !body[i + 1].is("=") || body[i + 2].is("=")) return false;
    const bool is_target =
        is_element ? !body[i - 1].is("&") : body[i - 1].is("*") && i > 1 && !is_type_word(body[i - 2]);
    return !is_target || std::ranges::count(m_host.variables_of(function).variables, function.begin + i,
                                            &LocalVariable::position) > 0;
  }

  /// All that is read is an element that the first access has written for sure.
  static bool writes_first(Tokens body, const std::vector<Access>& all) {
    if (all.empty() || !all.front().use.written_first) return false;
    const Access& first = all.front();
    if (first.outcome.kind == Deed::call) return all.size() == 1;
    const std::vector<std::size_t> around = statements_around(body, first.at);
    return std::ranges::all_of(all, [&](const Access& one) {
      return !one.use.read || (joined(one.outcome.element) == joined(first.outcome.element) &&
                               run_alike(body, around, statements_around(body, one.at)));
    });
  }

  /// What runs within the statements of `inner` runs after what runs within those of `outer`: these are among
  /// them, or loops that count alike are.
  static bool run_alike(Tokens body, const std::vector<std::size_t>& outer,
                        const std::vector<std::size_t>& inner) {
    auto at = inner.begin();
    return std::ranges::all_of(outer, [&](std::size_t one) {
      at = std::find_if(at, inner.end(), [&](std::size_t other) {
        return one == other ||
               (body[one].is("for") && body[other].is("for") &&
                joined(inside_bracket(body, one + 1)) == joined(inside_bracket(body, other + 1)));
      });
      if (at == inner.end()) return false;
      ++at;
      return true;
    });
  }

  static bool is_type_word(const Token& token) {
    return (token.is_word() && !is_one_of(token.text, {"return", "else"})) || token.is(">");
  }

  PointerUse use_of(const Outcome& outcome, const SourceParameter& declared) {
    PointerUse one;
    switch (outcome.kind) {
      case Deed::nothing:
      case Deed::alias:
        break;
      case Deed::read:
        one.read = true;
        break;
      case Deed::write:
        one.written = true;
        one.written_first = !outcome.partial;
        break;
      case Deed::update:
        one.read = one.written = true;
        break;
      case Deed::call:
        one = called(outcome, declared);
        break;
      case Deed::handed_on:
        one.read = one.handed_on = true;
        one.written = !declared.constant;
        break;
    }
    return one;
  }

  PointerUse called(const Outcome& call, const SourceParameter& declared) {
    PointerUse found;
    const bool is_element = call.count == 0;
    if (call.name.starts_with("atomic")) {
      found.read = found.written = found.atomic = call.argument == 0 && !is_element;
      found.read |= is_element;
      return found;
    }
    if (is_one_of(call.name, {"printf", "assert", "sizeof", "__syncthreads", "free"})) return found;
    if (call.name.starts_with("__ld") || call.name.starts_with("load_matrix")) {
      found.read = true;
      return found;
    }
    if (call.name.starts_with("__st") || call.name.starts_with("store_matrix")) {
      found.written = found.written_first = call.argument == 0 && !is_element;
      found.read = !found.written;
      return found;
    }
    if (call.name.find("memcpy") != std::string_view::npos) {
      found.written = found.written_first = call.argument == 0 && !declared.constant && !is_element;
      found.read = !found.written;
      return found;
    }
    bool is_known = false;
    for (const ProgramFunction& function : m_program.functions()) {
      if (function.name != call.name || call.argument >= function.parameters.size()) continue;
      if (!is_element && function.parameters.size() < call.count) continue;
      is_known = true;
      const SourceParameter& parameter = function.parameters[call.argument];
      if (is_element) {
        const bool is_reference = parameter.text.find('&') != std::string::npos && !parameter.constant &&
                                  parameter.text.find("const") == std::string::npos;
        found.read = true;
        found.written |= is_reference;
        continue;
      }
      const PointerUse inner = use(function, call.argument);
      const bool is_first = !found.read && !found.written;
      found.written_first = is_first ? inner.written_first : found.written_first && inner.written_first;
      found.read |= inner.read;
      found.written |= inner.written;
      found.atomic |= inner.atomic;
      found.handed_on |= inner.handed_on;
    }
    if (is_known) return found;
    found.read = true;
    found.handed_on = !is_element;
    found.written = !is_element && !declared.constant;
    return found;
  }

  const Program& m_program;
  HostCode m_host;
  std::map<std::pair<const ProgramFunction*, std::size_t>, PointerUse> m_known;
};

}  // namespace

std::vector<PointerUse> pointer_uses(const Program& program, const ProgramFunction& function) {
  std::vector<PointerUse> found;
  AccessReader reader(program);
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    found.push_back(function.parameters[i].pointer ? reader.use(function, i) : PointerUse());
  return found;
}

std::vector<const ProgramFunction*> reached_functions(const Program& program,
                                                      const ProgramFunction& function) {
  std::vector<const ProgramFunction*> found = {&function};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Token& token : found[i]->body) {
      if (!token.is_word()) continue;
      for (const ProgramFunction& other : program.functions())
        if (other.is_device && !other.is_kernel && other.name == token.text &&
            std::ranges::count(found, &other) == 0)
          found.push_back(&other);
    }
  }
  return found;
}

std::set<std::string_view> words_of(const std::vector<const ProgramFunction*>& functions) {
  std::set<std::string_view> words;
  for (const ProgramFunction* function : functions) {
    for (const Tokens tokens : {function->before, function->body})
      for (const Token& token : tokens)
        if (token.is_word()) words.insert(token.text);
    for (const SourceParameter& parameter : function->parameters) {
      // Of types, which a macro may name.
      for (const Token& token : tokens_of(parameter.text))
        if (token.is_word()) {
          const auto at = parameter.text.find(token.text);
          words.insert(std::string_view(parameter.text).substr(at, token.text.size()));
        }
    }
  }
  return words;
}

}  // namespace tuner::source
