#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "db/queries.hpp"
#include "db/statement.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// How the times of a final stand to each other, and to those of the race. A GPU's clock falls when it is
/// hot, and that of the last rounds, which the fastest may run alone, is another than that of the rounds
/// before. What the finalists' ratios say holds all the same: they were sampled in turn.
struct FinalCheck {
  /// Of the fastest, alone or with those that are left: its time in the final.
  double final_ns = 0;
  double final_mhz = 0;  ///< 0: unknown, as the next ones
  /// Its time in the rounds of its rivals: the median of their times by their ratios. 0: it had none.
  double in_turn_ns = 0;
  double rivals_mhz = 0;
  /// Its own time in the race, 0: unknown, as the clock.
  double own_race_ns = 0;
  double own_race_mhz = 0;
  /// What it takes in a race, as all finalists have it: the median of their races by their ratios. 0:
  /// unknown.
  double raced_ns = 0;
  /// The same, of those that raced on one GPU, by its uuid.
  std::map<std::string, double> raced_on;
  /// Trials that raced faster than `final_ns` and were not in the final, where nothing explains that.
  std::int64_t faster_elsewhere = 0;
  tuner::model::Digest fastest_elsewhere;
  double fastest_elsewhere_ns = 0;

  /// Whether its time is of another clock than those that it is shown beside.
  bool is_off_clock() const;
  /// Whether the race says otherwise, and no ratio tells which is right.
  bool is_unsettled() const { return faster_elsewhere > 0; }
  /// By what a time of the race, taken on that GPU, is divided to be held against the fastest; 0: unknown. Of
  /// a GPU that no finalist raced on, or of an unknown one, all of them tell.
  double race_of_fastest(const std::string& gpu) const;
};

class FinalChecker {
 public:
  explicit FinalChecker(const Connection& db);
  /// `record`: of the final `id`.
  FinalCheck check(const tuner::model::Digest& tuning_case, const tuner::model::Digest& id,
                   const tuner::model::FinalRecord& record);

 private:
  Statement m_times, m_elsewhere;
};

/// All finals of the cases that `filter` selects (its family, device, class and problem count; its
/// `superseded` for what they chose), by problem and class, oldest first.
std::vector<tuner::model::FinalRecord> finals(const Connection& db, const TrialFilter& filter = {});

/// The last final that `trial` took part in: it knew of the others, or knew as many. No clock decides.
std::optional<tuner::model::FinalRecord> final_with(const Connection& db, const tuner::model::Digest& trial);
/// The last final that both took part in, whichever is named first.
std::optional<tuner::model::FinalRecord> final_between(const Connection& db, const tuner::model::Digest& a,
                                                       const tuner::model::Digest& b);

/// What a device of this model can do at most, by kind and type; of every device where none is named.
std::vector<tuner::model::Ceiling> ceilings(const Connection& db, const std::string& device = "");

/// Finals with their entries. Where the fastest was forgotten, the first of those tied with it that is left
/// takes its place: ratios are by its time.
class FinalReader {
 public:
  /// `rest`: WHERE clause and order, of finals f with what join_case() joins.
  FinalReader(const Connection& db, const std::string& rest);
  /// `values` are those of the parameters of `rest`.
  template <class... Values>
  std::vector<tuner::model::FinalRecord> all(const Values&... values) {
    return m_final.all([this](Statement::Use& row) { return read_one(row); }, values...);
  }
  template <class... Values>
  std::optional<tuner::model::FinalRecord> first(const Values&... values) {
    return m_final.first([this](Statement::Use& row) { return read_one(row); }, values...);
  }

 private:
  tuner::model::FinalRecord read_one(Statement::Use& row);

  Statement m_final, m_entries, m_coverage;
};

}  // namespace db
