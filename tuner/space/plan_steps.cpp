// The part of Planner that is about launches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/parser.hpp"
#include "tuner/space/planner.hpp"

namespace tuner::space {
namespace {

/// Steps of one run, loops written out: a host queues some hundred thousand in a second.
constexpr std::int64_t most_launches = 65536;

/// The portable cluster size of the CUDA C++ programming guide.
constexpr std::int64_t most_cluster_blocks = 8;

}  // namespace

std::optional<Planner::Course> Planner::course(const std::vector<model::StepSpec>& specs,
                                               const std::vector<CompiledStep>& compiled) {
  Course course;
  course.repeat.resize(specs.size(), 1);
  std::int64_t launches = 0;
  std::int64_t times = 1;
  for (std::size_t i = 0, loop_end = 0; i < specs.size(); ++i) {
    if (i >= loop_end) times = 1;
    if (compiled[i].repeat) {
      const std::optional<std::int64_t> repeat = number(*compiled[i].repeat, "repeat");
      if (!repeat) return std::nullopt;
      if (*repeat < 0 || *repeat > most_launches) {
        return reject(fmt::format("repeat {}; a loop runs 0 to {} times", shown(*compiled[i].repeat, *repeat),
                                  most_launches));
      }
      times = *repeat;
      loop_end = i + static_cast<std::size_t>(specs[i].repeat_steps);
      course.repeat[i] = times;
    }
    const std::optional<std::int64_t> applies = compiled[i].when ? number(*compiled[i].when, "when") : 1;
    if (!applies) return std::nullopt;
    course.kept.push_back(*applies != 0 && times != 0);
    launches += course.kept.back() ? times : 0;
  }
  if (launches <= most_launches) return course;
  return reject(fmt::format("a run of {} steps; at most {} are allowed", launches, most_launches));
}

std::optional<std::vector<model::Step>> Planner::steps(const std::vector<model::StepSpec>& specs,
                                                       const std::vector<CompiledStep>& compiled) {
  const std::optional<Course> planned = course(specs, compiled);
  if (!planned) return std::nullopt;
  const std::vector<bool>& kept = planned->kept;
  const std::vector<std::vector<int>> after = waits_of_kept(specs, kept);
  std::vector<model::Step> all;
  std::size_t loop = 0;  // the first of the loop's steps in `all`, where one goes on
  for (std::size_t i = 0, loop_end = 0, loop_begin = 0; i < specs.size(); ++i) {
    if (compiled[i].repeat) {
      loop_begin = i;
      loop_end = i + static_cast<std::size_t>(specs[i].repeat_steps);
      loop = all.size();
    }
    if (!kept[i]) continue;
    std::optional<model::Step> step = specs[i].calls           ? call(specs[i], compiled[i])
                                      : compiled[i].upload < 0 ? launch(specs[i], compiled[i])
                                                               : upload(specs[i], compiled[i]);
    if (!step) return std::nullopt;
    step->stream = specs[i].stream;
    step->after = after[all.size()];
    all.push_back(std::move(*step));
    if (i >= loop_end) continue;
    all[loop].repeat = planned->repeat[loop_begin];
    all[loop].repeat_steps = static_cast<int>(all.size() - loop);
  }
  if (all.empty()) return reject("no step applies to this configuration and problem");
  return all;
}

std::optional<model::Step> Planner::launch(const model::StepSpec& spec, const CompiledStep& compiled) {
  model::Step step;
  step.entry = spec.entry;
  const std::optional<model::Dim3> grid = extents(compiled.grid, "grid");
  if (!grid) return std::nullopt;
  const std::optional<model::Dim3> block = extents(compiled.block, "block");
  if (!block) return std::nullopt;
  m_rejection.grid = step.grid = *grid;
  m_rejection.block = step.block = *block;
  const bool fits = fit(*grid, compiled.grid, "grid", spec.entry,
                        {m_limits.max_grid_x, m_limits.max_grid_y, m_limits.max_grid_z}) &&
                    fit(*block, compiled.block, "block", spec.entry,
                        {m_limits.max_block_x, m_limits.max_block_y, m_limits.max_block_z});
  if (!fits) return std::nullopt;
  if (block->count() > m_limits.max_threads_per_block) {
    return reject(fmt::format("block of `{}` is {}x{}x{} = {} threads; this device allows {}", spec.entry,
                              block->x, block->y, block->z, block->count(), m_limits.max_threads_per_block));
  }
  const bool set_all = model::each_key(
      [&](const model::StepKey& key, const auto& expressions, auto& value) {
        const bool is_set = key.of != model::StepKey::Of::launches || *key.example != 0;
        return is_set || set(key, expressions, step.entry, value);
      },
      compiled, step);
  if (!set_all || !check_cluster(compiled, step) || !add_operands(compiled, step)) return std::nullopt;
  return step;
}

bool Planner::set(const model::StepKey& key, const std::optional<Compiled>& expression,
                  const std::string& entry, std::int64_t& into) {
  if (!expression) return true;
  const std::optional<std::int64_t> value = number(*expression, key.name);
  if (!value) return false;
  into = *value;
  const std::int64_t most = key.most_on != nullptr ? m_limits.*key.most_on : key.most;
  if (*value >= key.least && *value <= most) return true;
  reject(
      fmt::format("{} {} of `{}`; {}", key.name, shown(*expression, *value), entry,
                  *key.range != 0 ? key.range : fmt::format("this device allows {} to {}", key.least, most)));
  return false;
}

bool Planner::set(const model::StepKey& key, const std::optional<Compiled>& expression, const std::string&,
                  bool& into) {
  if (!expression) return true;
  const std::optional<std::int64_t> value = number(*expression, key.name);
  into = value.value_or(0) != 0;
  return value.has_value();
}

bool Planner::set(const model::StepKey& key, const std::vector<Compiled>& expressions, const std::string&,
                  model::Dim3& into) {
  const std::optional<model::Dim3> value = extents(expressions, key.name);
  into = value.value_or(into);
  return value.has_value();
}

/// Only what is wrong on every device with clusters; whether this one has them is asked with its limits.
bool Planner::check_cluster(const CompiledStep& compiled, const model::Step& step) {
  if (compiled.cluster.empty()) return true;
  const model::Dim3& cluster = step.cluster;
  const model::Dim3& grid = step.grid;
  const auto divides = [](std::int64_t part, std::int64_t whole) { return part >= 1 && whole % part == 0; };
  if (!divides(cluster.x, grid.x) || !divides(cluster.y, grid.y) || !divides(cluster.z, grid.z)) {
    reject(fmt::format("a cluster of {}x{}x{} does not divide the grid of `{}`, {}x{}x{}", cluster.x,
                       cluster.y, cluster.z, step.entry, grid.x, grid.y, grid.z));
    return false;
  }
  if (cluster.count() <= most_cluster_blocks) return true;
  reject(
      fmt::format("a cluster of `{}` has {}x{}x{} = {} blocks; {} is the most that every device with "
                  "clusters can launch",
                  step.entry, cluster.x, cluster.y, cluster.z, cluster.count(), most_cluster_blocks));
  return false;
}

/// A macro without a value would silently be another source.
bool Planner::check_macros() {
  return std::all_of(m_spec.macros.begin(), m_spec.macros.end(), [&](const model::PlacedName& macro) {
    const auto derived = std::find_if(
        m_compiled.derived.begin(), m_compiled.derived.end(),
        [&](const CompiledDerived& one) { return one.slot == m_compiled.scope.find(macro.name)->slot; });
    return number(derived->value, macro.name).has_value();
  });
}

bool Planner::add_operands(const CompiledStep& compiled, model::Step& step) {
  step.operands.reserve(compiled.operands.size());
  for (const CompiledOperand& operand : compiled.operands) {
    if (operand.value) {
      const std::optional<model::Operand> value = whole_number(*operand.value);
      if (!value) return false;
      step.operands.push_back(*value);
      continue;
    }
    if (operand.kind == model::Operand::Kind::seed) {
      step.operands.emplace_back().kind = operand.kind;
      continue;
    }
    step.operands.push_back(m_arguments[static_cast<std::size_t>(operand.argument)]);
    if (operand.kind != model::Operand::Kind::buffer) step.operands.back().kind = operand.kind;
  }
  return true;
}

std::optional<model::Step> Planner::call(const model::StepSpec& spec, const CompiledStep& compiled) {
  model::Step step;
  step.kind = model::Step::Kind::call;
  step.entry = spec.entry;
  if (compiled.workspace >= 0) step.buffer = m_arguments[static_cast<std::size_t>(compiled.workspace)].buffer;
  if (!add_operands(compiled, step)) return std::nullopt;
  return step;
}

std::optional<model::Step> Planner::upload(const model::StepSpec& spec, const CompiledStep& compiled) {
  model::Step step;
  step.kind = spec.sets ? model::Step::Kind::memset : model::Step::Kind::upload;
  const char* const what = spec.sets ? "memset" : "upload";
  step.buffer = m_arguments[static_cast<std::size_t>(compiled.upload)].buffer;
  const model::BufferPlan& buffer = m_buffers[static_cast<std::size_t>(step.buffer)];
  const std::int64_t unit = std::max<std::int64_t>(buffer.struct_bytes, 1);  // of what the plan counts
  const std::int64_t elements = buffer.elements / unit;
  const std::optional<std::int64_t> first = compiled.first ? number(*compiled.first, "first") : 0;
  if (!first) return std::nullopt;
  if (*first < 0 || *first > elements) {
    return reject(fmt::format("{} of `{}` from element {}; it has {}", what, spec.upload,
                              shown(*compiled.first, *first), elements));
  }
  const std::optional<std::int64_t> count =
      compiled.count ? number(*compiled.count, "count") : elements - *first;
  if (!count) return std::nullopt;
  if (*count < 0 || *count > elements - *first) {
    return reject(fmt::format("{} of {} elements of `{}`; it has {} from element {} on", what,
                              shown(*compiled.count, *count), spec.upload, elements - *first, *first));
  }
  const std::optional<std::int64_t> byte = compiled.byte ? number(*compiled.byte, "value") : 0;
  if (!byte) return std::nullopt;
  if (*byte < 0 || *byte > 255) {
    return reject(
        fmt::format("memset of `{}` to {}; a byte is 0 to 255", spec.upload, shown(*compiled.byte, *byte)));
  }
  step.byte = *byte;
  step.first = *first * unit;
  step.count = *count * unit;
  return step;
}

std::optional<model::Dim3> Planner::extents(const std::vector<Compiled>& expressions, std::string_view what) {
  model::Dim3 result;
  std::int64_t* const sides[] = {&result.x, &result.y, &result.z};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::optional<std::int64_t> side = number(expressions[i], what);
    if (!side) return std::nullopt;
    *sides[i] = *side;
  }
  return result;
}

bool Planner::fit(const model::Dim3& extents, const std::vector<Compiled>& expressions, std::string_view what,
                  const std::string& entry, const model::Dim3& most) {
  const std::int64_t sides[] = {extents.x, extents.y, extents.z};
  const std::int64_t limits[] = {most.x, most.y, most.z};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (sides[i] >= 1 && sides[i] <= limits[i]) continue;
    reject(fmt::format("{}.{} of `{}` is {}; this device allows 1 to {}", what, "xyz"[i], entry,
                       shown(expressions[i], sides[i]), limits[i]));
    return false;
  }
  return true;
}

}  // namespace tuner::space
