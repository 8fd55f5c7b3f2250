#include "tests/device/gpu.hpp"

#include <future>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/error.hpp"

namespace tests {
namespace {

Gpu* current = nullptr;

}  // namespace

Gpu Gpu::open() {
  const std::string architecture = tuner::device::cuda::devices().at(0).architecture;
  Gpu out;
  out.compiler =
      std::make_unique<tuner::compile::nvrtc::NvrtcCompiler>(tuner::compile::nvrtc::load_library());
  const auto support =
      out.compiler->compile(tuner::device::cuda::support_job(architecture, out.compiler->name()));
  if (support.status != tuner::model::TrialStatus::ok) throw tuner::model::Error(support.log);
  std::promise<std::vector<std::byte>> binary;
  binary.set_value(support.binary);
  out.device = tuner::device::cuda::open(0, binary.get_future());
  return out;
}

tuner::model::Compilation Gpu::compile(const std::string& source, const std::vector<std::string>& entries,
                                       const std::vector<std::string>& options) const {
  tuner::model::CompileJob job;
  job.source = {{"test.cu", source}};
  job.entries = entries;
  job.options = options;
  job.architecture = device->info().architecture;
  job.compiler = compiler->name();
  auto compilation = compiler->compile(job);
  if (compilation.status != tuner::model::TrialStatus::ok) throw tuner::model::Error(compilation.log);
  return compilation;
}

Gpu& gpu() {
  return *current;
}
void set_gpu(Gpu* gpu) {
  current = gpu;
}

Loaded load(const std::string& source, const std::vector<std::string>& entries) {
  Loaded out;
  out.compilation = gpu().compile(source, entries);
  out.module = gpu().device->load(out.compilation.binary);
  return out;
}

std::unique_ptr<tuner::device::Buffer> filled(tuner::model::ElementType type, std::int64_t elements,
                                              const tuner::model::Init& init, std::uint64_t seed) {
  auto buffer = gpu().device->allocate(elements * tuner::model::size_bytes(type));
  gpu().device->fill(buffer->address(), type, elements, init, seed);
  return buffer;
}

void plant(const tuner::device::Buffer& buffer, tuner::model::ElementType type, std::int64_t index,
           const tuner::model::Init& init) {
  const auto offset = static_cast<std::uint64_t>(index * tuner::model::size_bytes(type));
  gpu().device->fill(buffer.address() + offset, type, 1, init, 1);
}

tuner::model::Operand buffer_operand(int index) {
  tuner::model::Operand out;
  out.buffer = index;
  return out;
}

tuner::model::Operand integer_operand(std::int64_t value) {
  tuner::model::Operand out;
  out.kind = tuner::model::Operand::Kind::scalar;
  out.integer = value;
  return out;
}

tuner::model::Operand address_operand(const tuner::device::Buffer& buffer) {
  tuner::model::Operand out = integer_operand(static_cast<std::int64_t>(buffer.address()));
  out.type = tuner::model::ElementType::uint64;
  return out;
}

tuner::model::Step launch(const std::string& entry, std::int64_t grid, std::int64_t block,
                          std::vector<tuner::model::Operand> operands) {
  tuner::model::Step out;
  out.entry = entry;
  out.grid.x = grid;
  out.block.x = block;
  out.operands = std::move(operands);
  return out;
}

std::unique_ptr<tuner::device::Sequence> bind(const Loaded& loaded,
                                              const std::vector<tuner::model::Step>& steps) {
  return gpu().device->bind(*loaded.module, loaded.compilation.kernels, steps, {}, {});
}

}  // namespace tests
