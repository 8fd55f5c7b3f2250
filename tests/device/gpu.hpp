#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/device/device.hpp"

namespace tests {

/// GPU 0 and a compiler for it.
struct Gpu {
  std::unique_ptr<tuner::compile::Compiler> compiler;
  std::unique_ptr<tuner::device::Device> device;

  /// Throws tuner::model::Error where there is no GPU or no NVRTC.
  static Gpu open();
  tuner::model::Compilation compile(const std::string& source, const std::vector<std::string>& entries,
                                    const std::vector<std::string>& options = {}) const;
};

/// The program's GPU, opened by main before the tests.
Gpu& gpu();
void set_gpu(Gpu* gpu);

/// A binary and the module made of it.
struct Loaded {
  tuner::model::Compilation compilation;
  std::unique_ptr<tuner::device::Module> module;
};
Loaded load(const std::string& source, const std::vector<std::string>& entries);

/// Device memory filled as `init` says.
std::unique_ptr<tuner::device::Buffer> filled(tuner::model::ElementType type, std::int64_t elements,
                                              const tuner::model::Init& init, std::uint64_t seed = 1);
/// Overwrites one element.
void plant(const tuner::device::Buffer& buffer, tuner::model::ElementType type, std::int64_t index,
           const tuner::model::Init& init);

tuner::model::Operand buffer_operand(int index);
tuner::model::Operand integer_operand(std::int64_t value);
tuner::model::Operand address_operand(const tuner::device::Buffer& buffer);
tuner::model::Step launch(const std::string& entry, std::int64_t grid, std::int64_t block,
                          std::vector<tuner::model::Operand> operands);
/// Steps that name no buffers of a plan.
std::unique_ptr<tuner::device::Sequence> bind(const Loaded& loaded,
                                              const std::vector<tuner::model::Step>& steps);

}  // namespace tests
