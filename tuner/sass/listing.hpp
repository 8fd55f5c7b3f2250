#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/sass/instruction.hpp"

namespace tuner::sass {

/// A section of machine code: a kernel and the functions that it has to itself, or a function that several
/// kernels call.
struct Code {
  std::string symbol;
  bool is_kernel = false;
  std::vector<Instruction> instructions;
  std::map<std::string, std::size_t, std::less<>> labels;  ///< where each stands; may be behind the last
  std::vector<std::string> functions;                      ///< labels of functions, the kernel's own apart
};

struct Listing {
  std::string architecture;  ///< `sm_90a`
  std::vector<Code> sections;

  const Code* find(std::string_view symbol) const;
};

/// Reads what `nvdisasm -c -g` prints. Lines that it does not know are left out, so something else gives a
/// listing without sections.
Listing read_listing(std::string_view text);

}  // namespace tuner::sass
