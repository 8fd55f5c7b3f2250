#include "tuner/search/learn/block_threads.hpp"

#include <algorithm>
#include <memory>

#include "tuner/model/error.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/slots.hpp"

namespace tuner::search::learn {
namespace {

/// A kernel's block with all but the parameters set.
struct KernelBlock {
  std::shared_ptr<const space::CompiledSpec> compiled;
  const space::CompiledStep* launch = nullptr;
  space::Slots slots;
};

KernelBlock block_of(const model::KernelSpec& spec, const model::Problem& problem) {
  KernelBlock block;
  std::vector<model::Diagnostic> diagnostics;
  block.compiled = space::compile_spec(spec, diagnostics);
  if (!block.compiled) return block;
  for (const space::CompiledStep& step : block.compiled->steps) {
    if (step.block.empty()) continue;
    block.launch = &step;
    break;
  }
  try {
    block.slots = space::problem_slots(*block.compiled, problem, model::DeviceLimits{});
  } catch (const model::UsageError&) {
    block.launch = nullptr;  // a problem of other sizes: nothing can be said
  }
  return block;
}

std::int64_t threads_of(KernelBlock& block, const space::Coordinates& coordinates) {
  const space::CompiledSpec& compiled = *block.compiled;
  for (std::size_t p = 0; p < coordinates.size(); ++p) {
    const space::CompiledParameter& parameter = compiled.parameters[p];
    const bool inactive = coordinates[p] == space::ConfigurationList::inactive;
    block.slots.values[static_cast<std::size_t>(compiled.scope.parameter_slot(static_cast<int>(p)))] =
        inactive ? parameter.otherwise : parameter.codes[coordinates[p]];
  }
  space::derive_all(compiled, block.slots);
  std::int64_t threads = 1;
  for (const space::Compiled& extent : block.launch->block) {
    const auto value = space::evaluate(extent.program, block.slots);
    constexpr std::int64_t absurd = 1 << 20;
    if (value.fault != space::Fault::none || value.value < 1 || value.value > absurd) return 0;
    threads *= value.value;
  }
  return threads;
}

}  // namespace

struct BlockThreads::Block : KernelBlock {};

BlockThreads::BlockThreads(const SearchSpace& space) : m_space(space) {
  for (const SearchSpace::Kernel& kernel : space.kernels)
    m_blocks.push_back(std::make_unique<Block>(Block{block_of(*kernel.spec, space.problem)}));
}

BlockThreads::~BlockThreads() = default;

bool BlockThreads::says_anything() const {
  return std::any_of(m_blocks.begin(), m_blocks.end(),
                     [](const auto& block) { return block->launch != nullptr; });
}

std::int64_t BlockThreads::of(std::size_t candidate) {
  Block& block = *m_blocks[m_space.candidates[candidate].kernel];
  return block.launch ? threads_of(block, m_space.coordinates(candidate)) : 0;
}

}  // namespace tuner::search::learn
