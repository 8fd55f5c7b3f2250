#include "config/time_specs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "config/draft_plan.hpp"
#include "config/spec_reader.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace config {

namespace util = tuner::util;

namespace {

bool is_one_name(const std::string& text) {
  const std::vector<std::string> names = names_in(text);
  return names.size() == 1 && names.front() == text;
}

std::string signature_text(const ProgramFunction& function) {
  std::vector<std::string> parts;
  for (const SourceParameter& parameter : function.parameters) parts.push_back(parameter.text);
  return fmt::format("({})", fmt::join(parts, ", "));
}

/// The source without functions of the host, which NVRTC does not take; lines keep their places.
std::string device_text(const tuner::source::Program& program) {
  std::string text = program.files().front().text;
  const std::string_view original = program.files().front().text;
  const auto place = [&](std::string_view token) { return token.data() - original.data(); };
  for (const ProgramFunction& function : program.functions()) {
    if (function.file != 0 || function.is_device || function.before.empty() || function.body.empty())
      continue;
    const auto is_constexpr = [](const tuner::source::Token& token) { return token.is("constexpr"); };
    if (std::ranges::any_of(function.before, is_constexpr)) continue;
    const auto begin = place(function.before.front().text);
    const auto end = place(function.body.back().text) + 1;
    if (begin < 0 || end <= begin || end > std::ssize(original)) continue;  // a macro made it
    for (auto at = begin; at < end; ++at)
      if (char& c = text[static_cast<std::size_t>(at)]; c != '\n') c = ' ';
  }
  return text;
}

/// Results are compared as doubles, which do not hold all of these.
bool has_long_integers(const DraftBuffer& buffer) {
  const auto type = model::parse_element_type(buffer.type);
  return type && !model::is_floating(*type) && model::size_bytes(model::component_type(*type)) == 8;
}

bool can_be_included(const std::string& path) {
  return path.substr(path.rfind('/') + 1).find_first_of("\"\\\n") == std::string::npos;
}

class TimeDraft {
 public:
  explicit TimeDraft(const TimeRequest& request) : m_request(request) {
    if (request.arguments) {
      for (const std::string& one : split_list(*request.arguments, ListOf::types))
        m_given.push_back(read_given_argument(one));
    }
    for (const TimedKernel& kernel : request.kernels) m_kernels.emplace_back(kernel, request);
  }

  TimeSpecs write() {
    LaunchedKernel& first = m_kernels.front();
    for (LaunchedKernel& kernel : m_kernels) require_equal_signature(kernel);
    m_given.resize(first.kernel().function.parameters.size());
    rename_to_given(first);
    for (LaunchedKernel& kernel : m_kernels)
      if (&kernel != &first) adapt(kernel);
    for (LaunchedKernel& kernel : m_kernels) {
      if (!kernel.is_launch_known() && kernel.plan().is_guess)
        m_out.assumed.push_back(fmt::format("{} has one thread an element", kernel.kernel().name));
      kernel.require_known_launch();
      kernel.choose_values(m_out.assumed);
    }
    for (const auto& [macro, value] : m_request.macros)
      if (std::ranges::none_of(m_kernels, [&](const LaunchedKernel& kernel) { return kernel.knows(macro); }))
        m_out.assumed.push_back(fmt::format("{} is a macro of other headers: no source here has it", macro));
    choose_sizes();
    make_arguments();
    for (LaunchedKernel& kernel : m_kernels) require_known_names(kernel);
    const bool by_nvcc = std::ranges::any_of(
        m_kernels, [](LaunchedKernel& kernel) { return kernel.source().host_code_line > 0; });
    const TimeReference reference = make_reference();
    m_out.reference = reference.source;
    std::string arguments;
    for (std::size_t i = 0; i < m_tables.size(); ++i)
      arguments += m_tables[i] + (i < reference.tolerances.size() ? reference.tolerances[i] : "");
    for (LaunchedKernel& kernel : m_kernels) {
      m_out.specs.push_back(kernel.kernel_table(m_request.family, m_out.sizes, includes(kernel), by_nvcc) +
                            reference.derived + kernel.launch_table(m_names) +
                            DraftTypes(first.source(), first.plan()).tables() + arguments + m_symbols +
                            reference.buffers + reference.verify);
    }
    std::ranges::sort(m_out.assumed);
    m_out.assumed.erase(std::unique(m_out.assumed.begin(), m_out.assumed.end()), m_out.assumed.end());
    return std::move(m_out);
  }

 private:
  void require_equal_signature(LaunchedKernel& kernel) {
    LaunchedKernel& first = m_kernels.front();
    const auto& ours = first.kernel().function.parameters;
    const auto& its = kernel.kernel().function.parameters;
    bool is_equal = ours.size() == its.size();
    for (std::size_t i = 0; is_equal && i < ours.size(); ++i)
      is_equal = ours[i].pointer == its[i].pointer && first.type(ours[i]) == kernel.type(its[i]);
    if (!is_equal)
      throw model::UsageError(fmt::format("{} takes {}, and {} takes {}", kernel.kernel().name,
                                          signature_text(kernel.kernel().function), first.kernel().name,
                                          signature_text(first.kernel().function)),
                              "kernels that are timed beside each other take the same arguments");
    if (m_request.arguments && m_given.size() != ours.size())
      throw model::UsageError(
          fmt::format("--args has {}, and {} takes {}",
                      util::counted(static_cast<std::int64_t>(m_given.size()), "argument"),
                      first.kernel().name, signature_text(first.kernel().function)),
          "one for each, at commas; _ for a guess");
    for (std::size_t i = 0; i < m_given.size() && i < ours.size(); ++i)
      if ((m_given[i].kind == GivenArgument::Kind::buffer) != ours[i].pointer &&
          m_given[i].kind != GivenArgument::Kind::guess && m_given[i].value != "NULL")
        throw model::UsageError(
            fmt::format("--args: argument {} of {} is `{}`", i + 1, first.kernel().name, ours[i].text),
            ours[i].pointer ? "write a buffer, as float[N] in" : "write a value, as N or 1.5");
  }

  /// Sizes have the names that --args gives them.
  void rename_to_given(LaunchedKernel& first) {
    Renames names;
    for (std::size_t i = 0; i < m_given.size(); ++i)
      if (is_one_name(m_given[i].value) && is_one_name(first.value(i)))
        names[first.value(i)] = m_given[i].value;
    first.rename(names);
  }

  std::string value_of_first(std::size_t i) {
    return m_given[i].value.empty() ? m_kernels.front().value(i) : m_given[i].value;
  }

  /// Another kernel in the words of the first. One that its source does not launch is launched as the first.
  void adapt(LaunchedKernel& kernel) {
    Renames names;
    for (std::size_t i = 0; i < m_given.size(); ++i)
      if (is_one_name(kernel.value(i)) && !value_of_first(i).empty())
        names[kernel.value(i)] =
            is_one_name(value_of_first(i)) ? value_of_first(i) : fmt::format("({})", value_of_first(i));
    kernel.rename(names);
    const bool is_first_known = m_kernels.front().is_launch_known();
    if (kernel.is_launch_known() || !is_first_known || !kernel.kernel().block.empty() ||
        !kernel.kernel().grid.empty())
      return;
    kernel.launch_as(m_kernels.front());
    m_out.assumed.push_back(
        fmt::format("{} is launched as {}", kernel.kernel().name, m_kernels.front().kernel().name));
  }

  /// In the order in which --args has them; then those of the source that something uses.
  void choose_sizes() {
    const auto is_parameter = [&](const std::string& name) {
      return std::ranges::any_of(m_kernels,
                                 [&](const LaunchedKernel& kernel) { return kernel.has_parameter(name); });
    };
    std::vector<std::string>& sizes = m_out.sizes;
    const auto add = [&](const std::string& name) {
      if (!is_parameter(name) && std::ranges::count(sizes, name) == 0) sizes.push_back(name);
    };
    const auto add_all = [&](const std::string& text) {
      for (const std::string& name : names_in(text)) add(name);
    };
    bool is_all_given = true;
    for (const GivenArgument& given : m_given) {
      is_all_given &= given.kind != GivenArgument::Kind::guess;
      for (const std::string& factor : given.extent) add_all(factor);
      add_all(given.value);
    }
    DraftPlan& plan = m_kernels.front().plan();
    for (const std::string& name : plan.sizes)
      if (!is_all_given || m_kernels.front().is_used(name)) add(name);
    for (const TimedKernel& kernel : m_request.kernels)
      for (const auto* list : {&kernel.block, &kernel.grid})
        for (const std::string& text : *list) add_all(text);
    if (sizes.empty()) sizes.emplace_back("N");
    for (const std::string& name : sizes) {
      const auto at = std::ranges::find(plan.sizes, name) - plan.sizes.begin();
      m_out.present.push_back(static_cast<std::size_t>(at) < plan.present.size()
                                  ? plan.present[static_cast<std::size_t>(at)]
                                  : std::nullopt);
    }
    if (!plan.is_guess || !is_all_given) return;
    plan.sizes = sizes;
  }

  void make_arguments() {
    LaunchedKernel& first = m_kernels.front();
    DraftArguments drafted = draft_arguments(first.source(), first.plan());
    m_symbols = drafted.variables;
    const auto& parameters = first.kernel().function.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      TimedArgument argument;
      const DraftArgument& own = drafted.each[i];
      argument.name = own.name;
      if (own.buffer) argument.buffer = drafted.buffers[*own.buffer];
      m_names.push_back(argument.name);
      m_tables.push_back(m_given[i].kind == GivenArgument::Kind::guess
                             ? guessed(own.table, argument)
                             : given(m_given[i], parameters[i], argument));
      m_arguments.push_back(argument);
    }
  }

  /// What the draft has, and what of it is a guess.
  std::string guessed(const std::string& table, TimedArgument& argument) {
    if (table.find("\"?\"") != std::string::npos)
      throw model::UsageError(fmt::format("{} of {} is a view of a buffer that the signature does not show",
                                          argument.name, m_kernels.front().kernel().name),
                              "such a kernel needs a spec: `tuner init` writes a first one");
    const auto is_doubted = [&](const char* key) {
      const std::size_t begin = table.find(key);
      if (begin == std::string::npos) return false;
      return table.substr(begin, table.find('\n', begin + 1) - begin).find("# ?") != std::string::npos;
    };
    if (argument.buffer && is_doubted("\nextent = "))
      m_out.assumed.push_back(fmt::format("{} has {} elements", argument.name, argument.buffer->extent));
    if (is_doubted("\nvalue = ")) m_out.assumed.push_back(fmt::format("{} = 1", argument.name));
    return table;
  }

  std::string given(const GivenArgument& said, const SourceParameter& parameter, TimedArgument& argument) {
    LaunchedKernel& first = m_kernels.front();
    const std::string type = said.type.empty() ? first.type(parameter) : spec_name(said.type);
    std::string text = argument_table(argument.name, type + (parameter.pointer ? "*" : ""));
    if (said.kind == GivenArgument::Kind::value) {
      argument.buffer.reset();
      return text + fmt::format("value = {}\n", toml_text(said.value));
    }
    if (!argument.buffer) argument.buffer.emplace();
    DraftBuffer& buffer = *argument.buffer;
    if (!said.access.empty()) {
      argument.is_workspace = said.access == "workspace";
      buffer.is_input = said.access == "in" || said.access == "inout";
      buffer.is_output = said.access == "out" || said.access == "inout";
    }
    buffer.type = type;
    buffer.extent = fmt::format("({})", fmt::join(said.extent, ") * ("));
    const char* const access = argument.is_workspace ? "workspace"
                               : !buffer.is_output   ? "in"
                               : buffer.is_input     ? "inout"
                                                     : "out";
    text += fmt::format("access = \"{}\"\nextent = {}\n", access, toml_list(said.extent));
    if (buffer.is_input)
      text += fmt::format("init = {}\n", toml_text(said.init.empty() ? usual_init(type) : said.init));
    return text;
  }

  /// Names of its launch are sizes or its parameters.
  void require_known_names(const LaunchedKernel& kernel) const {
    for (const std::string& name : kernel.used_names()) {
      const bool is_known = std::ranges::count(m_out.sizes, name) > 0 || kernel.has_parameter(name);
      if (!is_known)
        throw model::UsageError(fmt::format("the launch of {} depends on {}, which is no size of {}",
                                            kernel.kernel().name, name, m_kernels.front().kernel().name),
                                fmt::format("sizes are {}; say the launch with --block and --grid",
                                            util::listed(std::span<const std::string>(m_out.sizes))));
    }
  }

  std::vector<std::string> includes(const LaunchedKernel& kernel) const {
    // The first kernel's folder comes first: there the reference finds its source.
    const TimedKernel& first = m_kernels.front().kernel();
    std::vector<std::string> out = {first.folder};
    for (const std::vector<std::string>* more : {&kernel.kernel().include, &first.include})
      for (const std::string& folder : *more)
        if (std::ranges::count(out, folder) == 0) out.push_back(folder);
    return out;
  }

  TimeReference make_reference() {
    LaunchedKernel& first = m_kernels.front();
    if (!m_request.compares) m_out.not_compared = "--no-compare";
    if (!m_symbols.empty())
      m_out.not_compared = fmt::format("{} uses variables of the device", first.kernel().name);
    for (const TimedArgument& argument : m_arguments)
      if (argument.buffer && argument.buffer->is_output && has_structs(argument))
        m_out.not_compared = fmt::format("{} is of structs", argument.name);
    if (std::ranges::none_of(m_arguments,
                             [](const TimedArgument& one) { return one.buffer && one.buffer->is_output; }))
      m_out.not_compared = fmt::format("{} has no output that its text shows", first.kernel().name);
    if (!m_out.not_compared.empty()) return {};
    for (const TimedArgument& argument : m_arguments)
      if (m_kernels.size() > 1 && argument.buffer && argument.buffer->is_output &&
          has_long_integers(*argument.buffer))
        m_out.assumed.push_back(fmt::format("{} has no number above 2^53", argument.name));
    const bool is_included = first.source().host_code_line == 0 && can_be_included(first.kernel().source);
    const std::string text = is_included ? std::string() : device_text(first.kernel().program);
    TimeReferenceRequest request{m_request.reference_file,
                                 first.kernel().source,
                                 text,
                                 first.number(first.entry()),
                                 {},
                                 first.numbered(first.plan().block),
                                 first.numbered(first.plan().grid),
                                 first.number(first.plan().shared_bytes),
                                 m_arguments,
                                 m_request.tolerance};
    for (const DraftParameter& one : first.parameters())
      if (!one.is_runtime) {
        std::string value = one.usual;
        std::erase(value, '"');
        request.macros.emplace_back(one.name, value);
      }
    for (TimedArgument& argument : request.arguments)
      if (argument.buffer) argument.buffer->extent = first.number(argument.buffer->extent);
    return time_reference(request);
  }

  const TimeRequest& m_request;
  std::vector<GivenArgument> m_given;  ///< of each parameter, once the first kernel is known
  std::deque<LaunchedKernel> m_kernels;
  std::vector<TimedArgument> m_arguments;
  std::vector<std::string> m_names;
  std::vector<std::string> m_tables;  ///< of each
  std::string m_symbols;              ///< variables of the device that the first kernel uses
  TimeSpecs m_out;
};

}  // namespace

TimeSpecs time_specs(const TimeRequest& request) {
  return TimeDraft(request).write();
}

}  // namespace config
