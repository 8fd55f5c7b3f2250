#include <fmt/format.h>

#include <limits>

#include "tuner/device/cuda/cuda_device.hpp"

namespace tuner::device::cuda {
namespace {

using model::Operand;

std::string_view type_of(const Operand& operand) {
  if (operand.kind == Operand::Kind::tensor_map) return "a tensor map";
  if (operand.kind == Operand::Kind::texture) return operand.texture->is_surface ? "a surface" : "a texture";
  if (operand.struct_bytes != 0) return "a struct";
  return operand.kind == Operand::Kind::scalar ? model::cuda_name(operand.type) : "a pointer";
}

bool fits_unsigned(const model::Dim3& extent) {
  constexpr std::int64_t most = std::numeric_limits<unsigned>::max();
  const auto fits = [](std::int64_t value) { return value > 0 && value <= most; };
  return fits(extent.x) && fits(extent.y) && fits(extent.z);
}

std::vector<CUlaunchAttribute> attributes_of(const model::Step& step) {
  std::vector<CUlaunchAttribute> all;
  const auto add = [&](CUlaunchAttributeID id) -> CUlaunchAttributeValue& {
    all.push_back({});
    all.back().id = id;
    return all.back().value;
  };
  if (step.overlap)
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  if (step.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (step.cluster.count() > 1) {
    auto& dimensions = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    dimensions.x = static_cast<unsigned>(step.cluster.x);
    dimensions.y = static_cast<unsigned>(step.cluster.y);
    dimensions.z = static_cast<unsigned>(step.cluster.z);
  }
  return all;
}

}  // namespace

Launch::Launch(const std::shared_ptr<const Driver>& shared_driver, CUfunction function,
               const model::Step& step, const Bindings& bindings, Arrays& arrays)
    : m_function(function),
      m_entry(step.entry),
      m_grid(step.grid),
      m_block(step.block),
      m_dynamic_shared_bytes(step.dynamic_shared_bytes),
      m_attributes(attributes_of(step)) {
  const Driver& driver = *shared_driver;
  if (!fits_unsigned(m_grid) || !fits_unsigned(m_block) || m_dynamic_shared_bytes < 0 ||
      m_dynamic_shared_bytes > std::numeric_limits<int>::max()) {
    refuse(fmt::format("{}: beyond what CUDA can launch", text()));
  }
  check_parameters(driver, step);
  opt_in_to_shared_memory(driver);
  if (step.shared_carveout_percent >= 0) prefer_shared_memory(driver, step.shared_carveout_percent);
  if (step.cluster.count() > 1) check_clusters(driver, step.cluster);
  m_values.reserve(step.operands.size());
  for (const Operand& operand : step.operands) m_values.push_back(value_of(operand, bindings, arrays));
  for (OperandValue& value : m_values) m_arguments.push_back(&value);
}

OperandValue Launch::value_of(const Operand& operand, const Bindings& bindings, Arrays& arrays) {
  const auto address = [&] { return bindings.buffers.at(static_cast<std::size_t>(operand.buffer)); };
  if (operand.kind == Operand::Kind::tensor_map)
    return make_tensor_map(arrays.session().driver(), operand, address());
  if (operand.kind != Operand::Kind::texture) return operand_value(operand, bindings);
  const CUarray array = operand.texture->in_array ? arrays.array_of(operand, address()) : nullptr;
  OperandValue out;
  if (operand.texture->is_surface) {
    m_surfaces.push_back(make_surface(arrays.session(), operand, array));
    out.words[0] = m_surfaces.back().get();
    return out;
  }
  m_textures.push_back(make_texture(arrays.session(), operand, address(), array));
  out.words[0] = m_textures.back().get();
  return out;
}

/// The driver copies as many bytes as the kernel's parameters have, from wherever it is pointed to: a wrong
/// count or type would read beyond our storage, or pass garbage.
void Launch::check_parameters(const Driver& driver, const model::Step& step) const {
  if (driver.func_get_param_info == nullptr) return;
  std::size_t offset = 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    const Operand& operand = step.operands[i];
    if (driver.func_get_param_info(m_function, i, &offset, &size) != CUDA_SUCCESS) {
      refuse(fmt::format("{} takes {} arguments, and is given {}", m_entry, i, step.operands.size()));
    }
    if (size != operand_bytes(operand)) {
      refuse(fmt::format("argument {} of {} takes {} bytes, and is given {} ({} bytes)", i + 1, m_entry, size,
                         type_of(operand), operand_bytes(operand)));
    }
  }
  if (driver.func_get_param_info(m_function, step.operands.size(), &offset, &size) == CUDA_SUCCESS) {
    refuse(fmt::format("{} takes more than the {} arguments it is given", m_entry, step.operands.size()));
  }
}

void Launch::opt_in_to_shared_memory(const Driver& driver) const {
  constexpr std::int64_t without_opt_in = 48 << 10;
  int static_bytes = 0;
  check(driver, driver.func_get_attribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, m_function),
        "asking for a kernel's shared memory");
  if (static_bytes + m_dynamic_shared_bytes <= without_opt_in) return;
  const CUresult result = driver.func_set_attribute(
      m_function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(m_dynamic_shared_bytes));
  if (result != CUDA_SUCCESS)
    check(driver, result, fmt::format("allowing the shared memory of {}", text()).c_str());
}

void Launch::prefer_shared_memory(const Driver& driver, std::int64_t percent) const {
  const CUresult result = driver.func_set_attribute(
      m_function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, static_cast<int>(percent));
  if (result != CUDA_SUCCESS)
    check(driver, result, fmt::format("preferring {} % of shared memory for {}", percent, m_entry).c_str());
}

/// A cluster's blocks share a group of multiprocessors, whose shared memory may not hold them all.
void Launch::check_clusters(const Driver& driver, const model::Dim3& cluster) const {
  if (driver.max_active_clusters == nullptr) return;
  const CUlaunchConfig asked = config(nullptr);
  int clusters = 0;
  const CUresult result = driver.max_active_clusters(&clusters, m_function, &asked);
  if (result == CUDA_SUCCESS && clusters > 0) return;
  throw DeviceFault(model::TrialStatus::unlaunchable, false,
                    fmt::format("the device has no room for a cluster of {}x{}x{} blocks: {}", cluster.x,
                                cluster.y, cluster.z, text()));
}

CUlaunchConfig Launch::config(CUstream stream) const {
  const auto extent = [](std::int64_t value) { return static_cast<unsigned>(value); };
  CUlaunchConfig config = {};
  config.gridDimX = extent(m_grid.x);
  config.gridDimY = extent(m_grid.y);
  config.gridDimZ = extent(m_grid.z);
  config.blockDimX = extent(m_block.x);
  config.blockDimY = extent(m_block.y);
  config.blockDimZ = extent(m_block.z);
  config.sharedMemBytes = static_cast<unsigned>(m_dynamic_shared_bytes);
  config.hStream = stream;
  config.attrs = const_cast<CUlaunchAttribute*>(m_attributes.data());  // not const for C's sake either
  config.numAttrs = static_cast<unsigned>(m_attributes.size());
  return config;
}

void Launch::enqueue(const Driver& driver, CUstream stream) const {
  const CUlaunchConfig asked = config(stream);
  // kernelParams is not const for C's sake; the driver copies the arguments out before it returns.
  const CUresult result =
      driver.launch_kernel_ex(&asked, m_function, const_cast<void**>(m_arguments.data()), nullptr);
  if (result != CUDA_SUCCESS) check(driver, result, fmt::format("launching {}", text()).c_str());
}

int Launch::blocks_per_multiprocessor(const Driver& driver) const {
  int blocks = 0;
  check(driver,
        driver.occupancy(&blocks, m_function, static_cast<int>(m_block.count()),
                         static_cast<std::size_t>(m_dynamic_shared_bytes)),
        "asking for the occupancy");
  return blocks;
}

std::string Launch::text() const {
  return fmt::format("{} with grid {}x{}x{}, block {}x{}x{} and {} bytes of dynamic shared memory", m_entry,
                     m_grid.x, m_grid.y, m_grid.z, m_block.x, m_block.y, m_block.z, m_dynamic_shared_bytes);
}

}  // namespace tuner::device::cuda
