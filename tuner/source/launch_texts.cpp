#include <algorithm>
#include <optional>
#include <utility>

#include "tuner/source/host_code.hpp"

namespace tuner::source {
namespace {

/// Index of the `<` that the `>` at `close` closes; `close` where none does.
std::size_t open_angle(Tokens tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (tokens[i].is(">")) ++depth;
    if (tokens[i].is("<") && --depth == 0) return i;
    if (is_one_of(tokens[i].text, {";", "{", "}"})) break;
  }
  return close;
}

bool is_triple(Tokens tokens, std::size_t i, std::string_view angle) {
  return i + 2 < tokens.size() && tokens[i].is(angle) && tokens[i + 1].is(angle) && tokens[i + 2].is(angle);
}

class LaunchFinder {
 public:
  LaunchFinder(HostCode& host, const ProgramFunction& kernel) : m_host(host), m_kernel(kernel) {}

  std::vector<LaunchText> find() {
    for (const ProgramFunction& function : m_host.program().functions()) {
      if (function.is_device) continue;
      for (std::size_t i = 1; i < function.body.size(); ++i) {
        if (is_triple(function.body, i, "<")) {
          chevrons(function, i);
          i += 2;
        } else if (is_one_of(function.body[i].text, {"cudaLaunchKernel", "cudaLaunchCooperativeKernel",
                                                     "cudaLaunchKernelEx", "cudaLaunchKernelExC"})) {
          call(function, i);
        }
      }
    }
    return std::move(m_found);
  }

 private:
  void chevrons(const ProgramFunction& function, std::size_t at) {
    const Tokens body = function.body;
    std::size_t name = at - 1;
    if (body[name].is(">")) {
      const std::size_t open = open_angle(body, name);
      if (open == name || open == 0) return;
      name = open - 1;
    }
    const std::vector<LaunchText> launches = launches_by(function, body.subspan(name, at - name));
    if (launches.empty()) return;
    std::size_t end = at + 3;
    while (end < body.size() && !is_triple(body, end, ">") && !body[end].is(";"))
      end = is_one_of(body[end].text, {"(", "[", "{"}) ? behind_bracket(body, end) : end + 1;
    if (end + 3 >= body.size() || !body[end + 3].is("(")) return;
    const std::vector<Tokens> settings = expression_parts(body.subspan(at + 3, end - at - 3));
    if (settings.size() < 2) return;
    for (LaunchText launch : launches) {
      launch.grid = settings[0];
      launch.block = settings[1];
      if (settings.size() > 2) launch.shared = settings[2];
      launch.arguments = expression_parts(inside_bracket(body, end + 3));
      add(function, name, std::move(launch));
    }
  }

  /// cudaLaunchKernel((void*)kernel, grid, block, arguments, shared, stream),
  /// cudaLaunchKernelEx(&config, kernel, argument…), cudaLaunchKernelExC(&config, (void*)kernel, arguments)
  void call(const ProgramFunction& function, std::size_t at) {
    const Tokens body = function.body;
    std::size_t open = at + 1;
    if (open < body.size() && body[open].is("<")) open = behind_bracket(body, open);
    if (open >= body.size() || !body[open].is("(")) return;
    const std::vector<Tokens> given = expression_parts(inside_bracket(body, open));
    const bool has_config = body[at].text.starts_with("cudaLaunchKernelEx");
    const std::size_t kernel = has_config ? 1 : 0;
    if (given.size() < (has_config ? 2 : 4)) return;
    const Frame here{&function, function.begin + at, nullptr, {}, {}};
    for (LaunchText launch : launches_by(function, given[kernel])) {
      if (has_config) {
        configured(given[0], here, launch);
      } else {
        launch.cooperative = body[at].is("cudaLaunchCooperativeKernel");
        launch.grid = given[1];
        launch.block = given[2];
        if (given.size() > 4) launch.shared = given[4];
      }
      if (body[at].is("cudaLaunchKernelEx")) {
        launch.arguments.assign(given.begin() + 2, given.end());
      } else {
        const std::size_t list = has_config ? 2 : 3;
        if (given.size() <= list || !pointed(given[list], here, launch.arguments)) return;
      }
      add(function, at, std::move(launch));
    }
  }

  /// A launch of `callee` for each way in which that is the kernel: by its name, by a pointer that is given
  /// its address, or by a parameter of the function, one for each call that passes the kernel for it.
  std::vector<LaunchText> launches_by(const ProgramFunction& function, Tokens callee) const {
    LaunchText launch;
    if (launches_kernel(function, callee, launch)) return {launch};
    std::vector<LaunchText> found;
    const Tokens name = uncast(callee);
    const auto parameter = name.size() != 1
                               ? function.parameters.end()
                               : std::ranges::find(function.parameters, name[0].text, &SourceParameter::name);
    if (parameter == function.parameters.end()) return found;
    const auto place = static_cast<std::size_t>(parameter - function.parameters.begin());
    for (const Frame& call : m_host.calls_of(function)) {
      LaunchText passed;
      if (place >= call.arguments.size() || !takes_kernel(*call.function, call.arguments[place], passed))
        continue;
      passed.call = call.position;
      for (std::size_t i = 0; i < passed.template_arguments.size(); ++i)
        passed.template_arguments[i] = m_host.part_of(name[0], i);
      found.push_back(std::move(passed));
    }
    return found;
  }

  /// Whether `callee` is the kernel, or a pointer that is given its address. Notes its template arguments.
  bool launches_kernel(const ProgramFunction& function, Tokens callee, LaunchText& launch) const {
    if (takes_kernel(function, callee, launch)) return true;
    const Token* const pointer = callee.empty() || callee.back().is(">") ? nullptr : &callee.back();
    if (pointer == nullptr || !pointer->is_word()) return false;
    const Tokens body = function.body;
    for (std::size_t i = 0; i + 2 < body.size(); ++i) {
      if (!body[i].is(pointer->text)) continue;
      // `pointer = &kernel`, `void (*pointer)(float*) = kernel<16>`
      std::size_t given = i + 1;
      if (body[given].is(")") && body[given + 1].is("(")) given = behind_bracket(body, given + 1);
      if (given >= body.size() || !body[given].is("=")) continue;
      const Tokens behind = body.subspan(given + 1);
      if (takes_kernel(function, behind.first(find_one_of(behind, {";"})), launch)) return true;
    }
    return false;
  }

  bool takes_kernel(const ProgramFunction& function, Tokens text, LaunchText& launch) const {
    const std::size_t name = find_one_of(text, {m_kernel.name});
    const auto before = static_cast<std::size_t>(text.data() - function.body.data());
    if (name == text.size() || !names_kernel(function, before + name)) return false;
    if (name + 1 < text.size() && text[name + 1].is("<"))
      launch.template_arguments = parts(inside_bracket(text, name + 1));
    return true;
  }

  /// Not where the name is that of another namespace's kernel.
  bool names_kernel(const ProgramFunction& function, std::size_t at) const {
    const Tokens body = function.body;
    const bool is_qualified = at > 1 && body[at - 1].is("::") && body[at - 2].is_word();
    const std::string scope = is_qualified ? std::string(body[at - 2].text) + "::" : function.scope;
    const auto is_meant = [&](const ProgramFunction& one) {
      return is_qualified ? one.scope.ends_with(scope) : one.scope == scope;
    };
    return is_meant(m_kernel) ||
           std::ranges::none_of(m_host.program().functions(), [&](const ProgramFunction& one) {
             return one.is_kernel && one.name == m_kernel.name && is_meant(one);
           });
  }

  /// What a cudaLaunchConfig_t says, and the attributes that stand before it.
  void configured(Tokens config, const Frame& here, LaunchText& launch) const {
    if (!config.empty() && config.front().is("&")) config = config.subspan(1);
    if (config.size() != 1) return;
    const std::string name(config.front().text);
    launch.grid = setting(name, "gridDim", 0, here);
    launch.block = setting(name, "blockDim", 1, here);
    launch.shared = setting(name, "dynamicSmemBytes", 2, here);
    const Tokens body = here.function->body;
    for (std::size_t i = 0; i + 4 < body.size() && here.function->begin + i < here.position; ++i) {
      if (body[i].is("cooperative") && body[i + 1].is("=")) launch.cooperative = !body[i + 2].is("0");
      if (!body[i].is("clusterDim") || !body[i + 1].is(".") || !body[i + 3].is("=")) continue;
      const std::size_t axis = std::string_view("xyz").find(body[i + 2].text);
      const Tokens behind = body.subspan(i + 4);
      const Value number = m_host.evaluate(behind.first(find_one_of(behind, {";"})), here);
      const Value value = number.kind == Value::Kind::symbol && m_host.facts(number.name).present
                              ? number_value(*m_host.facts(number.name).present)
                              : number;
      if (axis < 3 && value.kind == Value::Kind::number) launch.cluster[axis] = value.number;
    }
  }

  /// `config.member = …`, `config.member.x = …`, `config = {.member = …}` or `config = {grid, block, …}`
  Tokens setting(const std::string& config, const std::string& member, std::size_t place,
                 const Frame& here) const {
    const std::string path = config + "." + member;
    Tokens found;
    for (const LocalAssignment& one : m_host.variables_of(*here.function).assignments) {
      if (one.position > here.position) break;
      if (one.path == path) found = one.value;
      if (one.path.starts_with(path + "."))
        found = here.function->body.subspan(one.position - here.function->begin, 3);
    }
    if (!found.empty()) return found;
    const LocalVariable* const variable = m_host.local(config, here);
    if (variable == nullptr || variable->init.empty() || !variable->init.front().is("{")) return {};
    const std::vector<Tokens> given = expression_parts(inside_bracket(variable->init, 0));
    for (const Tokens one : given)
      if (one.size() > 3 && one[0].is(".") && one[1].is(member)) return one.subspan(one[2].is("=") ? 3 : 2);
    return given.size() > 1 && place < given.size() && !given[place].front().is(".") ? given[place]
                                                                                     : Tokens();
  }

  /// Of a list of addresses: `{&x, &n}`, or `list[0] = &x`.
  bool pointed(Tokens list, const Frame& here, std::vector<Tokens>& arguments) const {
    const LocalVariable* const variable = list.empty() ? nullptr : m_host.local(list.front().text, here);
    if (variable != nullptr && find_one_of(variable->init, {"{"}) < variable->init.size())
      list = variable->init;
    const std::size_t open = find_one_of(list, {"{"});
    const auto addressed = [](Tokens part) {
      const std::size_t address = find_one_of(part, {"&"});
      return address < part.size() ? part.subspan(address + 1) : part;
    };
    if (open < list.size())
      for (const Tokens part : parts(inside_bracket(list, open))) arguments.push_back(addressed(part));
    if (variable == nullptr) return open < list.size();
    const Tokens body = here.function->body;
    for (std::size_t i = 0; i + 4 < body.size() && here.function->begin + i < here.position; ++i) {
      if (!body[i].is(variable->name) || !body[i + 1].is("[") || !body[i + 3].is("]") || !body[i + 4].is("="))
        continue;
      if (body[i + 2].text != std::to_string(arguments.size())) continue;
      const Tokens behind = body.subspan(i + 5);
      arguments.push_back(addressed(behind.first(find_one_of(behind, {";"}))));
    }
    return !arguments.empty();
  }

  /// `arguments...` as the arguments of the call.
  void expand(const ProgramFunction& function, LaunchText& launch) const {
    const std::vector<Tokens> written = std::exchange(launch.arguments, {});
    for (const Tokens one : written) {
      const auto pack = std::ranges::find_if(function.parameters, &SourceParameter::is_pack);
      const std::size_t name =
          pack == function.parameters.end() ? one.size() : find_one_of(one, {pack->name});
      if (name == one.size() || !one.back().is(".")) {
        launch.arguments.push_back(one);
        continue;
      }
      const auto place = static_cast<std::size_t>(pack - function.parameters.begin());
      for (const Frame& call : m_host.calls_of(function))
        for (std::size_t i = place; call.position == launch.call && i < call.arguments.size(); ++i)
          launch.arguments.push_back(m_host.part_of(one[name], i - place));
    }
  }

  void add(const ProgramFunction& function, std::size_t at, LaunchText launch) {
    if (launch.call > 0) expand(function, launch);
    if (launch.arguments.size() > m_kernel.parameters.size()) return;
    launch.function = &function;
    launch.position = function.begin + at;
    const Token& line = launch.call > 0 ? m_host.program().code()[launch.call] : function.body[at];
    launch.line = line.line;
    launch.file = line.file;
    m_found.push_back(std::move(launch));
  }

  HostCode& m_host;
  const ProgramFunction& m_kernel;
  std::vector<LaunchText> m_found;
};

}  // namespace

std::vector<LaunchText> launch_texts(HostCode& host, const ProgramFunction& kernel) {
  return LaunchFinder(host, kernel).find();
}

}  // namespace tuner::source
