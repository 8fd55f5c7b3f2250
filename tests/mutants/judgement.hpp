#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "tests/mutants/mutation.hpp"
#include "tests/mutants/test_run.hpp"

namespace mutants {

enum class Fate {
  killed,
  timed_out,        ///< killed too: its test never came to an end
  killed_by_whole,  ///< by the whole suite, where its own test let it live
  survived,
  equivalent,      ///< survived, and the list says why
  not_equivalent,  ///< killed, though the list says that nothing can
  no_test,         ///< its test fails without it, or is not there
};

struct Judgement {
  const Mutation* mutation = nullptr;
  Fate fate = Fate::survived;
  std::string by;  ///< the first case that failed
  std::chrono::milliseconds time{};
};

/// Runs every mutation's test, `jobs` at a time: first without any mutant, then with its own. `whole` has
/// survivors tried with the whole suite, which has to be built. A judgement a mutation, in their order.
std::vector<Judgement> judge(const std::vector<const Mutation*>& mutations, const TestPrograms& programs,
                             int jobs, bool whole);

/// A row for each room with how many were killed, then every mutation that was not.
std::string table_of(const std::vector<Judgement>& judgements);
/// A line for each mutation: its fate, its name, and what killed it.
std::string lines_of(const std::vector<Judgement>& judgements);
/// Whether there is anything to be done: a survivor that the list does not explain, or a test that is no
/// good.
bool has_trouble(const std::vector<Judgement>& judgements);

}  // namespace mutants
