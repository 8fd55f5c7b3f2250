#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/measure/inputs.hpp"

namespace tuner::measure {

/// Where the wrong numbers of an output lie, told from the output alone: rows are what repeats at one
/// distance. Numbers that the reference left alone count with the wrong ones before them, so that padding
/// behind the last column is part of the edge.
class WrongPlace {
 public:
  enum class Kind {
    all,        ///< every number that the reference wrote
    edges,      ///< the end of each row, the last rows, or both; less than half of the rows and of each
    one_tile,   ///< one piece of the output: runs of one length at one distance
    repeated,   ///< such runs throughout
    elsewhere,  ///< none of these
  };

  /// `rows`: the distances at which rows may begin, in numbers.
  explicit WrongPlace(std::vector<std::int64_t> rows) : m_rows(std::move(rows)) {}
  /// The next number. `judged`: the reference wrote it.
  void add(bool wrong, bool judged);
  Kind kind() const;
  /// For people: `the last 7`, `8 rows of 16, 1024 apart`; empty where it is elsewhere.
  std::string text() const;

 private:
  struct Run {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t length() const { return end - begin; }
  };
  /// Whether the first `count` runs have one length, and all of them one distance.
  bool is_regular(std::size_t count) const;
  /// Whether the runs are the ends of all rows, and maybe whole rows behind them.
  bool is_ends_of_rows() const;
  std::int64_t distance() const { return m_runs[1].begin - m_runs[0].begin; }

  std::vector<std::int64_t> m_rows;
  std::int64_t m_seen = 0;
  std::int64_t m_judged = 0;
  std::int64_t m_wrong = 0;
  bool m_in_run = false;
  bool m_too_many = false;
  std::vector<Run> m_runs;
};

/// Reads output `index`, which was found wrong, and what was expected of it, and tells for people the first
/// few wrong numbers, where all of them lie, and what that suggests: `y[0] = 1.93, expected 0.93 ± 2e-07`.
/// Empty where order does not count, since numbers then have no places. Of an output of more than 16 Mi
/// numbers the first so many from `first_wrong` on are read, and nothing is told of where they lie. Throws
/// device::DeviceFault.
std::string wrong_values(device::Device& device, const model::Plan& plan, const Inputs& inputs,
                         std::size_t index, std::int64_t first_wrong);

}  // namespace tuner::measure
