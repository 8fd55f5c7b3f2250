#include "tuner/search/learn/facts.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tuner/model/error.hpp"
#include "tuner/space/compiled_spec.hpp"

namespace tuner::search::learn {

/// A kernel's block with all but the parameters set.
struct BlockThreads::Block {
  Block(const model::KernelSpec& spec, const model::Problem& problem);
  std::int64_t threads_of(const space::Coordinates& coordinates);

  std::shared_ptr<const space::CompiledSpec> compiled;
  const space::CompiledStep* launch = nullptr;
  space::Slots slots;
};

BlockThreads::Block::Block(const model::KernelSpec& spec, const model::Problem& problem) {
  std::vector<model::Diagnostic> diagnostics;
  compiled = space::compile_spec(spec, diagnostics);
  if (!compiled) return;
  try {
    slots = space::problem_slots(*compiled, problem, model::DeviceLimits{});
  } catch (const model::UsageError&) {
    return;  // a problem of other sizes: nothing can be said
  }
  const auto found =
      std::ranges::find_if(compiled->steps, [](const auto& step) { return !step.block.empty(); });
  if (found != compiled->steps.end()) launch = &*found;
}

std::int64_t BlockThreads::Block::threads_of(const space::Coordinates& coordinates) {
  for (std::size_t p = 0; p < coordinates.size(); ++p) {
    const space::CompiledParameter& parameter = compiled->parameters[p];
    const bool inactive = coordinates[p] == space::ConfigurationList::inactive;
    slots.values[static_cast<std::size_t>(compiled->scope.parameter_slot(static_cast<int>(p)))] =
        inactive ? parameter.otherwise : parameter.codes[coordinates[p]];
  }
  space::derive_all(*compiled, slots);
  std::int64_t threads = 1;
  for (const space::Compiled& extent : launch->block) {
    const auto value = space::evaluate(extent.program, slots);
    constexpr std::int64_t absurd = 1 << 20;
    if (value.fault != space::Fault::none || value.value < 1 || value.value > absurd) return 0;
    threads *= value.value;
  }
  return threads;
}

BlockThreads::BlockThreads(const SearchSpace& space) : m_space(space) {
  for (const SearchSpace::Kernel& kernel : space.kernels)
    m_blocks.push_back(std::make_unique<Block>(*kernel.spec, space.problem));
}

BlockThreads::~BlockThreads() = default;

bool BlockThreads::says_anything() const {
  return std::any_of(m_blocks.begin(), m_blocks.end(),
                     [](const auto& block) { return block->launch != nullptr; });
}

std::int64_t BlockThreads::of(std::size_t candidate) {
  Block& block = *m_blocks[m_space.candidates[candidate].kernel];
  return block.launch ? block.threads_of(m_space.coordinates(candidate)) : 0;
}

namespace {

constexpr std::size_t fewest_measured = 40;
constexpr double ridge = 1;
constexpr double slower_by = 0.1;
constexpr double fewest_compiled = 16;

}  // namespace

ResourceEffects::Row ResourceEffects::row_of(const BinaryFacts& compiled) {
  const double filled = compiled.waves > 0 ? compiled.waves / std::ceil(compiled.waves) : 1;
  return {1,
          std::log2(1 + static_cast<double>(compiled.registers) / 32),
          std::log2(1 + static_cast<double>(compiled.spilled_bytes) / 16),
          static_cast<double>(compiled.spilled_bytes > 0),
          compiled.occupancy,
          filled};
}

void ResourceEffects::add(const BinaryFacts& compiled, const Belief& expected, double log_time) {
  const Row row = row_of(compiled);
  const double error = log_time - expected.mean;
  for (std::size_t a = 0; a < terms; ++a) {
    for (std::size_t b = 0; b < terms; ++b) m_products[a][b] += row[a] * row[b];
    m_errors[a] += row[a] * error;
  }
  m_squares += error * error;
  ++m_count;
}

bool ResourceEffects::hopeless(const BinaryFacts& compiled, const Belief& expected,
                               double best_log_time) const {
  if (m_count < fewest_measured) return false;
  // Ridge regression by elimination; the matrix is positive definite.
  auto matrix = m_products;
  Row weight = m_errors;
  for (std::size_t a = 0; a < terms; ++a) matrix[a][a] += ridge;
  for (std::size_t a = 0; a < terms; ++a) {
    for (std::size_t b = a + 1; b < terms; ++b) {
      const double factor = matrix[b][a] / matrix[a][a];
      for (std::size_t c = a; c < terms; ++c) matrix[b][c] -= factor * matrix[a][c];
      weight[b] -= factor * weight[a];
    }
  }
  for (std::size_t a = terms; a-- > 0;) {
    for (std::size_t b = a + 1; b < terms; ++b) weight[a] -= matrix[a][b] * weight[b];
    weight[a] /= matrix[a][a];
  }
  const Row row = row_of(compiled);
  double effect = 0;
  double explained = 0;
  for (std::size_t a = 0; a < terms; ++a) {
    effect += weight[a] * row[a];
    explained += weight[a] * m_errors[a];
  }
  const double scatter = std::sqrt(std::max(1e-6, (m_squares - explained) / static_cast<double>(m_count)));
  const double deviation = std::hypot(expected.deviation, scatter);
  return effect > scatter && expected.mean + effect - 3 * deviation > best_log_time + slower_by;
}

CompileCosts::CompileCosts(const Axes& axes) : m_axes(axes) {
  for (const Axis& axis : axes.all()) m_of_level.emplace_back(axis.levels);
}

void CompileCosts::add(std::size_t candidate, double compile_ms) {
  if (!(compile_ms > 0)) return;  // it was in the cache: nothing was spent
  const double log_ms = std::log(compile_ms);
  m_all.sum += log_ms;
  m_all.count += 1;
  for (std::size_t axis = 0; axis < m_axes.count(); ++axis) {
    Mean& mean = m_of_level[axis][m_axes.levels(candidate)[axis]];
    mean.sum += log_ms - m_all.sum / m_all.count;
    mean.count += 1;
  }
}

double CompileCosts::relative(std::size_t candidate) const {
  if (m_all.count < fewest_compiled) return 1;
  double log_ratio = 0;
  for (std::size_t axis = 0; axis < m_axes.count(); ++axis) {
    const Mean& mean = m_of_level[axis][m_axes.levels(candidate)[axis]];
    log_ratio += mean.sum / (mean.count + 4);  // few say little
  }
  return std::clamp(std::exp(log_ratio), 0.5, 2.0);
}

}  // namespace tuner::search::learn
