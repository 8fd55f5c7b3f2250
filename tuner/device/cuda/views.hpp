#pragma once
#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/cuda/driver.hpp"
#include "tuner/device/device.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// The CUtensorMap that `operand` asks for, over the buffer at `address`. Throws device::DeviceFault:
/// unlaunchable where the driver or the device has no such map.
OperandValue make_tensor_map(const Driver& driver, const model::Operand& operand, Address address);

/// Of one of the numbers of `type`.
CUarray_format format_of(model::ElementType type);

/// The texture object that `operand` asks for, over the buffer at `address`, or over `array` where it is in
/// one. Throws device::DeviceFault: unlaunchable where the driver has no such texture.
TextureHandle make_texture(const Session& session, const model::Operand& operand, Address address,
                           CUarray array);

/// The surface object over `array` that `operand` asks for; throws as make_texture() does.
SurfaceHandle make_surface(const Session& session, const model::Operand& operand, CUarray array);

/// What a device says of itself; 0: it does not.
using AttributeQuery = std::function<std::int64_t(CUdevice_attribute)>;

/// What of `operand`, a texture or a surface, is more than the device takes, with both numbers: `a texture of
/// 140000 columns; this device takes 131072`. Empty: nothing.
std::string beyond_limits(const model::Operand& operand, const AttributeQuery& attribute);

/// Why the driver, which said `result`, has no `what` (`a texture`) for `operand`: the limit that it is
/// beyond, or else the driver's own word.
std::string refusal_of(const Session& session, const model::Operand& operand, const char* what,
                       CUresult result);

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
