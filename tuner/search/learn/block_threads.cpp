#include "tuner/search/learn/block_threads.hpp"

#include <algorithm>
#include <memory>

#include "tuner/model/error.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/slots.hpp"

namespace tuner::search::learn {
namespace {

/// A kernel's block with all but the parameters set.
struct Block {
  std::shared_ptr<const space::CompiledSpec> compiled;
  const space::CompiledStep* launch = nullptr;
  space::Slots slots;
};

Block block_of(const model::KernelSpec& spec, const model::Problem& problem) {
  Block block;
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

std::int64_t threads_of(Block& block, std::span<const std::uint16_t> coordinates) {
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

std::vector<std::int64_t> block_threads(const SearchSpace& space) {
  std::vector<Block> blocks;
  for (const SearchSpace::Kernel& kernel : space.kernels)
    blocks.push_back(block_of(*kernel.spec, space.problem));
  const bool any =
      std::any_of(blocks.begin(), blocks.end(), [](const Block& block) { return block.launch != nullptr; });
  std::vector<std::int64_t> threads;
  if (!any) return threads;
  threads.reserve(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    Block& block = blocks[space.candidates[i].kernel];
    threads.push_back(block.launch ? threads_of(block, space.coordinates(i)) : 0);
  }
  return threads;
}

}  // namespace tuner::search::learn
