#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tuner::compile::host {

/// Bytes of thread-local storage a shared object declares in its program headers (ELF, PT_TLS): the static
/// shared arrays of its kernels, and nothing else. 0 for anything that is not an ELF file of this machine's
/// word size.
std::int64_t thread_local_bytes(std::span<const std::byte> binary);

}  // namespace tuner::compile::host
