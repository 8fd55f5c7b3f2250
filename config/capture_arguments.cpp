#include "config/capture_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "config/capture_values.hpp"

namespace config {
namespace {

using tuner::model::CapturedLaunch;
using tuner::model::CapturedRegion;
using tuner::model::ElementType;
using tuner::source::PointerUse;
using tuner::source::SourceParameter;
namespace model = tuner::model;

constexpr std::int64_t most_fixed_elements = 64;  ///< of a buffer that may have as many at any size

/// What a spec does with a region.
struct Role {
  const char* access = "inout";
  std::string why;
  bool is_judged = false;
};

class RecordedArguments {
 public:
  RecordedArguments(DraftSource& source, const CapturedSource& captured, const CapturePlan& planned)
      : m_source(source),
        m_captured(captured),
        m_planned(planned),
        m_launch(planned.launches.reference()),
        m_types(source, planned.plan),
        m_values(source, captured, planned) {
    find_twin();
  }

  CaptureArguments write() {
    int unnamed = 0;
    for (std::size_t i = 0; i < m_source.kernel.parameters.size(); ++i) {
      const SourceParameter& parameter = m_source.kernel.parameters[i];
      const std::string name = parameter.name.empty() ? fmt::format("argument{}", ++unnamed) : parameter.name;
      m_made.arguments.tables += parameter.pointer ? pointer(i, name) : m_values.table(i, name);
    }
    variables();
    m_made.structs = m_values.structs();
    m_made.verify = verify();
    return std::move(m_made);
  }

 private:
  const CapturedRegion* region_of(const CapturedLaunch& launch, std::size_t argument) const {
    const auto region = launch.arguments[argument].region;
    return region ? &launch.regions[static_cast<std::size_t>(*region)] : nullptr;
  }

  // How exact a second run is.

  /// Another kept launch that was passed the same, and found the same in what it reads.
  void find_twin() {
    for (const CapturedLaunch* other : m_planned.launches.kept)
      if (other != &m_launch && m_twin == nullptr && is_twin(*other)) m_twin = other;
  }

  bool is_twin(const CapturedLaunch& other) {
    if (other.grid != m_launch.grid || other.block != m_launch.block) return false;
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const CapturedRegion* const one = region_of(m_launch, i);
      const CapturedRegion* const two = region_of(other, i);
      if ((one == nullptr) != (two == nullptr)) return false;
      if (one == nullptr && m_launch.arguments[i].raw != other.arguments[i].raw) return false;
      if (one == nullptr) continue;
      if (one->bytes != two->bytes) return false;
      if (!is_only_written(i) && !m_captured.memory.same_before(*one, *two)) return false;
    }
    return true;
  }

  bool is_only_written(std::size_t argument) const {
    const PointerUse& use = m_source.uses[argument];
    return !use.handed_on && ((use.written && !use.read) || use.written_first);
  }

  // Buffers.

  std::string pointer(std::size_t argument, const std::string& name) {
    const SourceParameter& parameter = m_source.kernel.parameters[argument];
    const std::string type = m_types.resolved(parameter);
    const CapturedRegion* const region = region_of(m_launch, argument);
    if (region == nullptr) {
      const bool is_null = m_launch.arguments[argument].raw.find_first_not_of('\0') == std::string::npos;
      if (!is_null)
        m_source.ask(fmt::format("{}: the program passed an address that is no memory of the device", name));
      return fmt::format("\n[[arguments]]\nname = \"{}\"\ntype = \"{}*\"\nvalue = \"NULL\"{}\n", name,
                         known_type(type) ? m_types.spec_type(type, true, name) : "unsigned char",
                         is_null ? "" : "  # ? an address that is no memory of the device");
    }
    return buffer(*region, type, name, role_of(argument, *region, name), same_regions(argument));
  }

  /// Bytes where a spec has no such elements: they are compared as they are.
  static ElementType element_of(const std::string& type) {
    return known_type(type).value_or(ElementType::uint8);
  }

  Role role_of(std::size_t argument, const CapturedRegion& region, const std::string& name) {
    const PointerUse& use = m_source.uses[argument];
    const bool is_changed = !region.after.empty();
    if (m_source.kernel.parameters[argument].constant) {
      if (is_changed) {
        m_source.ask(fmt::format("{}: the kernel takes it as const, and it changed while it ran", name));
        return {"in", "? const, and it changed: by another kernel, or through another pointer"};
      }
      return {"in", "const"};
    }
    const bool is_written = use.written || use.atomic || is_changed;
    if (!is_written)
      return {"in", use.handed_on ? "? unchanged; handed on to what is not looked into" : "unchanged"};
    const ElementType type = element_of(m_types.resolved(m_source.kernel.parameters[argument]));
    if (!is_changed) {
      if (is_only_written(argument)) return {"out", "? it held the same before the launch", true};
      m_source.ask(fmt::format(
          "{}: the kernel may write it, and it did not change; a kernel that does nothing passes there",
          name));
      return {"inout", "? it may be written, and did not change", true};
    }
    const auto contents = m_captured.memory.contents(region, type, whole_bytes(region, type));
    if (is_only_written(argument) && contents.changed == contents.numbers)
      return {"out", "written, never read", true};
    std::string why = use.atomic ? "atomics" : use.read ? "read and written" : "written";
    if (contents.changed != contents.numbers)
      why += fmt::format("; {} of {} numbers changed, and the others must stay", contents.changed,
                         contents.numbers);
    return {"inout", why, true};
  }

  static std::int64_t whole_bytes(const CapturedRegion& region, ElementType type) {
    return region.bytes / model::size_bytes(type) * model::size_bytes(type);
  }

  /// A comment where another argument leads to the same memory.
  std::string same_regions(std::size_t argument) {
    for (std::size_t other = 0; other < m_launch.arguments.size(); ++other) {
      if (other == argument || !m_launch.arguments[other].region ||
          m_launch.arguments[other].region != m_launch.arguments[argument].region)
        continue;
      const std::string& name = m_source.kernel.parameters[other].name;
      if (other > argument)
        m_source.ask(fmt::format("{} and {} were the same memory; the spec has two buffers",
                                 m_source.kernel.parameters[argument].name, name));
      return fmt::format("# ? the same memory as {} in the program\n", name);
    }
    return {};
  }

  struct Extent {
    std::vector<std::string> factors;
    std::string from;
  };

  /// What fits in all kept launches, or else all that the pointer reached in this one.
  Extent extent_of(const CapturedRegion& region, const std::string& name, ElementType type) {
    const std::int64_t own = region.bytes / model::size_bytes(type);
    if (!region.variable.empty()) return {{std::to_string(own)}, "as it is declared"};
    std::vector<std::int64_t> elements;
    for (const CapturedLaunch* launch : m_planned.launches.kept) {
      const CapturedRegion* const same = region_named(*launch, region, name);
      if (same != nullptr) elements.push_back(same->bytes / model::size_bytes(type));
    }
    if (elements.size() == m_planned.launches.kept.size())
      if (const auto fitted = fit_extent({m_planned.names.sizes, {}}, elements))
        return {{fitted->text},
                fitted->rival.empty() ? reach_of(region) : fmt::format("? {} is as many", fitted->rival)};
    // `float4`: a size may count its components.
    if (const int wide = model::components(type);
        wide > 1 && elements.size() == m_planned.launches.kept.size()) {
      std::vector<std::int64_t> components = elements;
      for (std::int64_t& count : components) count *= wide;
      if (const auto fitted = fit_extent({m_planned.names.sizes, {}}, components))
        return {{fmt::format("ceil_div({}, {})", fitted->text, wide)},
                fitted->rival.empty() ? reach_of(region) : fmt::format("? {} is as many", fitted->rival)};
    }
    if (own <= most_fixed_elements && std::ranges::count(elements, own) == std::ssize(elements))
      return {{std::to_string(own)}, "so many in every launch"};
    // Memory for the largest size, used for smaller ones as well.
    std::vector<FitName> here = m_planned.names.sizes;
    for (FitName& size : here) size.values.resize(1);
    if (const auto fitted = fit_extent({here, {}}, {own}); fitted && holds(fitted->text, elements))
      return {{fitted->text},
              fmt::format("? {}; in other launches there was more than that", reach_of(region))};
    m_made.has_fixed_extent = true;
    return {{std::to_string(own)}, fmt::format("? {}; no size explains it", reach_of(region))};
  }

  /// A region ends with its allocation, or where another argument leads to.
  std::string reach_of(const CapturedRegion& region) const {
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const CapturedRegion* const next = region_of(m_launch, i);
      if (next != nullptr && next->address == region.address + static_cast<std::uint64_t>(region.bytes))
        return fmt::format("up to where {} begins", m_source.kernel.parameters[i].name);
    }
    return "all that the pointer reached";
  }

  /// Each kept launch had at least as much.
  bool holds(const std::string& extent, const std::vector<std::int64_t>& elements) const {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      std::map<std::string, std::int64_t> names;
      for (const FitName& size : m_planned.names.sizes) names[size.name] = size.values[i];
      if (expression_value(extent, names).value_or(elements[i] + 1) > elements[i]) return false;
    }
    return elements.size() == m_planned.launches.kept.size();
  }

  const CapturedRegion* region_named(const CapturedLaunch& launch, const CapturedRegion& like,
                                     const std::string& name) const {
    if (!like.variable.empty()) {
      const auto found = std::ranges::find(launch.regions, like.variable, &CapturedRegion::variable);
      return found == launch.regions.end() ? nullptr : &*found;
    }
    const auto& parameters = m_source.kernel.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].name == name && launch.arguments[i].region) return region_of(launch, i);
    return nullptr;
  }

  std::string buffer(const CapturedRegion& region, const std::string& type, const std::string& name,
                     const Role& role, const std::string& above) {
    const ElementType element = element_of(type);
    const std::string known(model::cuda_name(element));
    const Extent extent = extent_of(region, name, element);
    const bool is_input = std::string_view(role.access) != "out";
    const bool is_output = std::string_view(role.access) != "in";
    m_made.arguments.buffers.push_back({name, known,
                                        extent.factors.size() == 1 ? "(" + extent.factors.front() + ")" : "",
                                        is_input, is_output});
    std::string text = fmt::format("\n{}[[arguments]]\nname = \"{}\"\ntype = \"{}*\"{}\n", above, name, known,
                                   known_type(type) ? "" : fmt::format("  # bytes of `{}`", type));
    if (!region.variable.empty()) text += fmt::format("symbol = \"{}\"\n", region.variable);
    text += fmt::format("access = \"{}\"  # {}\nextent = {}  # {}\n", role.access, role.why,
                        toml_list(extent.factors), extent.from);
    const std::int64_t bytes = whole_bytes(region, element);
    const auto contents = m_captured.memory.contents(region, element, bytes);
    if (is_input)
      text += contents.was_zero ? "init = \"constant(0)\"\n"
                                : fmt::format("init = \"file({})\"\n", file(region, false, name, element));
    if (role.is_judged) text += judgement(region, name, element, contents);
    return text;
  }

  std::string file(const CapturedRegion& region, bool after, const std::string& name, ElementType type) {
    DraftFile file;
    file.packed = after ? region.after : region.before;
    file.bytes = whole_bytes(region, type);
    const auto stored = known_type(region.element);
    file.is_raw = stored != type || file.bytes != region.bytes;
    file.name = fmt::format("{}/{}{}{}", m_captured.folder, name, after ? ".expected" : "",
                            file.is_raw ? ".bin" : ".npy");
    m_made.files.push_back(file);
    return file.name;
  }

  std::string judgement(const CapturedRegion& region, const std::string& name, ElementType type,
                        const CapturedMemory::Contents& contents) {
    const bool is_changed = !region.after.empty();
    std::string text;
    if (is_changed) {
      text = fmt::format("expected = \"file({})\"\n", file(region, true, name, type));
    } else {
      CapturedRegion same = region;  // what it held before is what it holds after
      same.after = region.before;
      text = fmt::format("expected = \"file({})\"\n", file(same, true, name, type));
    }
    m_is_judged = true;
    m_is_proved = m_is_proved || is_changed;
    if (contents.nans > 0)
      m_source.ask(
          fmt::format("{}: {} of its numbers are NaN, which no comparison accepts", name, contents.nans));
    return text + tolerance(region, name, type, contents);
  }

  std::string tolerance(const CapturedRegion& region, const std::string& name, ElementType type,
                        const CapturedMemory::Contents& contents) {
    if (!model::is_floating(type)) return {};
    const double roundoff = model::unit_roundoff(type);
    if (const auto difference = repeated(region, name, type)) {
      if (*difference == 0) {
        m_made_exact = true;
        return {};
      }
      return fmt::format("tolerance = {{ absolute = {:.2g}, relative = {:.2g} }}  # {} differ by {:.2g}\n",
                         4 * *difference, 16 * roundoff, two_runs(), *difference);
    }
    m_is_guessed = true;
    return fmt::format(
        "tolerance = {{ absolute = {:.2g}, relative = {:.2g} }}  # ? how exact a second run is was "
        "not recorded\n",
        std::max(contents.largest, 1e-30) * 16 * roundoff, 64 * roundoff);
  }

  /// By how much two runs from the same memory differ; none: there were no two.
  std::optional<double> repeated(const CapturedRegion& region, const std::string& name, ElementType type) {
    if (m_launch.twice) {
      CapturedRegion again = region;
      again.after = region.again;
      return region.again.empty() ? 0 : m_captured.memory.difference(region, again, type);
    }
    const CapturedRegion* const twin = m_twin == nullptr ? nullptr : region_named(*m_twin, region, name);
    if (twin == nullptr) return std::nullopt;
    return m_captured.memory.difference(region, *twin, type);
  }

  std::string two_runs() const {
    return m_launch.twice ? fmt::format("two runs of launch {}", m_launch.number)
                          : fmt::format("launches {} and {}", m_launch.number, m_twin->number);
  }

  // Variables of the device.

  void variables() {
    for (const auto& variable : m_source.program.variables()) {
      if (!variable.on_device || variable.pointer || !m_source.words.contains(variable.name)) continue;
      const auto found = std::ranges::find_if(m_launch.regions, [&](const CapturedRegion& region) {
        return region.variable == variable.name || region.variable.ends_with("::" + variable.name);
      });
      if (found == m_launch.regions.end()) {
        m_source.ask(fmt::format("{}: the variable of line {} is not in the capture, and holds zeros here",
                                 variable.name, variable.line));
        continue;
      }
      const bool is_changed = !found->after.empty() && !variable.in_constant;
      m_made.arguments.tables +=
          buffer(*found, m_source.program.resolved_type(variable.type), variable.name,
                 is_changed ? Role{"inout", fmt::format("changed; line {}", variable.line), true}
                            : Role{"in", fmt::format("line {}", variable.line)},
                 "");
    }
  }

  std::string verify() {
    if (!m_is_judged) {
      m_source.ask("what is right? The recorded launch changed nothing that an argument leads to");
      return {};
    }
    if (!m_is_proved)
      m_source.ask("the recorded launch changed nothing: keep another one, whose results are new");
    std::string text = "\n[verify]  # by what the recorded launch left\nrounding_terms = \"0\"  # equal";
    if (m_is_guessed) {
      m_source.ask(
          "how exact are results? No launch was kept with --twice, nor two with the same inputs, so "
          "tolerances "
          "are guesses");
      text += ", but for tolerances";
    } else if (m_made_exact) {
      text += fmt::format(": {} gave the same bits", two_runs());
    }
    return text + "\n";
  }

  DraftSource& m_source;
  const CapturedSource& m_captured;
  const CapturePlan& m_planned;
  const CapturedLaunch& m_launch;
  DraftTypes m_types;
  CapturedValues m_values;
  const CapturedLaunch* m_twin = nullptr;
  CaptureArguments m_made;
  bool m_is_judged = false;
  bool m_is_proved = false;   ///< a kernel that does nothing would not pass
  bool m_is_guessed = false;  ///< a tolerance is
  bool m_made_exact = false;
};

}  // namespace

CaptureArguments capture_arguments(DraftSource& source, const CapturedSource& captured,
                                   const CapturePlan& planned) {
  return RecordedArguments(source, captured, planned).write();
}

}  // namespace config
