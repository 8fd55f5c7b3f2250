#include <algorithm>
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
      (host.local(origin.path.substr(0, origin.path.find_first_of(".[")), *origin.frame) != nullptr ||
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
        argument.contents = contents_of(host, argument);
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
