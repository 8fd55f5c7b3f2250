#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/program.hpp"

namespace tuner::source {

/// What a function does with the elements that a pointer parameter points to, itself or in what it calls.
struct PointerUse {
  bool read = false;
  bool written = false;
  bool written_first = false;  ///< the first access in its text only writes
  bool atomic = false;
  bool handed_on = false;  ///< to something that is not looked into
};

/// Of each parameter of the function; of values nothing.
std::vector<PointerUse> pointer_uses(const Program& program, const ProgramFunction& function);

/// The function and all device functions that it calls, which their names alone tell.
std::vector<const ProgramFunction*> reached_functions(const Program& program,
                                                      const ProgramFunction& function);

/// All words in the bodies and signatures of these functions.
std::set<std::string_view> words_of(const std::vector<const ProgramFunction*>& functions);

}  // namespace tuner::source
