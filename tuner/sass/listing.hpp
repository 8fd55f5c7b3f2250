#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/sass/instruction.hpp"

namespace tuner::sass {

/// NVIDIA's disassembler, run as a child.
class Disassembler {
 public:
  static constexpr std::chrono::seconds usual_limit{60};

  /// Takes the first of `places` that is a program; a name without a slash is looked for in the PATH. Throws
  /// model::Error with what was looked for.
  explicit Disassembler(const std::vector<std::string>& places,
                        std::chrono::milliseconds limit = usual_limit);

  /// What it prints of a cubin, line numbers included where it has them; see read_listing(). Throws
  /// model::Error where it refuses the cubin, takes too long, or prints more than 64 MiB.
  std::string listing(std::span<const std::byte> cubin) const;

  const std::string& program() const { return m_program; }

 private:
  std::string m_program;
  std::chrono::milliseconds m_limit;
};

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
