#include "tests/mutants/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <future>
#include <map>

namespace mutants {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest_test = std::chrono::minutes(10);
constexpr milliseconds longest_suite = std::chrono::minutes(40);

const char* word_of(Fate fate) {
  constexpr std::array words = {"killed",     "timed out",      "killed by the whole suite", "SURVIVED",
                                "equivalent", "NOT EQUIVALENT", "TEST FAILS WITHOUT IT"};
  return words[static_cast<std::size_t>(fate)];
}

/// Calls `work` with every index below `count`, the next as soon as one of `jobs` threads is free. Throws
/// what `work` threw first.
template <class Work>
void share(std::size_t count, int jobs, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto go_on = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> others;
  for (int job = 1; job < jobs; ++job) others.push_back(std::async(std::launch::async, go_on));
  go_on();
  for (std::future<void>& other : others) other.get();
}

TestName test_of(const Mutation& mutation) {
  return {mutation.program, mutation.test_files, mutation.test_case};
}

class Judge {
 public:
  Judge(const TestPrograms& programs, int jobs, bool whole)
      : m_programs(programs), m_jobs(jobs), m_whole(whole) {}

  std::vector<Judgement> all(const std::vector<const Mutation*>& mutations) {
    run_without_mutants(mutations);
    std::vector<Judgement> judgements(mutations.size());
    share(mutations.size(), m_jobs, [&](std::size_t i) {
      judgements[i] = one(*mutations[i]);
      std::fputs(lines_of({judgements[i]}).c_str(), stderr);
    });
    return judgements;
  }

 private:
  void run_without_mutants(const std::vector<const Mutation*>& mutations) {
    for (const Mutation* mutation : mutations) m_normal.emplace(test_of(*mutation), TestRun{});
    std::vector<std::pair<const TestName, TestRun>*> tests;
    for (auto& test : m_normal) tests.push_back(&test);
    share(tests.size(), m_jobs,
          [&](std::size_t i) { tests[i]->second = m_programs.run(tests[i]->first, "", longest_test); });
  }

  Judgement one(const Mutation& mutation) const {
    const TestRun& normal = m_normal.at(test_of(mutation));
    if (!normal.passed) return {&mutation, Fate::no_test, normal.failed_case, normal.time};
    const milliseconds limit = std::chrono::seconds(20) + 5 * normal.time;
    const TestRun run = m_programs.run(test_of(mutation), mutation.name, limit);
    if (!run.passed && !mutation.equivalent.empty())
      return {&mutation, Fate::not_equivalent, run.failed_case, run.time};
    if (run.timed_out) return {&mutation, Fate::timed_out, run.failed_case, run.time};
    if (!run.passed) return {&mutation, Fate::killed, run.failed_case, run.time};
    if (!mutation.equivalent.empty()) return {&mutation, Fate::equivalent, "", run.time};
    if (!m_whole) return {&mutation, Fate::survived, "", run.time};
    const TestRun suite = m_programs.run_all(mutation.name, longest_suite);
    return {&mutation, suite.passed ? Fate::survived : Fate::killed_by_whole, suite.failed_case,
            run.time + suite.time};
  }

  const TestPrograms& m_programs;
  int m_jobs;
  bool m_whole;
  std::map<TestName, TestRun> m_normal;  ///< without any mutant
};

struct Tally {
  int all = 0;
  int killed = 0;
  int timed_out = 0;
  int survived = 0;
  int equivalent = 0;
  int trouble = 0;

  void add(Fate fate) {
    ++all;
    if (fate == Fate::killed || fate == Fate::timed_out || fate == Fate::killed_by_whole) ++killed;
    if (fate == Fate::timed_out) ++timed_out;
    if (fate == Fate::survived) ++survived;
    if (fate == Fate::equivalent) ++equivalent;
    if (fate == Fate::not_equivalent || fate == Fate::no_test) ++trouble;
  }

  /// Of those that can be told from the original.
  std::string line(std::string_view name) const {
    const int told = std::max(1, all - equivalent);
    return fmt::format("{:<10}{:>10}{:>8}{:>11}{:>10}{:>12}{:>9}{:>7.1f} %\n", name, all, killed, timed_out,
                       survived, equivalent, trouble, 100.0 * killed / told);
  }
};

}  // namespace

std::vector<Judgement> judge(const std::vector<const Mutation*>& mutations, const TestPrograms& programs,
                             int jobs, bool whole) {
  return Judge(programs, jobs, whole).all(mutations);
}

std::string table_of(const std::vector<Judgement>& judgements) {
  std::map<std::string, Tally> rooms;
  Tally total;
  std::string others;
  for (const Judgement& judgement : judgements) {
    rooms[judgement.mutation->room].add(judgement.fate);
    total.add(judgement.fate);
    const bool killed = judgement.fate == Fate::killed || judgement.fate == Fate::timed_out;
    if (!killed) others += lines_of({judgement});
  }
  std::string result = "room       mutations  killed  timed out  survived  equivalent  trouble   killed\n";
  for (const auto& [room, tally] : rooms) result += tally.line(room);
  result += total.line("all");
  return others.empty() ? result : result + "\n" + others;
}

std::string lines_of(const std::vector<Judgement>& judgements) {
  std::string result;
  for (const Judgement& judgement : judgements) {
    const Mutation& mutation = *judgement.mutation;
    result += fmt::format("{}: {}: {} ({:.1f} s){}{}\n", mutation.room, mutation.name,
                          word_of(judgement.fate), static_cast<double>(judgement.time.count()) / 1000,
                          judgement.by.empty() ? "" : ": ", judgement.by);
  }
  return result;
}

bool has_trouble(const std::vector<Judgement>& judgements) {
  return std::ranges::any_of(judgements, [](const Judgement& judgement) {
    return judgement.fate == Fate::survived || judgement.fate == Fate::not_equivalent ||
           judgement.fate == Fate::no_test || judgement.fate == Fate::killed_by_whole;
  });
}

}  // namespace mutants
