#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "config/capture_draft.hpp"
#include "config/source_guesses.hpp"
#include "config/spec_context.hpp"

namespace config {

using model::ElementType;

namespace {

/// No spec with it can be read: the recorded addresses are another process's.
constexpr std::string_view no_value = "value = \"?\"  # ? it holds addresses of the program's memory\n";

}  // namespace

std::string CapturedValues::table(std::size_t argument, const std::string& name) {
  const SourceParameter& parameter = m_source.kernel.parameters[argument];
  const CapturedArgument& passed = m_launch.arguments[argument];
  const std::string type = m_types.resolved(parameter);
  model::ArgumentSpec as_view;
  if (make_view(type, as_view)) {
    m_source.ask(fmt::format("{}: over which buffer? A capture does not say it of a `{}`", name, type));
    return fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}\"\n{} = \"?\"\nshape = {}  # ?\n", name,
                       type, as_view.tensor ? "tensor" : as_view.view_name(),
                       toml_list(m_planned.plan.sizes));
  }
  if (const auto known = known_type(type))
    return fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}\"\n", name, model::cuda_name(*known)) +
           scalar(argument, *known, name);
  if (passed.has_pointers)
    m_source.ask(
        fmt::format("{}: a `{}` holds addresses of the program's memory, and no spec fills an array inside a "
                    "struct; make {} a __device__ function, and call it from a kernel that is passed the "
                    "pointers and makes the struct",
                    name, type, m_source.kernel.name));
  if (const SourceStruct* const one = m_types.struct_of(parameter))
    return fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}\"\n", name, type) +
           (passed.has_pointers ? std::string(no_value) : fields(argument, *one));
  return raw_struct(passed, type, name);
}

std::string CapturedValues::scalar(std::size_t argument, ElementType type, const std::string& name) {
  const std::string& planned = m_planned.plan.arguments[argument].value;
  if (!planned.empty()) return planned == name ? "" : fmt::format("value = \"{}\"\n", planned);
  return fmt::format("value = {}\n", number_text(m_launch.arguments[argument].raw, type));
}

/// A number, or a list of a vector's.
std::string CapturedValues::number_text(const std::string& bytes, ElementType type) {
  const ElementType component = model::component_type(type);
  const auto size = static_cast<std::size_t>(model::size_bytes(component));
  std::vector<std::string> numbers;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    const std::string own = bytes.substr(at, size);
    if (const auto integer = integer_in(own, component)) {
      numbers.push_back(fmt::format("\"{}\"", *integer));
      continue;
    }
    const double real = m_captured.memory.number(component, own);
    if (!std::isfinite(real)) m_source.ask("a value is not finite, which no spec can say: it is 0 there");
    numbers.push_back(std::isfinite(real) ? component == ElementType::float32
                                                ? fmt::format("\"{}\"", static_cast<float>(real))
                                                : fmt::format("\"{}\"", real)
                                          : "\"0\"");
  }
  return numbers.size() == 1 ? numbers.front() : fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string CapturedValues::fields(std::size_t argument, const SourceStruct& one) {
  const std::vector<StructField> all = typed_fields(one);
  const NaturalLayout layout = natural_layout(all);
  std::string text = "\n[arguments.value]\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto bytes = static_cast<std::size_t>(model::size_bytes(all[i].type) * all[i].length);
    text += fmt::format("{} = {}\n", all[i].name,
                        field_size(argument, all[i].name)
                            .value_or(number_text(m_launch.arguments[argument].raw.substr(
                                                      static_cast<std::size_t>(layout.offsets[i]), bytes),
                                                  all[i].type)));
  }
  return text;
}

std::optional<std::string> CapturedValues::field_size(std::size_t argument, const std::string& field) const {
  for (std::size_t i = 0; i < m_planned.integers.size(); ++i) {
    const RecordedInteger& one = m_planned.launches.integers[i];
    if (one.parameter == argument && one.field == field) return fmt::format("\"{}\"", m_planned.integers[i]);
  }
  return std::nullopt;
}

/// A struct that the source does not show: its bytes, as they were passed.
std::string CapturedValues::raw_struct(const CapturedArgument& passed, const std::string& type,
                                       const std::string& name) {
  const std::string made = fmt::format("Recorded_{}", name);
  std::int64_t align = 1;
  while (align < 16 && passed.bytes % (2 * align) == 0) align *= 2;
  m_structs += fmt::format(
      "\n[structs.{}]  # `{}`, whose fields are not known: its bytes\nfields = "
      "[\"unsigned char bytes[{}]\"]\nalign = {}\n",
      made, type, passed.bytes, align);
  return fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}\"\n", name, made) +
         (passed.has_pointers
              ? std::string(no_value)
              : fmt::format("value = {{ bytes = {} }}\n", number_text(passed.raw, ElementType::uint8)));
}

}  // namespace config
