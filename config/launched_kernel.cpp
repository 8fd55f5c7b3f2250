#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "config/draft_plan.hpp"
#include "config/spec_reader.hpp"
#include "config/time_specs.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/util/text.hpp"

namespace config {

namespace util = tuner::util;

namespace {

std::string renamed(const std::string& text, const Renames& names) {
  return with_names(text, [&](const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  });
}

}  // namespace

LaunchedKernel::LaunchedKernel(const TimedKernel& kernel, const TimeRequest& request)
    : m_kernel(kernel),
      m_draft_request{kernel.source, request.reference_file, kernel.include, nullptr, {}, request.macros},
      m_source(kernel.program, kernel.function, m_draft_request),
      m_plan(plan_by_source(m_source)) {
  if (m_plan.is_guess) name_values();
  if (is_instance()) bind_template_arguments();
  for (const auto& [name, value] : request.macros) set(name, value);
  if (!kernel.block.empty()) set_block(request.macros);
  if (!kernel.grid.empty()) m_plan.grid = kernel.grid;
  if (!kernel.shared_bytes.empty()) m_plan.shared_bytes = kernel.shared_bytes;
}

bool LaunchedKernel::is_launch_known() const {
  return !m_plan.is_guess || (!m_kernel.block.empty() && !m_kernel.grid.empty());
}

std::string LaunchedKernel::value(std::size_t i) const {
  return i < m_plan.arguments.size() ? m_plan.arguments[i].value : std::string();
}

std::string LaunchedKernel::type(const SourceParameter& parameter) {
  const std::string resolved = DraftTypes(m_source, m_plan).resolved(parameter);
  return m_plan.element_types.contains(resolved) ? "ELEMENT_TYPE" : spec_name(resolved);
}

void LaunchedKernel::rename(const Renames& names) {
  for (std::string& size : m_plan.sizes) size = renamed(size, names);
  for (PlannedArgument& argument : m_plan.arguments) {
    argument.value = renamed(argument.value, names);
    for (std::string& factor : argument.extent) factor = renamed(factor, names);
  }
  for_each_expression([&](std::string& text) { text = renamed(text, names); });
}

void LaunchedKernel::launch_as(const LaunchedKernel& other) {
  m_plan.block = other.numbered(other.m_plan.block);
  m_plan.grid = other.numbered(other.m_plan.grid);
  m_plan.shared_bytes = other.number(other.m_plan.shared_bytes);
  m_plan.is_guess = false;
}

void LaunchedKernel::choose_values(std::vector<std::string>& assumed) {
  std::erase_if(m_plan.parameters, [&](const DraftParameter& one) {
    const bool is_of_template = std::ranges::count(m_plan.template_arguments, one.name) > 0;
    return (is_of_template && is_instance()) || (one.is_runtime && !is_used(one.name));
  });
  for (DraftParameter& one : m_plan.parameters) {
    if (!one.usual.empty() || one.values.empty()) continue;
    const std::int64_t likely = std::ranges::count(m_plan.block, one.name) > 1 ? 16 : 256;
    const bool is_likely = names_block(one.name) && std::ranges::count(one.values, likely) > 0;
    one.usual = std::to_string(is_likely ? likely : one.values.front());
    assumed.push_back(fmt::format("{} = {}", one.name, one.usual));
  }
}

void LaunchedKernel::require_known_launch() const {
  for (const std::vector<std::string>* list : {&m_plan.block, &m_plan.grid})
    if (std::ranges::count(*list, "?") > 0)
      throw model::UsageError(
          fmt::format("line {} does not launch {} in a way that can be read",
                      m_source.launches.empty() ? 0 : m_source.launches.front().line, m_kernel.name),
          "say it: --block 256 --grid 'ceil_div(N, 256)'");
}

bool LaunchedKernel::is_used(const std::string& name) const {
  return std::ranges::count(used_names(), name) > 0;
}

std::vector<std::string> LaunchedKernel::used_names() const {
  std::vector<std::string> out;
  for (const auto* list : {&m_plan.block, &m_plan.grid})
    for (const std::string& text : *list)
      for (const std::string& name : names_in(text)) out.push_back(name);
  for (const std::string& name : names_in(m_plan.shared_bytes)) out.push_back(name);
  return out;
}

std::string LaunchedKernel::number(const std::string& text) const {
  Renames values;
  for (const DraftParameter& one : m_plan.parameters) values[one.name] = one.usual;
  return renamed(text, values);
}

std::vector<std::string> LaunchedKernel::numbered(std::vector<std::string> texts) const {
  for (std::string& text : texts) text = number(text);
  return texts;
}

std::string LaunchedKernel::entry() const {
  if (is_instance() || m_plan.template_arguments.empty()) return m_kernel.entry;
  return fmt::format("{}<{}>", m_kernel.function.qualified_name(),
                     fmt::join(m_plan.template_arguments, ", "));
}

std::string LaunchedKernel::kernel_table(const std::string& family, const std::vector<std::string>& sizes,
                                         const std::vector<std::string>& include, bool by_nvcc) const {
  std::string text = fmt::format("[kernel]\nname = \"{}\"\nfamily = \"{}\"\nsource = {}\nentry = {}\n",
                                 m_kernel.name, family, toml_text(m_kernel.source), toml_text(entry()));
  text += fmt::format("sizes = {}\n", toml_list(sizes));
  if (!include.empty()) text += fmt::format("include = {}\n", toml_list(include));
  if (by_nvcc) text += "compiler = \"nvcc\"\n";
  if (std::ranges::any_of(m_source.uses, &tuner::source::PointerUse::atomic))
    text += "deterministic = false\n";
  text += "\n[parameters]\n";
  for (const DraftParameter& one : m_plan.parameters)
    text += fmt::format("{} = {}\n", one.name, one.toml(one.usual));
  return text;
}

std::string LaunchedKernel::launch_table(const std::vector<std::string>& arguments) const {
  std::string text = fmt::format("\n[launch]\nblock = {}\ngrid = {}\narguments = {}\n",
                                 toml_list(m_plan.block), toml_list(m_plan.grid), toml_list(arguments));
  if (!m_plan.shared_bytes.empty())
    text += fmt::format("dynamic_shared_bytes = {}\n", toml_text(m_plan.shared_bytes));
  return text + m_plan.launch_kind();
}

void LaunchedKernel::bind_template_arguments() {
  const std::string& entry = m_kernel.entry;
  const std::size_t begin = entry.find('<') + 1;
  const std::vector<std::string> given =
      split_list(std::string_view(entry).substr(begin, entry.rfind('>') - begin), ListOf::types);
  const std::vector<TemplateParameter>& declared = m_kernel.function.template_parameters;
  const std::vector<SourceParameter>& parameters = m_kernel.function.parameters;
  m_plan.arguments.resize(parameters.size());
  Renames numbers;
  for (std::size_t i = 0; i < std::min(given.size(), declared.size()); ++i) {
    if (declared[i].type == "typename") {
      for (std::size_t k = 0; k < parameters.size(); ++k)
        if (parameters[k].type == declared[i].name)
          m_plan.arguments[k].type = m_source.program.resolved_type(given[i]);
    } else if (i < m_plan.template_arguments.size() && m_plan.has_parameter(m_plan.template_arguments[i])) {
      const auto number = m_source.fixed_number(tuner::source::tokens_of(given[i]));
      std::string& name = m_plan.template_arguments[i];
      numbers[name] = number ? std::to_string(*number) : fmt::format("({})", given[i]);
      std::erase_if(m_plan.parameters, [&](const DraftParameter& one) { return one.name == name; });
      name = numbers[name];
    }
  }
  rename(numbers);
}

void LaunchedKernel::name_values() {
  const std::vector<SourceParameter>& parameters = m_kernel.function.parameters;
  m_plan.arguments.resize(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_size = !parameters[i].pointer && m_source.may_be_size(parameters[i], type(parameters[i]));
    if (is_size) m_plan.arguments[i].value = upper(parameters[i].name);
  }
}

void LaunchedKernel::set_block(const std::vector<std::pair<std::string, std::string>>& macros) {
  const std::vector<std::string> before = std::exchange(m_plan.block, m_kernel.block);
  for (std::size_t i = 0; i < before.size() && i < m_plan.block.size(); ++i) {
    const std::string& now = m_plan.block[i];
    const auto is_it = [&](const auto& one) { return one.first == before[i]; };
    const bool is_alone = std::ranges::count(before, before[i]) == 1;
    const bool is_open =
        !is_instance() && m_plan.has_parameter(before[i]) && std::ranges::none_of(macros, is_it);
    if (is_alone && is_open && util::parse_number<std::int64_t>(now)) {
      set(before[i], now);
    } else if (i < m_plan.grid.size()) {
      std::string& grid = m_plan.grid[i];
      grid = renamed(grid, {{before[i], fmt::format("({})", now)}});
      const std::string divisor = fmt::format(", {})", before[i]);
      if (grid.starts_with("ceil_div(") && grid.ends_with(divisor))
        grid.replace(grid.size() - divisor.size(), std::string::npos, fmt::format(", {})", now));
    }
  }
}

bool LaunchedKernel::knows(const std::string& macro) const {
  const auto is_drafted = [&](const DraftParameter& one) { return one.name == macro && !one.why.empty(); };
  const auto has_word = [&](const tuner::source::ProgramFile& file) { return mentions(file.text, macro); };
  return is_used(macro) || std::ranges::any_of(m_plan.parameters, is_drafted) ||
         std::ranges::any_of(m_source.program.files(), has_word);
}

void LaunchedKernel::set(const std::string& name, const std::string& value) {
  if (DraftParameter* const found = m_plan.parameter(name)) {
    found->usual = value;
    return;
  }
  const bool is_number = util::parse_number<std::int64_t>(value).has_value();
  m_plan.parameters.push_back({name, {}, "", is_number ? value : toml_text(value), false, !is_number});
}

namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

constexpr std::string_view argument_forms =
    "float[N] in, float[N] out, float[N] inout zeros, N, 1.5, NULL, or _ for a guess";

/// `in uniform(0, 1)`
void read_access_and_init(std::string_view text, GivenArgument& argument) {
  std::string_view rest = text;
  const std::string first(util::split_first(rest, " "));
  constexpr std::array<std::string_view, 4> accesses = {"in", "out", "inout", "workspace"};
  if (std::ranges::find(accesses, first) != accesses.end()) {
    argument.access = first;
    text = util::trimmed(rest);
  }
  if (text == "random") return;
  argument.init = text == "zeros" ? "constant(0)" : text == "ones" ? "constant(1)" : std::string(text);
  if (!argument.init.empty() && argument.init.find('(') == std::string::npos && argument.init != "generated")
    throw model::UsageError(
        fmt::format("--args: '{}' is no way to fill a buffer", argument.init),
        "random, zeros, ones, or as in a spec: uniform(0, 1), integers(0, 9), iota(0, 1)");
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, ListOf what) {
  const std::vector<std::string_view> parts = list_parts(text, what == ListOf::types ? "()[]<>" : "()[]");
  return {parts.begin(), parts.end()};
}

GivenArgument read_given_argument(std::string_view text) {
  text = util::trimmed(text);
  GivenArgument argument;
  const std::size_t open = text.find('[');
  if (text == "_") return argument;
  if (text.empty()) throw model::UsageError("--args has an empty argument", std::string(argument_forms));
  if (open == std::string_view::npos) {
    argument.kind = GivenArgument::Kind::value;
    argument.value = text;
    return argument;
  }
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos)
    throw model::UsageError(fmt::format("--args: '{}' has no ]", text), std::string(argument_forms));
  argument.kind = GivenArgument::Kind::buffer;
  argument.type = util::trimmed(text.substr(0, open));
  while (argument.type.ends_with('*') || argument.type.ends_with(' ')) argument.type.pop_back();
  argument.extent = split_list(text.substr(open + 1, close - open - 1), ListOf::expressions);
  if (argument.extent.empty())
    throw model::UsageError(fmt::format("--args: '{}' says no extent", text), std::string(argument_forms));
  read_access_and_init(util::trimmed(text.substr(close + 1)), argument);
  return argument;
}

std::string with_names(std::string_view text, const std::function<std::string(const std::string&)>& rename) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string word(text.substr(i, end - i));
    const std::string_view behind = util::trimmed(text.substr(end));
    const bool is_name = std::isdigit(static_cast<unsigned char>(word[0])) == 0 && !behind.starts_with('(');
    out += is_name ? rename(word) : word;
    i = end;
  }
  return out;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  with_names(text, [&](const std::string& name) {
    const bool is_known =
        name == "NULL" || name == "ELEMENT_BYTES" ||
        std::ranges::count(tuner::space::limit_names(), name, &tuner::space::LimitName::name) > 0;
    if (!is_known && std::ranges::find(names, name) == names.end()) names.push_back(name);
    return name;
  });
  return names;
}

}  // namespace config
