#pragma once
#include <cstddef>
#include <vector>

#include "tuner/sass/listing.hpp"

namespace tuner::sass {

/// Instructions that are executed one after the other, and the blocks that may follow.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< behind the last
  std::vector<std::size_t> next;
  std::vector<std::size_t> calls;  ///< blocks where functions begin that it calls
  int depth = 0;                   ///< loops around it, those around a call of its function included
  int loop = -1;                   ///< the innermost in Flow::loops
  bool reachable = false;
};

/// A loop: a set of blocks that all lead to each other. An irreducible loop, entered at several places, has
/// several headers.
struct FlowLoop {
  std::vector<std::size_t> headers;
  std::vector<std::size_t> blocks;  ///< in order, those of inner loops included
  int parent = -1;
  int depth = 1;
};

struct Flow {
  std::vector<Block> blocks;
  std::vector<FlowLoop> loops;  ///< outer ones before inner ones
};

/// The control flow of one section. What cannot be reached is marked so: padding, functions that are not
/// called, and the way on which BRA.DIV leads warps that have diverged where they hardly ever do. Loops
/// deeper than 32 are not looked for.
Flow flow_of(const Code& code);

/// Those blocks of a loop that no turn of it can avoid, inner loops apart.
std::vector<std::size_t> unavoidable_blocks(const Flow& flow, std::size_t loop);

}  // namespace tuner::sass
