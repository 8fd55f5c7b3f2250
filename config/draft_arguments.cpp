#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "config/draft_plan.hpp"
#include "config/spec_reader.hpp"
#include "tuner/model/element_type.hpp"

namespace config {

bool mentions(const std::string& expression, const std::string& name) {
  return std::ranges::any_of(source::tokens_of(expression),
                             [&](const Token& token) { return token.is(name); });
}

std::string product_text(const std::vector<std::string>& factors) {
  std::string text;
  for (const std::string& factor : factors)
    text += (text.empty() ? "" : " * ") +
            (factor.find(' ') == std::string::npos || factors.size() == 1 ? factor : "(" + factor + ")");
  return factors.size() == 1 && text.find(' ') != std::string::npos ? "(" + text + ")" : text;
}

std::vector<std::string> argument_names(const ProgramFunction& kernel) {
  std::vector<std::string> names;
  int unnamed = 0;
  for (const SourceParameter& one : kernel.parameters)
    names.push_back(one.name.empty() ? fmt::format("argument{}", ++unnamed) : one.name);
  return names;
}

std::string argument_table(const std::string& name, std::string_view type, const std::string& behind) {
  return fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = {}{}\n", name, toml_text(type), behind);
}

std::string view_table(const model::ArgumentSpec& argument, const std::string& name, const std::string& type,
                       const std::vector<std::string>& shape) {
  return argument_table(name, type) + fmt::format("{} = \"?\"\nshape = {}  # ?\n",
                                                  argument.tensor ? "tensor" : argument.view_name(),
                                                  toml_list(shape));
}

namespace {

class ArgumentTables {
 public:
  ArgumentTables(DraftSource& source, const DraftPlan& plan)
      : m_source(source), m_plan(plan), m_types(source, plan) {}

  DraftArguments write() {
    m_found.variables = variables();  // questions about them come first
    add_arguments();
    return std::move(m_found);
  }

 private:
  void add_arguments() {
    const std::vector<std::string> names = argument_names(m_source.kernel);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const SourceParameter& parameter = m_source.kernel.parameters[i];
      const std::string& name = names[i];
      const PlannedArgument* const planned = i < m_plan.arguments.size() ? &m_plan.arguments[i] : nullptr;
      model::ArgumentSpec argument;
      const std::size_t buffers = m_found.buffers.size();
      const std::string table = parameter.pointer                     ? buffer(i, planned, name)
                                : make_view(parameter.type, argument) ? view(argument, parameter.type, name)
                                                                      : scalar(parameter, planned, name);
      const bool is_buffer = m_found.buffers.size() > buffers;
      m_found.each.push_back({name, table, is_buffer ? std::optional(buffers) : std::nullopt});
    }
  }

  /// Variables of the device that the kernel uses.
  std::string variables() {
    std::string text;
    for (const auto& [used, name] : m_source.device_variables()) {
      const GlobalVariable& variable = *used;
      std::vector<std::string> extent;
      bool is_known = true;
      for (const tuner::source::Tokens tokens : variable.extents) {
        const std::optional<std::int64_t> value = m_source.fixed_number(tokens);
        is_known &= value.has_value();
        extent.push_back(is_known ? std::to_string(*value) : "1");
      }
      if (extent.empty()) extent.emplace_back("1");
      const std::string type = m_source.program.resolved_type(variable.type);
      const std::string known_type = m_types.spec_type(type, true, name);
      const bool is_written = !variable.in_constant && writes(variable);
      m_found.inputs.push_back(name);
      if (is_written) add_output(m_types.struct_of(variable), name);
      text += argument_table(name, known_type + "*");
      text += fmt::format("symbol = \"{}\"  # line {}\naccess = \"{}\"\nextent = {}{}\n{}",
                          variable.qualified_name(), variable.line, is_written ? "inout" : "in",
                          toml_list(extent), is_known ? "" : "  # ?",
                          init(m_types.struct_of(variable), nullptr, type));
      m_found.buffers.push_back({name, known_type, product_text(extent), true, is_written, !is_known});
      m_source.ask(fmt::format("{}: what does the variable of line {} hold?", name, variable.line));
    }
    return text;
  }

  /// Whether a function assigns it, changes it, takes its address or hands it on.
  bool writes(const GlobalVariable& variable) const {
    return std::ranges::any_of(m_source.reached, [&](const ProgramFunction* function) {
      const Tokens body = function->body;
      for (std::size_t i = 1; i + 2 < body.size(); ++i) {
        if (!body[i].is(variable.name) || body[i - 1].is(".")) continue;
        std::size_t at = i + 1;
        while (at + 2 < body.size() && source::is_one_of(body[at].text, {"[", "."}))
          at = body[at].is("[") ? source::behind_bracket(body, at) : at + 2;
        const bool is_whole = at == i + 1 && !variable.extents.empty();
        const bool assigns = body[at].is("=") && !body[at + 1].is("=");
        const bool changes = body[at + 1].is("=") &&
                             source::is_one_of(body[at].text, {"+", "-", "*", "/", "|", "&", "^", "%"});
        const bool steps = source::is_one_of(body[at].text, {"+", "-"}) && body[at + 1].is(body[at].text);
        const bool stepped =
            i > 1 && source::is_one_of(body[i - 1].text, {"+", "-"}) && body[i - 2].is(body[i - 1].text);
        if (is_whole || assigns || changes || steps || stepped || body[i - 1].is("&")) return true;
      }
      return false;
    });
  }

  std::string buffer(std::size_t place, const PlannedArgument* planned, const std::string& name) {
    const SourceParameter& parameter = m_source.kernel.parameters[place];
    const PointerUse& use = m_source.uses[place];
    const std::string type = m_types.resolved(parameter);
    if (planned != nullptr && planned->is_null)
      return argument_table(name, m_types.spec_type(type, true, name) + "*") + "value = \"NULL\"\n";
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
    if (std::string_view(access) != "in") add_output(m_types.struct_of(parameter), name);
    if (is_input) m_found.inputs.push_back(name);
    std::vector<std::string> extent = indexed_extent(m_source, m_plan, place);
    std::string from = "? by the kernel's indices";
    const bool is_guess = extent.empty() && (planned == nullptr || planned->extent.empty());
    if (planned != nullptr && !planned->extent.empty()) {
      const bool is_indexed_so = extent == planned->extent;
      extent = planned->extent;
      from = planned->extent_from;
      if (!planned->lone_size.empty() && !is_followed(planned->lone_size))
        from = fmt::format("? {}; how does {}, which the kernel is not passed, follow from the others", from,
                           planned->lone_size);
      if (from.starts_with("? ") && !is_indexed_so)
        m_source.ask(fmt::format("{}: how many elements has it? {}", name, from.substr(2)));
    } else if (extent.empty()) {
      from = "?";
      extent = guessed_extent(m_source, m_plan);
      if (planned != nullptr) {
        from = planned->extent_from.empty() ? "? no allocation was found" : "? " + planned->extent_from;
        m_source.ask(fmt::format("{}: how many elements has it?", name));
      }
    }
    const std::string known_type = m_types.spec_type(type, true, name);
    ask_kind(parameter, name);
    m_found.buffers.push_back(
        {name, known_type, product_text(extent), is_input, std::string_view(access) != "in", is_guess});
    std::string text = argument_table(name, known_type + "*", m_types.doubt(parameter));
    text += fmt::format("access = \"{}\"  # {}\nextent = {}  # {}\n", access, why, toml_list(extent), from);
    if (is_input) text += init(m_types.struct_of(parameter), planned, known_type, held_init(place));
    if (std::string_view(access) == "inout" && (planned == nullptr || planned->init.empty()))
      m_source.ask(fmt::format("{} is read and written: what should it hold before a launch?", name));
    return text;
  }

  /// Some buffer with this size has indices that another buffer holds, and these follow it.
  bool is_followed(const std::string& size) const {
    for (std::size_t i = 0; i < m_source.held.size(); ++i) {
      const std::size_t of = m_source.held[i].of;
      if (of != i && of < m_plan.arguments.size() && m_plan.arguments[of].lone_size == size) return true;
    }
    return false;
  }

  /// What a buffer holds whose numbers are indices of another: no more than that has elements, or rows.
  /// Empty: it does not, or nobody knows how many these are.
  std::string held_init(std::size_t place) const {
    const source::HeldIndex& held = m_source.held[place];
    if (held.of == place) return {};
    const bool is_planned = held.of < m_plan.arguments.size() && !m_plan.arguments[held.of].extent.empty();
    std::vector<std::string> extent =
        is_planned ? m_plan.arguments[held.of].extent : indexed_extent(m_source, m_plan, held.of);
    if (held.is_row && extent.size() < 2) return {};
    if (held.is_row) extent.resize(1);
    const std::string count = product_text(extent);
    if (count.empty() || m_plan.mentions_parameter(count)) return {};
    // Numbers alone are no expressions.
    const auto fixed = config::number(count);
    if (!fixed &&
        std::ranges::none_of(m_plan.sizes, [&](const std::string& size) { return mentions(count, size); }))
      return {};
    const std::string last = fixed ? std::to_string(std::max<std::int64_t>(*fixed - 1, 0)) : count + " - 1";
    return held.begins_row ? fmt::format("sorted(0, {})", count) : fmt::format("integers(0, {})", last);
  }

  /// A buffer holds numbers one behind the other.
  void ask_kind(const SourceParameter& parameter, const std::string& name) {
    if (parameter.kind.empty()) return;
    const bool has_arrays = parameter.kind == "a pointer to arrays";
    m_source.ask(fmt::format("{}: `{}` is {}{}", name, parameter.text, parameter.kind,
                             has_arrays ? ": extent counts the elements of all of them"
                                        : ", which no spec has: give the kernel a plain pointer"));
  }

  /// Each field of a struct is a result of its own; whole numbers have no magnitude.
  void add_output(const SourceStruct* one, const std::string& name) {
    if (one == nullptr) return m_found.outputs.push_back({name, true});
    for (const SourceField& field : one->fields)
      m_found.outputs.push_back({fmt::format("{}.{}", name, field.name),
                                 model::is_floating(*model::parse_element_type(field.type))});
  }

  /// `one`: what its elements are; null: no struct.
  static std::string init(const SourceStruct* one, const PlannedArgument* planned, const std::string& type,
                          const std::string& held = "") {
    if (one == nullptr) {
      if (planned != nullptr && !planned->init.empty())
        return fmt::format("init = \"{}\"{}\n", planned->init, planned->is_init_guess ? "  # ?" : "");
      return fmt::format("init = \"{}\"  # ?\n", held.empty() ? usual_init(type) : held);
    }
    std::string text = "\n[arguments.init]  # ?\n";
    for (const SourceField& field : one->fields)
      text += fmt::format("{} = \"{}\"\n", field.name, usual_init(field.type));
    return text;
  }

  std::string scalar(const SourceParameter& parameter, const PlannedArgument* planned,
                     const std::string& name) {
    const std::string type = m_types.resolved(parameter);
    std::string text = argument_table(name, m_types.spec_type(type, false, name), m_types.doubt(parameter));
    if (const SourceStruct* const one = m_types.struct_of(parameter))
      return text + field_values(*one, planned, name);
    if (planned != nullptr && !planned->value.empty() && planned->keeps_rest) {
      m_source.ask(
          fmt::format("{}: is {} right? The program drops the rest of a quotient, and a spec keeps it", name,
                      planned->value));
      return text + fmt::format("value = \"{}\"  # ?\n", planned->value);
    }
    if (planned != nullptr && !planned->value.empty())
      return planned->value == name ? text : text + fmt::format("value = \"{}\"\n", planned->value);
    const bool is_size = std::ranges::count(m_plan.sizes, upper(name)) > 0;
    if (planned == nullptr && is_size && m_source.may_be_size(parameter, type)) {
      if (upper(name) != name) text += fmt::format("value = \"{}\"\n", upper(name));
      return text;
    }
    text += fmt::format("value = \"{}\"  # ?\n", is_row_length(name) ? row_length(name) : "1");
    m_source.ask(fmt::format("{}: which value?", name));
    return text;
  }

  /// The size that begins as `src_pitch` does, as `SRC_WIDTH`; else the last.
  std::string row_length(const std::string& name) const {
    const std::string begin = upper(name.substr(0, name.find('_') + 1));
    for (const std::string& size : m_plan.sizes)
      if (!begin.empty() && size.starts_with(begin)) return size;
    return m_plan.sizes.empty() ? "1" : m_plan.sizes.back();
  }

  std::string field_values(const SourceStruct& one, const PlannedArgument* planned, const std::string& name) {
    std::string text = "\n[arguments.value]\n";
    std::vector<std::string> open;
    for (const SourceField& field : one.fields) {
      const bool is_known = planned != nullptr && planned->fields.contains(field.name);
      const bool is_size = is_scalar_size(field) && std::ranges::count(m_plan.sizes, upper(field.name)) > 0;
      const std::string guess = is_size ? upper(field.name) : "1";
      text += fmt::format("{} = \"{}\"{}\n", field.name, is_known ? planned->fields.at(field.name) : guess,
                          is_known ? "" : "  # ?");
      if (!is_known) open.push_back(field.name);
    }
    if (open.size() == one.fields.size())
      m_source.ask(fmt::format("{}: which values have its fields?", name));
    else if (!open.empty())
      m_source.ask(fmt::format("{}: which value has its {}?", name, fmt::join(open, ", ")));
    return text;
  }

  /// Over a buffer that the signature does not show.
  std::string view(const model::ArgumentSpec& argument, const std::string& type, const std::string& name) {
    m_source.ask(fmt::format(
        "{}: over which buffer? Declare it as an argument too, and list in [launch] arguments what the "
        "kernel is passed",
        name));
    const std::vector<std::string> shape(m_plan.sizes.rbegin(), m_plan.sizes.rend());  // innermost first
    return view_table(argument, name, type, shape) +
           (argument.tensor ? fmt::format("box = {}  # ?\n", toml_list(shape)) : "");
  }

  DraftSource& m_source;
  const DraftPlan& m_plan;
  DraftTypes m_types;
  DraftArguments m_found;
};

}  // namespace

DraftArguments draft_arguments(DraftSource& source, const DraftPlan& plan) {
  return ArgumentTables(source, plan).write();
}

}  // namespace config
