// libstdc++ asks glibc 2.36 for this. With one of our own the program starts on glibc 2.35, as Ubuntu 22.04
// has it.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() {
  std::uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) std::abort();
  return number;
}
