#include "db/best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "db/case_finder.hpp"
#include "db/finals.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/util/text.hpp"

namespace db {
namespace {

using tuner::model::Digest;
using tuner::model::Problem;
using tuner::model::TrialRecord;
using tuner::model::UsageError;

/// Norm of log2(measured / wanted) over the dimensions; absent where their numbers differ. Logarithms,
/// because what suits 1024 suits 1536 about as well as 768.
std::optional<double> distance(const Problem& measured, const std::vector<std::int64_t>& wanted) {
  if (wanted.size() != 1 && wanted.size() != measured.sizes.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < measured.sizes.size(); ++i) {
    const auto want = static_cast<double>(wanted.size() == 1 ? wanted.front() : wanted[i]);
    const double steps = std::log2(static_cast<double>(measured.sizes[i].value) / want);
    sum += steps * steps;
  }
  return std::sqrt(sum);
}

void require_sizes(const BestQuery& query) {
  for (const std::int64_t size : query.sizes) {
    if (size <= 0) throw UsageError(fmt::format("{} is not a size: sizes are positive", size));
  }
}

tuner::model::CaseName name_of(const Case& tuning_case) {
  return {tuning_case.problem, tuning_case.environment};
}

/// Whether its class, type and padding are among those asked for.
bool is_asked_for(const Case& tuning_case, const BestQuery& query) {
  const Problem& problem = tuning_case.problem;
  if (query.row_padding && problem.row_padding != *query.row_padding) return false;
  if (query.type && problem.type != *query.type) return false;
  const tuner::model::Environment& comparison = tuning_case.environment;
  if (!query.method.empty() && !comparison.method.starts_with(query.method + '-')) return false;
  if (!query.l2.empty() && comparison.l2 != query.l2) return false;
  if (!query.execution.empty() && comparison.execution_word() != query.execution) return false;
  const std::string clock = comparison.clock_mhz > 0 ? "" : ", " + comparison.clock_text();
  const std::string text = tuner::util::lower(comparison.text() + clock);
  return text.find(tuner::util::lower(query.part_of_environment)) != std::string::npos;
}

/// Whether it has a time to answer with, too.
bool may_answer(const Case& tuning_case, const BestQuery& query) {
  return tuning_case.ok + tuning_case.dropped > 0 && is_asked_for(tuning_case, query);
}

BestAnswer answer_for(Case tuning_case, double distance) {
  BestAnswer answer;
  answer.tuning_case = std::move(tuning_case);
  answer.distance = distance;
  answer.exact = distance == 0;
  return answer;
}

/// The cases to answer for: of each kind of problem and class the one nearest to what was asked, in the order
/// of `all`.
std::vector<BestAnswer> nearest(const std::vector<Case>& all, const BestQuery& query) {
  std::vector<BestAnswer> answers;
  std::map<std::pair<std::string, Digest>, std::size_t> place;
  const Case* unfit = nullptr;
  bool fits = false;
  for (const Case& tuning_case : all) {
    if (!may_answer(tuning_case, query)) continue;
    const Problem& problem = tuning_case.problem;
    const auto away = distance(problem, query.sizes);
    if (!away) {
      unfit = &tuning_case;
      continue;
    }
    fits = true;
    const auto [known, is_new] =
        place.try_emplace({problem.kind(), tuning_case.environment.key()}, answers.size());
    if (is_new)
      answers.push_back(answer_for(tuning_case, *away));
    else if (*away < answers[known->second].distance)
      answers[known->second] = answer_for(tuning_case, *away);
  }
  if (!fits && unfit != nullptr) {
    throw UsageError(
        fmt::format("{} numbers were given, but problems of {} have {} ({})", query.sizes.size(),
                    unfit->problem.family, unfit->problem.sizes.size(), unfit->problem.dimension_names()),
        "give one number for all, or one for each: --size 512x1024x256");
  }
  return answers;
}

double time_ns(const TrialRecord& trial) {
  return trial.outcome.measurement->median_ns;
}

bool is_whole(const TrialRecord& trial) {
  return tuner::model::has_trusted_time(trial.outcome.status);
}

/// The trials of a case that `query` may be answered with: what competes, and what was dropped early. Of
/// kernels that may not win only `also`.
std::vector<TrialRecord> candidates(const Connection& db, const Case& tuning_case, const BestQuery& query,
                                    const Digest& also = {}) {
  TrialFilter filter = trials_of(tuning_case.problem, tuning_case.environment);
  filter.kernel = query.kernel;
  std::optional<SameBits> bits;
  if (query.same_bits) bits.emplace(db, *query.same_bits, name_of(tuning_case));
  std::vector<TrialRecord> list;
  for (const auto status : {tuner::model::TrialStatus::ok, tuner::model::TrialStatus::dropped}) {
    filter.status = status;
    for (TrialRecord& trial : trials(db, filter)) {
      if (!tuner::model::may_win(trial.role) && trial.key != also) continue;
      if (!bits || bits->admits(trial)) list.push_back(std::move(trial));
    }
  }
  return list;
}

/// The least time that a trial ever had: finals are of other clocks than races.
constexpr const char* least_of_trial =
    "SELECT min(median_ns) FROM measurements WHERE trial = ? AND status = 'ok'";

/// Completes answers that name their case.
class Answers {
 public:
  Answers(const Connection& db, const BestQuery& query)
      : m_db(db),
        m_query(query),
        m_finder(db),
        m_checker(db),
        m_searches(db),
        m_dropped(db, sql("count_dropped")),
        m_least(db, least_of_trial) {}

  /// Without the cases in which nothing may win.
  std::vector<BestAnswer> complete(std::vector<BestAnswer> answers) {
    std::erase_if(answers, [&](BestAnswer& answer) { return !complete(answer); });
    return answers;
  }

 private:
  bool complete(BestAnswer& answer) {
    const Digest tuning_case = case_id(answer.tuning_case.problem, answer.tuning_case.environment);
    if (!(m_query.same_bits ? find_of_same_bits(answer, tuning_case) : find(answer, tuning_case)))
      return false;
    const std::string& kernel = m_query.kernel;
    answer.untuned = m_finder.untuned(tuning_case, answer.winner.key);
    answer.baselines = m_finder.baselines(tuning_case);
    answer.ceilings = ceilings(m_db, answer.tuning_case.environment.device);
    answer.searched = m_searches.searched(tuning_case, kernel);
    answer.settled = m_searches.settled(tuning_case, kernel);
    answer.device_kind = m_finder.kind_of(answer.tuning_case.environment.device);
    return true;
  }

  /// Whom the view `winner` names.
  bool find(BestAnswer& answer, const Digest& tuning_case) {
    const std::string& kernel = m_query.kernel;
    const auto winner = m_finder.winner(tuning_case, kernel);
    if (!winner) return false;
    answer.winner = m_finder.load(winner->trial);
    const double near_ns = answer.winner.outcome.measurement->median_ns * near_the_best;
    if (winner->final.empty()) {
      answer.had_final = !m_finder.last_finals(tuning_case).empty();
      answer.beats_final = !winner->finalist.empty();
      if (!answer.is_approximate()) load_tied(m_finder.tied(tuning_case, kernel, answer.winner), answer);
    } else {
      take_final(answer, tuning_case, winner->final);
      const auto counts = [&](const Digest& trial) {
        const auto its = m_finder.kernel_of_competitor(trial);
        return its && (kernel.empty() || *its == kernel);
      };
      load_tied(tied_with(*answer.final, winner->trial, counts), answer);
    }
    answer.newcomers = m_finder.newcomers(tuning_case, near_ns);
    // Near a winner that was dropped itself: how many others were.
    answer.dropped_near =
        answer.is_approximate()
            ? m_dropped.first(&Statement::Use::integer, tuning_case, kernel, near_ns).value() - 1
            : m_finder.dropped_near(tuning_case, kernel);
    return true;
  }

  /// The same rules as the view's, among the trials that give the bits asked for.
  bool find_of_same_bits(BestAnswer& answer, const Digest& tuning_case) {
    std::vector<TrialRecord> kept = candidates(m_db, answer.tuning_case, m_query);
    if (kept.empty()) return false;
    std::ranges::sort(kept, {}, [](const TrialRecord& one) { return std::pair(time_ns(one), one.key); });
    const auto whole = [&](const Digest& key) -> const TrialRecord* {
      const auto found = std::ranges::find(kept, key, &TrialRecord::key);
      return found == kept.end() || !is_whole(*found) ? nullptr : &*found;
    };
    const TrialRecord* finalist = nullptr;
    tuner::model::FinalRecord final;
    Digest final_id;
    for (const Digest& id : m_finder.last_finals(tuning_case)) {
      tuner::model::FinalRecord one = m_finder.final(id);
      const TrialRecord* named = whole(one.chosen);
      for (const auto& entry : one.entries)
        if (named == nullptr) named = whole(entry.trial);
      if (named == nullptr || (finalist != nullptr && time_ns(*finalist) <= time_ns(*named))) continue;
      finalist = named;
      final = std::move(one);
      final_id = id;
    }
    const auto newcomer = std::ranges::find_if(kept, [&](const TrialRecord& one) {
      return is_whole(one) && (finalist == nullptr || (entry_of(final, one.key) == nullptr &&
                                                       time_ns(one) < finalist->outcome.measurement->low_ns));
    });
    answer.winner = newcomer != kept.end() ? *newcomer : finalist != nullptr ? *finalist : kept.front();
    if (!is_whole(kept.front()) && !was_as_fast(kept, time_ns(kept.front()))) answer.winner = kept.front();
    answer.had_final = finalist != nullptr;
    answer.beats_final = answer.had_final && answer.winner.key != finalist->key;
    std::vector<Digest> tied;
    if (answer.had_final && !answer.beats_final) {
      take_final(answer, tuning_case, final_id);
      tied = tied_with(final, answer.winner.key, [&](const Digest& key) { return whole(key) != nullptr; });
    } else if (!answer.is_approximate()) {
      for (const TrialRecord& one : kept)
        if (is_whole(one) && one.key != answer.winner.key &&
            one.outcome.measurement->low_ns <= answer.winner.outcome.measurement->high_ns)
          tied.push_back(one.key);
    }
    load_tied(tied, answer);
    answer.dropped_near = std::ranges::count_if(kept, [&](const TrialRecord& one) {
      return !is_whole(one) && one.key != answer.winner.key &&
             time_ns(one) <= time_ns(answer.winner) * near_the_best;
    });
    return true;
  }

  /// Whether one that was measured whole ever took so little: a final's time may be of a lower clock.
  bool was_as_fast(const std::vector<TrialRecord>& kept, double ns) {
    return std::ranges::any_of(kept, [&](const TrialRecord& one) {
      return is_whole(one) && m_least.first(read_real, one.key).value().value_or(time_ns(one)) <= ns;
    });
  }

  void take_final(BestAnswer& answer, const Digest& tuning_case, const Digest& final) {
    answer.final = m_finder.final(final);
    answer.check = m_checker.check(tuning_case, final, *answer.final);
    const Digest& winner = answer.winner.key;
    auto entries = m_finder.bits_of_final(final);
    std::stable_partition(entries.begin(), entries.end(),
                          [&](const auto& one) { return one.first == winner; });
    answer.same_bits = bits_groups(entries);
  }

  void load_tied(const std::vector<Digest>& tied, BestAnswer& answer) {
    answer.tied_count = static_cast<std::int64_t>(tied.size());
    const std::size_t most = static_cast<std::size_t>(std::max(m_query.most_tied, 0));
    for (std::size_t i = 0; i < std::min(tied.size(), most); ++i)
      answer.tied.push_back(m_finder.load(tied[i]));
  }

  const Connection& m_db;
  const BestQuery& m_query;
  CaseFinder m_finder;
  FinalChecker m_checker;
  SearchFinder m_searches;
  Statement m_dropped;
  Statement m_least;
};

TrialFilter filter_of(const BestQuery& query) {
  TrialFilter filter;
  filter.family = query.family;
  filter.kernel = query.kernel;
  filter.device = query.device;
  filter.ceilings = !query.family.empty() || !query.kernel.empty();
  return filter;
}

}  // namespace

double times_as_long(const BestAnswer& answer, const TrialRecord& trial) {
  const double time_ns = trial.outcome.measurement->median_ns;
  const double winner_ns = answer.winner.outcome.measurement->median_ns;
  if (!answer.final) return time_ns / winner_ns;
  const auto* own = tuner::model::entry_of(*answer.final, answer.winner.key);
  const auto* entry = tuner::model::entry_of(*answer.final, trial.key);
  const double own_ratio = own != nullptr ? own->ratio : 1;
  if (entry != nullptr) return entry->ratio / own_ratio;
  const double raced_ns = answer.check.race_of_fastest(trial.gpu);
  return raced_ns > 0 ? time_ns / (raced_ns * own_ratio) : time_ns / winner_ns;
}

std::vector<BestAnswer> best(const Connection& db, const BestQuery& query) {
  require_sizes(query);
  const Snapshot snapshot(db);
  std::vector<BestAnswer> answers;
  if (query.sizes.empty())
    for (Case& one : cases_to_answer(db, query)) answers.push_back(answer_for(std::move(one), 0));
  else
    answers = nearest(cases(db, filter_of(query)), query);
  return Answers(db, query).complete(std::move(answers));
}

std::vector<Case> cases_to_answer(const Connection& db, const BestQuery& query) {
  std::vector<Case> list = cases(db, filter_of(query));
  std::erase_if(list, [&](const Case& one) { return !may_answer(one, query); });
  return list;
}

std::vector<Unanswered> unanswered(const Connection& db, const BestQuery& query,
                                   const std::vector<BestAnswer>& answers) {
  using Class = std::pair<std::string, Digest>;  // a kind of problem in a class
  const auto environment_of = [](const Case& tuning_case) {
    return Class(tuning_case.problem.kind(), tuning_case.environment.key());
  };
  const Snapshot snapshot(db);
  TrialFilter filter = filter_of(query);
  std::map<std::pair<Class, Digest>, Case> tried;
  std::set<Class> environments;
  for (const Case& tuning_case : cases(db, filter)) {
    environments.insert(environment_of(tuning_case));
    tried.emplace(std::pair(environment_of(tuning_case), problem_id(tuning_case.problem)), tuning_case);
  }
  filter.kernel.clear();
  Statement ended(db, sql("select_ended"));
  std::vector<Unanswered> list;
  for (Case& tuning_case : cases(db, filter)) {
    const bool is_wanted = query.sizes.empty() || distance(tuning_case.problem, query.sizes) == 0.0;
    if (!is_wanted || !is_asked_for(tuning_case, query) ||
        !environments.contains(environment_of(tuning_case)))
      continue;
    const bool is_answered = std::any_of(answers.begin(), answers.end(), [&](const BestAnswer& answer) {
      return answer.tuning_case.problem == tuning_case.problem &&
             answer.tuning_case.environment == tuning_case.environment;
    });
    if (is_answered) continue;
    const auto known = tried.find({environment_of(tuning_case), problem_id(tuning_case.problem)});
    Unanswered& one = list.emplace_back();
    one.tuning_case = known == tried.end() ? std::move(tuning_case) : known->second;
    if (known == tried.end()) continue;
    if (query.same_bits && one.tuning_case.ok + one.tuning_case.dropped > 0) {
      one.lacks_bits = SameBits(db, *query.same_bits, name_of(one.tuning_case)).lack(query.kernel);
      if (one.lacks_bits.empty()) one.lacks_bits = "no trial with a time gives the same bits";
    }
    one.ended = ended.all(
        [](Statement::Use& row) {
          return std::pair{read_enum<tuner::model::TrialStatus>(row), row.integer()};
        },
        case_id(one.tuning_case.problem, one.tuning_case.environment), query.kernel);
    one.only_libraries = one.ended.empty();
  }
  return list;
}

std::vector<BestAnswer> best_of_each(const Connection& db, const TrialFilter& filter,
                                     const std::optional<SameBitsAs>& same_bits) {
  const Snapshot snapshot(db);
  BestQuery query;
  query.same_bits = same_bits;
  query.kernel = filter.kernel;
  query.most_tied = std::numeric_limits<int>::max();
  std::vector<BestAnswer> answers;
  for (Case& tuning_case : cases(db, filter)) answers.push_back(answer_for(std::move(tuning_case), 0));
  return Answers(db, query).complete(std::move(answers));
}

std::map<std::string, double> least_ns_of_kernels(const Connection& db,
                                                  const tuner::model::CaseName& tuning_case) {
  Statement select(db,
                   "SELECT k.name, min(t.median_ns) FROM trials AS t INDEXED BY trials_of_case "
                   "JOIN kernels AS k ON k.id = t.kernel WHERE t.status <> '' AND t.tuning_case = ? "
                   "AND t.superseded = 0 AND t.status IN ('ok', 'dropped') GROUP BY k.name");
  std::map<std::string, double> least;
  for (auto row = select.use(case_id(tuning_case.problem, tuning_case.environment)); row.step();) {
    const std::string kernel = row.text();
    least[kernel] = row.real();
  }
  return least;
}

namespace {

double least_ns(const Connection& db, const tuner::model::Digest& trial, double otherwise) {
  return Statement(db, least_of_trial).first(read_real, trial).value().value_or(otherwise);
}

/// Of the trial that all ratios are to, as it raced.
double base_ns(const Connection& db, const BestAnswer& answer) {
  const tuner::model::Digest& base = answer.final ? answer.final->entries.front().trial : answer.winner.key;
  return least_ns(db, base, answer.winner.outcome.measurement->median_ns);
}

/// By the final where it was in that; else a time of the race is held against a time of the race.
double ratio_of(const Digest& trial, double median_ns, const std::string& gpu, const BestAnswer& answer,
                double base_ns) {
  if (answer.final)
    if (const auto* entry = tuner::model::entry_of(*answer.final, trial)) return entry->ratio;
  const double raced_ns = answer.final ? answer.check.race_of_fastest(gpu) : 0;
  return median_ns / (raced_ns > 0 ? raced_ns : base_ns);
}

Ranked ranked(TrialRecord trial, const BestAnswer& answer, double base_ns) {
  Ranked out;
  const auto* entry = answer.final ? tuner::model::entry_of(*answer.final, trial.key) : nullptr;
  out.in_final = entry != nullptr;
  out.ratio = ratio_of(trial.key, time_ns(trial), trial.gpu, answer, base_ns);
  out.ratio_low = entry != nullptr ? entry->ratio_low : out.ratio;
  out.ratio_high = entry != nullptr ? entry->ratio_high : out.ratio;
  out.trial = std::move(trial);
  return out;
}

}  // namespace

std::vector<Ranked> ranking(const Connection& db, const BestAnswer& answer, const BestQuery& query) {
  const double base = base_ns(db, answer);
  std::vector<Ranked> list;
  for (TrialRecord& trial : candidates(db, answer.tuning_case, query, answer.winner.key))
    list.push_back(ranked(std::move(trial), answer, base));
  const auto place = [&](const Ranked& one) {
    return std::tuple(one.trial.key != answer.winner.key, one.ratio, one.trial.key);
  };
  std::sort(list.begin(), list.end(), [&](const Ranked& a, const Ranked& b) { return place(a) < place(b); });
  return list;
}

FirstRanked first_ranked(const Connection& db, const BestAnswer& answer, const BestQuery& query,
                         std::size_t most) {
  const Snapshot snapshot(db);
  const double base = base_ns(db, answer);
  std::vector<std::tuple<bool, double, Digest>> places;
  Statement select(db, sql("select_to_rank"));
  const Digest tuning_case = case_id(answer.problem(), answer.environment());
  for (auto row = select.use(tuning_case, query.kernel, answer.winner.key); row.step();) {
    const Digest trial = row.digest();
    const double median_ns = row.real();
    places.emplace_back(trial != answer.winner.key, ratio_of(trial, median_ns, row.text(), answer, base),
                        trial);
  }
  const std::size_t kept = std::min(most, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(kept), places.end());
  FirstRanked first{{}, places.size() - kept};
  TrialLoader loader(db);
  for (std::size_t i = 0; i < kept; ++i)
    first.ranking.push_back(ranked(loader.load(std::get<Digest>(places[i])), answer, base));
  return first;
}

}  // namespace db
