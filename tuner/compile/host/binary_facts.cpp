#include "tuner/compile/host/binary_facts.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace tuner::compile::host {

std::int64_t thread_local_bytes(std::span<const std::byte> binary) {
  ElfW(Ehdr) header;
  if (binary.size() < sizeof header) return 0;
  std::memcpy(&header, binary.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr))) return 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t offset = header.e_phoff + i * sizeof(ElfW(Phdr));
    if (offset > binary.size() || binary.size() - offset < sizeof(ElfW(Phdr))) return 0;
    ElfW(Phdr) segment;
    std::memcpy(&segment, binary.data() + offset, sizeof segment);
    if (segment.p_type == PT_TLS) return static_cast<std::int64_t>(segment.p_memsz);
  }
  return 0;
}

}  // namespace tuner::compile::host
