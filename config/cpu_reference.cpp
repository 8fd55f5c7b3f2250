#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "config/draft_plan.hpp"
#include "tuner/model/element_type.hpp"

namespace config {
namespace {

/// The first word of an argument without casts, `&` and brackets.
std::string name_in(Tokens tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].is_word() &&
        !source::is_one_of(tokens[i].text, {"void", "float", "double", "int", "const", "unsigned"}) &&
        !tokens[i].text.ends_with("_cast"))
      return std::string(tokens[i].text);
  return {};
}

/// What is left of `d_x`, `dX`, `x_gpu` and `h_x` without the side they are on.
std::string bare(std::string name) {
  if (name.size() > 1 && (name[0] == 'd' || name[0] == 'h') && name[1] >= 'A' && name[1] <= 'Z')
    return name.substr(1);
  for (const char* prefix : {"dev_", "host_", "d_", "h_", "gpu_", "cpu_"})
    if (name.starts_with(prefix)) return name.substr(std::string_view(prefix).size());
  for (const char* suffix : {"_gpu", "_cpu", "_host", "_device", "_dev", "_ref", "_d", "_h"})
    if (name.ends_with(suffix)) return name.substr(0, name.size() - std::string_view(suffix).size());
  return name;
}

/// Which buffer of the host stands for which of the device, in one function of the program.
class HostBuffers {
 public:
  HostBuffers(const ProgramFunction& function, const std::string& other_than) {
    const Tokens body = function.body;
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
      if (!body[i].is_word() || !body[i + 1].is("(") || body[i].is(other_than)) continue;
      const Tokens inside = source::inside_bracket(body, i + 1);
      const bool compares = body[i].is("if");
      std::vector<std::string> names;
      if (compares) {
        for (std::size_t k = 0; k + 1 < inside.size(); ++k)
          if (inside[k].is_word() && inside[k + 1].is("[")) names.emplace_back(inside[k].text);
      } else if (!source::is_one_of(body[i].text, {"for", "while", "printf"})) {
        for (const Tokens part : source::expression_parts(inside))
          if (part.size() < 12) names.push_back(name_in(part));
      }
      if (names.size() > 6 || names.size() < 2) continue;
      const bool copies = body[i].text.find("emcpy") != std::string_view::npos;
      if (!copies && !compares && !is_comparison(body[i].text)) continue;
      if (copies) names.resize(2);  // the third is how many bytes
      for (const std::string& one : names)
        for (const std::string& other : names)
          if (!one.empty() && one != other) (copies ? m_copies : m_pairs).emplace_back(one, other);
    }
    // device_vector<float> d = h;
    for (std::size_t i = 1; i + 2 < body.size(); ++i) {
      if (!body[i].is("=") || !body[i - 1].is_word() || !body[i + 1].is_word() ||
          !source::is_one_of(body[i + 2].text, {";", ","}))
        continue;
      m_copies.emplace_back(body[i - 1].text, body[i + 1].text);
      m_copies.emplace_back(body[i + 1].text, body[i - 1].text);
    }
    m_pairs.insert(m_pairs.end(), m_copies.begin(), m_copies.end());
  }

  /// Their names say more than a copy from one to the other, and that more than what compares them.
  bool are_one(const std::string& host, const std::string& device, int strictness) const {
    if (strictness == 2) return bare(host) == bare(device);
    if (strictness == 1) return has(m_copies, host, device);
    // Compared with what was copied from the device.
    return has(m_pairs, host, device) || std::ranges::any_of(m_pairs, [&](const auto& pair) {
             return pair.first == host && has(m_copies, pair.second, device);
           });
  }

 private:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  /// `validate_result`, `compareArrays`, `max_diff`
  static bool is_comparison(std::string_view function) {
    return contains_any(upper(std::string(function)),
                        {"VALID", "CHECK", "COMP", "VERIF", "DIFF", "CMP", "EQUAL", "CLOSE", "MATCH", "ERR",
                         "ASSERT", "TEST", "SAME"});
  }

  static bool has(const Pairs& pairs, const std::string& one, const std::string& other) {
    return std::ranges::count(pairs, std::pair(one, other)) > 0;
  }

  Pairs m_copies;
  Pairs m_pairs;  ///< those too
};

class ReferenceWriter {
 public:
  ReferenceWriter(DraftSource& source, const DraftPlan& plan, const std::vector<DraftBuffer>& buffers)
      : m_source(source), m_launch(source.launches.front()), m_plan(plan), m_buffers(buffers) {}

  /// Of several functions the one whose name is most like the kernel's.
  std::optional<CpuReference> write() {
    std::vector<std::vector<CpuReference>> found;
    for (const ProgramFunction& function : m_source.program.functions()) {
      if (function.is_device || function.name == "main" || !computes_alone(function)) continue;
      if (is_of_another_kernel(function)) continue;
      if (auto of_calls = from_calls(function); !of_calls.empty()) found.push_back(std::move(of_calls));
    }
    if (found.empty()) return std::nullopt;
    const auto likeness_of = [&](const std::vector<CpuReference>& one) {
      return likeness(one.front().function, m_source.kernel.name);
    };
    std::ranges::stable_sort(found, std::greater(), likeness_of);
    const CpuReference& best = found.front().front();
    const std::string named = fmt::format("{} of line {}", best.function, best.line);
    if (found.front().size() > 1) {
      m_source.ask(fmt::format("{} is called with several arguments: which call computes what {} does?",
                               named, m_source.kernel.name));
      return std::nullopt;
    }
    if (!best.fixed_size.empty())
      m_source.ask(fmt::format("{}: {} has the macro of this name, which is the same for all sizes",
                               best.fixed_size, named));
    if (found.size() == 1) return best;
    const CpuReference& next = found[1].front();
    const std::string other = fmt::format("{} of line {}", next.function, next.line);
    if (likeness_of(found[0]) == likeness_of(found[1])) {
      m_source.ask(
          fmt::format("which of {} and {} computes what {} does?", named, other, m_source.kernel.name));
      return std::nullopt;
    }
    m_source.ask(fmt::format("is {} right? {} takes the same buffers", named, other));
    return best;
  }

 private:
  bool is_of_another_kernel(const ProgramFunction& function) const {
    return likeness(function.name, m_source.kernel.name) == 0 &&
           std::ranges::any_of(m_source.program.functions(), [&](const ProgramFunction& one) {
             return one.is_kernel && likeness(function.name, one.name) > 0;
           });
  }

  /// One of each call that passes something else.
  std::vector<CpuReference> from_calls(const ProgramFunction& function) {
    std::vector<CpuReference> found;
    for (Frame call : m_source.host.calls_of(function)) {
      for (const Frame* at = m_launch.frame; at != nullptr; at = at->caller) {
        if (at->function != call.function) continue;
        call.caller = at->caller;
        Frame here = *at;
        here.position = call.position;
        auto one = from_call(function, call, *m_source.host.keep(here));
        if (!one) continue;
        if (std::ranges::count(found, one->text, &CpuReference::text) == 0) found.push_back(std::move(*one));
        break;
      }
    }
    return found;
  }

  struct Passed {
    std::string text;  ///< what the wrapper passes
    std::string type;  ///< of the function's parameter
    const DraftBuffer* buffer = nullptr;
    bool written = false;
    bool starts_read = false;
    std::string host = {};  ///< the buffer that the program passes
    std::string rows = {};  ///< `[N]` of a pointer to arrays

    std::string declared(const std::string& name) const {
      return rows.empty() ? type + " " + name : pointer_to_rows(name) + rows;
    }
    std::string given() const {
      if (!rows.empty()) return "(" + pointer_to_rows("") + rows + ")" + text;
      return type.starts_with("Reals") ? "{" + text + "}" : text;
    }

   private:
    /// `double (*x)` of `double*`
    std::string pointer_to_rows(const std::string& name) const {
      return type.substr(0, type.size() - 1) + " (*" + name + ")";
    }
  };

  /// `[4][N]` of `float (*x)[4][N]` and `float x[][4][N]`; empty: it is no pointer to arrays.
  static std::string rows_of(const SourceParameter& parameter) {
    if (parameter.kind != "a pointer to arrays") return {};
    std::string rows;
    for (const Token& token : source::row_extents(parameter)) rows += token.text;
    return rows;
  }

  std::optional<CpuReference> from_call(const ProgramFunction& function, const Frame& call,
                                        const Frame& here) {
    if (call.arguments.size() < 2) return std::nullopt;
    const HostBuffers pairs(*here.function, function.name);
    const std::vector<PointerUse> uses = pointer_uses(m_source.program, function);
    const auto types = template_types(function, call, here);
    if (!types) return std::nullopt;
    std::set<std::string> fixed;
    for (const auto& [name, size] : fixed_sizes()) fixed.insert(name);
    DoubleText doubles(m_source.program, *types, fixed);
    std::vector<Passed> passed;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const SourceParameter& parameter = function.parameters[i];
      const Tokens given = i < call.arguments.size() ? call.arguments[i] : function.defaults[i];
      const std::string rows = rows_of(parameter);
      if (given.empty() || (!parameter.kind.empty() && rows.empty())) return std::nullopt;
      std::optional<Passed> one;
      if (!parameter.pointer) {
        if (const auto value = scalar(parameter, given, here))
          one = Passed{*value, doubles.name(parameter.type)};
      } else if (given.size() == 1 && source::is_one_of(given[0].text, {"NULL", "nullptr", "0"})) {
        one = Passed{"nullptr", in_double(m_source.program.resolved_type(parameter.type)) + "*"};
      } else {
        const std::string host = name_in(rows.empty() ? given : source::uncast(given));
        one = pointer(buffer_of(host, pairs), uses[i]);
        if (one && !rows.empty() && is_narrow(one->buffer->type)) one.reset();
        if (one) one->host = host;
        if (one) one->rows = rows;
      }
      if (!one) return std::nullopt;
      passed.push_back(std::move(*one));
    }
    const auto is_written = [&](const DraftBuffer& buffer) {
      return std::ranges::any_of(passed,
                                 [&](const Passed& one) { return one.written && one.buffer == &buffer; });
    };
    for (const DraftBuffer& buffer : m_buffers)
      if (buffer.is_output && !is_written(buffer)) return std::nullopt;
    if (std::ranges::none_of(passed, &Passed::written)) return std::nullopt;
    if (takes_one_for_two(passed) || !reads_enough(passed)) return std::nullopt;
    return text(function, passed, doubles);
  }

  /// Two buffers of the program would be one of the kernel's.
  static bool takes_one_for_two(const std::vector<Passed>& passed) {
    return std::ranges::any_of(passed, [&](const Passed& one) {
      return one.buffer != nullptr && std::ranges::any_of(passed, [&](const Passed& other) {
               return other.buffer == one.buffer && other.written == one.written && other.host != one.host;
             });
    });
  }

  /// What reads nothing only fills a buffer, as kernels do that read nothing themselves.
  bool reads_enough(const std::vector<Passed>& passed) const {
    const auto reads = [](const Passed& one) {
      return one.buffer != nullptr && one.buffer->is_input && (!one.written || one.starts_read);
    };
    return std::ranges::any_of(passed, reads) ||
           std::ranges::none_of(m_source.uses, [](const PointerUse& use) { return use.read; });
  }

  /// What the call gives the function's template, in double precision; none: more than types, or not known.
  std::optional<std::map<std::string, std::string>> template_types(const ProgramFunction& function,
                                                                   const Frame& call, const Frame& here) {
    Frame called = call;
    called.function = &function;
    called.position = function.end();
    called.caller = &here;
    std::map<std::string, std::string> types;
    for (const source::TemplateParameter& parameter : function.template_parameters) {
      const std::vector<Token> name = source::tokens_of(parameter.name);
      const std::string type = m_source.host.type_in(name, called);
      if (parameter.type != "typename" || type == parameter.name) return std::nullopt;
      types[parameter.name] = in_double(type);
    }
    return types;
  }

  /// Results are written in double precision, and inputs are read as they are.
  static std::optional<Passed> pointer(const DraftBuffer* buffer, const PointerUse& use) {
    if (buffer == nullptr || (use.written && !buffer->is_output)) return std::nullopt;
    const auto type = model::parse_element_type(buffer->type);
    if (!type || (use.written && !model::is_floating(*type) && use.read)) return std::nullopt;
    if (model::components(*type) != 1) return std::nullopt;
    Passed one;
    one.buffer = buffer;
    one.written = use.written;
    one.starts_read = use.read && !use.written_first;
    one.text = buffer->name + (use.written ? "_expected" : "");
    one.type = use.written               ? "double*"
               : is_narrow(buffer->type) ? fmt::format("Reals<{}>", buffer->type)
                                         : "const " + buffer->type + "*";
    return one;
  }

  const DraftBuffer* buffer_of(const std::string& host, const HostBuffers& pairs) const {
    const DraftBuffer* found = nullptr;
    for (const int strictness : {2, 1, 0}) {
      for (std::size_t i = 0; i < m_launch.arguments.size() && found == nullptr; ++i) {
        if (!m_source.kernel.parameters[i].pointer) continue;
        const std::string& device = m_launch.arguments[i].origin.path;
        if (device.empty() || !pairs.are_one(host, device, strictness)) continue;
        const auto buffer =
            std::ranges::find(m_buffers, m_source.kernel.parameters[i].name, &DraftBuffer::name);
        if (buffer != m_buffers.end()) found = &*buffer;
      }
    }
    return found;
  }

  std::optional<std::string> scalar(const SourceParameter& parameter, Tokens given, const Frame& here) {
    const Value value = m_source.host.evaluate(given, here);
    if (value.is_known())
      if (auto text = m_plan.over_sizes(m_source.host, value)) return text;
    for (std::size_t i = 0; i < m_source.kernel.parameters.size() && i < m_plan.arguments.size(); ++i)
      if (m_source.kernel.parameters[i].name == parameter.name && !m_plan.arguments[i].value.empty())
        return m_plan.arguments[i].value;
    return std::nullopt;
  }

  /// Macros and constants of the program that are sizes of the spec, and which.
  std::map<std::string, std::string> fixed_sizes() const {
    std::map<std::string, std::string> found;
    for (const auto& [symbol, size] : m_plan.names)
      if (symbol.starts_with("::") && std::ranges::count(m_plan.sizes, size) > 0)
        found[symbol.substr(2)] = size;
    return found;
  }

  std::optional<CpuReference> text(const ProgramFunction& function, const std::vector<Passed>& passed,
                                   DoubleText& doubles) const {
    const std::optional<std::string> used = doubles.used_by(function);
    if (!used) return std::nullopt;
    CpuReference reference;
    reference.function = function.name;
    reference.line = function.line;
    std::vector<std::string> declared;
    for (std::size_t i = 0; i < passed.size(); ++i)
      declared.push_back(passed[i].declared(function.parameters[i].name));
    const std::string definition =
        fmt::format("static __device__ {} {}({}) {}\n\n", doubles.result(function), function.name,
                    fmt::join(declared, ", "), doubles.body(function));
    // A macro may have the name of a parameter that stands for a size.
    std::string freed;
    for (const std::string& size : m_plan.sizes) {
      if (used->find(fmt::format("#define {} ", size)) == std::string::npos) continue;
      freed += fmt::format("#undef {}\n", size);
      reference.fixed_size = size;
    }
    std::string start;
    for (const auto& [name, size] : fixed_sizes())
      if (used->find(fmt::format("static __device__ int {};", name)) != std::string::npos)
        start += fmt::format("  ::{} = {};\n", name, size);
    reference.text =
        fmt::format("// {} of line {}, in double precision on one thread.\n\n{}{}{}{}{}", function.name,
                    function.line, headers(passed), *used, definition, keep_whole(passed),
                    freed + wrapper(function, passed, start, reference.arguments));
    return reference;
  }

  static bool is_narrow(std::string_view type) { return type == "__nv_bfloat16" || type == "__half"; }

  static std::string headers(const std::vector<Passed>& passed) {
    std::string text;
    for (const auto& [part, header] :
         {std::pair("__nv_bfloat16", "cuda_bf16.h"), std::pair("__half", "cuda_fp16.h")})
      if (std::ranges::any_of(passed, [&, part = part](const Passed& one) {
            return one.type.find(part) != std::string::npos;
          }))
        text += fmt::format(
            "#include <{}>\n\n"
            "/// A buffer of narrow numbers, read in double precision.\n"
            "template <class Number>\nstruct Reals {{\n  const Number* at;\n"
            "  __device__ double operator[](long long i) const {{ return float(at[i]); }}\n"
            "  __device__ double operator*() const {{ return float(*at); }}\n"
            "  __device__ Reals operator+(long long i) const {{ return {{at + i}}; }}\n}};\n\n",
            header);
    return text;
  }

  static bool is_whole(const Passed& one) {
    return one.written && !model::is_floating(*model::parse_element_type(one.buffer->type));
  }

  /// A double does not cut off fractions and wrap around as a whole number does.
  static std::string keep_whole(const std::vector<Passed>& passed) {
    if (std::ranges::none_of(passed, is_whole)) return {};
    return "/// Leaves of results what whole numbers keep, and what was not written as it is.\n"
           "template <class Whole>\nstatic __device__ void keep_whole(double* results, long long count) {\n"
           "  for (long long i = 0; i < count; ++i)\n"
           "    if (results[i] == results[i])\n"
           "      results[i] = results[i] < 0 ? Whole((long long)results[i]) : Whole((unsigned long "
           "long)results[i]);\n"
           "}\n\n";
  }

  /// `start`: what it does first.
  std::string wrapper(const ProgramFunction& function, const std::vector<Passed>& passed, std::string start,
                      std::vector<std::string>& arguments) const {
    std::vector<std::string> declared;
    std::string end;
    std::vector<std::string> given;
    const auto declare = [&](const std::string& argument, const std::string& declaration) {
      if (std::ranges::count(arguments, argument) > 0) return;
      arguments.push_back(argument);
      declared.push_back(declaration);
    };
    for (const Passed& one : passed) {
      given.push_back(one.given());
      if (one.buffer == nullptr) continue;
      const std::string& name = one.buffer->name;
      const bool from_input = one.written && one.buffer->is_input;
      if (!one.written || from_input) declare(name, fmt::format("const {}* {}", one.buffer->type, name));
      if (!one.written) continue;
      declare(name + ".expected", fmt::format("double* {}_expected", name));
      if (from_input || one.starts_read)
        start += fmt::format("  for (long long i = 0; i < 1LL * {}; ++i) {}_expected[i] = {};\n",
                             one.buffer->extent, name, from_input ? name + "[i]" : "0");
      if (is_whole(one))
        end += fmt::format("  keep_whole<{}>({}_expected, 1LL * {});\n", one.buffer->type, name,
                           one.buffer->extent);
    }
    for (const std::string& size : m_plan.sizes) {
      // An argument of the kernel that has the size's name comes as it is.
      const auto same = std::ranges::find(m_source.kernel.parameters, size, &SourceParameter::name);
      std::string type = "int";
      if (same != m_source.kernel.parameters.end()) {
        const auto at = static_cast<std::size_t>(same - m_source.kernel.parameters.begin());
        const bool is_given = at < m_plan.arguments.size() && !m_plan.arguments[at].type.empty();
        type = is_given ? m_plan.arguments[at].type : in_double(m_source.program.resolved_type(same->type));
      }
      declare(size, type + " " + size);
    }
    return fmt::format("extern \"C\" __global__ void {}_reference({}) {{\n{}  {}({});\n{}}}\n",
                       m_source.kernel.name, fmt::join(declared, ", "), start, function.name,
                       fmt::join(given, ", "), end);
  }

  DraftSource& m_source;
  const ProgramLaunch& m_launch;
  const DraftPlan& m_plan;
  const std::vector<DraftBuffer>& m_buffers;
};

}  // namespace

std::optional<CpuReference> cpu_reference(DraftSource& source, const DraftPlan& plan,
                                          const std::vector<DraftBuffer>& buffers) {
  return ReferenceWriter(source, plan, buffers).write();
}

}  // namespace config
