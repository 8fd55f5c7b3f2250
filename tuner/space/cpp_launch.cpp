#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/space/cpp_configuration.hpp"
#include "tuner/space/expression.hpp"

namespace tuner::space {
namespace {

constexpr const char* parameters_of_functions =
    "([[maybe_unused]] const Sizes& s_, [[maybe_unused]] const Device& d_)";

const char* access_name(model::Access access) {
  constexpr const char* names[] = {"in", "out", "inout", "workspace"};
  return names[static_cast<std::size_t>(access)];
}

/// As the kernel is passed it; narrow floats have no type in the language.
const char* scalar_type(model::ElementType type) {
  constexpr const char* names[] = {"float",        "double",        "std::int8_t",  "std::uint8_t",
                                   "std::int32_t", "std::uint32_t", "std::int64_t", "std::uint64_t",
                                   "std::int16_t", "std::uint16_t", "bool"};
  const auto number = static_cast<std::size_t>(type);
  return number < std::size(names) ? names[number] : "float";
}

/// What a buffer of a launch must hold before it.
std::string contents_text(const model::ArgumentSpec& argument, model::ElementType type) {
  if (argument.access == model::Access::in || argument.access == model::Access::inout)
    return "the caller's data";
  const model::InitRule& init = argument.init.for_type(type);
  if (init.kind == model::Init::Kind::none) return "anything";
  const std::string when = argument.restore ? "before every launch" : "before the first launch";
  if (init.kind == model::Init::Kind::constant) return fmt::format("{} in every element, {}", init.a, when);
  return "as the spec's init, " + when;
}

class StructWriter {
 public:
  StructWriter(const model::KernelSpec& spec, const model::Configuration& configuration,
               const model::Problem& problem)
      : m_spec(spec), m_configuration(configuration), m_problem(problem), m_scope(spec, m_diagnostics) {}

  CppConfiguration write(const std::string& name, const std::string& options) {
    std::string body = constants(options) + "\n";
    std::string functions = compiled_parts() + can_launch() + steps() + buffers() + arguments();
    for (std::size_t i = 0; i < m_wanted.size(); ++i) functions += derived(m_wanted[i]);
    // Its own name is none that a parameter may have.
    m_out.text = fmt::format("struct {0}_ {{\n{1}{2}}};\nusing {0} = {0}_;\n", name, body, functions);
    return std::move(m_out);
  }

 private:
  std::string text_of(const model::Expression& expression, bool real = false) {
    const auto found = cpp_expression(expression, m_scope, real);
    if (!found) {
      throw model::UsageError(
          fmt::format("`{}` of {} is no constant expression of C++17", excerpt(expression.text), m_spec.name),
          "calls and remainders in floating numbers are not; move it to the caller");
    }
    for (const std::string& name : found->derived)
      if (std::find(m_wanted.begin(), m_wanted.end(), name) == m_wanted.end()) m_wanted.push_back(name);
    m_out.limits.insert(found->limits.begin(), found->limits.end());
    return found->text;
  }

  std::string constants(const std::string& options) {
    std::string text = fmt::format("  static constexpr const char* kernel = {};\n", cpp_literal(m_spec.name));
    text += fmt::format("  static constexpr const char* source = {};\n",
                        cpp_literal(m_spec.source.empty() ? "" : m_spec.source.front().name));
    text += fmt::format("  static constexpr const char* options =\n      {};\n", cpp_literal(options));
    const auto add = [&](const std::string& name, std::int64_t value, const std::string& word) {
      text += fmt::format("  static constexpr std::int64_t {} = {};{}\n", cpp_name(name), value,
                          word.empty() ? "" : "  // " + word);
    };
    for (const model::ParameterSpec& parameter : m_spec.parameters) {
      const model::Value* const value = m_configuration.find(parameter.name);
      if (value == nullptr) {
        throw model::UsageError(fmt::format("{} has no parameter {} in `{}`", m_spec.name, parameter.name,
                                            m_configuration.text()),
                                "measure it again with today's spec");
      }
      add(parameter.name, value->code(), value->is_word() ? value->text() : "");
    }
    add("ELEMENT_BYTES", model::size_bytes(m_problem.type), std::string(model::cuda_name(m_problem.type)));
    add("ELEMENT_IS_INTEGER", model::is_floating(m_problem.type) ? 0 : 1, "");
    if (!m_spec.row_padding.empty()) add(m_spec.row_padding, m_problem.row_padding, "");
    return text;
  }

  std::string function(const std::string& type, const std::string& name, const std::string& body) const {
    return fmt::format("  TUNER_BOTH static constexpr {} {}{} {{\n{}  }}\n", type, name,
                       parameters_of_functions, body);
  }

  /// By value: writing it may lengthen the list that has the name.
  std::string derived(std::string name) {
    const auto found = std::find_if(m_spec.derived.begin(), m_spec.derived.end(),
                                    [&](const auto& one) { return one.name == name; });
    return function("std::int64_t", cpp_name(name), fmt::format("    return {};\n", text_of(found->value)));
  }

  std::size_t compiled_parts_count() const {
    return m_spec.macros.size() + m_spec.conditional_options.size();
  }

  /// What is compiled in and may follow the size, and the sizes that `options` are of.
  std::string compiled_parts() {
    if (compiled_parts_count() == 0) return "";
    std::string body, sizes;
    std::size_t count = 0;
    const auto add = [&](const std::string& value) {
      body += fmt::format("    if (i_ == {}) return {};\n", count++, value);
    };
    for (const model::PlacedName& macro : m_spec.macros) add(text_of({macro.name, macro.where}));
    for (const model::ConditionalOption& option : m_spec.conditional_options)
      add(fmt::format("({}) != 0", text_of(option.when)));
    for (const model::Dimension& size : m_problem.sizes)
      sizes += fmt::format("    of_.{} = {};\n", cpp_name(size.name), size.value);
    return fmt::format(
        "  TUNER_BOTH static constexpr std::int64_t part_(int i_, [[maybe_unused]] const Sizes& s_, "
        "[[maybe_unused]] const Device& d_) {{\n{}    return 0;\n  }}\n"
        "  TUNER_BOTH static constexpr Sizes built_for_() {{\n    Sizes of_;\n{}    return of_;\n  }}\n",
        body, sizes);
  }

  /// Bytes of a tensor map, of which the driver asks multiples of 16.
  std::vector<std::string> strides(const model::ArgumentSpec& argument) {
    std::vector<std::string> texts;
    for (const model::Expression& stride : argument.tensor->strides)
      texts.push_back(fmt::format("({})", text_of(stride)));
    if (!texts.empty()) return texts;
    const auto buffer = std::find_if(m_spec.arguments.begin(), m_spec.arguments.end(),
                                     [&](const auto& one) { return one.name == argument.tensor->buffer; });
    std::string stride = fmt::format("{}LL", model::size_bytes(buffer->type.value_or(m_problem.type)));
    for (std::size_t i = 0; i + 1 < argument.tensor->shape.size(); ++i) {
      stride += fmt::format(" * ({})", text_of(argument.tensor->shape[i]));
      texts.push_back(stride);
    }
    return texts;
  }

  /// What the spec asks of a size: its constraints, and which parameters apply; what was compiled is right
  /// there, and numbers fit into what the kernel takes.
  std::string can_launch() {
    std::string body;
    const auto require = [&](const std::string& condition) {
      body += fmt::format("    if (!({})) return false;\n", condition);
    };
    for (const model::ParameterSpec& parameter : m_spec.parameters) {
      if (!parameter.when) continue;
      const model::Value& value = *m_configuration.find(parameter.name);
      const bool is_listed =
          std::find(parameter.values.begin(), parameter.values.end(), value) != parameter.values.end();
      const bool is_otherwise = value == parameter.otherwise;
      if (is_listed != is_otherwise)
        require(fmt::format("({}) {} 0", text_of(*parameter.when), is_listed ? "!=" : "=="));
    }
    for (const model::Expression& constraint : m_spec.constraints)
      require(fmt::format("({}) != 0", text_of(constraint)));
    for (std::size_t i = 0; i < compiled_parts_count(); ++i)
      require(fmt::format("part_({0}, s_, d_) == part_({0}, built_for_(), d_)", i));
    for (const model::ArgumentSpec& argument : m_spec.arguments) {
      if (argument.tensor)
        for (const std::string& stride : strides(argument)) require(stride + " % 16 == 0");
      const model::ElementType type = argument.type.value_or(m_problem.type);
      if (is_scalar(argument) && !model::is_floating(type) && model::size_bytes(type) < 8)
        require(fmt::format("argument_{}(s_, d_) == ({})", argument.name, text_of(value_of(argument))));
    }
    for (const model::ArgumentSpec& argument : m_spec.arguments)
      for (const model::Expression& extent : argument.extent)
        if (!is_identifier(extent.text)) require(fmt::format("({}) >= 0", text_of(extent)));
    std::vector<std::string> applies;
    for (std::size_t i = 0; i < m_spec.steps.size(); ++i) {
      const model::StepSpec& step = m_spec.steps[i];
      applies.push_back(fmt::format("step({}, s_, d_).applies", i));
      if (step.upload.empty() && !step.calls)
        require(fmt::format(
            "fits_(step({}, s_, d_), {})", i,
            step.dynamic_shared_bytes ? text_of({"max_shared_bytes_per_block", step.where}) : "0"));
      if (step.first || step.count)
        require(fmt::format("lies_in_(step({}, s_, d_), {})", i, elements_of(step)));
    }
    // A run of no step would leave its outputs as they were.
    if (std::ranges::any_of(m_spec.steps, [](const auto& one) { return one.when || one.repeat; }))
      require(fmt::format("{}", fmt::join(applies, " || ")));
    return function("bool", "can_launch", body + "    return true;\n");
  }

  std::string extents(const std::vector<model::Expression>& sides) {
    std::vector<std::string> texts;
    for (const model::Expression& side : sides) texts.push_back(text_of(side));
    while (texts.size() < 3) texts.emplace_back("1");
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
  }

  std::string steps() {
    std::string text = fmt::format("  static constexpr int steps = {};\n", m_spec.steps.size());
    std::string body;
    std::size_t loop_end = 0;
    std::string times;
    for (std::size_t i = 0; i < m_spec.steps.size(); ++i) {
      const model::StepSpec& step = m_spec.steps[i];
      std::string lines;
      const auto set = [&](const char* key, const std::string& value) {
        lines += fmt::format("      out_.{} = {};\n", key, value);
      };
      const auto set_number = [&](const char* key, const std::optional<model::Expression>& value) {
        if (value) set(key, text_of(*value));
      };
      if (i >= loop_end) times.clear();
      if (step.repeat) {
        times = text_of(*step.repeat);
        loop_end = i + static_cast<std::size_t>(step.repeat_steps);
        set("repeat", times);
        set("repeat_steps", fmt::format("{}", step.repeat_steps));
      }
      std::vector<std::string> conditions;
      if (step.when) conditions.push_back(fmt::format("({}) != 0", text_of(*step.when)));
      if (!times.empty()) conditions.push_back(fmt::format("({}) != 0", times));
      if (!conditions.empty()) set("applies", fmt::format("{}", fmt::join(conditions, " && ")));
      if (step.calls) {
        set("kind", "Step::Kind::call");
        set("entry", cpp_literal(step.entry));
      } else if (step.upload.empty()) {
        set("entry", cpp_literal(step.entry));
        set("grid", extents(step.grid));
        set("block", extents(step.block));
        if (!step.cluster.empty()) set("cluster", extents(step.cluster));
        set_number("dynamic_shared_bytes", step.dynamic_shared_bytes);
        set_number("shared_carveout_percent", step.shared_carveout_percent);
        if (step.cooperative) set("cooperative", fmt::format("({}) != 0", text_of(*step.cooperative)));
        if (step.overlap) set("overlap", fmt::format("({}) != 0", text_of(*step.overlap)));
      } else {
        set("kind", step.sets ? "Step::Kind::memset" : "Step::Kind::upload");
        set("entry", cpp_literal(step.upload));
        set_number("first", step.first);
        set("count", step.count ? text_of(*step.count) : elements_from(step));
        set_number("byte", step.byte);
      }
      if (step.stream != 0) set("stream", fmt::format("{}", step.stream));
      body += fmt::format("    if (i_ == {}) {{\n{}    }}\n", i, lines);
    }
    return text + fmt::format(
                      "  TUNER_BOTH static constexpr Step step(int i_, [[maybe_unused]] const Sizes& s_, "
                      "[[maybe_unused]] const Device& d_) {{\n    Step out_;\n{}    return out_;\n  }}\n",
                      body);
  }

  /// Of the buffer that a step copies or sets.
  std::string elements_of(const model::StepSpec& step) {
    const auto found = std::find_if(m_spec.arguments.begin(), m_spec.arguments.end(),
                                    [&](const auto& one) { return one.name == step.upload; });
    return product(found->extent);
  }

  /// All of them, from its first on.
  std::string elements_from(const model::StepSpec& step) {
    const std::string all = elements_of(step);
    return step.first ? fmt::format("{} - ({})", all, text_of(*step.first)) : all;
  }

  std::string product(const std::vector<model::Expression>& extent) {
    std::string text = "std::int64_t(1)";
    for (const model::Expression& one : extent) text += fmt::format(" * ({})", text_of(one));
    return text;
  }

  std::string buffers() {
    std::string body;
    int count = 0;
    for (const model::ArgumentSpec& argument : m_spec.arguments) {
      if (!argument.pointer || argument.is_field()) continue;
      const model::ElementType type = argument.type.value_or(m_problem.type);
      const std::int64_t bytes = argument.structure ? argument.structure->bytes : model::size_bytes(type);
      body += fmt::format("    if (i_ == {}) {{\n      out_.name = {};\n      out_.access = \"{}\";\n",
                          count++, cpp_literal(argument.name), access_name(argument.access));
      body += fmt::format(
          "      out_.type = {};\n      out_.holds = {};\n",
          cpp_literal(argument.structure ? argument.structure->name : std::string(model::cuda_name(type))),
          cpp_literal(contents_text(argument, type)));
      body += fmt::format("      out_.elements = {};\n      out_.bytes = {} * out_.elements;\n    }}\n",
                          product(argument.extent), bytes);
    }
    return fmt::format("  static constexpr int buffers = {};\n", count) +
           fmt::format(
               "  TUNER_BOTH static constexpr Buffer buffer([[maybe_unused]] int i_, [[maybe_unused]] const "
               "Sizes& s_, "
               "[[maybe_unused]] const Device& d_) {{\n    Buffer out_;\n{}    return out_;\n  }}\n",
               body);
  }

  static bool is_scalar(const model::ArgumentSpec& argument) {
    return !argument.pointer && !argument.is_field() && !argument.is_view() && !argument.structure &&
           argument.components.empty();
  }

  static model::Expression value_of(const model::ArgumentSpec& argument) {
    return argument.value.value_or(model::Expression{argument.name, argument.where});
  }

  /// Scalars; structs, vectors, tensor maps and textures are named and left to the caller.
  std::string arguments() {
    std::string text;
    for (const model::ArgumentSpec& argument : m_spec.arguments) {
      if (argument.pointer || argument.is_field()) continue;
      if (!is_scalar(argument)) {
        text += fmt::format("  // {}: a {}, which the caller makes\n", argument.name,
                            argument.is_view()   ? argument.view_name()
                            : argument.structure ? "struct"
                                                 : "vector");
        continue;
      }
      const model::ElementType type = argument.type.value_or(m_problem.type);
      const std::string cpp_type = scalar_type(type);
      text += function(cpp_type, "argument_" + argument.name,
                       fmt::format("    return static_cast<{}>({});\n", cpp_type,
                                   text_of(value_of(argument), model::is_floating(type))));
    }
    return text;
  }

  const model::KernelSpec& m_spec;
  const model::Configuration& m_configuration;
  const model::Problem& m_problem;
  std::vector<model::Diagnostic> m_diagnostics;
  const Scope m_scope;
  std::vector<std::string> m_wanted;  ///< derived values, each once
  CppConfiguration m_out;
};

}  // namespace

CppConfiguration cpp_configuration(const model::KernelSpec& spec, const model::Configuration& configuration,
                                   const model::Problem& problem, const std::string& name,
                                   const std::string& options) {
  return StructWriter(spec, configuration, problem).write(name, options);
}

std::string_view cpp_types() {
  return R"(/// A grid, a block or a cluster, x fastest.
struct Extents {
  std::int64_t x = 1, y = 1, z = 1;
};

/// One step of a run, in their order. Those that do not apply are left out.
struct Step {
  enum class Kind { launch, upload, memset, call };
  Kind kind = Kind::launch;
  bool applies = true;
  const char* entry = "";  ///< the kernel; of an upload or a memset the buffer, of a call the library's function
  Extents grid, block, cluster;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t shared_carveout_percent = -1;  ///< -1: the driver's choice
  bool cooperative = false;
  bool overlap = false;  ///< programmatic dependent launch
  std::int64_t repeat = 1;  ///< this step and the next repeat_steps - 1 run so often, in turn
  int repeat_steps = 1;
  std::int64_t first = 0, count = 0;  ///< elements that are copied or set
  std::int64_t byte = 0;              ///< what a memset writes
  int stream = 0;
};

/// Memory that a kernel is given. `holds`: what must be in it before a launch.
struct Buffer {
  const char* name = "";
  const char* type = "";
  const char* access = "";  ///< in, out, inout, workspace
  const char* holds = "";
  std::int64_t elements = 0, bytes = 0;
};

/// Whether a step can be launched at all; the device's limits of threads and of a grid come on top.
TUNER_BOTH constexpr bool fits_(const Step& step, std::int64_t most_shared_bytes) {
  const Extents g = step.grid, b = step.block, c = step.cluster;
  return !step.applies ||
         (g.x > 0 && g.y > 0 && g.z > 0 && g.x <= 2147483647 && g.y <= 65535 && g.z <= 65535 && b.x > 0 && b.y > 0 &&
          b.z > 0 && b.x * b.y * b.z <= 1024 && c.x > 0 && c.y > 0 && c.z > 0 && g.x % c.x == 0 && g.y % c.y == 0 &&
          g.z % c.z == 0 && c.x * c.y * c.z <= 8 && step.dynamic_shared_bytes >= 0 &&
          step.dynamic_shared_bytes <= most_shared_bytes && step.shared_carveout_percent >= -1 &&
          step.shared_carveout_percent <= 100);
}

/// Whether a copy or a memset stays in a buffer of so many elements.
TUNER_BOTH constexpr bool lies_in_(const Step& step, std::int64_t elements) {
  return !step.applies || (step.first >= 0 && step.count >= 0 && step.first <= elements - step.count);
}
)";
}

}  // namespace tuner::space
