#pragma once
#include <cstdint>

#include "tuner/use/error.hpp"
#include "tuner/use/library.hpp"

namespace tuner::use {

/// What a caller asked for.
struct Call {
  const tuner_kernel& kernel;
  int place = 0;
  const tuner_value* arguments = nullptr;
  std::uintptr_t workspace = 0;
  std::uint64_t workspace_bytes = 0;
  CuStream stream = nullptr;
  const Driver* driver = nullptr;  ///< null on the CPU
};

/// A launch whose configuration is chosen, with its values of expressions.
struct Scene {
  const Call& call;
  const PackView& pack;
  const KernelRecord& kernel;
  const ConfigurationRecord& configuration;
  WorkspacePlan workspaces;
  Variables variables;

  tuner_error number(const Code& code, std::int64_t otherwise, const char* what, std::int64_t& value) const {
    const Fault fault = pack.value_or(otherwise, code, variables, value);
    return fault == Fault::none ? TUNER_OK : undefined(fault, what);
  }
  /// Of a workspace, or of a pointer that the caller passed.
  std::uintptr_t address_of(bool is_workspace, std::uint32_t index) const {
    if (!is_workspace) return reinterpret_cast<std::uintptr_t>(call.arguments[index].value.pointer);
    return workspaces.bytes[index] == 0 ? 0 : call.workspace + workspaces.at[index];
  }
};

/// Types, sizes, addresses of what the caller passed.
tuner_error check_arguments(const Scene& scene);

/// Writes what the kernel function is given for `operand`, to as many bytes as operand_bytes_of() says, zeros
/// before.
tuner_error set_operand(const Scene& scene, const OperandRecord& operand, std::uint8_t* to);

/// Queues the steps of a configuration.
tuner_error run(const Call& call, const PackView& pack, const ConfigurationRecord& configuration,
                Loaded& loaded, const std::int64_t* sizes);

}  // namespace tuner::use
