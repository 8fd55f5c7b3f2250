#include "config/spec_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/cpu_reference.hpp"
#include "config/draft_plan.hpp"
#include "config/spec_context.hpp"
#include "tuner/model/element_type.hpp"

namespace config {
namespace {

using tuner::source::KernelSource;
using tuner::source::OpenMacro;
using tuner::source::PointerUse;
using tuner::source::Program;
using tuner::source::ProgramFunction;
using tuner::source::SourceField;
using tuner::source::SourceKernel;
using tuner::source::SourceParameter;
using tuner::source::SourceStruct;
using tuner::source::TemplateParameter;

std::string length_text(const SourceField& field) {
  return field.length == 0 ? "" : fmt::format("[{}]", field.length);
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return "[" + text + "]";
}

std::string product_text(const std::vector<std::string>& factors) {
  std::string text;
  for (const std::string& factor : factors)
    text += (text.empty() ? "" : " * ") +
            (factor.find(' ') == std::string::npos || factors.size() == 1 ? factor : "(" + factor + ")");
  return factors.size() == 1 && text.find(' ') != std::string::npos ? "(" + text + ")" : text;
}

class Draft {
 public:
  Draft(const Program& program, const ProgramFunction& kernel, const DraftRequest& request)
      : m_program(program), m_kernel(kernel), m_request(request), m_host(program) {
    const KernelSource source =
        tuner::source::read_kernel_source(program.files()[static_cast<std::size_t>(kernel.file)].text);
    for (const SourceKernel& one : source.kernels)
      if (one.name == kernel.name) m_text = one;
    for (const auto& file : program.files()) {
      for (SourceStruct& one : tuner::source::structs_of(tuner::source::lines_of(file.text)))
        m_structs.push_back(std::move(one));
    }
    m_host_code_line = tuner::source::host_code_line(program.files().front().text);
    m_uses = pointer_uses(program, kernel);
    m_launches = launches_of(m_host, kernel);
    const auto reached = reached_functions(program, kernel);
    if (!m_launches.empty()) {
      m_plan = plan_launch(m_host, kernel, m_launches);
      if (m_plan.sizes.empty()) {
        m_plan.sizes.emplace_back("N");
        m_plan.notes.emplace_back("? N stands for nothing: the source fixes all sizes");
      }
    } else {
      guess_plan(source, reached);
    }
    for (const std::string_view word : words_of(reached)) m_device_words.emplace(word);
  }

  SpecDraft write() {
    SpecDraft draft;
    draft.from_launch = !m_launches.empty();
    const std::string what_for =
        arguments() + symbols();  // first: what is right follows from what is written
    std::string right;
    if (draft.from_launch) {
      right = verify_by_cpu(draft);
    } else {
      right = verify();
      draft.reference = reference();
    }
    const bool is_verified = !right.empty();
    draft.spec =
        header(is_verified) + parameters() + launch() + structs() + what_for + right + metrics() + offers();
    draft.sizes = present_sizes();
    draft.questions = std::move(m_questions);
    return draft;
  }

 private:
  struct Output {
    std::string name;
    bool has_magnitude;
  };

  static bool is_block(const DraftParameter& parameter) {
    return contains_any(upper(parameter.name), {"BLOCK", "THREADS", "BDIM", "BSIZE"});
  }

  void ask(std::string question) { m_questions.push_back(std::move(question)); }

  // Without a launch in the source.

  void guess_plan(const KernelSource& source, const std::vector<const ProgramFunction*>& reached) {
    for (const SourceParameter& parameter : m_kernel.parameters) {
      if (parameter.pointer) continue;
      if (is_integer(m_program.resolved_type(parameter.type)) && !is_no_size(parameter.name))
        add_size(parameter.name);
      if (const SourceStruct* const one = struct_of(parameter))
        for (const SourceField& field : one->fields)
          if (is_scalar_size(field)) add_size(field.name);
    }
    if (m_plan.sizes.empty()) {
      m_plan.sizes.emplace_back("N");
      ask("how large is the problem? No integer argument says so: sizes is a guess");
    }
    for (const OpenMacro& macro : source.macros)
      if (is_of_kernel(macro, reached)) add_macro(macro);
    for (const TemplateParameter& parameter : m_kernel.template_parameters) add_template_parameter(parameter);
    const auto names_block = [&](const DraftParameter& parameter) {
      return is_block(parameter) || parameter.name == m_text.block_covers[0];
    };
    if (std::ranges::none_of(m_plan.parameters, names_block)) {
      m_plan.parameters.insert(
          m_plan.parameters.begin(),
          {"BLOCK_SIZE", "{ values = [64, 128, 256, 512, 1024], runtime = true }",
           "threads of a block; the source does not name them, so all share one binary", ""});
    }
    guess_launch();
  }

  void add_size(const std::string& name) {
    if (std::ranges::find(m_plan.sizes, upper(name)) == m_plan.sizes.end())
      m_plan.sizes.push_back(upper(name));
  }

  /// A macro that the kernel or what it calls has, or a condition inside of them.
  bool is_of_kernel(const OpenMacro& macro, const std::vector<const ProgramFunction*>& reached) const {
    const bool is_local = m_program.enumerator(macro.name) != nullptr ||
                          m_program.variable(macro.name) != nullptr ||
                          m_program.class_named(macro.name) != nullptr;
    if (is_local) return false;
    std::set<std::string_view> words = words_of(reached);
    for (std::size_t count = 0; count != words.size();) {
      count = words.size();
      for (const std::string_view word : std::set<std::string_view>(words))
        if (const auto* const other = m_program.macro(word))
          for (const tuner::source::Token& token : other->tokens)
            if (token.is_word()) words.insert(token.text);
    }
    if (words.contains(macro.name)) return true;
    return macro.in_condition && std::ranges::any_of(reached, [&](const ProgramFunction* function) {
             return macro.line >= function->line && macro.line <= function->body.back().line;
           });
  }

  void add_macro(const OpenMacro& macro) {
    const std::string why = macro.usual.empty()
                                ? fmt::format("used in line {} and not defined", macro.line)
                                : fmt::format("line {}: {} by default", macro.line, macro.usual);
    const bool is_number = number(macro.usual).has_value();
    m_plan.parameters.push_back({macro.name, guessed_values(macro.name, macro.usual, macro.in_condition), why,
                                 is_number ? macro.usual : ""});
    if (!macro.usual.empty() && !is_number)
      ask(fmt::format("{}: it is `{}` by default; which values make sense?", macro.name, macro.usual));
  }

  void add_template_parameter(const TemplateParameter& parameter) {
    if (parameter.type == "typename") {
      m_plan.template_arguments.emplace_back("ELEMENT_TYPE");
      m_element_type_of.insert(parameter.name);
      ask(fmt::format("which types may {} be? [kernel] types lists them", parameter.name));
      return;
    }
    // A macro of the template parameter's own name would replace it in the source.
    const std::string name = "TUNED_" + upper(parameter.name);
    m_plan.template_arguments.push_back(name);
    m_plan.parameters.push_back(
        {name, parameter.type == "bool" ? "[0, 1]" : guessed_values(parameter.name, "", false),
         fmt::format("template parameter {} {}", parameter.type, parameter.name), ""});
  }

  /// What a block covers along x or y: the macro that the source multiplies the block's index with, or else
  /// the threads of the block.
  std::string covered(std::size_t axis, const std::string& threads) const {
    const auto names = [&](const DraftParameter& one) { return one.name == m_text.block_covers[axis]; };
    return std::ranges::any_of(m_plan.parameters, names) ? m_text.block_covers[axis] : threads;
  }

  void guess_launch() {
    const bool is_plane = m_text.uses_block_y;
    std::vector<std::string>& block = m_plan.block;
    for (const DraftParameter& parameter : m_plan.parameters)
      if (is_block(parameter) && block.size() < (is_plane ? 2U : 1U)) block.push_back(parameter.name);
    for (std::size_t axis = 0; axis < (is_plane ? 2U : 1U); ++axis) {
      if (block.size() <= axis) block.push_back(covered(axis, block.empty() ? "" : block.front()));
      // Rows first: the second size runs along x.
      const std::size_t size = is_plane && m_plan.sizes.size() > 1 ? 1 - axis : 0;
      m_plan.grid.push_back(fmt::format("ceil_div({}, {})", m_plan.sizes[size], covered(axis, block[axis])));
    }
    ask("which blocks and grids? The source has no launch: one thread an element is assumed");
  }

  // Types.

  std::string resolved(const SourceParameter& parameter) const {
    const auto at = static_cast<std::size_t>(&parameter - m_kernel.parameters.data());
    if (at < m_plan.arguments.size() && !m_plan.arguments[at].type.empty()) return m_plan.arguments[at].type;
    return m_program.resolved_type(parameter.type);
  }

  const SourceStruct* defined(const std::string& type) const {
    if (tuner::model::parse_element_type(type)) return nullptr;
    const auto found = std::ranges::find(m_structs, type, &SourceStruct::name);
    return found == m_structs.end() ? nullptr : &*found;
  }

  /// What the source says of the parameter's type, where a spec can say it; else null.
  const SourceStruct* struct_of(const SourceParameter& parameter) const {
    const SourceStruct* const one = defined(resolved(parameter));
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

  /// The spec's name of a type; asks where it has none.
  std::string spec_type(const std::string& type, bool pointer, const std::string& name) {
    if (m_element_type_of.contains(type)) return "ELEMENT_TYPE";
    const std::string plain = type.starts_with("std::") ? type.substr(5) : type;
    if (const auto known = tuner::model::parse_element_type(plain))
      return std::string(tuner::model::cuda_name(*known));
    static const std::map<std::string_view, std::string_view> others = {
        {"unsigned", "unsigned int"},
        {"uint", "unsigned int"},
        {"long", "long long"},
        {"long int", "long long"},
        {"uchar", "unsigned char"},
        {"ushort", "unsigned short"},
        {"unsigned long", "unsigned long long"},
        {"ulong", "unsigned long long"},
        {"long long int", "long long"},
        {"unsigned long long int", "unsigned long long"},
        {"short int", "short"},
        {"ptrdiff_t", "long long"},
        {"long unsigned int", "unsigned long long"},
        {"cufftComplex", "float2"}};
    if (const auto other = others.find(plain); other != others.end()) return std::string(other->second);
    const SourceStruct* const one = defined(type);
    if (one == nullptr) {
      ask(fmt::format(
          "{}: `{}` is no type that a spec has; [[arguments]] type has to be one of the same size", name,
          type));
    } else if (const std::string beyond = no_plain_struct(*one, !pointer); !beyond.empty()) {
      ask(fmt::format(
          "{}: `{}` of line {} has {}, which no [structs] has; [[arguments]] type has to be one of "
          "the same size",
          name, one->name, one->line, beyond));
    }
    return type;
  }

  /// A comment behind a type that no [structs] has, and the source defines.
  std::string doubt(const SourceParameter& parameter) const {
    const SourceStruct* const one = defined(resolved(parameter));
    if (one == nullptr || struct_of(parameter) != nullptr) return {};
    return fmt::format("  # ? line {}: it has {}", one->line, no_plain_struct(*one, !parameter.pointer));
  }

  // The parts of the spec.

  std::string header(bool is_verified) {
    std::string defaults;
    for (const DraftParameter& parameter : m_plan.parameters)
      if (!parameter.usual.empty())
        defaults += fmt::format("{}{} = {}", defaults.empty() ? "" : ", ", parameter.name, parameter.usual);
    std::string text = fmt::format(
        "# A first spec of {}, made from its source by `tuner init`. A line with `?` is a guess: look at "
        "those\n"
        "# first. docs/kernel-specs.md says what else can be said.\n\n",
        m_kernel.name);
    if (!m_plan.constraints.empty()) text += fmt::format("constraints = {}\n", quoted(m_plan.constraints));
    if (!is_verified)
      text += "verify = \"none\"  # ? nothing says what is right: docs/specs-verification.md\n";
    if (!m_plan.constraints.empty() || !is_verified) text += "\n";
    text += fmt::format("[kernel]\nname = \"{}\"\nsource = \"{}\"\nentry = \"{}\"\nsizes = {}", m_kernel.name,
                        m_request.file, entry(), quoted(m_plan.sizes));
    const std::string present = present_sizes();
    text += present.empty() ? "\n" : fmt::format("  # {} in the program\n", present);
    if (m_host_code_line > 0)
      text += fmt::format("compiler = \"nvcc\"  # line {} is code for the host, which NVRTC does not take\n",
                          m_host_code_line);
    if (!m_request.include.empty()) text += fmt::format("include = {}\n", quoted(m_request.include));
    if (!m_element_type_of.empty()) text += "types = [\"float\"]  # ?\n";
    if (std::ranges::any_of(m_uses, &PointerUse::atomic)) text += "deterministic = false  # it has atomics\n";
    if (!defaults.empty()) text += fmt::format("default = {{ {} }}\n", defaults);
    return text;
  }

  std::string entry() const {
    if (m_plan.template_arguments.empty()) return m_kernel.name;
    return fmt::format("{}<{}>", m_kernel.name, fmt::join(m_plan.template_arguments, ", "));
  }

  std::string present_sizes() const {
    std::string text;
    for (const auto& one : m_plan.present) {
      if (!one || *one <= 0) return {};
      text += (text.empty() ? "" : "x") + std::to_string(*one);
    }
    return text;
  }

  std::string parameters() const {
    std::string text = "\n[parameters]  # every combination is tried\n";
    for (const DraftParameter& parameter : m_plan.parameters)
      text += fmt::format("{} = {}  # {}{}\n", parameter.name, parameter.values,
                          m_launches.empty() ? "? " : "", parameter.why);
    for (const std::string& note : m_plan.notes) text += fmt::format("# {}\n", note);
    return text;
  }

  std::string launch() {
    const bool guessed = m_launches.empty();
    std::string text = guessed ? "\n[launch]  # ? one thread an element\n"
                               : fmt::format("\n[launch]  # as in line {}\n", m_launches.front().line);
    for (const auto& [key, values] : {std::pair("block", &m_plan.block), std::pair("grid", &m_plan.grid)}) {
      std::vector<std::string> said = *values;
      std::string comment;
      for (std::string& one : said) {
        if (one != "?") continue;
        one = m_plan.parameters.empty() || std::string_view(key) == "grid"
                  ? fmt::format("ceil_div({}, 256)", m_plan.sizes.empty() ? "1" : m_plan.sizes.front())
                  : "256";
        comment = "  # ? the launch does not say it in a way that can be read";
        ask(fmt::format("{}: line {} does not say it in a way that can be read", key,
                        m_launches.front().line));
      }
      text += fmt::format("{} = {}{}\n", key, quoted(said), comment);
    }
    if (m_plan.shared_bytes == "?") {
      text += "dynamic_shared_bytes = \"0\"  # ? the launch has some\n";
      ask("dynamic_shared_bytes: the launch has some, in a way that cannot be read");
    } else if (!m_plan.shared_bytes.empty()) {
      text += fmt::format("dynamic_shared_bytes = \"{}\"\n", m_plan.shared_bytes);
    }
    if (m_plan.cooperative) text += "cooperative = true\n";
    return text;
  }

  std::string arguments() {
    std::string text;
    int unnamed = 0;
    for (std::size_t i = 0; i < m_kernel.parameters.size(); ++i) {
      const SourceParameter& parameter = m_kernel.parameters[i];
      const std::string name = parameter.name.empty() ? fmt::format("argument{}", ++unnamed) : parameter.name;
      const PlannedArgument* const planned = i < m_plan.arguments.size() ? &m_plan.arguments[i] : nullptr;
      tuner::model::ArgumentSpec argument;
      text += parameter.pointer                     ? buffer(parameter, m_uses[i], planned, name)
              : make_view(parameter.type, argument) ? view(argument, parameter.type, name)
                                                    : scalar(parameter, planned, name);
    }
    return text;
  }

  /// Variables of the device that the kernel uses.
  std::string symbols() {
    std::string text;
    for (const auto& variable : m_program.variables()) {
      if (!variable.on_device || variable.pointer || !m_device_words.contains(variable.name)) continue;
      std::vector<std::string> extent;
      bool is_known = true;
      for (const tuner::source::Tokens tokens : variable.extents) {
        const auto value = folded(m_host.evaluate(tokens, {}));
        is_known &= value.kind == tuner::source::Value::Kind::number;
        extent.push_back(is_known ? std::to_string(value.number) : "1");
      }
      if (extent.empty()) extent.emplace_back("1");
      const std::string type = m_program.resolved_type(variable.type);
      const std::string known_type = spec_type(type, true, variable.name);
      text += fmt::format(
          "\n[[arguments]]\nname = \"{}\"\ntype = \"{}*\"\nsymbol = \"{}\"  # line {}\naccess = "
          "\"{}\"\nextent = {}{}\n"
          "init = \"{}\"  # ?\n",
          variable.name, known_type, variable.name, variable.line, variable.in_constant ? "in" : "inout",
          quoted(extent), is_known ? "" : "  # ?", usual_init(type));
      m_buffers.push_back({variable.name, known_type, product_text(extent), true, !variable.in_constant});
      ask(fmt::format("{}: what does the variable of line {} hold?", variable.name, variable.line));
    }
    return text;
  }

  /// With constants of the source as numbers.
  tuner::source::Value folded(const tuner::source::Value& value) {
    return tuner::source::replaced(value,
                                   [&](const std::string& symbol) -> std::optional<tuner::source::Value> {
                                     const auto& facts = m_host.facts(symbol);
                                     if (!facts.constant || !facts.present) return std::nullopt;
                                     return tuner::source::number_value(*facts.present);
                                   });
  }

  std::string buffer(const SourceParameter& parameter, const PointerUse& use, const PlannedArgument* planned,
                     const std::string& name) {
    const std::string type = resolved(parameter);
    if (planned != nullptr && planned->is_null)
      return fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}*\"\nvalue = \"NULL\"\n", name,
                         spec_type(type, true, name));
    const char* access = "inout";
    std::string why = use.atomic ? "atomics" : "read and written";
    if (parameter.constant) {
      access = "in";
      why = "const";
    } else if (use.written && !use.read) {
      access = "out";
      why = "written, never read";
    } else if (use.read && !use.written) {
      access = "in";
      why = "read, never written";
    } else if (use.written_first) {
      access = "out";
      why = "written before it is read";
    } else if (!use.read) {
      access = "out";
      why = "? the source does not use it";
    }
    if (use.handed_on && !parameter.constant) why += ", ? by what is not looked into";
    const bool is_input = std::string_view(access) != "out";
    if (std::string_view(access) != "in") add_output(parameter, name);
    if (is_input) m_inputs.push_back(name);
    std::vector<std::string> extent;
    std::string from = "?";
    if (planned != nullptr && !planned->extent.empty()) {
      extent = planned->extent;
      from = planned->extent_from;
    } else {
      extent = guessed_extent();
      if (planned != nullptr) {
        from = planned->extent_from.empty() ? "? no allocation was found" : "? " + planned->extent_from;
        ask(fmt::format("{}: how many elements has it?", name));
      }
    }
    const std::string known_type = spec_type(type, true, name);
    m_buffers.push_back({name, known_type, product_text(extent), is_input, std::string_view(access) != "in"});
    std::string text = fmt::format(
        "\n[[arguments]]\nname = \"{}\"\ntype = \"{}*\"{}\naccess = \"{}\"  # {}\nextent = {}  # {}\n", name,
        known_type, doubt(parameter), access, why, quoted(extent), from);
    if (is_input) text += init(parameter, planned, known_type);
    if (std::string_view(access) == "inout" && (planned == nullptr || planned->init.empty()))
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

  std::string init(const SourceParameter& parameter, const PlannedArgument* planned,
                   const std::string& type) const {
    const SourceStruct* const one = struct_of(parameter);
    if (one == nullptr) {
      if (planned != nullptr && !planned->init.empty()) return fmt::format("init = \"{}\"\n", planned->init);
      return fmt::format("init = \"{}\"  # ?\n", usual_init(type));
    }
    std::string text = "\n[arguments.init]  # ?\n";
    for (const SourceField& field : one->fields)
      text += fmt::format("{} = \"{}\"\n", field.name, usual_init(field.type));
    return text;
  }

  std::vector<std::string> guessed_extent() {
    if (m_launches.empty() && m_plan.sizes.size() > 1 && !std::exchange(m_asked_extent, true))
      ask("how many elements has each buffer? A guess that is too small is told as out of bounds");
    std::vector<std::string> extent(
        m_plan.sizes.begin(),
        m_plan.sizes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, m_plan.sizes.size())));
    if (extent.empty()) extent.emplace_back("1024");
    return extent;
  }

  std::string scalar(const SourceParameter& parameter, const PlannedArgument* planned,
                     const std::string& name) {
    const std::string type = resolved(parameter);
    std::string text = fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}\"{}\n", name,
                                   spec_type(type, false, name), doubt(parameter));
    if (const SourceStruct* const one = struct_of(parameter)) return text + field_values(*one, name);
    if (planned != nullptr && !planned->value.empty())
      return planned->value == name ? text : text + fmt::format("value = \"{}\"\n", planned->value);
    if (planned == nullptr && is_integer(type) && !is_no_size(name)) {
      if (upper(name) != name) text += fmt::format("value = \"{}\"\n", upper(name));
      return text;
    }
    const bool leads = upper(name).starts_with("LD") || contains_any(upper(name), {"STRIDE", "PITCH"});
    text += fmt::format("value = \"{}\"  # ?\n", leads && !m_plan.sizes.empty() ? m_plan.sizes.back() : "1");
    ask(fmt::format("{}: which value?", name));
    return text;
  }

  std::string field_values(const SourceStruct& one, const std::string& name) {
    std::string text = "\n[arguments.value]  # ?\n";
    for (const SourceField& field : one.fields) {
      const bool is_size = is_scalar_size(field) && std::ranges::count(m_plan.sizes, upper(field.name)) > 0;
      text += fmt::format("{} = \"{}\"\n", field.name, is_size ? upper(field.name) : "1");
    }
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
                       type, argument.tensor ? "tensor" : argument.view_name(), quoted(m_plan.sizes),
                       argument.tensor ? fmt::format("box = {}  # ?\n", quoted(m_plan.sizes)) : "");
  }

  // What is right.

  std::string verify_by_cpu(SpecDraft& draft) {
    const auto found = cpu_reference(m_host, m_kernel, m_launches.front(), m_plan, m_buffers);
    if (!found) {
      ask("what is right? No function of the source computes it on the CPU in a way that can be used");
      return {};
    }
    draft.reference = found->text;
    const bool is_narrow = std::ranges::any_of(m_buffers, [](const ReferenceBuffer& one) {
      return one.is_output && (one.type == "__half" || one.type == "__nv_bfloat16");
    });
    ask(fmt::format("how exact are results? {} is held against {} of line {} within a guessed tolerance",
                    m_kernel.name, found->function, found->line));
    return fmt::format(
        "\n[verify]\nreference = \"{}\"  # {} of line {}\ntolerance = {}  # ?\n\n[verify.launch]  # one "
        "thread: choose "
        "small sizes, or share the work\nentry = \"{}_reference\"\nblock = [1]\ngrid = [1]\narguments = {}\n",
        m_request.reference_file, found->function, found->line,
        is_narrow ? "{ absolute = 0.02, relative = 0.02 }" : "{ absolute = 1e-4, relative = 1e-4 }",
        m_kernel.name, quoted(found->arguments));
  }

  std::string verify() {
    if (m_outputs.empty()) ask("what does the kernel write? No argument is written in its text");
    ask(fmt::format(
        "what is right? Write the reference in {}; rounding_terms says how many roundings a result sums up",
        m_request.reference_file));
    std::vector<std::string> names = m_inputs;
    for (const Output& output : m_outputs) {
      names.push_back(output.name + ".expected");
      if (output.has_magnitude) names.push_back(output.name + ".magnitude");
    }
    names.insert(names.end(), m_plan.sizes.begin(), m_plan.sizes.end());
    return fmt::format(
        "\n[verify]\nreference = \"{}\"\nrounding_terms = \"1\"  # ? additions and multiplications behind "
        "one result\n"
        "\n[verify.launch]\nentry = \"{}_reference\"\nblock = [256]\ngrid = [\"ceil_div({}, 256)\"]  # ? one "
        "thread a result\n"
        "arguments = {}\n",
        m_request.reference_file, m_kernel.name, fmt::join(guessed_extent(), " * "), quoted(names));
  }

  std::string metrics() const {
    std::string bytes;
    for (const ReferenceBuffer& buffer : m_buffers) {
      const auto type = tuner::model::parse_element_type(buffer.type);
      const bool has_parameter = std::ranges::any_of(m_plan.parameters, [&](const DraftParameter& parameter) {
        return buffer.extent.find(parameter.name) != std::string::npos;
      });
      // Metrics are real numbers over sizes.
      const bool is_plain = buffer.extent.find_first_of("<>?&|%^") == std::string::npos &&
                            !contains_any(buffer.extent, {"multiprocessor", "max_", "max(", "min("});
      if (!type || has_parameter || !is_plain) continue;
      const auto each = static_cast<double>(tuner::model::size_bytes(*type)) *
                        (buffer.is_input && buffer.is_output ? 2 : 1);
      bytes += fmt::format("{}{:.1f} * {}", bytes.empty() ? "" : " + ", each, buffer.extent);
    }
    if (!m_launches.empty() && !bytes.empty())
      return fmt::format("\n[metrics]  # ? each buffer moved once\n\"GB/s\" = \"({}) / time_ns\"\n", bytes);
    return fmt::format(
        "\n[metrics]  # ? what is done in a nanosecond\n\"Gelement/s\" = \"1.0 * {} / time_ns\"\n",
        fmt::join(m_plan.sizes.empty() ? std::vector<std::string>{"1"} : m_plan.sizes, " * "));
  }

  /// What the source does not have, and often pays.
  std::string offers() const {
    if (m_launches.empty()) return {};
    std::string text;
    if (!m_device_words.contains("__launch_bounds__"))
      text += "#   __launch_bounds__(THREADS, BLOCKS): a macro for each, [1, 2, 3, 4] for BLOCKS\n";
    const auto unrolls = [&](const ProgramFunction* function) {
      const auto& text_of_file = m_program.files()[static_cast<std::size_t>(function->file)].text;
      return text_of_file.find("unroll") != std::string::npos;
    };
    if (!std::ranges::any_of(reached_functions(m_program, m_kernel), unrolls) &&
        m_device_words.contains("for"))
      text += "#   #pragma unroll UNROLL: UNROLL = { values = [1, 2, 4, 8, 16], constexpr = true }\n";
    const bool has_vectors = std::ranges::any_of(m_device_words, [](const std::string& word) {
      return word == "float4" || word == "float2" || word == "int4" || word == "Packed128" || word == "x128";
    });
    if (!has_vectors)
      text +=
          "#   float2 and float4 instead of float: VECTOR = { values = [\"float\", \"float2\", \"float4\"], "
          "spelled = true }\n";
    return text.empty() ? text : "\n# What the source does not have, and may pay as a parameter:\n" + text;
  }

  bool is_input(const SourceParameter& parameter) const {
    return std::ranges::count(m_inputs, parameter.name) > 0;
  }

  std::string reference() const {
    std::vector<std::string> declared;
    for (const SourceParameter& parameter : m_kernel.parameters)
      if (is_input(parameter))
        declared.push_back(fmt::format(
            "const {}* {}", m_element_type_of.contains(parameter.type) ? "ELEMENT_TYPE" : resolved(parameter),
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
    for (const std::string& size : m_plan.sizes) declared.push_back("int " + size);
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

  const Program& m_program;
  const ProgramFunction& m_kernel;
  const DraftRequest& m_request;
  tuner::source::HostCode m_host;
  SourceKernel m_text;  ///< what its text alone says
  int m_host_code_line = 0;
  std::vector<SourceStruct> m_structs;
  std::vector<PointerUse> m_uses;
  std::vector<tuner::source::ProgramLaunch> m_launches;
  DraftPlan m_plan;
  std::set<std::string> m_device_words;
  std::set<std::string> m_element_type_of;  ///< template parameters that are types
  std::vector<std::string> m_inputs;
  std::vector<Output> m_outputs;
  std::vector<ReferenceBuffer> m_buffers;
  bool m_asked_extent = false;
  std::vector<std::string> m_questions;
};

}  // namespace

SpecDraft draft_spec(const Program& program, const ProgramFunction& kernel, const DraftRequest& request) {
  return Draft(program, kernel, request).write();
}

}  // namespace config
