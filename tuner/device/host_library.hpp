#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/device/fill_function.h"
#include "tuner/model/plan.hpp"
#include "tuner/model/tuner_baseline.h"

namespace tuner::device {

/// What a parameter of a kernel is given, in its first bytes (little endian, two's complement). As large and
/// aligned as a CUtensorMap.
struct alignas(128) OperandValue {
  std::array<std::uint64_t, 16> words{};
};

/// Of the parameter that takes it.
inline std::size_t operand_bytes(const model::Operand& operand) {
  if (operand.kind == model::Operand::Kind::tensor_map) return sizeof(OperandValue);
  if (operand.kind != model::Operand::Kind::scalar) return sizeof(Address);
  const bool is_struct = operand.struct_bytes != 0;
  return static_cast<std::size_t>(is_struct ? operand.struct_bytes : model::size_bytes(operand.type));
}

/// The bits of a number of `type`, which is `real` or `integer`.
inline Word bits_of_number(model::ElementType type, double real, std::int64_t integer) {
  return model::is_floating(type) ? bits_of_real(static_cast<int>(model::component_type(type)), real)
                                  : static_cast<Word>(integer);
}

/// Of a struct, whose numbers lie within OperandValue; space::Planner sees to that.
inline OperandValue struct_value(const model::Operand& operand) {
  OperandValue out;
  for (const model::StructNumber& number : operand.numbers) {
    const Word word = bits_of_number(number.type, number.real, number.integer);
    const std::int64_t bytes = model::size_bytes(number.type);
    if (number.offset_bytes < 0 || number.offset_bytes + bytes > static_cast<std::int64_t>(sizeof out))
      refuse("a struct by value is larger than what can be passed");
    std::memcpy(reinterpret_cast<std::byte*>(out.words.data()) + number.offset_bytes, &word,
                static_cast<std::size_t>(bytes));
  }
  return out;
}

/// An address of `bindings`, a struct, or a number or a vector of numbers of its type. A seed is a scalar by
/// the time that it is passed; of tensor maps and textures the device that has them makes what is passed.
inline OperandValue operand_value(const model::Operand& operand, const Bindings& bindings) {
  const auto index = static_cast<std::size_t>(operand.buffer);
  OperandValue out;
  switch (operand.kind) {
    case model::Operand::Kind::buffer:
      out.words[0] = bindings.buffers.at(index);
      return out;
    case model::Operand::Kind::expected:
      out.words[0] = bindings.expected.at(index);
      return out;
    case model::Operand::Kind::magnitude:
      out.words[0] = bindings.magnitude.at(index);
      return out;
    case model::Operand::Kind::error:
      out.words[0] = bindings.errors.at(index);
      return out;
    case model::Operand::Kind::tensor_map:
    case model::Operand::Kind::texture:
      refuse("this device has neither tensor maps nor textures");
    case model::Operand::Kind::scalar:
    case model::Operand::Kind::seed:
      break;
  }
  if (operand.struct_bytes != 0) return struct_value(operand);
  const auto count = static_cast<std::size_t>(model::components(operand.type));
  const std::size_t bytes = operand_bytes(operand) / count;
  for (std::size_t i = 0; i < count; ++i) {
    const double real = operand.reals.empty() ? operand.real : operand.reals.at(i);
    const std::int64_t integer = operand.integers.empty() ? operand.integer : operand.integers.at(i);
    const Word word = bits_of_number(operand.type, real, integer);
    std::memcpy(reinterpret_cast<std::byte*>(out.words.data()) + i * bytes, &word, bytes);
  }
  return out;
}

/// The symbol of an entry among `kernels`. Throws DeviceFault (launch_error) where it is not there.
const std::string& symbol_of(const std::vector<model::KernelResources>& kernels, const std::string& entry);

/// The variable of `module` that `buffer` stands for (BufferPlan::symbol). Throws DeviceFault (launch_error)
/// where there is none, or it is smaller than the buffer.
Variable variable_of(const Module& module, const std::vector<model::KernelResources>& kernels,
                     const model::BufferPlan& buffer);

/// What an upload or a memset writes.
struct MemoryPart {
  Address address = 0;
  std::size_t bytes = 0;
};

/// Throws DeviceFault (launch_error) where the step's elements are not inside its buffer.
MemoryPart part_of(const model::Step& step, const std::vector<model::BufferPlan>& buffers,
                   const Bindings& bindings);

/// The steps with `seed` for each operand that asks for it, as Device::bind takes them.
std::vector<model::Step> with_seed(std::vector<model::Step> steps, std::uint64_t seed);

/// A library that was loaded from memory, by a file that has no name (`/proc/self/fd/N`). It stays open as
/// long as the library is loaded: the linker takes equal names for equal libraries, and the number of a
/// closed descriptor would be given out again.
struct LoadedBytes {
  int file = -1;
  void* handle = nullptr;
};
/// Throws DeviceFault (launch_error); `what` is for messages.
LoadedBytes load_bytes(std::span<const std::byte> bytes, const char* what);

/// A binary that calls a library (CompileJob::host_library), in this process: any device binds its functions
/// as steps of kind `call`. It is never unloaded, and loaded once however often it is asked for: libraries
/// keep threads and handles, and what is slow is done once.
class HostLibrary final : public Module {
 public:
  using Function = decltype(&tuner_baseline);

  /// Throws DeviceFault: `skipped`, with the reason, where the library it calls is not there; launch_error
  /// for bytes that cannot be loaded.
  explicit HostLibrary(std::span<const std::byte> binary);

  /// What the library says of itself: "cuBLAS 13.1.0".
  const std::string& version() const { return m_version; }
  /// Throws DeviceFault (launch_error) where there is no such function.
  Function function(const std::string& name) const;

 private:
  void* m_handle = nullptr;
  std::string m_version;
};

/// The binary of a trial, loaded: its kernels with the library that its steps call, or, where `library` is
/// empty and `calls` says that they do, that library alone. Throws DeviceFault.
std::unique_ptr<Module> load_binary(Device& device, std::span<const std::byte> binary,
                                    std::span<const std::byte> library, bool calls);

/// What the library that a loaded binary calls says of itself; empty: it calls none.
std::string library_version(const Module& module);

/// A step of kind `call` with its arguments bound, ready to be queued as often as wanted.
class LibraryCall {
 public:
  /// Throws DeviceFault (launch_error) where `module` has no HostLibrary and is none, or lacks the function.
  LibraryCall(const Module& module, const model::Step& step, const std::vector<model::BufferPlan>& buffers,
              const Bindings& bindings);

  /// Calls the function with `stream`, which may be null. Throws DeviceFault (launch_error) with what it
  /// says.
  void enqueue(void* stream) const;

 private:
  HostLibrary::Function m_function;
  std::string m_version;
  std::vector<OperandValue> m_values;  ///< one argument each
  std::vector<void*> m_arguments;      ///< into m_values, whose elements stay in place when the call is moved
  void* m_workspace = nullptr;
  std::size_t m_workspace_bytes = 0;
};

}  // namespace tuner::device
