#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "tuner/model/trial_status.hpp"

namespace tuner::search {

/// How the trial of one candidate ended.
struct Result {
  model::TrialStatus status = model::TrialStatus::ok;
  std::optional<double> time_ns;  ///< absent where there is none to go by: every status but ok and dropped
};

/// Which of the candidates 0 … size-1 comes next. A driver may ask for several before it reports any of them,
/// so that compiling can run ahead of measuring. Every strategy proposes a candidate at most once.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// As --strategy takes it and runs record it.
  virtual std::string_view name() const = 0;
  /// The next candidate. Nothing: none before one of those under way is reported; with none under way, the
  /// search is over.
  virtual std::optional<std::size_t> next() = 0;
  /// Says how `candidate` ended: one that next() gave, or one whose result was known before (a resumed
  /// sweep), which is not proposed any more.
  virtual void report(std::size_t candidate, const Result& result) = 0;
};

}  // namespace tuner::search
