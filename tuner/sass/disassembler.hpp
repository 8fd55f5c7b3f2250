#pragma once
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

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

}  // namespace tuner::sass
