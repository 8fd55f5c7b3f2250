#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "config/capture_draft.hpp"
#include "config/draft_plan.hpp"
#include "config/spec_reader.hpp"
#include "tuner/model/error.hpp"

namespace config {

using model::ElementType;

namespace {

constexpr std::size_t most_launches = 64;  ///< that expressions are fitted to

template <class Number>
std::int64_t number_in(const std::string& bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return static_cast<std::int64_t>(number);
}

bool is_size_type(ElementType type) {
  return type == ElementType::int32 || type == ElementType::uint32 || type == ElementType::int64 ||
         type == ElementType::uint64;
}

/// What its type says; 0: not known.
std::int64_t declared_bytes(const DraftTypes& types, const SourceParameter& parameter) {
  if (parameter.pointer) return 8;
  if (const auto type = known_type(types.resolved(parameter))) return model::size_bytes(*type);
  const SourceStruct* const one = types.struct_of(parameter);
  return one == nullptr ? 0 : struct_bytes(*one);
}

void check_arguments(const DraftSource& source, const DraftTypes& types, const CapturedLaunch& launch) {
  const auto& declared = source.kernel.parameters;
  constexpr const char* hint = "is it the source that the captured program was built from?";
  if (declared.size() != launch.arguments.size())
    throw model::UsageError(fmt::format("{} takes {} arguments, and the captured kernel {}",
                                        source.kernel.name, declared.size(), launch.arguments.size()),
                            hint);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const std::int64_t bytes = declared_bytes(types, declared[i]);
    if (bytes == 0 || bytes == launch.arguments[i].bytes) continue;
    throw model::UsageError(
        fmt::format("argument {} of {}, `{}`, has {} bytes, and that of the captured kernel {}", i + 1,
                    source.kernel.name, declared[i].text, bytes, launch.arguments[i].bytes),
        hint);
  }
}

/// What launches of this size cost; kept ones have the integers that `of` has.
bool is_of_size(const CapturedSize& size, const CapturedLaunch& launch) {
  if (size.grid != launch.grid || size.block != launch.block) return false;
  return std::ranges::all_of(size.integers, [&](const auto& integer) {
    const auto& bytes = launch.arguments.at(static_cast<std::size_t>(integer.first)).raw;
    return bytes.size() == 8 ? number_in<std::int64_t>(bytes) == integer.second
                             : bytes.size() != 4 || number_in<std::int32_t>(bytes) == integer.second ||
                                   number_in<std::uint32_t>(bytes) == integer.second;
  });
}

double cost_of(const std::vector<CapturedSize>& sizes, const CapturedLaunch& launch) {
  double cost = 0;
  for (const CapturedSize& size : sizes)
    if (is_of_size(size, launch)) cost += size.total_ns;
  return cost;
}

}  // namespace

std::optional<ElementType> known_type(const std::string& type) {
  const std::string plain = type.starts_with("std::") ? type.substr(5) : type;
  return model::parse_element_type(spec_name(plain));
}

std::optional<std::int64_t> integer_in(const std::string& bytes, ElementType type) {
  if (static_cast<std::int64_t>(bytes.size()) != model::size_bytes(type)) return std::nullopt;
  switch (type) {
    case ElementType::int8:
      return number_in<std::int8_t>(bytes);
    case ElementType::uint8:
    case ElementType::boolean:
      return number_in<std::uint8_t>(bytes);
    case ElementType::int16:
      return number_in<std::int16_t>(bytes);
    case ElementType::uint16:
      return number_in<std::uint16_t>(bytes);
    case ElementType::int32:
      return number_in<std::int32_t>(bytes);
    case ElementType::uint32:
      return number_in<std::uint32_t>(bytes);
    case ElementType::int64:
    case ElementType::uint64:
      return number_in<std::int64_t>(bytes);
    default:
      return std::nullopt;
  }
}

RecordedLaunches::RecordedLaunches(DraftSource& source, const DraftTypes& types,
                                   const CapturedSource& captured) {
  const std::vector<CapturedLaunch>& all = captured.kernel.kept;
  if (all.empty())
    throw model::UsageError(
        fmt::format("the capture has no launch of {} that was kept", source.kernel.name),
        fmt::format("capture the program again, with --save {}:sizes", source.kernel.name));
  for (const CapturedLaunch& launch : all) {
    check_arguments(source, types, launch);
    kept.push_back(&launch);
  }
  std::ranges::stable_sort(kept, std::greater<>(), [&](const CapturedLaunch* launch) {
    return cost_of(captured.kernel.sizes, *launch);
  });

  bool has_fields = false;
  for (std::size_t i = 0; i < source.kernel.parameters.size(); ++i) {
    const SourceParameter& parameter = source.kernel.parameters[i];
    if (parameter.pointer) continue;
    const auto type = known_type(types.resolved(parameter));
    if (type && is_size_type(*type)) {
      RecordedInteger integer{i, "", parameter.name, {}};
      for (const CapturedLaunch* launch : kept)
        integer.values.push_back(integer_in(launch->arguments[i].raw, *type).value_or(0));
      integers.push_back(std::move(integer));
    }
    const SourceStruct* const one = types.struct_of(parameter);
    if (one == nullptr) continue;
    const std::vector<StructField> fields = typed_fields(*one);
    const NaturalLayout layout = natural_layout(fields);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (!is_scalar_size(one->fields[f])) continue;
      has_fields = true;
      RecordedInteger integer{i, fields[f].name, fields[f].name, {}};
      const auto bytes = static_cast<std::size_t>(model::size_bytes(fields[f].type));
      for (const CapturedLaunch* launch : kept)
        integer.values.push_back(
            integer_in(launch->arguments[i].raw.substr(static_cast<std::size_t>(layout.offsets[f]), bytes),
                       fields[f].type)
                .value_or(0));
      integers.push_back(std::move(integer));
    }
  }

  const auto values_at = [&](std::size_t launch) {
    std::vector<std::int64_t> values;
    for (const RecordedInteger& integer : integers) values.push_back(integer.values[launch]);
    return values;
  };
  std::set<std::tuple<std::array<std::int64_t, 3>, std::array<std::int64_t, 3>, std::vector<std::int64_t>>>
      seen;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    launches.push_back({kept[i]->grid, kept[i]->block, kept[i]->dynamic_shared_bytes});
    seen.emplace(kept[i]->grid, kept[i]->block, values_at(i));
  }
  for (const CapturedSize& size : captured.kernel.sizes) {
    if (has_fields || launches.size() >= most_launches) break;
    std::vector<std::int64_t> values;
    for (const RecordedInteger& integer : integers)
      if (const auto found = size.integers.find(static_cast<int>(integer.parameter));
          found != size.integers.end())
        values.push_back(found->second);
    if (values.size() != integers.size() || !seen.emplace(size.grid, size.block, values).second) continue;
    launches.push_back({size.grid, size.block, size.dynamic_shared_bytes});
    for (std::size_t i = 0; i < integers.size(); ++i) integers[i].values.push_back(values[i]);
  }
  different = seen.size();
}

std::vector<std::int64_t> RecordedLaunches::elements(std::size_t argument, ElementType type) const {
  std::vector<std::int64_t> elements;
  for (const CapturedLaunch* launch : kept)
    if (const auto region = launch->arguments[argument].region)
      elements.push_back(launch->regions[static_cast<std::size_t>(*region)].bytes / model::size_bytes(type));
  return elements.size() == kept.size() ? elements : std::vector<std::int64_t>();
}

void RecordedLaunches::forget_others() {
  launches.resize(kept.size());
  for (RecordedInteger& integer : integers) integer.values.resize(kept.size());
}

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
    return view_table(as_view, name, type, m_planned.plan.sizes);
  }
  if (const auto known = known_type(type))
    return argument_table(name, model::cuda_name(*known)) + scalar(argument, *known, name);
  if (passed.has_pointers)
    m_source.ask(
        fmt::format("{}: a `{}` holds addresses of the program's memory, and no spec fills an array inside a "
                    "struct; make {} a __device__ function, and call it from a kernel that is passed the "
                    "pointers and makes the struct",
                    name, type, m_source.kernel.name));
  if (const SourceStruct* const one = m_types.struct_of(parameter))
    return argument_table(name, type) +
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
  return argument_table(name, made) +
         (passed.has_pointers
              ? std::string(no_value)
              : fmt::format("value = {{ bytes = {} }}\n", number_text(passed.raw, ElementType::uint8)));
}

}  // namespace config
