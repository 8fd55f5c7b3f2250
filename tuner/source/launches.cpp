#include <algorithm>
#include <cstdlib>
#include <set>

#include "tuner/source/host_code.hpp"

namespace tuner::source {
namespace {

/// The frame of a function with those of its callers, up to `main` where a way leads there. `only_call`:
/// where the only call that counts stands; 0: all count.
const Frame* called_frame(HostCode& host, const ProgramFunction& function, std::size_t position,
                          std::size_t only_call, std::set<const ProgramFunction*> on_the_way) {
  on_the_way.insert(&function);
  const Frame* best = nullptr;
  Frame made{&function, position, nullptr, {}, {}, true};
  if (function.name != "main" && on_the_way.size() < 8) {
    for (Frame& call : host.calls_of(function)) {
      if (on_the_way.contains(call.function) || (only_call > 0 && call.position != only_call)) continue;
      const Frame* const caller = called_frame(host, *call.function, call.position, 0, on_the_way);
      const Frame* top = caller;
      while (top->caller != nullptr) top = top->caller;
      const bool leads_to_main = top->function->name == "main";
      if (best != nullptr && !leads_to_main) continue;
      best = caller;
      made.caller = caller;
      made.arguments = call.arguments;
      made.template_arguments = call.template_arguments;
      if (leads_to_main) break;
    }
  }
  return host.keep(std::move(made));
}

/// The conditions of `assert(…)` in the functions on the way, before they call on.
std::vector<Value> asserted(HostCode& host, const Frame& frame) {
  std::vector<Value> found;
  for (const Frame* at = &frame; at != nullptr && at->function != nullptr; at = at->caller) {
    const Tokens body = at->function->body;
    for (std::size_t i = 0; i + 1 < body.size() && at->function->begin + i < at->position; ++i) {
      if (!body[i].is("assert") || !body[i + 1].is("(")) continue;
      const Value condition = host.evaluate(inside_bracket(body, i + 1), *at);
      if (condition.is_known() && condition.kind == Value::Kind::call) found.push_back(condition);
    }
  }
  return found;
}

std::vector<std::pair<Value, Value>> equalities(HostCode& host, const Frame& frame) {
  std::vector<std::pair<Value, Value>> found;
  const Tokens body = frame.function->body;
  const std::size_t here = frame.position - frame.function->begin;
  std::size_t switched = body.size();
  for (std::size_t i = 0; i + 1 < here; ++i) {
    if (body[i].is("switch") && body[i + 1].is("(")) switched = i + 1;
    if (body[i].is("case") && switched < body.size()) {
      const std::size_t end = i + find_one_of(body.subspan(i), {":"});
      const std::size_t next = end + find_one_of(body.subspan(end), {"break", "case", "default"});
      if (here < end || here > next) continue;
      found.emplace_back(host.evaluate(inside_bracket(body, switched), frame),
                         host.evaluate(body.subspan(i + 1, end - i - 1), frame));
    }
    if (!body[i].is("if") || !body[i + 1].is("(")) continue;
    const std::size_t open = behind_bracket(body, i + 1);
    if (open >= body.size() || !body[open].is("{") || here < open || here > behind_bracket(body, open))
      continue;
    const Value condition = host.evaluate(inside_bracket(body, i + 1), frame);
    if (condition.is_call("==")) found.emplace_back(condition.operands[0], condition.operands[1]);
  }
  return found;
}

/// A call in a function's body: its arguments where it is of one of `names`.
template <class Use>
void each_call(const ProgramFunction& function, const Use& use) {
  const Tokens body = function.body;
  for (std::size_t i = 0; i + 1 < body.size(); ++i) {
    if (!body[i].is_word()) continue;
    std::size_t open = i + 1;
    if (body[open].is("<") && body[i].text.starts_with("cudaMalloc")) open = behind_bracket(body, open);
    if (open < body.size() && body[open].is("(")) use(body[i], expression_parts(inside_bracket(body, open)));
  }
}

bool is_allocation(std::string_view name) {
  return is_one_of(name, {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost",
                          "cudaHostAlloc", "cudaMallocPitch"});
}

class ContentsReader {
 public:
  ContentsReader(HostCode& host, const PointerOrigin& origin) : m_host(host), m_origin(origin) {}

  BufferContents read() {
    if (m_origin.frame == nullptr || m_origin.frame->function == nullptr) return {};
    const ProgramFunction& function = *m_origin.frame->function;
    Tokens source;
    each_call(function, [&](const Token& name, const std::vector<Tokens>& given) {
      const bool copies = name.text.find("emcpy") != std::string_view::npos;
      if (given.size() < 2 || !(copies || name.text.starts_with("cudaMemset"))) return;
      if (name.text.starts_with("cudaMemcpyToSymbol")) return;
      if (!is_one_of(m_origin.path, {path_of(given[0])})) return;
      if (!copies) {
        if (given[1].size() == 1 && given[1][0].is("0")) m_contents.kind = BufferContents::Kind::zero;
      } else if (source.empty()) {
        source = given[1];
      }
    });
    // A managed buffer is filled under its own name.
    const std::string host_name = source.empty() ? m_origin.path : path_of(source);
    if (!source.empty()) m_contents = {};
    from_declaration(host_name);
    if (m_contents.kind == BufferContents::Kind::unknown) from_loop(function, host_name);
    return m_contents;
  }

 private:
  static std::string path_of(Tokens tokens) {
    const std::size_t word = static_cast<std::size_t>(
        std::ranges::find_if(tokens,
                             [](const Token& token) { return token.is_word() && token.text != "void"; }) -
        tokens.begin());
    return word < tokens.size() ? std::string(tokens[word].text) : std::string();
  }

  /// `int* h = make_random_int(n, below)`
  void from_declaration(const std::string& name) {
    const Frame& frame = *m_origin.frame;
    const LocalVariable* const variable = m_host.local(name, frame);
    if (variable == nullptr) return;
    Tokens init = variable->init;
    for (const LocalAssignment& assignment : m_host.variables_of(*frame.function).assignments)
      if (assignment.path == name && assignment.position < frame.position && !assignment.value.empty())
        init = assignment.value;
    const std::size_t open = find_one_of(init, {"("});
    if (open == 0 || open == init.size() || !init[open - 1].is_word()) return;
    const std::string maker(init[open - 1].text);
    const auto has = [&](std::string_view part) { return maker.find(part) != std::string::npos; };
    const std::vector<Tokens> given = expression_parts(inside_bracket(init, open));
    if (has("zero")) m_contents.kind = BufferContents::Kind::zero;
    if (has("ones")) m_contents.kind = BufferContents::Kind::one;
    if (has("rand") && has("01")) m_contents.kind = BufferContents::Kind::unit;
    if (has("rand") && has("int") && given.size() == 2) whole(m_host.evaluate(given[1], frame));
  }

  void whole(const Value& below) {
    if (!below.is_known()) return;
    m_contents.kind = BufferContents::Kind::whole;
    m_contents.below = below;
  }

  /// `h[i] = rand() % below`
  void from_loop(const ProgramFunction& function, const std::string& name) {
    const Tokens body = function.body;
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
      if (!body[i].is(name) || !body[i + 1].is("[")) continue;
      const std::size_t at = behind_bracket(body, i + 1);
      if (at + 1 >= body.size() || !body[at].is("=") || body[at + 1].is("=")) continue;
      const std::size_t end = at + find_one_of(body.subspan(at), {";"});
      const Tokens value = body.subspan(at + 1, end - at - 1);
      if (value.size() == 1 && value[0].kind == Token::Kind::number) {
        const double number = std::strtod(std::string(value[0].text).c_str(), nullptr);
        if (number == 0) m_contents.kind = BufferContents::Kind::zero;
        if (number == 1) m_contents.kind = BufferContents::Kind::one;
        return;
      }
      const std::size_t random = find_one_of(value, {"rand", "random"});
      if (random == value.size()) return;
      const std::size_t rest = find_one_of(value, {"%"});
      const Frame here{&function, function.begin + i, m_origin.frame->caller, m_origin.frame->arguments,
                       m_origin.frame->template_arguments};
      if (rest < value.size()) {
        Tokens below = value.subspan(rest + 1);
        while (!below.empty() && below.back().is(")") &&
               std::ranges::count(below, "(", &Token::text) < std::ranges::count(below, ")", &Token::text))
          below = below.first(below.size() - 1);
        whole(m_host.evaluate(below, *m_host.keep(here)));
      } else if (find_one_of(value, {"RAND_MAX"}) < value.size() &&
                 find_one_of(value, {"-"}) == value.size()) {
        m_contents.kind = BufferContents::Kind::unit;
      }
      return;
    }
  }

  HostCode& m_host;
  const PointerOrigin& m_origin;
  BufferContents m_contents;
};

int weight(const ProgramLaunch& launch) {
  int known = 0;
  const Frame* top = launch.frame;
  while (top->caller != nullptr) top = top->caller;
  if (top->function->name == "main") known += 4;
  for (const Value& one : launch.grid) known += one.is_known() ? 2 : 0;
  for (const Value& one : launch.block) known += one.is_known() ? 2 : 0;
  std::set<std::string> of_grid;
  for (const Value& one : launch.grid) of_grid.merge(symbols_of(one));
  for (const LaunchArgument& argument : launch.arguments) {
    known += argument.bytes.is_known() || argument.value.is_known() ? 1 : 0;
    // Of two launches, one may pass a number where the other says what the grid is for.
    for (const std::string& symbol : symbols_of(argument.value)) known += of_grid.contains(symbol) ? 1 : 0;
  }
  return known;
}

/// Bytes of the argument's buffer: of its allocation, or of what fills it or copies it.
void find_bytes(HostCode& host, LaunchArgument& argument, bool is_filled) {
  const PointerOrigin& origin = argument.origin;
  if (origin.path.empty() || argument.bytes.is_known()) return;
  const bool is_local =
      origin.frame != nullptr && origin.frame->function != nullptr &&
      (host.local(origin.path.substr(0, origin.path.find('.')), *origin.frame) != nullptr ||
       std::ranges::count(origin.frame->function->parameters, origin.path, &SourceParameter::name) > 0);
  for (const ProgramFunction& function : host.program().functions()) {
    if (function.is_device || (is_local && &function != origin.frame->function)) continue;
    each_call(function, [&](const Token& name, const std::vector<Tokens>& given) {
      // cudaMalloc(pointer, bytes), cudaMemset(pointer, value, bytes), cudaMemcpy(to, from, bytes, …)
      const bool copies = is_one_of(name.text, {"cudaMemcpy", "cudaMemcpyAsync"});
      const bool fills = copies || is_one_of(name.text, {"cudaMemset", "cudaMemsetAsync"});
      const bool has_rows = name.is("cudaMallocPitch");  // of so many bytes, and how many there are
      const std::size_t bytes = has_rows ? 3 : is_filled ? 2 : 1;
      if (!(is_filled ? fills : is_allocation(name.text)) || given.size() <= bytes ||
          argument.bytes.is_known())
        return;
      Frame here{&function, 0, nullptr, {}, {}};
      // The frame on the way to the launch knows the callers.
      for (const Frame* at = origin.frame; at != nullptr; at = at->caller)
        if (at->function == &function) here = *at;
      here.position = function.begin + static_cast<std::size_t>(&name - function.body.data());
      if (host.origin(given[0], here).path != origin.path &&
          !(copies && host.origin(given[1], here).path == origin.path))
        return;
      argument.bytes = host.evaluate(given[bytes], *host.keep(here));
      if (has_rows) argument.bytes = multiply(argument.bytes, host.evaluate(given[2], *host.keep(here)));
      argument.bytes_line = name.line;
      argument.is_filled = is_filled;
    });
  }
}

}  // namespace

std::vector<ProgramLaunch> launches_of(HostCode& host, const ProgramFunction& kernel) {
  std::vector<ProgramLaunch> found;
  for (const LaunchText& text : launch_texts(host, kernel)) {
    ProgramLaunch launch;
    launch.frame = called_frame(host, *text.function, text.position, text.call, {});
    launch.line = text.line;
    launch.file = text.file;
    launch.template_arguments = text.template_arguments;
    launch.cooperative = text.cooperative;
    launch.cluster = text.cluster;
    launch.grid = host.dimensions(text.grid, *launch.frame);
    launch.block = host.dimensions(text.block, *launch.frame);
    launch.shared_text = text.shared;
    launch.shared_bytes = text.shared.empty() ? number_value(0) : host.evaluate(text.shared, *launch.frame);
    for (std::size_t i = 0; i < text.arguments.size(); ++i) {
      LaunchArgument argument;
      argument.tokens = text.arguments[i];
      if (kernel.parameters[i].pointer) {
        argument.origin = host.origin(text.arguments[i], *launch.frame);
        for (const bool is_filled : {false, true}) find_bytes(host, argument, is_filled);
        argument.contents = ContentsReader(host, argument.origin).read();
      } else {
        argument.value = host.evaluate(text.arguments[i], *launch.frame);
      }
      launch.arguments.push_back(std::move(argument));
    }
    launch.conditions = asserted(host, *launch.frame);
    launch.equalities = equalities(host, *launch.frame);
    found.push_back(std::move(launch));
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return weight(a) > weight(b); });
  return found;
}

}  // namespace tuner::source
