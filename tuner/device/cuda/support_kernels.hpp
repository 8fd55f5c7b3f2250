#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/cuda/driver.hpp"
#include "tuner/device/words.h"

namespace tuner::device::cuda {

/// The clock of one multiprocessor, as tuner_read_clock writes it.
struct ClockReading {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
};

/// Mean frequency in MHz between two readings; 0 where one was not taken or they are too close: the timer may
/// step by a microsecond.
double mean_clock_mhz(const ClockReading& from, const ClockReading& to);

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
  /// Notes the clock when the stream gets there, and a second time. What is between must be queued behind the
  /// first and before the second. Costs the GPU a few microseconds.
  void begin_clock() const;
  void end_clock() const;
  /// Mean SM clock between the two in MHz, 0 where it is unknown; once the stream has been waited for.
  double clock_mhz() const;

 private:
  static constexpr int result_words = 3;

  CUfunction find(const char* name) const;
  ClockReading* clock_readings() const { return static_cast<ClockReading*>(m_clock.get()); }
  void read_clock(ClockReading* into) const;
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
  CUfunction m_read_clock = nullptr;
  int m_multiprocessors = 1;
  int m_most_blocks = 1;
  DeviceMemory m_result;
  PinnedMemory m_result_on_host;
  PinnedMemory m_clock;  ///< two ClockReadings, which the GPU writes by itself
};

/// Throws device::DeviceFault (launch_error) unless `binary` looks like a cubin: the driver trusts what it is
/// given.
void require_cubin(std::span<const std::byte> binary);

}  // namespace tuner::device::cuda
