#include "tuner/source/access.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tuner/source/host_code.hpp"
#include "tuner/source/occurrence.hpp"

namespace tuner::source {
namespace {

class AccessReader {
 public:
  explicit AccessReader(const Program& program) : m_program(program), m_host(program) {}

  PointerUse use(const ProgramFunction& function, std::size_t parameter) {
    const auto key = std::pair(&function, parameter);
    if (const auto known = m_known.find(key); known != m_known.end()) return known->second;
    m_known[key] = {};  // a function that calls itself adds nothing
    PointerUse found;
    const SourceParameter& declared = function.parameters[parameter];
    std::vector<BufferName> names = {{declared.name}};
    const Tokens body = function.body;
    // Aliases first: a pointer may be used above the line that moves it.
    for (std::size_t count = 0; count != names.size() && names.size() < 32;) {
      count = names.size();
      each(function, names, [&](std::size_t, const Outcome& outcome) {
        if (outcome.kind == Deed::alias && std::ranges::count(names, outcome.name, &BufferName::text) == 0)
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
  void each(const ProgramFunction& function, std::vector<BufferName> names, const Use& use) {
    const Tokens body = function.body;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (!body[i].is_word()) continue;
      const auto name = std::ranges::find(names, body[i].text, &BufferName::text);
      if (name == names.end() || is_set_anew(function, i, name->is_element)) continue;
      if (i > 0 &&
          (body[i - 1].is(".") || body[i - 1].is("::") || (body[i - 1].is(">") && body[i - 2].is("-"))))
        continue;
      use(i, outcome_of(body, i, *name));
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
