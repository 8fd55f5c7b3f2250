#include "tuner/capture/kernels.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tuner/capture/parameters.hpp"

namespace tuner::capture {

void Kernels::add_function(CuFunction function, CuModule module, const char* name) {
  m_named[function] = {name, module, false, false};
  m_kernels.erase(function);
}

void Kernels::add_kernel(CuKernel kernel, CuLibrary library, const char* name) {
  m_named[kernel] = {name, library, true, true};
  m_kernels.erase(kernel);
}

void Kernels::add_function_of(CuFunction function, CuKernel kernel) {
  const auto found = m_named.find(kernel);
  if (found == m_named.end()) return;
  Named named = found->second;
  named.is_kernel = false;
  m_named[function] = std::move(named);
}

void Kernels::forget(const void* owner) {
  const auto is_owned = [owner](const auto& entry) {
    return entry.second.owner == owner || entry.second.owner == nullptr;
  };
  std::erase_if(m_named, is_owned);
  std::erase_if(m_kernels, is_owned);
}

Kernels::Named Kernels::named(CuFunction handle) const {
  const auto found = m_named.find(handle);
  if (found != m_named.end()) return found->second;
  const Driver& ask = driver();
  const char* name = nullptr;
  if (ask.func_get_name != nullptr && ask.func_get_name(&name, handle) == cu_success && name != nullptr)
    return {name, nullptr, false, false};
  if (ask.kernel_get_name != nullptr &&
      ask.kernel_get_name(&name, reinterpret_cast<CuKernel>(handle)) == cu_success && name != nullptr)
    return {name, nullptr, true, true};
  return {};
}

const Kernel* Kernels::find(CuFunction handle) {
  const auto found = m_kernels.find(handle);
  if (found != m_kernels.end()) return &found->second;
  const Named named = this->named(handle);
  if (named.name.empty()) return nullptr;
  Kernel kernel;
  kernel.name = named.name;
  kernel.owner = named.owner;
  kernel.of_library = named.of_library;
  kernel.function = handle;
  const Driver& ask = driver();
  if (named.is_kernel && (ask.kernel_get_function == nullptr ||
                          ask.kernel_get_function(&kernel.function, reinterpret_cast<CuKernel>(handle)) != 0))
    kernel.function = nullptr;
  describe(kernel);
  return &(m_kernels[handle] = std::move(kernel));
}

void Kernels::describe(Kernel& kernel) {
  kernel.place = m_ledger.kernel(kernel.name);
  const Driver& ask = driver();
  if (kernel.function == nullptr) return;
  if (ask.func_get_param_info != nullptr) {
    kernel.has_parameters = true;
    KernelParameter parameter;
    while (ask.func_get_param_info(kernel.function, kernel.parameters.size(), &parameter.offset,
                                   &parameter.bytes) == cu_success)
      kernel.parameters.push_back(parameter);
    const std::vector<std::string> types = parameter_types(kernel.name);
    if (types.size() == kernel.parameters.size())
      for (std::size_t i = 0; i < types.size(); ++i) {
        kernel.parameters[i].type = types[i];
        kernel.parameters[i].kind = parameter_kind(types[i]);
      }
  }
  if (kernel.place == no_place) return;
  KernelEntry& entry = m_ledger.ledger().kernels[kernel.place];
  const auto attribute = [&](int which, std::uint32_t& to) {
    int value = 0;
    if (ask.func_get_attribute != nullptr &&
        ask.func_get_attribute(&value, which, kernel.function) == cu_success)
      to = static_cast<std::uint32_t>(value);
  };
  attribute(function_registers, entry.registers);
  attribute(function_shared_bytes, entry.static_shared_bytes);
  attribute(function_local_bytes, entry.local_bytes);
  entry.has_parameters = kernel.has_parameters ? 1 : 0;
  entry.parameter_count = static_cast<std::uint32_t>(kernel.parameters.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(kernel.parameters.size(), most_parameters); ++i) {
    entry.parameter_bytes[i] = static_cast<std::uint16_t>(kernel.parameters[i].bytes);
    entry.parameter_kinds[i] = kernel.parameters[i].kind;
  }
}

Integers Kernels::integers(const Kernel& kernel, void* const* arguments) {
  Integers integers;
  if (arguments == nullptr) return integers;
  const std::size_t count = std::min<std::size_t>(kernel.parameters.size(), most_parameters);
  for (std::size_t i = 0; i < count && integers.count < most_integers; ++i) {
    const KernelParameter& parameter = kernel.parameters[i];
    std::int64_t value = 0;
    if (!integer_value(parameter.kind, arguments[i], parameter.bytes, value)) continue;
    integers.values[integers.count] = value;
    integers.parameters[integers.count++] = static_cast<std::uint8_t>(i);
  }
  return integers;
}

bool find_variable(const Kernel& kernel, const char* name, CuAddress& address, std::size_t& bytes) {
  const Driver& ask = driver();
  auto* const owner = const_cast<void*>(kernel.owner);
  if (owner == nullptr) return false;
  if (!kernel.of_library)
    return ask.module_get_global != nullptr &&
           ask.module_get_global(&address, &bytes, static_cast<CuModule>(owner), name) == cu_success;
  return ask.library_get_global != nullptr &&
         ask.library_get_global(&address, &bytes, static_cast<CuLibrary>(owner), name) == cu_success;
}

std::vector<void*> argument_places(const Kernel& kernel, const Launch& launch) {
  if (launch.arguments != nullptr)
    return std::vector<void*>(launch.arguments, launch.arguments + kernel.parameters.size());
  // CU_LAUNCH_PARAM_BUFFER_POINTER; the list ends with CU_LAUNCH_PARAM_END.
  constexpr std::uintptr_t buffer_follows = 1;
  for (void** at = launch.extra; at != nullptr && *at != nullptr; at += 2) {
    if (reinterpret_cast<std::uintptr_t>(*at) != buffer_follows) continue;
    std::vector<void*> places;
    for (const KernelParameter& parameter : kernel.parameters)
      places.push_back(static_cast<char*>(at[1]) + parameter.offset);
    return places;
  }
  return {};
}

}  // namespace tuner::capture
