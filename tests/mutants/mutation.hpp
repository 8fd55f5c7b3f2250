#pragma once
#include <string>

namespace mutants {

/// A mistake that a programmer could have made, and the test that must notice.
struct Mutation {
  std::string name;  ///< the promise that it breaks, in words joined by `-`; unique
  std::string room;  ///< the list that it is in, `measure`
  int line = 0;      ///< of its name, in that list

  std::string file;         ///< from the root of the repository
  std::string after;        ///< where not empty: the place is the first behind this text, which is there once
  std::string original;     ///< an expression, whole statements, or a piece of a text that is embedded
  std::string replacement;  ///< of the same kind; no statement at all removes

  std::string program;     ///< the test program that fails
  std::string test_files;  ///< of it, with blanks between them; empty: all of them
  std::string test_case;   ///< and its case; empty: any of them
  std::string equivalent;  ///< where not empty: why nothing can tell it from the original
};

}  // namespace mutants
