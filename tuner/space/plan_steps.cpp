// The part of Planner that is about launches.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/space/planner.hpp"

namespace tuner::space {

std::optional<Planner::Course> Planner::course(const std::vector<model::StepSpec>& specs,
                                               const std::vector<CompiledStep>& compiled) {
  Course course;
  course.repeat.resize(specs.size(), 1);
  std::vector<bool> applies;
  for (const CompiledStep& step : compiled) applies.push_back(!step.when || number(*step.when, "when") != 0);
  std::int64_t launches = 0;
  std::int64_t times = 1;
  for (std::size_t i = 0, loop_end = 0; i < specs.size(); ++i) {
    if (i >= loop_end) times = 1;
    if (compiled[i].repeat) {
      loop_end = i + static_cast<std::size_t>(specs[i].repeat_steps);
      const auto at = [&](std::size_t step) { return applies.begin() + static_cast<std::ptrdiff_t>(step); };
      // The loop is of launches that exist.
      times =
          std::find(at(i), at(loop_end), true) == at(loop_end) ? 0 : number(*compiled[i].repeat, "repeat");
      if (times < 0 || times > most_launches) {
        return reject(fmt::format("repeat {}; a loop runs 0 to {} times", shown(*compiled[i].repeat, times),
                                  most_launches));
      }
      course.repeat[i] = times;
    }
    if (is_rejected()) return std::nullopt;
    course.kept.push_back(applies[i] && times != 0);
    launches += course.kept.back() ? times : 0;
  }
  if (launches <= most_launches) return course;
  return reject(fmt::format("a run of {} steps; at most {} are allowed", launches, most_launches));
}

std::vector<model::Step> Planner::steps(const std::vector<model::StepSpec>& specs,
                                        const std::vector<CompiledStep>& compiled) {
  const std::optional<Course> planned = course(specs, compiled);
  if (!planned) return {};
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
    if (is_rejected()) return {};
    step->stream = specs[i].stream;
    step->after = after[all.size()];
    all.push_back(std::move(*step));
    if (i >= loop_end) continue;
    all[loop].repeat = planned->repeat[loop_begin];
    all[loop].repeat_steps = static_cast<int>(all.size() - loop);
  }
  if (all.empty() && !specs.empty()) reject("no step applies to this configuration and problem");
  return all;
}

std::optional<model::Step> Planner::launch(const model::StepSpec& spec, const CompiledStep& compiled) {
  model::Step step;
  step.entry = spec.entry;
  step.grid = extents(compiled.grid, "grid");
  step.block = extents(compiled.block, "block");
  if (is_rejected()) return std::nullopt;
  const model::Dim3& block = m_rejection.block = step.block;
  m_rejection.grid = step.grid;
  check_extents(step.grid, compiled.grid, "grid", spec.entry,
                {m_limits.max_grid_x, m_limits.max_grid_y, m_limits.max_grid_z});
  check_extents(block, compiled.block, "block", spec.entry,
                {m_limits.max_block_x, m_limits.max_block_y, m_limits.max_block_z});
  if (is_rejected()) return std::nullopt;
  if (block.count() > m_limits.max_threads_per_block) {
    return reject(fmt::format("block of `{}` is {}x{}x{} = {} threads; this device allows {}", spec.entry,
                              block.x, block.y, block.z, block.count(), m_limits.max_threads_per_block));
  }
  const auto set = [&]<typename Value>(const model::StepKey& key, const auto& written, Value& value) {
    const bool is_set = key.of != model::StepKey::Of::launches || *key.example != 0;
    if (is_set || expressions_of(written).empty()) return true;
    if constexpr (std::is_same_v<Value, model::Dim3>) {
      value = extents(written, key.name);
    } else {
      const std::int64_t found = number(*written, key.name);
      const std::int64_t most = key.most_on != nullptr ? m_limits.*key.most_on : key.most;
      if (found < key.least || found > most) {
        const std::string range =
            *key.range != 0 ? key.range : fmt::format("this device allows {} to {}", key.least, most);
        reject(fmt::format("{} {} of `{}`; {}", key.name, shown(*written, found), step.entry, range));
      }
      value = static_cast<Value>(found);
    }
    return !is_rejected();
  };
  if (!model::each_key(set, compiled, step)) return std::nullopt;
  check_cluster(compiled, step);
  add_operands(compiled, step);
  return step;
}

/// Only what is wrong on every device with clusters; whether this one has them is asked with its limits.
void Planner::check_cluster(const CompiledStep& compiled, const model::Step& step) {
  if (compiled.cluster.empty()) return;
  const model::Dim3& cluster = step.cluster;
  const model::Dim3& grid = step.grid;
  const auto divides = [](std::int64_t part, std::int64_t whole) { return part >= 1 && whole % part == 0; };
  if (!divides(cluster.x, grid.x) || !divides(cluster.y, grid.y) || !divides(cluster.z, grid.z)) {
    reject(fmt::format("a cluster of {}x{}x{} does not divide the grid of `{}`, {}x{}x{}", cluster.x,
                       cluster.y, cluster.z, step.entry, grid.x, grid.y, grid.z));
  } else if (cluster.count() > most_cluster_blocks) {
    reject(
        fmt::format("a cluster of `{}` has {}x{}x{} = {} blocks; {} is the most that every device with "
                    "clusters can launch",
                    step.entry, cluster.x, cluster.y, cluster.z, cluster.count(), most_cluster_blocks));
  }
}

/// A macro without a value would silently be another source.
void Planner::check_macros() {
  for (const model::PlacedName& macro : m_spec.macros) {
    const int slot = m_compiled.scope.find(macro.name)->slot;
    number(std::ranges::find(m_compiled.derived, slot, &CompiledDerived::slot)->value, macro.name);
  }
  for (const Compiled& when : m_compiled.option_conditions) number(when, "when of an option");
}

void Planner::add_operands(const CompiledStep& compiled, model::Step& step) {
  step.operands.reserve(compiled.operands.size());
  for (const CompiledOperand& operand : compiled.operands) {
    if (operand.value) {
      step.operands.push_back(whole_number(*operand.value));
    } else if (operand.kind == model::Operand::Kind::seed) {
      step.operands.emplace_back().kind = operand.kind;
    } else {
      step.operands.push_back(m_arguments[static_cast<std::size_t>(operand.argument)]);
      if (operand.kind != model::Operand::Kind::buffer) step.operands.back().kind = operand.kind;
    }
  }
}

std::optional<model::Step> Planner::call(const model::StepSpec& spec, const CompiledStep& compiled) {
  model::Step step;
  step.kind = model::Step::Kind::call;
  step.entry = spec.entry;
  if (compiled.workspace >= 0) step.buffer = m_arguments[static_cast<std::size_t>(compiled.workspace)].buffer;
  add_operands(compiled, step);
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
  const std::int64_t first = compiled.first ? number(*compiled.first, "first") : 0;
  if (first < 0 || first > elements) {
    return reject(fmt::format("{} of `{}` from element {}; it has {}", what, spec.upload,
                              shown(*compiled.first, first), elements));
  }
  const std::int64_t left = elements - first;
  const std::int64_t count = compiled.count ? number(*compiled.count, "count") : left;
  if (count < 0 || count > left) {
    return reject(fmt::format("{} of {} elements of `{}`; it has {} from element {} on", what,
                              shown(*compiled.count, count), spec.upload, left, first));
  }
  step.byte = compiled.byte ? number(*compiled.byte, "value") : 0;
  if (step.byte < 0 || step.byte > 255) {
    return reject(fmt::format("memset of `{}` to {}; a byte is 0 to 255", spec.upload,
                              shown(*compiled.byte, step.byte)));
  }
  step.first = first * unit;
  step.count = count * unit;
  return step;
}

model::Dim3 Planner::extents(const std::vector<Compiled>& expressions, std::string_view what) {
  model::Dim3 result;
  std::int64_t* const sides[] = {&result.x, &result.y, &result.z};
  for (std::size_t i = 0; i < expressions.size(); ++i) *sides[i] = number(expressions[i], what);
  return result;
}

void Planner::check_extents(const model::Dim3& extents, const std::vector<Compiled>& expressions,
                            std::string_view what, const std::string& entry, const model::Dim3& most) {
  const std::int64_t sides[] = {extents.x, extents.y, extents.z};
  const std::int64_t limits[] = {most.x, most.y, most.z};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (sides[i] < 1 || sides[i] > limits[i])
      reject(fmt::format("{}.{} of `{}` is {}; this device allows 1 to {}", what, "xyz"[i], entry,
                         shown(expressions[i], sides[i]), limits[i]));
  }
}

}  // namespace tuner::space
