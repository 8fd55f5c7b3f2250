#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "config/capture_draft.hpp"
#include "config/draft_plan.hpp"
#include "config/time_specs.hpp"

namespace config {

namespace {

/// `float`, `4` of `void tile<float, 4>(float const*)`.
std::vector<std::string> template_arguments_of(const std::string& readable, const std::string& plain) {
  const std::vector<Token> tokens = source::tokens_of(readable);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(plain) || !tokens[i + 1].is("<")) continue;
    const std::size_t end = source::behind_bracket(tokens, i + 1) - 1;
    const std::size_t begin = tokens[i + 1].offset + 1;
    return split_list(std::string_view(readable).substr(begin, tokens[end].offset - begin), ListOf::types);
  }
  return {};
}

/// `float` of `float const*`.
std::string element_text(std::string type) {
  for (const std::string_view part : {"*", " const", "const ", "&"})
    for (std::size_t at = type.find(part); at != std::string::npos; at = type.find(part))
      type.erase(at, part.size());
  return type;
}

/// `4` of `4`, `4u` and `true`.
std::optional<std::int64_t> template_number(const std::string& text) {
  if (text == "true" || text == "false") return text == "true" ? 1 : 0;
  return config::number(text.substr(0, text.find_first_of("ul")));
}

DraftParameter template_parameter(const DraftSource& source, const TemplateParameter& declared,
                                  std::int64_t value) {
  const std::string usual = std::to_string(value);
  const std::vector<std::int64_t> values =
      is_of_block(declared.name) && declared.type != "bool"
          ? block_values({}, value, value <= 32)
          : source.guessed_values(declared.name, usual, declared.type == "bool");
  return {macro_of(declared), values,
          fmt::format("template parameter {}; recorded: {}", declared.name, usual), usual};
}

}  // namespace

void RecordedParameters::set_template_arguments(const DraftSource& source,
                                                const model::CapturedKernel& captured) {
  const auto& declared = source.kernel.template_parameters;
  const std::vector<std::string> recorded = template_arguments_of(captured.readable, source.kernel.name);
  if (recorded.empty() || captured.kept.empty()) return;
  m_plan.template_arguments.clear();
  m_plan.element_types.clear();
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const auto value = template_number(recorded[i]);
    if (!value || i >= declared.size()) {
      m_plan.template_arguments.push_back(recorded[i]);
      continue;
    }
    const DraftParameter made = template_parameter(source, declared[i], *value);
    m_plan.template_arguments.push_back(made.name);
    DraftParameter* const known = m_plan.parameter(made.name);
    if (known == nullptr)
      m_plan.parameters.push_back(made);
    else if (known->usual != made.usual)
      *known = made;
  }
  const auto& passed = captured.kept.front().arguments;
  m_plan.arguments.assign(source.kernel.parameters.size(), {});
  for (std::size_t i = 0; i < passed.size() && i < m_plan.arguments.size(); ++i)
    m_plan.arguments[i].type = element_text(passed[i].type);
}

void RecordedParameters::take_defaults(std::size_t launches) {
  for (const DraftParameter& one : m_plan.parameters)
    if (const auto usual = config::number(one.usual))
      m_values[one.name] = std::vector<std::int64_t>(launches, *usual);
}

void RecordedParameters::record(const std::string& name, const std::vector<std::int64_t>& values) {
  m_values[name] = values;
  DraftParameter& one = *m_plan.parameter(name);
  const std::string usual = std::to_string(values.front());
  const std::set<std::int64_t> seen(values.begin(), values.end());
  if (one.usual == usual && seen.size() == 1) return;
  if (!one.usual.empty() && one.usual != usual && !one.is_runtime)
    m_plan.notes.push_back(
        fmt::format("{} is {} in the source, and the program was built with {}", name, one.usual, usual));
  one.usual = usual;
  const std::vector<std::int64_t> all(seen.begin(), seen.end());
  one.values =
      block_values(all.size() > 1 ? all : std::vector<std::int64_t>(), values.front(), values.front() <= 32);
}

void RecordedParameters::add_block(const std::string& name, const std::vector<std::int64_t>& values) {
  const std::set<std::int64_t> seen(values.begin(), values.end());
  m_plan.parameters.push_back(
      {.name = name,
       .values = {},
       .why = fmt::format("threads of a block; the launches had {}", fmt::join(seen, ", ")),
       .is_runtime = true});
  record(name, values);
}

std::vector<FitName> RecordedParameters::names(const std::function<bool(const std::string&)>& counts) const {
  std::vector<FitName> names;
  for (const DraftParameter& one : m_plan.parameters)
    if (const auto found = m_values.find(one.name); found != m_values.end() && counts(one.name))
      names.push_back({one.name, found->second});
  return names;
}

namespace {

constexpr std::size_t most_recorded_sizes = 8;
constexpr std::int64_t least_product = 64;  ///< of two sizes, that is taken for no accident

class SizeSearch {
 public:
  SizeSearch(const DraftSource& source, const DraftTypes& types, const DraftPlan& plan,
             RecordedLaunches& launches)
      : m_source(source), m_types(types), m_plan(plan), m_launches(launches) {}

  RecordedSizes find() {
    m_found.integers.resize(m_launches.integers.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < m_found.integers.size(); ++i) {
      if (std::ranges::min(values_of(i)) < 1 || name_of(i).empty() || is_choice(i))
        fix(i);
      else
        open.push_back(i);
    }
    // Those that say how data lies come last: they are often equal to a size.
    std::ranges::stable_partition(open, [&](std::size_t i) { return !is_no_size(name_of(i)); });
    std::vector<std::size_t> products;
    for (const std::size_t i : open) {
      if (is_product(i, open))
        products.push_back(i);
      else
        take(i);
    }
    for (const std::size_t i : products) {
      const auto fitted = fit_extent({m_found.sizes, {}}, values_of(i));
      if (fitted)
        m_found.integers[i] = fitted->text;
      else
        add(i);
    }
    if (m_found.sizes.empty()) size_of_a_buffer();
    return std::move(m_found);
  }

 private:
  const std::string& name_of(std::size_t integer) const { return m_launches.integers[integer].name; }
  const std::vector<std::int64_t>& values_of(std::size_t integer) const {
    return m_launches.integers[integer].values;
  }

  /// Of an enumeration. Fields that are one are no recorded integers.
  bool is_choice(std::size_t integer) const {
    const RecordedInteger& one = m_launches.integers[integer];
    return one.field.empty() &&
           m_source.program.is_enumeration(m_source.kernel.parameters[one.parameter].type);
  }

  void fix(std::size_t integer) { m_found.integers[integer] = std::to_string(values_of(integer).front()); }

  void take(std::size_t integer) {
    const auto equal = std::ranges::find(m_found.sizes, values_of(integer), &FitName::values);
    if (is_no_size(name_of(integer)) && equal != m_found.sizes.end())
      m_found.integers[integer] = equal->name;
    else if ((is_no_size(name_of(integer)) && are_equal(values_of(integer))) ||
             m_found.sizes.size() == most_recorded_sizes)
      fix(integer);
    else
      add(integer);
  }

  void add(std::size_t integer) {
    const std::string name = free_name(upper(name_of(integer)));
    m_found.sizes.push_back({name, values_of(integer)});
    m_found.integers[integer] = name;
  }

  std::string free_name(const std::string& wanted) const {
    const auto is_taken = [&](const std::string& one) {
      return m_plan.has_parameter(one) || std::ranges::count(m_found.sizes, one, &FitName::name) > 0 ||
             one.starts_with("ELEMENT_") || one.starts_with("__");
    };
    return numbered_name(wanted, is_taken);
  }

  /// `n` of `n`, `rows`, `columns` where it is their product in all launches.
  bool is_product(std::size_t integer, const std::vector<std::size_t>& all) const {
    const std::vector<std::int64_t>& wanted = values_of(integer);
    if (std::ranges::min(wanted) < least_product) return false;
    for (const std::size_t a : all) {
      for (const std::size_t b : all) {
        if (a >= b || a == integer || b == integer) continue;
        bool fits = true;
        for (std::size_t i = 0; i < wanted.size(); ++i)
          fits &=
              values_of(a)[i] > 1 && values_of(b)[i] > 1 && values_of(a)[i] * values_of(b)[i] == wanted[i];
        if (fits) return true;
      }
    }
    return false;
  }

  void size_of_a_buffer() {
    m_launches.forget_others();
    for (const bool of_output : {true, false}) {
      for (std::size_t i = 0; i < m_source.kernel.parameters.size() && m_found.sizes.empty(); ++i) {
        const auto& declared = m_source.kernel.parameters[i];
        const auto type = known_type(m_types.resolved(declared));
        if (!declared.pointer || !type || (of_output && !m_source.uses[i].written)) continue;
        const auto elements = m_launches.elements(i, *type);
        if (!elements.empty() && std::ranges::min(elements) > 0)
          m_found.sizes.push_back({free_name("N"), elements});
      }
    }
    if (m_found.sizes.empty())
      m_found.sizes.push_back({free_name("N"), std::vector<std::int64_t>(m_launches.launches.size(), 1)});
  }

  const DraftSource& m_source;
  const DraftTypes& m_types;
  const DraftPlan& m_plan;
  RecordedLaunches& m_launches;
  RecordedSizes m_found;
};

}  // namespace

RecordedSizes find_recorded_sizes(const DraftSource& source, const DraftTypes& types, const DraftPlan& plan,
                                  RecordedLaunches& launches) {
  return SizeSearch(source, types, plan, launches).find();
}

}  // namespace config
