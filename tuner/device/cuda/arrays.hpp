#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "tuner/device/cuda/session.hpp"
#include "tuner/device/device.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// The CUDA arrays of a sequence: one for each buffer that a texture in an array or a surface is over,
/// however many of these there are. All functions throw device::DeviceFault.
class Arrays {
 public:
  explicit Arrays(std::shared_ptr<const Session> session) : m_session(std::move(session)) {}

  const Session& session() const { return *m_session; }

  /// That of the buffer that `operand` is over, which lies at `address`; unlaunchable where the device has no
  /// such array.
  CUarray array_of(const model::Operand& operand, Address address);
  /// Copies the buffers into their arrays, and waits.
  void fill() const;
  /// Copies the arrays that a surface is over back into their buffers, and waits.
  void collect() const;

 private:
  struct Entry {
    int buffer = -1;
    Address address = 0;
    std::size_t row_bytes = 0;
    std::size_t pitch_bytes = 0;  ///< of the buffer's rows
    std::size_t height = 0;
    bool has_surface = false;
    ArrayHandle array;
  };
  ArrayHandle make(const model::Operand& operand) const;

  std::shared_ptr<const Session> m_session;
  std::vector<Entry> m_entries;
};

}  // namespace tuner::device::cuda
