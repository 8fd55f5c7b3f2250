#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/model/trial.hpp"

namespace tuner::cli::answers {

/// What answers are written with.
struct Style {
  std::function<std::string(const model::Digest&)> id;  ///< of a trial, as short as it may be
  std::size_t columns = 80;                             ///< no line is wider
};

/// Why the winner of an answer may be a trial that was dropped.
inline constexpr const char* approximate_text =
    "dropped early, so its time is approximate: it is the best known, since none that was measured whole is "
    "faster";

/// `4096`, `512x1024x256`, `4096 pad 32`: of a problem whose element type is said elsewhere.
std::string size_label(const model::Problem& problem);

/// What the configurations of each kernel have in common, which is said once for a table.
class Common {
 public:
  explicit Common(const std::vector<const model::TrialRecord*>& trials);

  bool has_one_kernel() const { return m_by_kernel.size() == 1; }
  /// The values that are the trial's own: `TILE_M=128 STAGES=4`, `-` where there are none.
  std::string rest(const model::TrialRecord& trial) const;
  /// `everywhere sgemm TILE_K=8`, a line for each kernel that there is something to say of.
  std::string text(std::size_t columns) const;

 private:
  std::map<std::string, std::vector<model::Assignment>> m_by_kernel;
};

/// `TILE_K 32 → 16, STAGES 4 → 3`: what must be changed of `from` to have `to`; empty where nothing.
std::string change_text(const model::Configuration& from, const model::Configuration& to);

}  // namespace tuner::cli::answers
