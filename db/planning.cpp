#include "db/planning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "db/json.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"

namespace db {
namespace {

using tuner::model::CaseName;
using tuner::model::Configuration;
using tuner::model::Digest;
using tuner::model::Elsewhere;
using tuner::model::ElsewhereQuery;
using tuner::model::Environment;
using tuner::model::Problem;

/// Problems of the class itself, and other environments, at most.
constexpr std::size_t most_problems = 4;
constexpr std::size_t most_environments = 4;
/// Of each, the fastest, about so many of the others, and so many that failed; at most.
constexpr std::int64_t most_fastest = 800;
constexpr double most_slower = 300;
constexpr std::int64_t most_failed = 100;

struct Place {
  Digest tuning_case;
  CaseName name;
  bool is_today = true;
  std::int64_t timed = 0;
};

std::vector<Place> all_places(const Connection& db, const ElsewhereQuery& query) {
  const Problem& problem = query.tuning_case.problem;
  Statement select(db, sql("select_elsewhere"));
  std::vector<Place> places;
  for (auto row = select.use(problem.family, cuda_name(problem.type)); row.step();) {
    Place place;
    place.tuning_case = row.digest();
    read_case(row, place.name);
    place.is_today = !row.flag();
    place.timed = row.integer();
    const bool is_excepted =
        place.name == query.tuning_case ||
        std::find(query.except.begin(), query.except.end(), place.name) != query.except.end();
    if (place.is_today && is_excepted) continue;
    places.push_back(std::move(place));
  }
  return places;
}

/// The nearest problems of the class itself; then of each other class, those on the same device first, then
/// those that know most, the nearest problem. What specs were before comes after what they are.
std::vector<Place> nearest(std::vector<Place> places, const CaseName& tuning_case) {
  const auto rank = [&](const Place& place) {
    const bool same_environment = place.name.environment == tuning_case.environment;
    const bool same_device = place.name.environment.device == tuning_case.environment.device;
    return std::tuple(!same_environment, !place.is_today, !same_device,
                      distance(place.name.problem, tuning_case.problem), -place.timed, place.tuning_case);
  };
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) { return rank(a) < rank(b); });
  std::vector<Place> chosen;
  std::size_t problems = 0;
  std::set<Digest> environments;
  for (Place& place : places) {
    if (place.name.environment == tuning_case.environment) {
      if (problems++ >= most_problems) continue;
    } else if (environments.size() >= most_environments ||
               !environments.insert(place.name.environment.key()).second) {
      continue;
    }
    chosen.push_back(std::move(place));
  }
  return chosen;
}

/// A kernel whose parameters were others once is there for each time.
using Kernels = std::map<Digest, std::string>;

Kernels wanted_kernels(const Connection& db, const ElsewhereQuery& query) {
  Statement select(db, "SELECT id, name FROM kernels WHERE family = ?");
  Kernels kernels;
  for (auto row = select.use(query.tuning_case.problem.family); row.step();) {
    const Digest id = row.digest();
    std::string name = row.text();
    if (std::find(query.kernels.begin(), query.kernels.end(), name) != query.kernels.end())
      kernels.emplace(id, std::move(name));
  }
  return kernels;
}

/// Along the index trials_of_case, word for word its condition.
std::string select_results(const Kernels& kernels, const std::string& rest) {
  std::vector<std::string> ids;
  for (const auto& [id, kernel] : kernels) ids.push_back(fmt::format("x'{}'", id.hex()));
  return fmt::format(
      "SELECT kernel, configuration, status, median_ns FROM trials INDEXED BY trials_of_case "
      "WHERE status <> '' AND tuning_case = ? AND superseded = ? AND kernel IN ({}) AND {}",
      fmt::join(ids, ", "), rest);
}

/// In the order of its names.
Configuration read_unordered(Statement::Use& row) {
  return value_of<Configuration>(parse_json(row.text()), "configuration");
}

/// Identifiers are digests: those below this one are so large a part of all, drawn by nothing but themselves.
Digest first_part(double share) {
  std::array<std::uint8_t, 16> bytes{};
  const double most = std::numeric_limits<std::uint32_t>::max();
  const auto bound = static_cast<std::uint32_t>(std::clamp(share, 0.0, 1.0) * most);
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(bound >> (24 - 8 * i));
  return Digest::from_bytes(bytes);
}

class ElsewhereReader {
 public:
  /// `kernels`: at least one.
  ElsewhereReader(const Connection& db, Kernels kernels)
      : m_kernels(std::move(kernels)),
        m_fastest(db, select_results(m_kernels, "median_ns IS NOT NULL ORDER BY median_ns LIMIT ?")),
        m_slower(db, select_results(m_kernels, "median_ns > ? AND configuration < ?")),
        m_failed(db,
                 select_results(m_kernels,
                                "median_ns IS NULL AND status NOT IN ('skipped', 'quarantined') LIMIT ?")),
        m_configuration(db, "SELECT json FROM configurations WHERE id = ?") {}

  Elsewhere read(const Place& place) {
    Elsewhere elsewhere{place.name, place.is_today, {}};
    add(m_fastest.use(place.tuning_case, !place.is_today, most_fastest), elsewhere);
    if (place.timed > most_fastest && !elsewhere.results.empty()) {
      // A random part, and the same configurations at every size, which then are read once.
      const double share = most_slower / static_cast<double>(place.timed - most_fastest);
      const double slowest_ns = *elsewhere.results.back().median_ns;
      add(m_slower.use(place.tuning_case, !place.is_today, slowest_ns, first_part(share)), elsewhere);
    }
    add(m_failed.use(place.tuning_case, !place.is_today, most_failed), elsewhere);
    return elsewhere;
  }

 private:
  void add(Statement::Use&& row, Elsewhere& out) {
    while (row.step()) {
      Elsewhere::Known known;
      known.kernel = m_kernels.at(row.digest());
      known.configuration = configuration(row.digest());
      known.status = read_enum<tuner::model::TrialStatus>(row);
      known.median_ns = read_real(row);
      out.results.push_back(std::move(known));
    }
  }

  /// Each is read once, however many sizes know it. The order in which a spec writes its names is of no use
  /// here, and would cost as much again.
  std::shared_ptr<const Configuration> configuration(const Digest& id) {
    auto& known = m_configurations[id];
    if (!known) known = std::make_shared<const Configuration>(*m_configuration.first(read_unordered, id));
    return known;
  }

  Kernels m_kernels;
  Statement m_fastest, m_slower, m_failed, m_configuration;
  std::unordered_map<Digest, std::shared_ptr<const Configuration>, tuner::model::DigestHash> m_configurations;
};

}  // namespace

std::vector<Elsewhere> find_elsewhere(const Connection& db, const ElsewhereQuery& query) {
  Kernels kernels = wanted_kernels(db, query);
  if (kernels.empty()) return {};
  ElsewhereReader reader(db, std::move(kernels));
  std::vector<Elsewhere> found;
  for (const Place& place : nearest(all_places(db, query), query.tuning_case)) {
    Elsewhere elsewhere = reader.read(place);
    if (!elsewhere.results.empty()) found.push_back(std::move(elsewhere));
  }
  return found;
}

std::vector<tuner::model::TriedConfiguration> find_tried(const Connection& db, const Digest& tuning_case,
                                                         const std::string& kernel) {
  Statement select(db,
                   "SELECT t.id, f.json, t.status, t.median_ns, t.output_bits_inputs, t.output_bits_outputs, "
                   "t.energy_mean_j "
                   "FROM trials AS t INDEXED BY trials_of_case "
                   "JOIN kernels AS k ON k.id = t.kernel JOIN configurations AS f ON f.id = t.configuration "
                   "WHERE t.status <> '' AND t.tuning_case = ? AND k.name = ?");
  const auto read = [](Statement::Use& row) {
    tuner::model::TriedConfiguration tried;
    tried.result.trial = row.digest();
    tried.configuration = read_unordered(row);
    tried.result.status = read_enum<tuner::model::TrialStatus>(row);
    tried.result.median_ns = read_real(row);
    tried.result.output_bits = read_bits(row);
    tried.result.energy_j = read_real(row);
    return tried;
  };
  return select.all(read, tuning_case, kernel);
}

namespace {

/// Waits between sessions tell nothing of a trial. A run says on its command line what its objective is.
constexpr const char* gaps_of_case =
    "SELECT gap, median_ns, has_energy FROM (SELECT 86400 * (julianday(t.measured_at) - "
    "lag(julianday(t.measured_at)) OVER (PARTITION BY t.run ORDER BY t.sequence)) AS gap, t.median_ns, "
    "coalesce(r.command_line LIKE '%--objective_e%', 0) AS has_energy "
    "FROM trials AS t LEFT JOIN runs AS r ON r.id = t.run WHERE t.tuning_case = ?1) "
    "WHERE gap > 0 AND gap < 120 ORDER BY gap";

struct Gap {
  double seconds = 0;
  double median_ns = 0;  ///< not a number: it has no time
  bool has_energy = false;
};

struct PacedCase {
  Digest id;
  Problem problem;
  Environment environment;
};

double median_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !(value > 0); });
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double log_size(const Problem& problem) {
  double sum = 0;
  for (const auto& size : problem.sizes)
    sum += std::log(static_cast<double>(std::max<std::int64_t>(size.value, 1)));
  return sum;
}

}  // namespace

std::vector<CompileTime> compile_times(const Connection& db, const std::string& family,
                                       const std::string& kernel, const std::string& compiler,
                                       const tuner::model::DeviceInfo& device, int most) {
  const auto read = [](Statement::Use& row) { return CompileTime{read_configuration(row), row.real()}; };
  return Statement(db, sql("select_compile_times"))
      .all(read, family, kernel, compiler, device.architecture, device.name, most);
}

bool measures_alike(const Environment& a, const Environment& b) {
  return a.device == b.device && a.method == b.method && a.l2 == b.l2 && a.execution == b.execution;
}

std::optional<Pace> pace(const Connection& db, const Problem& problem, const Environment& environment,
                         bool has_energy) {
  const auto read_case = [](Statement::Use& row) {
    PacedCase one;
    one.id = row.digest();
    one.problem = read_row<Problem>(row);
    one.environment = read_row<Environment>(row);
    return one;
  };
  std::vector<PacedCase> known = Statement(db, "SELECT n.id, " + columns_of<Problem>().names("p.") + ", " +
                                                   columns_of<Environment>().names("c.") +
                                                   " FROM problems AS p JOIN cases AS n ON n.problem = p.id "
                                                   "JOIN environments AS c ON c.id = n.environment "
                                                   "WHERE p.family = ? AND c.device = ? ORDER BY n.id")
                                     .all(read_case, problem.family, environment.device);
  const auto distance = [&](const PacedCase& other) {
    return std::pair(!measures_alike(other.environment, environment),
                     std::abs(log_size(other.problem) - log_size(problem)));
  };
  std::stable_sort(known.begin(), known.end(),
                   [&](const PacedCase& a, const PacedCase& b) { return distance(a) < distance(b); });
  const auto read_gap = [](Statement::Use& row) {
    const double seconds = row.real();
    const double median_ns = row.real();
    return Gap{seconds, median_ns, row.flag()};
  };
  Statement select(db, gaps_of_case);
  for (const PacedCase& candidate : known) {
    std::vector<Gap> gaps = select.all(read_gap, candidate.id);
    if (gaps.empty()) continue;
    const auto is_alike = [&](const Gap& gap) { return gap.has_energy == has_energy; };
    if (std::any_of(gaps.begin(), gaps.end(), is_alike))
      std::erase_if(gaps, [&](const Gap& gap) { return !is_alike(gap); });
    std::vector<double> times;
    for (const Gap& gap : gaps) times.push_back(gap.median_ns);
    return Pace{candidate.problem,
                candidate.environment,
                gaps[gaps.size() / 2].seconds,
                static_cast<std::int64_t>(gaps.size()),
                median_of(std::move(times)),
                gaps.front().has_energy};
  }
  return std::nullopt;
}

using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::PossibleFinal;
using tuner::model::TrialRecord;

PossibleFinalReader::PossibleFinalReader(const Connection& db)
    : m_fastest(
          db,
          "SELECT median_ns FROM trials WHERE tuning_case = ? AND competes = 1 ORDER BY median_ns LIMIT 1"),
      m_least(db, sql("select_least_time")),
      m_least_by_kernel(db, sql("select_least_times")),
      m_finalists(
          db,
          "SELECT id, median_ns FROM trials WHERE tuning_case = ? AND competes = 1 ORDER BY median_ns, id"),
      m_coverage(db, sql("select_coverage")),
      m_last_finals(db, "SELECT id FROM last_final WHERE tuning_case = ?"),
      m_considered(db, sql("select_considered")),
      m_entries(db,
                "SELECT e.trial, t.median_ns, t.gpu FROM final_entries AS e "
                "JOIN trials AS t ON t.id = e.trial AND t.competes = 1 WHERE e.final = ?"),
      m_newcomer(
          db,
          "SELECT t.id, t.median_ns FROM winner AS w JOIN trials AS t ON t.id = w.trial AND t.competes = 1 "
          "WHERE w.tuning_case = ? AND w.kernel IS NULL AND w.final IS NULL AND w.finalist IS NOT NULL"),
      m_cases(db),
      m_checker(db) {}

std::optional<double> PossibleFinalReader::best_ns(const Digest& tuning_case) {
  return m_fastest.first(&Statement::Use::real, tuning_case);
}

std::optional<double> PossibleFinalReader::least_ns(const std::vector<Digest>& trials) {
  std::optional<double> least_ns;
  for (const Digest& trial : trials) {
    const auto time_ns = m_least.first(read_real, trial).value();
    if (time_ns) least_ns = std::min(*time_ns, least_ns.value_or(*time_ns));
  }
  return least_ns;
}

std::optional<double> PossibleFinalReader::least_ns_beside(const std::set<std::string>& kernels,
                                                           const Digest& tuning_case) {
  for (auto row = m_least_by_kernel.use(tuning_case); row.step();) {
    const double time_ns = row.real();
    if (!kernels.contains(row.text())) return time_ns;
  }
  return std::nullopt;
}

std::vector<PossibleFinalReader::Raced> PossibleFinalReader::finalists(const Digest& tuning_case,
                                                                       const std::vector<Digest>& finals,
                                                                       double& unsettled_ns) {
  std::vector<Raced> found;
  for (const Digest& final : finals) {
    const FinalRecord record = m_cases.final(final);
    const FinalCheck check = m_checker.check(tuning_case, final, record);
    if (check.is_unsettled()) unsettled_ns = std::max(unsettled_ns, check.final_ns);
    for (auto row = m_entries.use(final); row.step();) {
      Raced raced;
      raced.trial = row.digest();
      const double ratio = entry_of(record, raced.trial)->ratio;
      const double time_ns = row.real();
      const double fastest_ns = check.race_of_fastest(row.text());
      raced.ns = fastest_ns > 0 ? fastest_ns * ratio : time_ns;
      const auto known = std::find_if(found.begin(), found.end(),
                                      [&](const Raced& other) { return other.trial == raced.trial; });
      if (known == found.end())
        found.push_back(raced);
      else
        known->ns = std::min(known->ns, raced.ns);
    }
  }
  return found;
}

std::vector<PossibleFinalReader::Raced> PossibleFinalReader::finalists(const Digest& tuning_case,
                                                                       std::vector<Raced> list, double within,
                                                                       double unsettled_ns) {
  double best_ns = std::numeric_limits<double>::infinity();
  std::set<Digest> known;
  for (const Raced& finalist : list) {
    best_ns = std::min(best_ns, finalist.ns);
    known.insert(finalist.trial);
  }
  const auto most_ns = [&] { return std::max(best_ns * within, unsettled_ns); };
  for (auto row = m_finalists.use(tuning_case); row.step();) {
    const Digest trial = row.digest();
    const double time_ns = row.real();
    if (known.contains(trial)) continue;
    best_ns = std::min(best_ns, time_ns);
    if (time_ns > most_ns()) break;
    list.push_back({trial, time_ns});
  }
  std::erase_if(list, [&](const Raced& raced) { return raced.ns > most_ns(); });
  std::sort(list.begin(), list.end(),
            [](const Raced& a, const Raced& b) { return std::tie(a.ns, a.trial) < std::tie(b.ns, b.trial); });
  return list;
}

PossibleFinal PossibleFinalReader::read(const Digest& tuning_case, double within, int most) {
  PossibleFinal field;
  const std::vector<Digest> finals = m_last_finals.all(&Statement::Use::digest, tuning_case);
  double unsettled_ns = 0;
  const std::vector<Raced> last = finalists(tuning_case, finals, unsettled_ns);
  std::vector<Raced> list = finalists(tuning_case, last, within, unsettled_ns);
  if (list.empty()) return field;
  // What wins by the last final's times, and does not by those of its race, is told by no sample in turn.
  if (auto row = m_newcomer.use(tuning_case); row.step() && row.digest() != list.front().trial) {
    unsettled_ns = std::max(unsettled_ns, row.real());
    list = finalists(tuning_case, last, within, unsettled_ns);
  }
  list.resize(std::min(list.size(), static_cast<std::size_t>(std::max(most, 0))));
  field.unsettled = unsettled_ns > 0;
  for (const Raced& raced : list) {
    field.finalists.push_back(m_cases.load(raced.trial));
    field.raced_ns.push_back(raced.ns);
  }
  field.baselines = m_cases.baselines(tuning_case);
  field.coverage = m_coverage.all(read_row<FinalRecord::Coverage>, tuning_case);

  for (const Digest& final : finals) {
    const FinalRecord record = m_cases.final(final);
    const FinalCheck check = m_checker.check(tuning_case, final, record);
    field.contradicted_ns.push_back(check.is_unsettled() ? check.final_ns : 0);
    std::vector<bool>& sampled = field.sampled.emplace_back();
    for (const TrialRecord& trial : field.finalists)
      sampled.push_back(entry_of(record, trial.key) != nullptr);
    std::vector<bool>& considered = field.considered.emplace_back();
    for (const auto* trials : {&field.finalists, &field.baselines}) {
      for (const TrialRecord& trial : *trials)
        considered.push_back(m_considered.use(final, trial.key).step());
    }
  }
  return field;
}

}  // namespace db
