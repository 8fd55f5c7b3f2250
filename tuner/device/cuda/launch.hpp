#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/device/cuda/driver.hpp"
#include "tuner/device/cuda/views.hpp"
#include "tuner/device/device.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// One kernel launch with its arguments bound, ready to be queued as often as wanted.
class Launch {
 public:
  /// Checks the arguments against the parameters the binary has, and opts in to as much dynamic shared memory
  /// as the step asks for. Throws device::DeviceFault (launch_error) where kernel and step do not fit.
  /// `arrays` gets what the arguments need, and must outlive the launch.
  Launch(const std::shared_ptr<const Driver>& shared_driver, CUfunction function, const model::Step& step,
         const Bindings& bindings, Arrays& arrays);

  void enqueue(const Driver& driver, CUstream stream) const;
  int blocks_per_multiprocessor(const Driver& driver) const;

 private:
  void check_parameters(const Driver& driver, const model::Step& step) const;
  void opt_in_to_shared_memory(const Driver& driver) const;
  void prefer_shared_memory(const Driver& driver, std::int64_t percent) const;
  void check_clusters(const Driver& driver, const model::Dim3& cluster) const;
  CUlaunchConfig config(CUstream stream) const;
  std::string text() const;

  CUfunction m_function;
  std::string m_entry;
  model::Dim3 m_grid;
  model::Dim3 m_block;
  std::int64_t m_dynamic_shared_bytes;
  std::vector<CUlaunchAttribute> m_attributes;
  OperandValue value_of(const model::Operand& operand, const Bindings& bindings, Arrays& arrays);

  std::vector<TextureHandle> m_textures;
  std::vector<SurfaceHandle> m_surfaces;
  std::vector<OperandValue> m_values;  ///< one argument each
  std::vector<void*> m_arguments;      ///< into m_values, whose elements stay in place when a Launch is moved
};

}  // namespace tuner::device::cuda
