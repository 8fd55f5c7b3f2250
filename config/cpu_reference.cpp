#include "config/cpu_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tuner/model/element_type.hpp"

namespace config {
namespace {

using tuner::source::Frame;
using tuner::source::HostCode;
using tuner::source::LaunchArgument;
using tuner::source::PointerUse;
using tuner::source::ProgramFunction;
using tuner::source::ProgramLaunch;
using tuner::source::SourceParameter;
using tuner::source::Token;
using tuner::source::Tokens;
using tuner::source::Value;
namespace source = tuner::source;

const std::map<std::string_view, std::string_view> double_names = {{"float", "double"},
                                                                   {"sqrtf", "sqrt"},
                                                                   {"rsqrtf", "rsqrt"},
                                                                   {"expf", "exp"},
                                                                   {"exp2f", "exp2"},
                                                                   {"logf", "log"},
                                                                   {"log2f", "log2"},
                                                                   {"tanhf", "tanh"},
                                                                   {"powf", "pow"},
                                                                   {"fabsf", "fabs"},
                                                                   {"fmaxf", "fmax"},
                                                                   {"fminf", "fmin"},
                                                                   {"sinf", "sin"},
                                                                   {"cosf", "cos"},
                                                                   {"tanf", "tan"},
                                                                   {"coshf", "cosh"},
                                                                   {"sinhf", "sinh"},
                                                                   {"erff", "erf"},
                                                                   {"floorf", "floor"},
                                                                   {"ceilf", "ceil"},
                                                                   {"roundf", "round"},
                                                                   {"fmaf", "fma"},
                                                                   {"log1pf", "log1p"},
                                                                   {"expm1f", "expm1"},
                                                                   {"cbrtf", "cbrt"},
                                                                   {"atanf", "atan"},
                                                                   {"acosf", "acos"},
                                                                   {"asinf", "asin"},
                                                                   {"atan2f", "atan2"},
                                                                   {"hypotf", "hypot"},
                                                                   {"half", "double"},
                                                                   {"__half", "double"},
                                                                   {"__nv_bfloat16", "double"},
                                                                   {"nv_bfloat16", "double"},
                                                                   {"int64_t", "long long"},
                                                                   {"uint64_t", "unsigned long long"},
                                                                   {"int32_t", "int"},
                                                                   {"uint32_t", "unsigned int"},
                                                                   {"uint8_t", "unsigned char"},
                                                                   {"M_PI", "3.14159265358979323846"},
                                                                   {"FLT_MAX", "3.402823466e+38"},
                                                                   {"INFINITY", "(1e308 * 10)"},
                                                                   {"FLT_EPSILON", "1.1920929e-07"},
                                                                   {"NULL", "nullptr"},
                                                                   {"inline", ""},
                                                                   {"static", ""}};

/// Words of functions that do more than compute.
bool is_beyond(std::string_view word) {
  return word.starts_with("cuda") || word.starts_with("cublas") || word.starts_with("cufft") ||
         source::is_one_of(word, {"malloc",
                                  "calloc",
                                  "new",
                                  "delete",
                                  "free",
                                  "printf",
                                  "fprintf",
                                  "rand",
                                  "exit",
                                  "FILE",
                                  "throw",
                                  "vector",
                                  "thread",
                                  "cout",
                                  "cerr",
                                  "memcpy",
                                  "memset",
                                  "string",
                                  "srand",
                                  "clock",
                                  "chrono",
                                  "thrust",
                                  "omp_get_thread_num",
                                  "curand",
                                  "try",
                                  "catch"});
}

bool computes_alone(const ProgramFunction& function) {
  for (std::size_t i = 0; i + 2 < function.body.size(); ++i) {
    const Token& token = function.body[i];
    if (token.kind == Token::Kind::literal) return false;
    if (token.is_word() && is_beyond(token.text)) return false;
    const bool casts_pointer = token.is("*") && function.body[i + 1].is(")");
    const bool launches = token.is("<") && function.body[i + 1].is("<") && function.body[i + 2].is("<");
    if (casts_pointer || launches) return false;
  }
  return !function.parameters.empty();
}

/// The first word of an argument without casts, `&` and brackets.
std::string name_in(Tokens tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].is_word() &&
        !source::is_one_of(tokens[i].text, {"void", "float", "double", "int", "const", "unsigned"}) &&
        !tokens[i].text.ends_with("_cast"))
      return std::string(tokens[i].text);
  return {};
}

/// What is left of `d_x`, `x_gpu` and `h_x` without the side they are on.
std::string bare(std::string name) {
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
      const std::size_t end = source::behind_bracket(body, i + 1);
      const Tokens inside = body.subspan(i + 2, std::max(end, i + 3) - i - 3);
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
      for (const std::string& one : names)
        for (const std::string& other : names)
          if (!one.empty() && one != other) m_pairs.emplace_back(one, other);
    }
  }

  bool are_one(const std::string& host, const std::string& device) const {
    if (host == device || has(host, device) || bare(host) == bare(device)) return true;
    // Compared with what was copied from the device.
    return std::ranges::any_of(
        m_pairs, [&](const auto& pair) { return pair.first == host && has(pair.second, device); });
  }

 private:
  bool has(const std::string& one, const std::string& other) const {
    return std::ranges::count(m_pairs, std::pair(one, other)) > 0;
  }

  std::vector<std::pair<std::string, std::string>> m_pairs;
};

class ReferenceWriter {
 public:
  ReferenceWriter(HostCode& host, const ProgramFunction& kernel, const ProgramLaunch& launch,
                  const DraftPlan& plan, const std::vector<ReferenceBuffer>& buffers)
      : m_host(host), m_kernel(kernel), m_launch(launch), m_plan(plan), m_buffers(buffers) {}

  std::optional<CpuReference> write() {
    for (const ProgramFunction& function : m_host.program().functions()) {
      if (function.is_device || function.name == "main" || !computes_alone(function)) continue;
      for (Frame call : m_host.calls_of(function)) {
        for (const Frame* at = m_launch.frame; at != nullptr; at = at->caller) {
          if (at->function != call.function) continue;
          call.caller = at->caller;
          const Frame inside = *at;
          Frame here = inside;
          here.position = call.position;
          if (auto found = from_call(function, call, *m_host.keep(here))) return found;
        }
      }
    }
    return std::nullopt;
  }

 private:
  struct Passed {
    std::string text;  ///< what the wrapper passes
    std::string type;  ///< of the function's parameter
    const ReferenceBuffer* buffer = nullptr;
    bool written = false;
    bool starts_read = false;
  };

  std::optional<CpuReference> from_call(const ProgramFunction& function, const Frame& call,
                                        const Frame& here) {
    if (call.arguments.size() < 2) return std::nullopt;
    const HostBuffers pairs(*here.function, function.name);
    const std::vector<PointerUse> uses = pointer_uses(m_host.program(), function);
    Frame called = call;
    called.function = &function;
    called.position = function.end();
    called.caller = &here;
    m_types.clear();
    for (const source::TemplateParameter& parameter : function.template_parameters) {
      const std::vector<Token> name = source::tokens_of(parameter.name);
      const std::string type = m_host.type_in(name, called);
      if (parameter.type != "typename" || type == parameter.name) return std::nullopt;
      m_types[parameter.name] = in_double(type);
    }
    std::vector<Passed> passed;
    std::vector<const ReferenceBuffer*> written;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const SourceParameter& parameter = function.parameters[i];
      const Tokens given = i < call.arguments.size() ? call.arguments[i] : function.defaults[i];
      if (given.empty() || std::ranges::count(parameter.text, '[') > 1) return std::nullopt;
      Passed one;
      if (!parameter.pointer) {
        const auto text = scalar(parameter, given, here);
        if (!text) return std::nullopt;
        one.text = *text;
        const auto given_type = m_types.find(parameter.type);
        one.type = given_type != m_types.end() ? given_type->second
                                               : in_double(m_host.program().resolved_type(parameter.type));
      } else if (given.size() == 1 && source::is_one_of(given[0].text, {"NULL", "nullptr", "0"})) {
        one.text = "nullptr";
        one.type = in_double(m_host.program().resolved_type(parameter.type)) + "*";
      } else {
        one.buffer = buffer_of(name_in(given), pairs);
        if (one.buffer == nullptr) return std::nullopt;
        one.written = uses[i].written;
        one.starts_read = uses[i].read && !uses[i].written_first;
        if (one.written && !one.buffer->is_output) return std::nullopt;
        const auto type = tuner::model::parse_element_type(one.buffer->type);
        if (!type || (one.written && !tuner::model::is_floating(*type) && uses[i].read)) return std::nullopt;
        if (tuner::model::components(*type) != 1) return std::nullopt;
        one.text = one.buffer->name + (one.written ? "_expected" : "");
        one.type = one.written                   ? "double*"
                   : is_narrow(one.buffer->type) ? fmt::format("Reals<{}>", one.buffer->type)
                                                 : "const " + one.buffer->type + "*";
        if (one.written) written.push_back(one.buffer);
      }
      passed.push_back(std::move(one));
    }
    for (const ReferenceBuffer& buffer : m_buffers)
      if (buffer.is_output && std::ranges::count(written, &buffer) == 0) return std::nullopt;
    if (written.empty()) return std::nullopt;
    return text(function, passed);
  }

  const ReferenceBuffer* buffer_of(const std::string& host, const HostBuffers& pairs) const {
    const ReferenceBuffer* found = nullptr;
    for (const int strictness : {0, 1}) {
      for (std::size_t i = 0; i < m_launch.arguments.size() && found == nullptr; ++i) {
        if (!m_kernel.parameters[i].pointer) continue;
        const std::string& device = m_launch.arguments[i].origin.path;
        const bool fits = strictness == 0 ? bare(host) == bare(device) : pairs.are_one(host, device);
        if (device.empty() || !fits) continue;
        const auto buffer = std::ranges::find(m_buffers, m_kernel.parameters[i].name, &ReferenceBuffer::name);
        if (buffer != m_buffers.end()) found = &*buffer;
      }
    }
    return found;
  }

  std::optional<std::string> scalar(const SourceParameter& parameter, Tokens given, const Frame& here) {
    const Value value = m_host.evaluate(given, here);
    if (value.is_known())
      if (auto text = m_plan.over_sizes(m_host, value)) return text;
    for (std::size_t i = 0; i < m_kernel.parameters.size() && i < m_plan.arguments.size(); ++i)
      if (m_kernel.parameters[i].name == parameter.name && !m_plan.arguments[i].value.empty())
        return m_plan.arguments[i].value;
    return std::nullopt;
  }

  static std::string in_double(const std::string& type) {
    const auto found = double_names.find(type);
    return found == double_names.end() ? type : std::string(found->second);
  }

  std::optional<CpuReference> text(const ProgramFunction& function, const std::vector<Passed>& passed) {
    CpuReference reference;
    reference.function = function.name;
    reference.line = function.line;
    std::vector<const ProgramFunction*> called = {&function};
    for (std::size_t i = 0; i < called.size() && i < 16; ++i)
      for (const Token& token : called[i]->body)
        for (const ProgramFunction& other : m_host.program().functions())
          if (token.is_word() && other.name == token.text && !other.is_kernel &&
              std::ranges::count(called, &other) == 0)
            called.push_back(&other);
    for (const ProgramFunction* one : called)
      if (!computes_alone(*one)) return std::nullopt;
    std::string definitions = constants(called);
    for (std::size_t i = called.size(); i-- > 1;) definitions += helper(*called[i]);
    std::vector<std::string> declared;
    for (std::size_t i = 0; i < passed.size(); ++i)
      declared.push_back(passed[i].type + " " + function.parameters[i].name);
    definitions += fmt::format("static __device__ void {}({}) {}\n\n", function.name,
                               fmt::join(declared, ", "), body(function));
    reference.text = fmt::format("// {} of line {}, in double precision on one thread.\n\n{}{}{}",
                                 function.name, function.line, headers(passed), definitions,
                                 wrapper(function, passed, reference.arguments));
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

  std::string wrapper(const ProgramFunction& function, const std::vector<Passed>& passed,
                      std::vector<std::string>& arguments) const {
    std::vector<std::string> declared;
    std::string start;
    std::vector<std::string> given;
    const auto declare = [&](const std::string& argument, const std::string& declaration) {
      if (std::ranges::count(arguments, argument) > 0) return;
      arguments.push_back(argument);
      declared.push_back(declaration);
    };
    for (const Passed& one : passed) {
      given.push_back(one.type.starts_with("Reals") ? "{" + one.text + "}" : one.text);
      if (one.buffer == nullptr) continue;
      const std::string& name = one.buffer->name;
      const bool from_input = one.written && one.buffer->is_input;
      if (!one.written || from_input) declare(name, fmt::format("const {}* {}", one.buffer->type, name));
      if (!one.written) continue;
      declare(name + ".expected", fmt::format("double* {}_expected", name));
      if (from_input || one.starts_read)
        start += fmt::format("  for (long long i = 0; i < 1LL * {}; ++i) {}_expected[i] = {};\n",
                             one.buffer->extent, name, from_input ? name + "[i]" : "0");
    }
    for (const std::string& size : m_plan.sizes) {
      // An argument of the kernel that has the size's name comes as it is.
      const auto same = std::ranges::find(m_kernel.parameters, size, &SourceParameter::name);
      const std::string type =
          same == m_kernel.parameters.end() ? "int" : in_double(m_host.program().resolved_type(same->type));
      declare(size, type + " " + size);
    }
    return fmt::format("extern \"C\" __global__ void {}_reference({}) {{\n{}  {}({});\n}}\n", m_kernel.name,
                       fmt::join(declared, ", "), start, function.name, fmt::join(given, ", "));
  }

  /// Macros and constants that the functions use.
  std::string constants(const std::vector<const ProgramFunction*>& functions) const {
    std::vector<std::string_view> names;
    const auto note = [&](Tokens tokens) {
      for (const Token& token : tokens)
        if (token.is_word() && std::ranges::count(names, token.text) == 0) names.push_back(token.text);
    };
    for (const ProgramFunction* one : functions) note(one->body);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (const source::ConstantMacro* const macro = m_host.program().macro(names[i])) {
        note(macro->tokens);
        text = fmt::format("#define {} {}\n", names[i], written(macro->tokens)) + text;
      } else if (const source::GlobalVariable* const variable = m_host.program().variable(names[i])) {
        if (!variable->constant || variable->init.empty() || !variable->extents.empty()) continue;
        note(variable->init);
        text = fmt::format("static constexpr {} {} = {};\n", in_double(variable->type), names[i],
                           written(variable->init)) +
               text;
      }
    }
    return text.empty() ? text : text + "\n";
  }

  std::string helper(const ProgramFunction& function) const {
    std::vector<std::string> declared;
    for (const SourceParameter& parameter : function.parameters)
      declared.push_back(written(source::tokens_of(parameter.text)));
    std::string before;
    for (const Token& token : function.before)
      if (!source::is_one_of(token.text, {"static", "inline", "__host__", "__device__", "__inline__",
                                          "__forceinline__", "extern"}) &&
          token.kind != Token::Kind::literal)
        before += word(token) + " ";
    return fmt::format("static __device__ {}{}({}) {}\n\n", before, function.name, fmt::join(declared, ", "),
                       body(function));
  }

  std::string word(const Token& token) const {
    if (token.kind == Token::Kind::number) {
      std::string text(token.text);
      const bool hex = text.starts_with("0x") || text.starts_with("0X");
      if (!hex && (text.ends_with("f") || text.ends_with("F"))) text.pop_back();
      return text;
    }
    if (!token.is_word()) return std::string(token.text);
    if (const auto given = m_types.find(std::string(token.text)); given != m_types.end())
      return given->second;
    const std::string type = m_host.program().resolved_type(std::string(token.text));
    return in_double(type);
  }

  /// As it is laid out in the source, in double precision.
  std::string written(Tokens tokens) const {
    std::string text;
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.is("}")) --depth;
      if (i > 0 && token.starts_line) {
        text += "\n" + std::string(static_cast<std::size_t>(std::max(0, depth)) * 2, ' ');
      } else if (i > 0) {
        const Token& before = tokens[i - 1];
        const bool adjoins = before.file == token.file && before.offset + before.text.size() == token.offset;
        const bool are_words = (before.is_word() || before.kind == Token::Kind::number) && token.is_word();
        if (!adjoins || are_words) text += " ";
      }
      if (token.is("{")) ++depth;
      if (token.is("std") && i + 1 < tokens.size() && tokens[i + 1].is("::")) {
        ++i;
        continue;
      }
      if (token.is("assert") && i + 1 < tokens.size() && tokens[i + 1].is("(")) {
        i = source::behind_bracket(tokens, i + 1) - 1;
        text += "(void)0";
        continue;
      }
      // A pointer into an input or an output has the type of what it points into.
      const auto points = [&](std::size_t at) {
        return at + 1 < tokens.size() && tokens[at].is_word() && tokens[at + 1].is("*") &&
               word(tokens[at]) == "double" && (at == 0 || !tokens[at - 1].is("("));
      };
      if (token.is("const") && points(i + 1)) continue;
      text += points(i) ? "auto" : word(token);
      if (points(i)) ++i;
    }
    return text;
  }

  std::string body(const ProgramFunction& function) const { return written(function.body); }

  HostCode& m_host;
  const ProgramFunction& m_kernel;
  const ProgramLaunch& m_launch;
  const DraftPlan& m_plan;
  const std::vector<ReferenceBuffer>& m_buffers;
  std::map<std::string, std::string> m_types;  ///< of the function's template, in double precision
};

}  // namespace

std::optional<CpuReference> cpu_reference(HostCode& host, const ProgramFunction& kernel,
                                          const ProgramLaunch& launch, const DraftPlan& plan,
                                          const std::vector<ReferenceBuffer>& buffers) {
  return ReferenceWriter(host, kernel, launch, plan, buffers).write();
}

}  // namespace config
