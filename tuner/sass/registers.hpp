#pragma once
#include <optional>
#include <set>

#include "tuner/sass/instruction.hpp"

namespace tuner::sass {

/// Registers by number; those of the uniform datapath stand behind those of a thread.
using Registers = std::set<int>;

/// The registers that it writes. Where its text does not say how many they are, rather too many.
Registers written_by(const Instruction& instruction);

/// Whether it writes a constant: the same each time, whatever registers hold.
bool writes_constant(const Instruction& instruction);

/// The registers that a load from global memory takes its address from. Nothing for all else, and for a load
/// that must see what others write: one that is volatile or ordered, `LDG.E.STRONG.GPU`.
std::optional<Registers> address_of(const Instruction& instruction);

}  // namespace tuner::sass
