#include "config/spec_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/spec_context.hpp"
#include "tuner/model/element_type.hpp"

namespace config {
namespace {

using tuner::source::KernelSource;
using tuner::source::OpenMacro;
using tuner::source::SourceField;
using tuner::source::SourceKernel;
using tuner::source::SourceParameter;
using tuner::source::SourceStruct;
using tuner::source::TemplateParameter;

std::string length_text(const SourceField& field) {
  return field.length == 0 ? "" : fmt::format("[{}]", field.length);
}

/// A tunable of the source: a macro, or a template parameter.
struct Tunable {
  std::string name;    ///< as the spec has it
  std::string values;  ///< TOML
  std::string why;     ///< for the comment
  std::string usual;   ///< the value it has without tuning; empty: not known
};

class Draft {
 public:
  Draft(const SourceKernel& kernel, const KernelSource& source, const std::string& file,
        const std::string& reference_file)
      : m_kernel(kernel),
        m_host_code_line(source.host_code_line),
        m_structs(source.structs),
        m_file(file),
        m_reference_file(reference_file) {
    for (const SourceParameter& parameter : kernel.parameters) {
      if (parameter.pointer) continue;
      if (is_integer(parameter.type) && !is_no_size(parameter.name)) add_size(parameter.name);
      if (const SourceStruct* const one = struct_of(parameter))
        for (const SourceField& field : one->fields)
          if (is_scalar_size(field)) add_size(field.name);
    }
    if (m_sizes.empty()) {
      m_sizes.push_back("N");
      ask("how large is the problem? No integer argument says so: sizes is a guess");
    }
    for (const OpenMacro& macro : source.macros) add_macro(macro);
    for (const TemplateParameter& parameter : kernel.template_parameters) add_template_parameter(parameter);
    const auto names_block = [&](const Tunable& tunable) {
      return is_block(tunable) || tunable.name == kernel.block_covers[0];
    };
    if (std::ranges::none_of(m_tunables, names_block)) {
      m_tunables.insert(m_tunables.begin(),
                        {"BLOCK_SIZE", "{ values = [64, 128, 256, 512, 1024], runtime = true }",
                         "threads of a block; the source does not name them, so all share one binary", ""});
    }
  }

  SpecDraft write() {
    SpecDraft draft;
    const std::string what_for = arguments();  // first: what is right follows from what is written
    const std::string right = verify();
    draft.spec = header() + parameters() + launch() + structs() + what_for + right + metrics();
    draft.reference = reference();
    draft.questions = std::move(m_questions);
    return draft;
  }

 private:
  struct Output {
    std::string name;
    bool has_magnitude;
  };

  static bool is_block(const Tunable& tunable) {
    return contains_any(upper(tunable.name), {"BLOCK", "THREADS", "BDIM", "BSIZE"});
  }

  void ask(std::string question) { m_questions.push_back(std::move(question)); }

  void add_size(const std::string& name) {
    if (std::ranges::find(m_sizes, upper(name)) == m_sizes.end()) m_sizes.push_back(upper(name));
  }

  const SourceStruct* defined(const SourceParameter& parameter) const {
    if (tuner::model::parse_element_type(parameter.type)) return nullptr;
    const auto found = std::ranges::find(m_structs, parameter.type, &SourceStruct::name);
    return found == m_structs.end() ? nullptr : &*found;
  }

  /// What the source says of the parameter's type, where a spec can say it; else null.
  const SourceStruct* struct_of(const SourceParameter& parameter) const {
    const SourceStruct* const one = defined(parameter);
    return one != nullptr && no_plain_struct(*one, !parameter.pointer).empty() ? one : nullptr;
  }

  /// Whether a parameter that `counts` has this type.
  template <class Counts>
  bool is_used(const SourceStruct& one, const Counts& counts) const {
    return std::ranges::any_of(m_kernel.parameters, [&](const SourceParameter& parameter) {
      return struct_of(parameter) == &one && counts(parameter);
    });
  }

  /// Those that arguments have, in the source's order.
  std::string structs() const {
    std::string text;
    for (const SourceStruct& one : m_structs) {
      if (!is_used(one, [](const SourceParameter&) { return true; })) continue;
      std::vector<std::string> fields;
      for (const SourceField& field : one.fields)
        fields.push_back(fmt::format("{} {}{}", field.type, field.name, length_text(field)));
      text += fmt::format("\n[structs.{}]  # line {}\nfields = {}\n", one.name, one.line, quoted(fields));
      if (one.align > 0) text += fmt::format("align = {}\n", one.align);
    }
    return text;
  }

  bool is_input(const SourceParameter& parameter) const {
    return std::ranges::count(m_inputs, parameter.name) > 0;
  }

  void add_macro(const OpenMacro& macro) {
    const std::string why = macro.usual.empty()
                                ? fmt::format("used in line {} and not defined", macro.line)
                                : fmt::format("line {}: {} by default", macro.line, macro.usual);
    const bool is_number = number(macro.usual).has_value();
    m_tunables.push_back({macro.name, guessed_values(macro.name, macro.usual, macro.in_condition), why,
                          is_number ? macro.usual : ""});
    if (!macro.usual.empty() && !is_number)
      ask(fmt::format("{}: it is `{}` by default; which values make sense?", macro.name, macro.usual));
  }

  void add_template_parameter(const TemplateParameter& parameter) {
    if (parameter.type == "typename") {
      m_template_arguments.push_back("ELEMENT_TYPE");
      m_element_type_of.insert(parameter.name);
      ask(fmt::format("which types may {} be? [kernel] types lists them", parameter.name));
      return;
    }
    // A macro of the template parameter's own name would replace it in the source.
    const std::string name = "TUNED_" + upper(parameter.name);
    m_template_arguments.push_back(name);
    m_tunables.push_back({name,
                          parameter.type == "bool" ? "[0, 1]" : guessed_values(parameter.name, "", false),
                          fmt::format("template parameter {} {}", parameter.type, parameter.name), ""});
  }

  std::string entry() const {
    if (m_template_arguments.empty()) return m_kernel.name;
    return fmt::format("{}<{}>", m_kernel.name, fmt::join(m_template_arguments, ", "));
  }

  static std::string quoted(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
    return "[" + text + "]";
  }

  std::string header() {
    std::string defaults;
    for (const Tunable& tunable : m_tunables)
      if (!tunable.usual.empty())
        defaults += fmt::format("{}{} = {}", defaults.empty() ? "" : ", ", tunable.name, tunable.usual);
    std::string text = fmt::format(
        "# A first spec of {}, made from its source by `tuner init`. A line with `?` is a guess: look at "
        "those\n"
        "# first. docs/kernel-specs.md says what else can be said.\n\n"
        "[kernel]\nname = \"{}\"\nsource = \"{}\"\nentry = \"{}\"\nsizes = {}\n",
        m_kernel.name, m_kernel.name, m_file, entry(), quoted(m_sizes));
    if (m_host_code_line > 0)
      text += fmt::format("compiler = \"nvcc\"  # line {} is code for the host, which NVRTC does not take\n",
                          m_host_code_line);
    if (!m_element_type_of.empty()) text += "types = [\"float\"]  # ?\n";
    if (!defaults.empty()) text += fmt::format("default = {{ {} }}\n", defaults);
    return text;
  }

  std::string parameters() const {
    std::string text = "\n[parameters]  # become macros; every combination is tried\n";
    for (const Tunable& tunable : m_tunables)
      text += fmt::format("{} = {}  # ? {}\n", tunable.name, tunable.values, tunable.why);
    return text;
  }

  /// What a block covers along x or y: the macro that the source multiplies the block's index with, or else
  /// the threads of the block.
  std::string covered(std::size_t axis, const std::string& threads) const {
    const auto names = [&](const Tunable& tunable) { return tunable.name == m_kernel.block_covers[axis]; };
    return std::ranges::any_of(m_tunables, names) ? m_kernel.block_covers[axis] : threads;
  }

  std::string launch() {
    const bool is_plane = m_kernel.uses_block_y;
    std::vector<std::string> block;
    for (const Tunable& tunable : m_tunables)
      if (is_block(tunable) && block.size() < (is_plane ? 2U : 1U)) block.push_back(tunable.name);
    std::vector<std::string> grid;
    for (std::size_t axis = 0; axis < (is_plane ? 2U : 1U); ++axis) {
      if (block.size() <= axis) block.push_back(covered(axis, block.empty() ? "" : block.front()));
      // Rows first: the second size runs along x.
      const std::size_t size = is_plane && m_sizes.size() > 1 ? 1 - axis : 0;
      grid.push_back(fmt::format("ceil_div({}, {})", m_sizes[size], covered(axis, block[axis])));
    }
    ask("which blocks and grids? One thread an element is assumed");
    return fmt::format("\n[launch]  # ? one thread an element\nblock = {}\ngrid = {}\n", quoted(block),
                       quoted(grid));
  }

  std::string arguments() {
    std::string text;
    int unnamed = 0;
    for (const SourceParameter& parameter : m_kernel.parameters) {
      const std::string name = parameter.name.empty() ? fmt::format("argument{}", ++unnamed) : parameter.name;
      tuner::model::ArgumentSpec argument;
      text += parameter.pointer                     ? buffer(parameter, name)
              : make_view(parameter.type, argument) ? view(argument, parameter.type, name)
                                                    : scalar(parameter, name);
    }
    return text;
  }

  std::string type_of(const SourceParameter& parameter, const std::string& name) {
    if (m_element_type_of.contains(parameter.type)) return "ELEMENT_TYPE";
    if (const auto known = tuner::model::parse_element_type(parameter.type))
      return std::string(tuner::model::cuda_name(*known));
    if (struct_of(parameter) != nullptr) return parameter.type;
    if (const SourceStruct* const one = defined(parameter)) {
      ask(fmt::format(
          "{}: `{}` of line {} has {}, which no [structs] has; [[arguments]] type has to be one of "
          "the same size",
          name, one->name, one->line, no_plain_struct(*one, !parameter.pointer)));
      return parameter.type;
    }
    if (parameter.type == "unsigned" || parameter.type == "uint") return "unsigned int";
    ask(fmt::format("{}: `{}` is no type that a spec has; [[arguments]] type has to be one of the same size",
                    name, parameter.type));
    return parameter.type;
  }

  /// A comment behind a type that no [structs] has, and the source defines.
  std::string doubt(const SourceParameter& parameter) const {
    const SourceStruct* const one = defined(parameter);
    if (one == nullptr || struct_of(parameter) != nullptr) return {};
    return fmt::format("  # ? line {}: it has {}", one->line, no_plain_struct(*one, !parameter.pointer));
  }

  std::string buffer(const SourceParameter& parameter, const std::string& name) {
    const char* access = "inout";
    std::string why = "read and written";
    if (parameter.constant) {
      access = "in";
      why = "const";
    } else if (parameter.written && !parameter.read) {
      access = "out";
      why = "written, never read";
    } else if (parameter.read && !parameter.written) {
      access = "in";
      why = "read, never written";
    } else if (!parameter.read) {
      access = "out";
      why = "? the source does not use it";
    }
    const bool is_input = std::string_view(access) != "out";
    if (std::string_view(access) != "in") add_output(parameter, name);
    if (is_input) m_inputs.push_back(name);
    std::string text = fmt::format(
        "\n[[arguments]]\nname = \"{}\"\ntype = \"{}*\"{}\naccess = \"{}\"  # {}\nextent = {}  # ?\n", name,
        type_of(parameter, name), doubt(parameter), access, why, quoted(extent()));
    if (is_input) text += init(parameter);
    if (std::string_view(access) == "inout")
      ask(fmt::format("{} is read and written: what should it hold before a launch?", name));
    return text;
  }

  /// Each field of a struct is a result of its own; whole numbers have no magnitude.
  void add_output(const SourceParameter& parameter, const std::string& name) {
    const SourceStruct* const one = struct_of(parameter);
    if (one == nullptr) return m_outputs.push_back({name, true});
    for (const SourceField& field : one->fields)
      m_outputs.push_back({fmt::format("{}.{}", name, field.name),
                           tuner::model::is_floating(*tuner::model::parse_element_type(field.type))});
  }

  std::string init(const SourceParameter& parameter) const {
    const SourceStruct* const one = struct_of(parameter);
    if (one == nullptr) return fmt::format("init = \"{}\"  # ?\n", usual_init(parameter.type));
    std::string text = "\n[arguments.init]  # ?\n";
    for (const SourceField& field : one->fields)
      text += fmt::format("{} = \"{}\"\n", field.name, usual_init(field.type));
    return text;
  }

  std::vector<std::string> extent() {
    if (m_sizes.size() > 1 && !std::exchange(m_asked_extent, true))
      ask("how many elements has each buffer? A guess that is too small is told as out of bounds");
    return {m_sizes.begin(),
            m_sizes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, m_sizes.size()))};
  }

  std::string scalar(const SourceParameter& parameter, const std::string& name) {
    std::string text = fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}\"{}\n", name,
                                   type_of(parameter, name), doubt(parameter));
    if (const SourceStruct* const one = struct_of(parameter)) return text + field_values(*one, name);
    if (is_integer(parameter.type) && !is_no_size(name)) {
      if (upper(name) != name) text += fmt::format("value = \"{}\"\n", upper(name));
      return text;
    }
    const bool leads = upper(name).starts_with("LD") || contains_any(upper(name), {"STRIDE", "PITCH"});
    text += fmt::format("value = \"{}\"  # ?\n", leads ? m_sizes.back() : "1");
    ask(fmt::format("{}: which value?", name));
    return text;
  }

  std::string field_values(const SourceStruct& one, const std::string& name) {
    std::string text = "\n[arguments.value]  # ?\n";
    for (const SourceField& field : one.fields)
      text += fmt::format("{} = \"{}\"\n", field.name, is_scalar_size(field) ? upper(field.name) : "1");
    ask(fmt::format("{}: which values have its fields?", name));
    return text;
  }

  /// A tensor map, a texture or a surface, over a buffer that the signature does not show.
  std::string view(const tuner::model::ArgumentSpec& argument, const std::string& type,
                   const std::string& name) {
    ask(fmt::format(
        "{}: over which buffer? Declare it as an argument too, and list in [launch] arguments what the "
        "kernel is passed",
        name));
    return fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}\"\n{} = \"?\"\nshape = {}  # ?\n{}", name,
                       type, argument.tensor ? "tensor" : argument.view_name(), quoted(m_sizes),
                       argument.tensor ? fmt::format("box = {}  # ?\n", quoted(m_sizes)) : "");
  }

  std::string verify() {
    if (m_outputs.empty()) ask("what does the kernel write? No argument is written in its text");
    ask(fmt::format(
        "what is right? Write the reference in {}; rounding_terms says how many roundings a result sums up",
        m_reference_file));
    std::vector<std::string> names = m_inputs;
    for (const Output& output : m_outputs) {
      names.push_back(output.name + ".expected");
      if (output.has_magnitude) names.push_back(output.name + ".magnitude");
    }
    names.insert(names.end(), m_sizes.begin(), m_sizes.end());
    return fmt::format(
        "\n[verify]\nreference = \"{}\"\nrounding_terms = \"1\"  # ? additions and multiplications behind "
        "one result\n"
        "\n[verify.launch]\nentry = \"{}_reference\"\nblock = [256]\ngrid = [\"ceil_div({}, 256)\"]  # ? one "
        "thread a result\n"
        "arguments = {}\n",
        m_reference_file, m_kernel.name, fmt::join(extent(), " * "), quoted(names));
  }

  std::string metrics() const {
    return fmt::format(
        "\n[metrics]  # ? what is done in a nanosecond\n\"Gelement/s\" = \"1.0 * {} / time_ns\"\n",
        fmt::join(m_sizes, " * "));
  }

  std::string reference() const {
    std::vector<std::string> declared;
    for (const SourceParameter& parameter : m_kernel.parameters)
      if (is_input(parameter))
        declared.push_back(fmt::format(
            "const {}* {}", m_element_type_of.contains(parameter.type) ? "ELEMENT_TYPE" : parameter.type,
            parameter.name));
    std::string body;
    for (const Output& output : m_outputs) {
      std::string name = output.name;
      std::ranges::replace(name, '.', '_');
      declared.push_back("double* " + name + "_expected");
      body += fmt::format("  // {}_expected[i] = …;   the exact result, in double precision\n", name);
      if (!output.has_magnitude) continue;
      declared.push_back("double* " + name + "_magnitude");
      body += fmt::format(
          "  // {}_magnitude[i] = …;  the same with absolute values: what rounding errors are a share of\n",
          name);
    }
    for (const std::string& size : m_sizes) declared.push_back("int " + size);
    return fmt::format(
        "// What {} has to compute, written for clearness: it is what results are held against.\n"
        "#error \"the reference of {} is still to be written\"\n\n{}"
        "extern \"C\" __global__ void {}_reference({}) {{\n"
        "  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;\n{}}}\n",
        m_kernel.name, m_kernel.name, defined_inputs(), m_kernel.name, fmt::join(declared, ", "), body);
  }

  /// The structs that the reference is passed, as the source defines them.
  std::string defined_inputs() const {
    std::string text;
    for (const SourceStruct& one : m_structs) {
      if (!is_used(one, [&](const SourceParameter& parameter) { return is_input(parameter); })) continue;
      text += fmt::format("struct {}{} {{\n", one.align > 0 ? fmt::format("alignas({}) ", one.align) : "",
                          one.name);
      for (const SourceField& field : one.fields)
        text += fmt::format("  {} {}{};\n", field.type, field.name, length_text(field));
      text += "};\n\n";
    }
    return text;
  }

  const SourceKernel& m_kernel;
  int m_host_code_line;
  const std::vector<SourceStruct>& m_structs;
  const std::string& m_file;
  const std::string& m_reference_file;
  std::vector<std::string> m_sizes;
  std::vector<Tunable> m_tunables;
  std::vector<std::string> m_template_arguments;
  std::set<std::string> m_element_type_of;  ///< template parameters that are types
  std::vector<std::string> m_inputs;
  std::vector<Output> m_outputs;
  bool m_asked_extent = false;
  std::vector<std::string> m_questions;
};

}  // namespace

SpecDraft draft_spec(const SourceKernel& kernel, const KernelSource& source, const std::string& file,
                     const std::string& reference_file) {
  return Draft(kernel, source, file, reference_file).write();
}

}  // namespace config
