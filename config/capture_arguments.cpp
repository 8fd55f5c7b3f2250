#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "config/capture_draft.hpp"

namespace config {
namespace {

using model::ElementType;

/// What a spec does with a region.
struct Role {
  const char* access = "inout";
  std::string why;
  bool is_judged = false;
};

/// A buffer in one of the launches that the spec is held against.
struct Kept {
  const CapturedRegion* region;
  std::int64_t bytes;  ///< that the spec has
  CapturedMemory::Contents contents;
};

class RecordedArguments {
 public:
  RecordedArguments(DraftSource& source, const CapturedSource& captured, const CapturePlan& planned)
      : m_source(source),
        m_captured(captured),
        m_planned(planned),
        m_launch(planned.launches.reference()),
        m_launches(source, planned),
        m_types(source, planned.plan),
        m_values(source, captured, planned) {
    find_twin();
  }

  DraftArguments write() {
    const std::vector<std::string> names = argument_names(m_source.kernel);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_pointer = m_source.kernel.parameters[i].pointer;
      m_made.each.push_back(
          {names[i], is_pointer ? pointer(i, names[i]) : m_values.table(i, names[i]), std::nullopt});
    }
    variables();
    m_made.structs = m_values.structs();
    m_made.verify = verify();
    constraints();
    for (std::size_t i = 0; i < m_launches.all().size(); ++i)
      m_made.sizes.push_back(m_launches.sizes_text(i));
    return std::move(m_made);
  }

 private:
  // How exact a second run is.

  /// Another kept launch that was passed the same, and found the same in what it reads.
  void find_twin() {
    for (const CapturedLaunch* other : m_planned.launches.kept)
      if (other != &m_launch && m_twin == nullptr && is_twin(*other)) m_twin = other;
  }

  bool is_twin(const CapturedLaunch& other) {
    if (other.grid != m_launch.grid || other.block != m_launch.block) return false;
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const CapturedRegion* const one = CapturedLaunches::region_of(m_launch, i);
      const CapturedRegion* const two = CapturedLaunches::region_of(other, i);
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

  /// By how much two runs from the same memory differ at most; none: there were no two.
  std::optional<double> repeated(const std::vector<Kept>& kept, const std::string& name, ElementType type) {
    std::optional<double> most;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!m_launches.all()[i]->twice) continue;
      CapturedRegion again = *kept[i].region;
      again.after = again.again;
      most = std::max(most.value_or(0),
                      again.after.empty() ? 0 : m_captured.memory.difference(*kept[i].region, again, type));
    }
    const CapturedRegion* const twin =
        m_twin == nullptr ? nullptr : m_launches.same_region(*m_twin, *kept.front().region, name);
    if (!most && twin != nullptr) most = m_captured.memory.difference(*kept.front().region, *twin, type);
    return most;
  }

  std::string two_runs() const {
    if (!m_launch.twice) return fmt::format("launches {} and {}", m_launch.number, m_twin->number);
    return m_launches.all().size() == 1 ? fmt::format("two runs of launch {}", m_launch.number)
                                        : "two runs of each launch";
  }

  // Buffers.

  std::string pointer(std::size_t argument, const std::string& name) {
    const SourceParameter& parameter = m_source.kernel.parameters[argument];
    const std::string type = m_types.resolved(parameter);
    const CapturedRegion* const region = CapturedLaunches::region_of(m_launch, argument);
    if (region == nullptr) {
      const bool is_null = m_launch.arguments[argument].raw.find_first_not_of('\0') == std::string::npos;
      if (!is_null)
        m_source.ask(fmt::format("{}: the program passed an address that is no memory of the device", name));
      const std::string known = known_type(type) ? m_types.spec_type(type, true, name) : "unsigned char";
      return argument_table(name, known + "*") +
             fmt::format("value = \"NULL\"{}\n",
                         is_null ? "" : "  # ? an address that is no memory of the device");
    }
    const CapturedExtent extent = m_launches.extent(*region, name, captured_element(type));
    const std::vector<Kept> kept = kept_of(*region, name, extent, captured_element(type));
    return buffer(kept, extent, type, name, role_of(argument, kept, name), same_regions(argument));
  }

  /// The memory in each of the spec's launches.
  std::vector<Kept> kept_of(const CapturedRegion& region, const std::string& name,
                            const CapturedExtent& extent, ElementType type) {
    std::vector<Kept> kept;
    for (std::size_t i = 0; i < m_launches.all().size(); ++i) {
      Kept one{m_launches.same_region(*m_launches.all()[i], region, name), 0, {}};
      if (i == 0) one.region = &region;
      one.bytes = std::min(m_launches.bytes(i, extent, type),
                           one.region->bytes / model::size_bytes(type) * model::size_bytes(type));
      one.contents = m_captured.memory.contents(*one.region, type, one.bytes);
      kept.push_back(one);
    }
    return kept;
  }

  static bool is_changed(const Kept& kept) { return !kept.region->after.empty(); }

  Role role_of(std::size_t argument, const std::vector<Kept>& kept, const std::string& name) {
    const PointerUse& use = m_source.uses[argument];
    const bool changes = std::ranges::any_of(kept, is_changed);
    if (m_source.kernel.parameters[argument].constant) {
      if (changes) {
        m_source.ask(fmt::format("{}: the kernel takes it as const, and it changed while it ran", name));
        return {"in", "? const, and it changed: by another kernel, or through another pointer"};
      }
      return {"in", "const"};
    }
    const bool is_written = use.written || use.atomic || changes;
    if (!is_written)
      return {"in", use.handed_on ? "? unchanged; handed on to what is not looked into" : "unchanged"};
    if (!changes) {
      if (is_only_written(argument)) return {"out", "? it held the same before the launch", true};
      m_source.ask(fmt::format(
          "{}: the kernel may write it, and it did not change; a kernel that does nothing passes there",
          name));
      return {"inout", "? it may be written, and did not change", true};
    }
    const auto partly = std::ranges::find_if(kept, [](const Kept& one) {
      return is_changed(one) && one.contents.changed != one.contents.numbers;
    });
    if (is_only_written(argument) && partly == kept.end()) return {"out", "written, never read", true};
    std::string why = use.atomic ? "atomics" : use.read ? "read and written" : "written";
    if (partly != kept.end())
      why += fmt::format("; {} of {} numbers changed, and the others must stay", partly->contents.changed,
                         partly->contents.numbers);
    return {"inout", why, true};
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

  std::string buffer(const std::vector<Kept>& kept, const CapturedExtent& extent, const std::string& type,
                     const std::string& name, const Role& role, const std::string& above) {
    const ElementType element = captured_element(type);
    const std::string known(model::cuda_name(element));
    const bool is_input = std::string_view(role.access) != "out";
    const bool is_output = std::string_view(role.access) != "in";
    m_has_fixed_extent = m_has_fixed_extent || extent.is_fixed;
    m_fixed.insert(extent.by.begin(), extent.by.end());
    m_made.buffers.push_back({name, known, "(" + extent.text + ")", is_input, is_output});
    std::string text =
        argument_table(name, known + "*", known_type(type) ? "" : fmt::format("  # bytes of `{}`", type));
    text.insert(1, above);
    const std::string& variable = kept.front().region->variable;
    if (!variable.empty()) text += fmt::format("symbol = \"{}\"\n", variable);
    text += fmt::format("access = \"{}\"  # {}\nextent = [\"{}\"]  # {}\n", role.access, role.why,
                        extent.text, extent.from);
    const bool was_zero = std::ranges::all_of(kept, [](const Kept& one) { return one.contents.was_zero; });
    if (is_input)
      text += was_zero ? "init = \"constant(0)\"\n"
                       : fmt::format("init = \"file({})\"\n", files(kept, false, name, element));
    if (role.is_judged) text += judgement(kept, is_input, name, element);
    return text;
  }

  /// One for each launch; what the spec calls them.
  std::string files(const std::vector<Kept>& kept, bool after, const std::string& name, ElementType type) {
    const bool is_raw = std::ranges::any_of(kept, [&](const Kept& one) {
      return known_type(one.region->element) != type || one.bytes != one.region->bytes;
    });
    const auto called = [&](const std::string& part) {
      return fmt::format("{}/{}{}{}{}", m_captured.folder, name, after ? ".expected" : "", part,
                         is_raw ? ".bin" : ".npy");
    };
    for (std::size_t i = 0; i < kept.size(); ++i)
      m_made.files.push_back({after && is_changed(kept[i]) ? kept[i].region->after : kept[i].region->before,
                              called(m_launches.file_part(i)), is_raw, kept[i].bytes});
    return called(m_launches.file_part());
  }

  std::string judgement(const std::vector<Kept>& kept, bool is_input, const std::string& name,
                        ElementType type) {
    m_is_judged = true;
    m_is_proved = m_is_proved ||
                  (is_input ? std::ranges::all_of(kept, is_changed) : std::ranges::any_of(kept, is_changed));
    for (const Kept& one : kept)
      if (one.contents.nans > 0)
        m_source.ask(fmt::format("{}: {} of its numbers are NaN, which no comparison accepts", name,
                                 one.contents.nans));
    return fmt::format("expected = \"file({})\"\n", files(kept, true, name, type)) +
           tolerance(kept, name, type);
  }

  std::string tolerance(const std::vector<Kept>& kept, const std::string& name, ElementType type) {
    if (!model::is_floating(type)) return {};
    const double roundoff = model::unit_roundoff(type);
    if (const auto difference = repeated(kept, name, type)) {
      if (*difference == 0) {
        m_made_exact = true;
        return {};
      }
      return fmt::format("tolerance = {{ absolute = {:.2g}, relative = {:.2g} }}  # {} differ by {:.2g}\n",
                         4 * *difference, 16 * roundoff, two_runs(), *difference);
    }
    m_is_guessed = true;
    double largest = 1e-30;
    for (const Kept& one : kept) largest = std::max(largest, one.contents.largest);
    return fmt::format(
        "tolerance = {{ absolute = {:.2g}, relative = {:.2g} }}  # ? how exact a second run is was "
        "not recorded\n",
        largest * 16 * roundoff, 64 * roundoff);
  }

  // Variables of the device.

  /// Namespaces without a name are in the capture alone.
  std::vector<CapturedRegion>::const_iterator region_of(const GlobalVariable& variable) const {
    const auto& regions = m_launch.regions;
    const auto exact = std::ranges::find(regions, variable.qualified_name(), &CapturedRegion::variable);
    if (exact != regions.end()) return exact;
    return std::ranges::find_if(regions, [&](const CapturedRegion& region) {
      return region.variable == variable.name || region.variable.ends_with("::" + variable.name);
    });
  }

  void variables() {
    for (const auto& [used, name] : m_source.device_variables()) {
      const GlobalVariable& variable = *used;
      const auto found = region_of(variable);
      if (found == m_launch.regions.end()) {
        m_source.ask(fmt::format("{}: the variable of line {} is not in the capture, and holds zeros here",
                                 name, variable.line));
        continue;
      }
      const std::string type = m_source.program.resolved_type(variable.type);
      const CapturedExtent extent = m_launches.extent(*found, name, captured_element(type));
      const std::vector<Kept> kept = kept_of(*found, name, extent, captured_element(type));
      const bool changes = std::ranges::any_of(kept, is_changed) && !variable.in_constant;
      m_made.variables += buffer(kept, extent, type, name,
                                 changes ? Role{"inout", fmt::format("changed; line {}", variable.line), true}
                                         : Role{"in", fmt::format("line {}", variable.line)},
                                 "");
    }
  }

  /// What was recorded holds for such sizes, and for as many blocks. Memory that is as much in every launch
  /// is enough for the largest of them.
  void constraints() {
    const DraftPlan& plan = m_planned.plan;
    const bool is_one = m_launches.all().size() == 1;
    for (std::size_t i = 0; m_has_fixed_extent && i < plan.sizes.size(); ++i)
      m_made.constraints.push_back(fmt::format("{} {} {}", plan.sizes[i], is_one ? "==" : "<=",
                                               is_one ? *plan.present[i] : m_launches.largest_size(i)));
    for (const std::string& name : m_fixed)
      m_made.constraints.push_back(fmt::format("{} == {}", name, plan.parameter(name)->usual));
  }

  std::string verify() {
    if (!m_is_judged) {
      m_source.ask("which results are right? The recorded launch changed nothing that an argument leads to");
      return {};
    }
    if (!m_is_proved)
      m_source.ask("a recorded launch changed nothing: keep another one, whose results are new");
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
  CapturedLaunches m_launches;
  DraftTypes m_types;
  CapturedValues m_values;
  const CapturedLaunch* m_twin = nullptr;
  DraftArguments m_made;
  bool m_has_fixed_extent = false;  ///< a buffer holds so much as in the launch, whatever the sizes are
  std::set<std::string> m_fixed;    ///< parameters that a buffer's extent follows
  bool m_is_judged = false;
  bool m_is_proved = false;   ///< a kernel that does nothing would not pass
  bool m_is_guessed = false;  ///< a tolerance is
  bool m_made_exact = false;
};

}  // namespace

DraftArguments capture_arguments(DraftSource& source, const CapturedSource& captured,
                                 const CapturePlan& planned) {
  return RecordedArguments(source, captured, planned).write();
}

}  // namespace config
