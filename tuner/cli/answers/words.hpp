#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/best.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {

/// What answers are written with.
struct Style {
  std::function<std::string(const model::Digest&)> id;  ///< of a trial, as short as it may be
  reports::Screen columns = {};                         ///< no line is wider; and whether it has colours
  /// Makes the commands in a sentence ask the database that the answer is of; empty: they are as they are.
  std::function<std::string(std::string)> in_same_database = {};
  /// `text` in such lines, two blanks before those behind the first.
  std::string wrapped(const std::string& text) const {
    return util::wrapped_text(in_same_database ? in_same_database(text) : text, columns, 2);
  }
};

/// Some of the answers that a question has.
using Chosen = std::vector<const db::BestAnswer*>;

/// Why the winner of an answer may be a trial that was dropped.
inline std::string approximate_text(const db::BestAnswer& answer) {
  const std::string text = "dropped early, so its time is approximate";
  return answer.is_by_rule ? text
                           : text + ": it is the best known, since none that was measured whole is faster";
}

/// What the configurations of each kernel have in common, which is said once for a table.
class Common {
 public:
  explicit Common(const std::vector<const model::TrialRecord*>& trials);

  bool has_one_kernel() const { return m_by_kernel.size() == 1; }
  /// The values that are the trial's own: `TILE_M=128 STAGES=4`, `-` where there are none.
  std::string rest(const model::TrialRecord& trial) const;
  /// The table that `make` makes with a column of configurations, where there is room for it; else without,
  /// and below it each configuration behind its labels. Then what the trials have in common.
  std::string table(const std::function<reports::Table(bool with_configurations)>& make,
                    const std::vector<std::pair<std::string, const model::TrialRecord*>>& labelled,
                    const reports::Screen& columns) const;
  /// `the same in all rows: sgemm TILE_K=8`; of several kernels `the same in all rows of sgemm: TILE_K=8`, a
  /// line for each that there is something to say of.
  std::string text(std::size_t columns) const;

 private:
  std::map<std::string, std::vector<model::Assignment>> m_by_kernel;
};

/// `512, 1024: TILE_K=8`, each on lines of its own that begin with `head`.
std::string labelled_text(const reports::LabelledTexts& texts, std::size_t columns,
                          const std::string& head = "");

/// Names with their values in one block; what has no value is not shown.
using Facts = std::vector<std::pair<std::string, std::string>>;
std::string block_of(const Facts& facts, const reports::Screen& screen);

/// `TILE_K 32 → 16, STAGES 4 → 3`: what must be changed of `from` to have `to`; empty where nothing.
std::string change_text(const model::Configuration& from, const model::Configuration& to);

}  // namespace tuner::cli::answers
