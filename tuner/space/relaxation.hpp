#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/program.hpp"

namespace tuner::space {

/// Tests what is known so far of conditions that read more. A condition of many alternatives, such as
/// `a && b || c && d`, says little until its last name is set; but once each alternative has a term that is
/// false, no value of the rest makes it true.
class Relaxation {
 public:
  /// `compiled` must outlive the object.
  explicit Relaxation(const CompiledSpec& compiled);

  /// `condition` with 1 for each term that reads a slot not `known`; a term is what stands beside `&&` and
  /// `||`, also within derived values that are not known. Where its value is 0, `condition` is 0 or undefined
  /// whatever the rest will be; a fault says nothing. Nothing where it is always 1, or the spec's conditions
  /// are too large to be worth it.
  std::optional<Program> of(const Program& condition, const std::vector<bool>& known);

 private:
  /// A part of a program: a term, or two parts with `&&` or `||` between them.
  struct Part {
    Op op = Op::constant;  ///< and_jump or or_jump; else a term
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t a = 0;  ///< indices into Parts::all
    std::size_t b = 0;
  };
  struct Parts {
    const Program* program = nullptr;
    std::vector<Part> all;
    std::size_t root = 0;
  };
  static Parts parts_of(const Program& program);
  bool write(const Parts& parts, std::size_t index, const std::vector<bool>& known, Program& out);
  bool write_term(const Parts& parts, const Part& term, const std::vector<bool>& known, Program& out);

  const CompiledSpec& m_compiled;
  std::vector<Parts> m_derived;  ///< by slot, from the first of a derived value
  std::size_t m_written = 0;     ///< instructions, in all
};

}  // namespace tuner::space
