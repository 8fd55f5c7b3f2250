#include "tuner/device/host_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "tuner/device/device.hpp"
#include "tuner/model/digest.hpp"

namespace tuner::device {

const std::string& symbol_of(const std::vector<model::KernelResources>& kernels, const std::string& entry) {
  for (const model::KernelResources& kernel : kernels)
    if (kernel.entry == entry) return kernel.symbol;
  if (model::is_variable(entry)) refuse(fmt::format("the binary has no variable {}", entry.substr(1)));
  refuse(fmt::format("the binary has no kernel {}", entry));
}

Variable variable_of(const Module& module, const std::vector<model::KernelResources>& kernels,
                     const model::BufferPlan& buffer) {
  const Variable variable = module.variable(symbol_of(kernels, "&" + buffer.symbol));
  if (variable.bytes >= buffer.bytes()) return variable;
  refuse(fmt::format("the variable {} has {} bytes, and {} needs {}", buffer.symbol, variable.bytes,
                     buffer.name, buffer.bytes()));
}

MemoryPart part_of(const model::Step& step, const std::vector<model::BufferPlan>& buffers,
                   const Bindings& bindings) {
  const auto index = static_cast<std::size_t>(step.buffer);
  const model::BufferPlan& buffer = buffers.at(index);
  if (step.first < 0 || step.count < 0 || step.first > buffer.elements - step.count) {
    refuse(fmt::format("elements {} to {} are not inside {}, which has {}", step.first,
                       step.first + step.count, buffer.name, buffer.elements));
  }
  const std::int64_t size = model::size_bytes(buffer.type);
  return {bindings.buffers.at(index) + static_cast<Address>(step.first * size),
          static_cast<std::size_t>(step.count * size)};
}

std::vector<model::Step> with_seed(std::vector<model::Step> steps, std::uint64_t seed) {
  for (model::Step& step : steps) {
    for (model::Operand& operand : step.operands) {
      if (operand.kind != model::Operand::Kind::seed) continue;
      operand.kind = model::Operand::Kind::scalar;
      operand.type = model::ElementType::uint64;
      operand.integer = static_cast<std::int64_t>(seed);
    }
  }
  return steps;
}

LoadedBytes load_bytes(std::span<const std::byte> bytes, const char* what) {
  const int file = memfd_create("tuner-binary", MFD_CLOEXEC);
  if (file < 0) refuse(fmt::format("cannot make an anonymous file for a binary: {}", std::strerror(errno)));
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      close(file);
      refuse(fmt::format("cannot write a binary to memory: {}", std::strerror(error)));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  void* const handle = dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return {file, handle};
  const std::string why = dlerror();
  close(file);
  refuse(fmt::format("cannot load {}: {}", what, why));
}

namespace {

/// The handle of a binary, which stays loaded. One thread at a time, as devices are used.
void* load_once(std::span<const std::byte> binary) {
  static std::map<model::Digest, void*> loaded;
  const std::string_view bytes(reinterpret_cast<const char*>(binary.data()), binary.size());
  void*& handle = loaded[model::DigestBuilder().add(bytes).finish()];
  if (handle == nullptr) handle = load_bytes(binary, "the library's caller").handle;
  return handle;
}

}  // namespace

HostLibrary::HostLibrary(std::span<const std::byte> binary) : m_handle(load_once(binary)) {
  const auto version =
      reinterpret_cast<decltype(&tuner_baseline_version)>(dlsym(m_handle, "tuner_baseline_version"));
  if (version == nullptr) refuse("the baseline's source defines no tuner_baseline_version");
  const char* why_not = nullptr;
  const char* answer = version(&why_not);
  if (answer == nullptr) {
    throw DeviceFault(model::TrialStatus::skipped, false,
                      why_not != nullptr ? why_not : "the library is not there");
  }
  m_version = answer;
}

HostLibrary::Function HostLibrary::function(const std::string& name) const {
  void* found = dlsym(m_handle, name.c_str());
  if (found == nullptr) refuse(fmt::format("the baseline's source defines no {}", name));
  return reinterpret_cast<Function>(found);
}

std::unique_ptr<Module> load_binary(Device& device, std::span<const std::byte> binary,
                                    std::span<const std::byte> library, bool calls) {
  if (calls && library.empty()) return std::make_unique<HostLibrary>(binary);
  std::unique_ptr<Module> module = device.load(binary);
  if (calls) module->set_library(std::make_unique<HostLibrary>(library));
  return module;
}

std::string library_version(const Module& module) {
  const auto* library = dynamic_cast<const HostLibrary*>(&module.callee());
  return library != nullptr ? library->version() : "";
}

LibraryCall::LibraryCall(const Module& module, const model::Step& step,
                         const std::vector<model::BufferPlan>& buffers, const Bindings& bindings) {
  const auto* library = dynamic_cast<const HostLibrary*>(&module.callee());
  if (library == nullptr) refuse(fmt::format("{} is to be called, and the binary is no library", step.entry));
  m_function = library->function(step.entry);
  m_version = library->version();
  m_values.reserve(step.operands.size());
  for (const model::Operand& operand : step.operands) m_values.push_back(operand_value(operand, bindings));
  for (OperandValue& value : m_values) m_arguments.push_back(&value);
  if (step.buffer < 0) return;
  const auto workspace = static_cast<std::size_t>(step.buffer);
  m_workspace = reinterpret_cast<void*>(bindings.buffers.at(workspace));
  m_workspace_bytes = static_cast<std::size_t>(buffers.at(workspace).bytes());
}

void LibraryCall::enqueue(void* stream) const {
  const tuner_call call{stream, m_arguments.data(), m_arguments.size(), m_workspace, m_workspace_bytes};
  if (const char* why_not = m_function(&call)) refuse(fmt::format("{}: {}", m_version, why_not));
}

}  // namespace tuner::device
