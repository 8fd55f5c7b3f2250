#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tuner/device/checksum_function.h"
#include "tuner/device/compare.hpp"
#include "tuner/device/cuda/session.hpp"
#include "tuner/device/fill.hpp"

namespace tuner::device::cuda {

/// The kernels of support.cu. Work is queued on the session's stream; what returns a result waits for it. All
/// functions throw device::DeviceFault.
class SupportKernels {
 public:
  /// `binary`: what compiling support_job() gave.
  SupportKernels(std::shared_ptr<const Session> session, std::span<const std::byte> binary);

  void fill(Address address, std::int64_t elements, const FillRequest& request) const;
  Comparison compare(const CompareRequest& request) const;
  std::uint64_t checksum(Address address, std::int64_t bytes) const;
  /// Keeps the stream busy for about so long.
  void delay(std::uint64_t nanoseconds) const;

 private:
  static constexpr int result_words = 3;

  CUfunction find(const char* name) const;
  /// Threads for `work` items, at most as many blocks as fill the GPU.
  void launch(CUfunction function, std::int64_t work, void** arguments, const char* doing) const;
  /// Copies the words at the start of m_result to the host, and waits.
  void fetch_result(const char* doing) const;
  std::span<const std::uint64_t> result() const;

  std::shared_ptr<const Session> m_session;
  ModuleHandle m_module;
  CUfunction m_fill = nullptr;
  CUfunction m_compare = nullptr;
  CUfunction m_checksum = nullptr;
  CUfunction m_delay = nullptr;
  int m_most_blocks = 1;
  DeviceMemory m_result;
  PinnedMemory m_result_on_host;
};

/// Throws device::DeviceFault (launch_error) unless `binary` looks like a cubin: the driver trusts what it is
/// given.
void require_cubin(std::span<const std::byte> binary);

}  // namespace tuner::device::cuda
