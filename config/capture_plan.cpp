#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/capture_draft.hpp"
#include "config/draft_plan.hpp"

namespace config {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t largest_flag = 4;  ///< a number that nothing follows is a size only above it

/// 0: a parameter's name says this axis, as `DIM_X`; 2: another one; 1: none.
int axis_rank(const std::string& name, std::size_t axis) {
  const std::string caps = upper(name);
  for (std::size_t i = 0; i < 3; ++i)
    if (caps.ends_with(fmt::format("_{}", "XYZ"[i]))) return i == axis ? 0 : 2;
  return 1;
}

/// What the source says; what it does not say, the capture does.
DraftPlan plan_of_source(DraftSource& source) {
  DraftPlan plan = plan_by_source(source);
  source.questions.clear();
  if (plan.is_guess) {
    std::erase_if(plan.parameters, [](const DraftParameter& one) { return one.is_runtime; });
    plan.constraints.clear();
  }
  plan.is_guess = false;
  return plan;
}

class CapturePlanner {
 public:
  CapturePlanner(DraftSource& source, const CapturedSource& captured)
      : m_source(source), m_plan(plan_of_source(source)), m_said(m_plan), m_parameters(m_plan) {
    m_parameters.set_template_arguments(source, captured.kernel);
    m_launches.emplace(source, DraftTypes(source, m_plan), captured);
    m_parameters.take_defaults(m_launches->launches.size());
    RecordedSizes found = find_recorded_sizes(source, DraftTypes(source, m_plan), m_plan, *m_launches);
    m_sizes = std::move(found.sizes);
    m_integers = std::move(found.integers);
  }

  CapturePlan plan() {
    block();
    grid();
    shared_bytes();
    const auto& reference = m_launches->reference();
    m_plan.cooperative = reference.cooperative;
    m_plan.cluster = reference.cluster;
    m_plan.launch_from = fmt::format("as recorded; {} launch{} fitted", m_launches->different,
                                     m_launches->different == 1 ? " is" : "es that differ are");
    drop_what_nothing_follows();
    say_sizes();
    defaults();
    CapturePlan made{std::move(m_plan), std::move(*m_launches), std::move(m_integers), {}};
    made.names.sizes = kept_sizes(made.launches.kept.size());
    return made;
  }

 private:
  std::vector<FitName> kept_sizes(std::size_t kept) const {
    std::vector<FitName> sizes = m_sizes;
    for (FitName& size : sizes) size.values.resize(kept);
    return sizes;
  }

  Numbers along(std::array<std::int64_t, 3> RecordedLaunch::*what, std::size_t axis) const {
    Numbers numbers;
    for (const RecordedLaunch& launch : m_launches->launches) numbers.push_back((launch.*what)[axis]);
    return numbers;
  }

  std::size_t axes() const {
    std::size_t axes = 1;
    for (const RecordedLaunch& launch : m_launches->launches)
      for (std::size_t axis = 1; axis < 3; ++axis)
        if (launch.grid[axis] != 1 || launch.block[axis] != 1) axes = std::max(axes, axis + 1);
    return axes;
  }

  std::map<std::string, std::int64_t> names_in(std::size_t launch) const {
    std::map<std::string, std::int64_t> names;
    for (const FitName& size : m_sizes) names[size.name] = size.values[launch];
    for (const auto& [name, values] : m_parameters.values()) names[name] = values[launch];
    return names;
  }

  /// What the source's launch says, where it gives the recorded numbers.
  std::optional<std::string> said(const std::vector<std::string>& texts, std::size_t axis,
                                  const Numbers& wanted) {
    if (!m_source.is_launched() || axis >= texts.size() || texts[axis] == "?") return std::nullopt;
    const std::string& text = texts[axis];
    const DraftParameter* const lone = m_plan.parameter(text);
    if (lone != nullptr && (lone->is_runtime || !m_parameters.is_known(text)))
      m_parameters.record(text, wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (expression_value(text, names_in(i)) != wanted[i]) return std::nullopt;
    return text;
  }

  static bool may_set_block(const std::string& name) {
    return names_block(name) || is_of_block(name) ||
           contains_any(upper(name), {"TILE", "DIM", "ROWS", "COLS", "COLUMNS", "WARPS", "WIDTH", "HEIGHT"});
  }

  void block() {
    m_plan.block.clear();
    for (std::size_t axis = 0; axis < axes(); ++axis)
      m_plan.block.push_back(block_along(axis, along(&RecordedLaunch::block, axis), axes() > 1));
  }

  std::string block_along(std::size_t axis, const Numbers& wanted, bool is_plane) {
    if (const auto text = said(m_said.block, axis, wanted)) return *text;
    FitNames names{m_sizes, m_parameters.names(may_set_block)};
    std::ranges::stable_sort(names.parameters, {},
                             [&](const FitName& one) { return axis_rank(one.name, axis); });
    if (const auto fitted = fit_block(names, wanted)) return fitted->text;
    // A macro of the source that the program was built with another value of, or that has none there.
    for (const DraftParameter& one : m_plan.parameters) {
      const bool is_open = names_block(one.name) && are_equal(wanted) && axis == 0 && !is_plane &&
                           std::ranges::count(m_plan.template_arguments, one.name) == 0;
      if (!is_open) continue;
      m_parameters.record(one.name, wanted);
      return one.name;
    }
    const bool is_free = m_source.asks_for_block() && std::ranges::none_of(wanted, [&](std::int64_t threads) {
                           return m_source.has_number(threads);
                         });
    const std::string name = is_plane ? fmt::format("BLOCK_{}", "XYZ"[axis]) : "BLOCK_SIZE";
    const bool is_taken = m_plan.has_parameter(name) || std::ranges::count(m_sizes, name, &FitName::name) > 0;
    if (is_free && !is_taken) {
      m_parameters.add_block(name, wanted);
      return name;
    }
    if (!are_equal(wanted)) say_none("block", axis, wanted);
    return std::to_string(wanted.front());
  }

  void grid() {
    m_plan.grid.clear();
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      const Numbers wanted = along(&RecordedLaunch::grid, axis);
      if (const auto text = said(m_said.grid, axis, wanted)) {
        m_plan.grid.push_back(along_axis(*text, axis));
        continue;
      }
      const auto fitted = fit_grid(grid_names(axis), wanted);
      if (!fitted) say_none("grid", axis, wanted);
      if (fitted && !fitted->rival.empty())
        m_plan.add_doubt("grid", fmt::format("? {} gives the same in these launches", fitted->rival));
      m_plan.grid.push_back(fitted ? fitted->text : std::to_string(wanted.front()));
    }
  }

  /// The sizes that the source's launch knows as `size`: one number may be passed for several, as `n` of
  /// `gemm<<<…>>>(a, b, c, n, n, n)`.
  std::vector<std::string> known_as(const std::string& size) const {
    std::vector<std::string> alike;
    for (std::size_t i = 0; i < m_integers.size(); ++i) {
      const std::size_t parameter = m_launches->integers[i].parameter;
      const bool is_size = std::ranges::count(m_sizes, m_integers[i], &FitName::name) > 0;
      const bool is_it = m_integers[i] == size ||
                         (parameter < m_said.arguments.size() && m_said.arguments[parameter].value == size);
      if (is_size && is_it && m_launches->integers[i].field.empty()) alike.push_back(m_integers[i]);
    }
    return alike;
  }

  /// `text` with the size that goes along this axis by its name, where the source's launch does not tell it
  /// from others.
  std::string along_axis(std::string text, std::size_t axis) {
    for (const FitName& size : m_sizes) {
      if (!mentions(text, size.name)) continue;
      std::vector<std::string> alike = known_as(size.name);
      if (alike.size() < 2) continue;
      std::ranges::stable_sort(alike, {}, [&](const std::string& one) { return rank_along(axis, one); });
      m_plan.add_doubt("grid", fmt::format("? {} gives the same in these launches",
                                           source::with_word(text, size.name, alike[1])));
      return source::with_word(text, size.name, alike[0]);
    }
    return text;
  }

  static int rank_along(std::size_t axis, const std::string& size) {
    const std::size_t own = axis_of(size);
    return own == axis ? 0 : own == 3 ? 1 : 2;
  }

  /// The plainest first: what goes along this axis by its name, and what sets the block there.
  FitNames grid_names(std::size_t axis) const {
    FitNames names{m_sizes, m_parameters.names([](const std::string&) { return true; })};
    const auto rank = [&](const FitName& size) { return rank_along(axis, size.name); };
    if (axes() > 1)
      std::ranges::stable_sort(names.sizes, [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    const std::string& block = m_plan.block[axis];
    if (config::number(block).value_or(0) > 1)
      names.parameters.insert(names.parameters.begin(), {block, along(&RecordedLaunch::block, axis)});
    std::ranges::stable_partition(names.parameters,
                                  [&](const FitName& one) { return mentions(block, one.name); });
    std::ranges::stable_partition(names.parameters, [&](const FitName& one) {
      return std::ranges::count(m_source.axes[axis].factors, one.name) > 0;
    });
    return names;
  }

  void shared_bytes() {
    Numbers wanted;
    for (const RecordedLaunch& launch : m_launches->launches) wanted.push_back(launch.dynamic_shared_bytes);
    m_plan.shared_bytes.clear();
    if (are_equal(wanted) && wanted.front() == 0) return;
    const std::string key = "dynamic_shared_bytes";
    if (const auto text = said({m_said.shared_bytes}, 0, wanted)) {
      m_plan.shared_bytes = *text;
      return;
    }
    const auto fitted = fit_shared_bytes({m_sizes, m_parameters.names(may_set_block)}, wanted);
    m_plan.shared_bytes = fitted ? fitted->text : std::to_string(wanted.front());
    if (fitted && are_equal(wanted))
      m_plan.add_doubt(
          key, fmt::format("? {} in every launch; that it follows the block is a guess", wanted.front()));
    if (!fitted && !are_equal(wanted)) say_none(key, 0, wanted);
  }

  /// That no expression was found, with some of the recorded numbers.
  void say_none(const std::string& key, std::size_t axis, const Numbers& wanted) {
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < wanted.size() && seen.size() < 4; ++i) {
      std::vector<std::string> at;
      for (const FitName& size : m_sizes) at.push_back(fmt::format("{} = {}", size.name, size.values[i]));
      seen.push_back(fmt::format("{} at {}", wanted[i], fmt::join(at, ", ")));
    }
    const std::string where = key == "dynamic_shared_bytes" ? "" : fmt::format(" along {}", "xyz"[axis]);
    m_plan.add_doubt(key, fmt::format("? no expression was found{}: {}", where, fmt::join(seen, "; ")));
    m_source.ask(fmt::format("{}: no expression gives what was recorded{}", key, where));
  }

  // What is left.

  bool is_followed(const std::string& name) const {
    const auto in = [&](const std::string& text) { return mentions(text, name); };
    return std::ranges::any_of(m_plan.block, in) || std::ranges::any_of(m_plan.grid, in) ||
           in(m_plan.shared_bytes) || std::ranges::any_of(m_plan.constraints, in);
  }

  bool is_in_extent(const std::string& name) const {
    const DraftTypes types(m_source, m_plan);
    for (std::size_t i = 0; i < m_source.kernel.parameters.size(); ++i) {
      const auto type = known_type(types.resolved(m_source.kernel.parameters[i]));
      if (!m_source.kernel.parameters[i].pointer || !type) continue;
      const auto fitted =
          fit_extent({kept_sizes(m_launches->kept.size()), {}}, m_launches->elements(i, *type));
      if (fitted && mentions(fitted->text, name)) return true;
    }
    return false;
  }

  /// Small integers that are the same in all launches, and that neither launch nor extents follow, are no
  /// sizes; nor is a parameter of the source's launch that no block follows.
  void drop_what_nothing_follows() {
    for (std::size_t i = 0; i < m_integers.size(); ++i) {
      const auto size = std::ranges::find(m_sizes, m_integers[i], &FitName::name);
      if (size == m_sizes.end() || m_sizes.size() == 1 || !are_equal(size->values) ||
          size->values.front() > largest_flag || is_followed(size->name) || is_in_extent(size->name))
        continue;
      const auto uses = std::ranges::count_if(
          m_integers, [&](const std::string& other) { return mentions(other, size->name); });
      if (uses > 1) continue;
      m_integers[i] = std::to_string(size->values.front());
      m_sizes.erase(size);
    }
    std::erase_if(m_plan.constraints, [&](const std::string& one) {
      return expression_value(one, names_in(0)).value_or(0) == 0;
    });
    std::erase_if(m_plan.parameters,
                  [&](const DraftParameter& one) { return one.is_runtime && !is_followed(one.name); });
  }

  void say_sizes() {
    m_plan.sizes.clear();
    m_plan.present.clear();
    for (const FitName& size : m_sizes) {
      m_plan.sizes.push_back(size.name);
      m_plan.present.emplace_back(size.values.front());
    }
    std::vector<PlannedArgument> arguments(m_source.kernel.parameters.size());
    for (std::size_t i = 0; i < arguments.size() && i < m_plan.arguments.size(); ++i)
      arguments[i].type = m_plan.arguments[i].type;
    for (std::size_t i = 0; i < m_integers.size(); ++i)
      if (m_launches->integers[i].field.empty())
        arguments[m_launches->integers[i].parameter].value = m_integers[i];
    m_plan.arguments = std::move(arguments);
  }

  /// A parameter that nothing is known of begins with its first value.
  void defaults() {
    for (DraftParameter& one : m_plan.parameters) {
      if (!one.usual.empty()) continue;
      one.usual = std::to_string(one.values.front());
      m_source.ask(
          fmt::format("{}: which value had it in the program? The default has {}", one.name, one.usual));
    }
  }

  DraftSource& m_source;
  DraftPlan m_plan;
  DraftPlan m_said;  ///< by the source alone
  RecordedParameters m_parameters;
  std::optional<RecordedLaunches> m_launches;
  std::vector<FitName> m_sizes;
  std::vector<std::string> m_integers;
};

}  // namespace

CapturePlan plan_capture(DraftSource& source, const CapturedSource& captured) {
  return CapturePlanner(source, captured).plan();
}

}  // namespace config
