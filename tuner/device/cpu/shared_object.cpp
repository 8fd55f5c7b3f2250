#include "tuner/device/cpu/shared_object.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "tuner/device/host_library.hpp"
#include "tuner/model/compile_job.hpp"

// The dynamic linker's own function; it has no header (ELF Handling For Thread-Local Storage, section 3.4).
struct TlsIndex {
  std::size_t module;
  std::size_t offset;
};
extern "C" void* __tls_get_addr(TlsIndex*);  // NOLINT(bugprone-reserved-identifier)

namespace tuner::device::cpu {
namespace {

/// Lines of `addr2line -i -a`: for each address a line 0x…, then `file:line`, innermost inlined frame first.
model::SourceLocation parse_location(const std::string& line) {
  const std::size_t colon = line.rfind(':');
  if (colon == std::string::npos || line.starts_with("??")) return {};
  model::SourceLocation where;
  where.file = std::filesystem::path(line.substr(0, colon)).lexically_normal().string();
  where.line = std::atoi(line.c_str() + colon + 1);
  return where;
}

struct PipeCloser {
  void operator()(FILE* pipe) const { pclose(pipe); }
};

}  // namespace

SharedObject::SharedObject(std::span<const std::byte> binary)
    : m_loaded(load_bytes(binary, "the kernel's binary")) {
  m_properties = static_cast<const tuner_cpu::Module*>(dlsym(m_loaded.handle, "tuner_cpu_module"));
  if (m_properties == nullptr || m_properties->version != tuner_cpu::abi_version) {
    unload();
    refuse("the binary was not made by this version's host compiler");
  }
  find_static_shared();
}

SharedObject::~SharedObject() {
  unload();
}

void SharedObject::unload() {
  dlclose(m_loaded.handle);
  close(m_loaded.file);
}

const tuner_cpu::Kernel& SharedObject::kernel(const std::string& name) const {
  const void* found = dlsym(m_loaded.handle, name.c_str());
  if (found == nullptr) refuse(fmt::format("the binary has no kernel {}", name));
  return *static_cast<const tuner_cpu::Kernel*>(found);
}

Variable SharedObject::variable(const std::string& name) const {
  /// As compile::host::write_translation_unit has it.
  struct Exported {
    void* address;
    unsigned long bytes;
  };
  const void* found = dlsym(m_loaded.handle, name.c_str());
  if (found == nullptr) refuse(fmt::format("the binary has no variable {}", name));
  const auto& exported = *static_cast<const Exported*>(found);
  return {reinterpret_cast<Address>(exported.address), static_cast<std::int64_t>(exported.bytes)};
}

void SharedObject::find_static_shared() {
  link_map* map = nullptr;
  if (dlinfo(m_loaded.handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return;
  m_base = map->l_addr;
  dlinfo(m_loaded.handle, RTLD_DI_TLS_MODID, &m_shared_module);
  struct Search {
    std::uintptr_t base;
    std::size_t bytes;
  } search{m_base, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (info->dlpi_addr != wanted.base) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type == PT_TLS) wanted.bytes = info->dlpi_phdr[i].p_memsz;
        }
        return 1;
      },
      &search);
  m_shared_bytes = m_shared_module != 0 ? search.bytes : 0;
}

std::span<std::byte> SharedObject::static_shared() const {
  if (m_shared_bytes == 0) return {};
  TlsIndex index{m_shared_module, 0};
  return {static_cast<std::byte*>(__tls_get_addr(&index)), m_shared_bytes};
}

std::vector<model::SourceLocation> SharedObject::locate(const std::vector<const void*>& code) const {
  std::vector<model::SourceLocation> result(code.size());
  if (code.empty()) return result;
  // The address is a return address; the call it follows lies before it.
  std::string command = fmt::format("addr2line -i -a -e /proc/{}/fd/{}", getpid(), m_loaded.file);
  for (const void* address : code) {
    command += fmt::format(" {:#x}", reinterpret_cast<std::uintptr_t>(address) - m_base - 1);
  }
  command += " 2>/dev/null";
  const std::unique_ptr<FILE, PipeCloser> pipe(popen(command.c_str(), "r"));
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer{};
  std::size_t next = 0;
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
    std::string line = buffer.data();
    line.erase(line.find_last_not_of("\n") + 1);
    if (line.starts_with("0x")) {
      ++next;
    } else if (next >= 1 && next <= result.size() && result[next - 1].file.empty() &&
               line.find("runtime/") == std::string::npos) {
      result[next - 1] = parse_location(line);
    }
  }
  return result;
}

}  // namespace tuner::device::cpu
