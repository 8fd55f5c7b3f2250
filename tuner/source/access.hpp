#pragma once
#include <array>
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
  bool written_first = false;  ///< what is read has been written before
  bool atomic = false;
  bool handed_on = false;  ///< to something that is not looked into
};

/// Of each parameter of the function; of values nothing.
std::vector<PointerUse> pointer_uses(const Program& program, const ProgramFunction& function);

/// How a kernel walks through the buffer behind each of its parameters: the dimensions, outermost first. In
/// `C[row * n + col]` behind `row < m` they are `m` and `n`. Each is the name of an integer parameter, of the
/// kernel or of its template, `n / 4` or `n * m` of some, `gridDim.x` where an index is `blockIdx.x`, or the
/// number that a loop ends at or that a vector has of elements. Empty: the text does not say, or says
/// different things.
std::vector<std::vector<std::string>> indexed_shapes(const Program& program, const ProgramFunction& kernel);

/// That the numbers in a buffer are indices of another, as those of `column` in `x[column[i]]`.
struct HeldIndex {
  std::size_t of = 0;       ///< the other's parameter; the buffer's own: of none
  bool is_row = false;      ///< multiplied, as in `x[column[i] * width + j]`
  bool begins_row = false;  ///< element i is where row i begins, and i + 1 where it ends
};

/// What a kernel's text says so of the buffer behind each of its parameters.
std::vector<HeldIndex> held_indices(const ProgramFunction& kernel);

/// Integer parameters of a kernel, or `n / 4` or `n * m` of some, that its indices are below.
struct IndexBounds {
  /// Of what it computes from its block along x, y and z, as `n` of `i = blockIdx.x * 64 + threadIdx.x`
  /// behind `i < n`. Empty: none is, or several are.
  std::array<std::string, 3> along;
  std::vector<std::string> of_loops;  ///< of other indices, which loops count
};
IndexBounds index_bounds(const Program& program, const ProgramFunction& kernel);

/// `lda` and `n` of `A[row * lda + column]` behind `column < n`: integer parameters, for a row's length and
/// where it ends.
struct RowEnd {
  std::string length;
  std::string end;
};

/// Of the buffer behind a kernel's parameter, each once.
std::vector<RowEnd> row_ends(const Program& program, const ProgramFunction& kernel, std::size_t parameter);

/// What the text of a kernel does with its index along one axis.
struct SourceAxis {
  bool has_blocks = false;           ///< blockIdx occurs
  bool has_threads = false;          ///< threadIdx occurs
  std::string name;                  ///< of what a block is for: `row` of `row = blockIdx.x`
  std::vector<std::string> factors;  ///< what blockIdx, or its name, is multiplied with: `TILE`, `blockDim.x`
  std::vector<std::string> lone;     ///< those of them that stand on one side of it alone
  /// Such a factor where threadIdx is added by itself, or the step of a loop from threadIdx on: so many
  /// threads a block has.
  std::string threads;
  std::string each;  ///< what the sum of both is multiplied with: the elements of a thread
};

/// Of the body of a kernel, along x, y and z.
std::array<SourceAxis, 3> axes_of(Tokens body);

/// The function and all device functions that it calls, which their names alone tell.
std::vector<const ProgramFunction*> reached_functions(const Program& program,
                                                      const ProgramFunction& function);

/// All words in the bodies and signatures of these functions.
std::set<std::string_view> words_of(const std::vector<const ProgramFunction*>& functions);

}  // namespace tuner::source
