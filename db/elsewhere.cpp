#include "db/elsewhere.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "db/statement.hpp"
#include "db/stored_json.hpp"

namespace db {
namespace {

using tuner::model::Configuration;
using tuner::model::ContestName;
using tuner::model::Digest;
using tuner::model::Elsewhere;
using tuner::model::ElsewhereQuery;
using tuner::model::Problem;

/// Problems of the class itself, and other classes, at most.
constexpr std::size_t most_problems = 4;
constexpr std::size_t most_classes = 4;
/// Of each, the fastest, as many of the slower ones, evenly, and as many that failed; at most.
constexpr std::int64_t most_fastest = 1500;
constexpr std::int64_t most_slower = 500;
constexpr std::int64_t most_failed = 250;

struct Place {
  Digest contest;
  ContestName name;
  bool is_today = true;
  std::int64_t timed = 0;
};

/// Sum of |log2| of the sizes' ratios; padding counts like a small difference. Far away where the dimensions
/// are others.
double distance(const Problem& a, const Problem& b) {
  constexpr double far = 1e9;
  constexpr double of_padding = 0.25;
  if (a.sizes.size() != b.sizes.size()) return far;
  double sum = a.row_padding == b.row_padding ? 0 : of_padding;
  for (std::size_t i = 0; i < a.sizes.size(); ++i) {
    if (a.sizes[i].name != b.sizes[i].name) return far;
    sum += std::abs(std::log2(static_cast<double>(a.sizes[i].value) / static_cast<double>(b.sizes[i].value)));
  }
  return sum;
}

std::vector<Place> all_places(const Connection& db, const ElsewhereQuery& query) {
  const Problem& problem = query.contest.problem;
  Statement select(db, sql("select_elsewhere"));
  std::vector<Place> places;
  auto row = select.use();
  row.bind(problem.family).bind(cuda_name(problem.type));
  while (row.step()) {
    Place place;
    place.contest = row.digest();
    place.name.problem = read_problem(row);
    place.name.comparison_class = read_class(row);
    place.is_today = !row.flag();
    place.timed = row.integer();
    const bool is_excepted =
        place.name == query.contest ||
        std::find(query.except.begin(), query.except.end(), place.name) != query.except.end();
    if (place.is_today && is_excepted) continue;
    places.push_back(std::move(place));
  }
  return places;
}

/// The nearest problems of the class itself; then of each other class, those on the same device first, then
/// those that know most, the nearest problem. What specs were before comes after what they are.
std::vector<Place> nearest(std::vector<Place> places, const ContestName& contest) {
  const auto rank = [&](const Place& place) {
    const bool same_class = place.name.comparison_class == contest.comparison_class;
    const bool same_device = place.name.comparison_class.device == contest.comparison_class.device;
    return std::tuple(!same_class, !place.is_today, !same_device,
                      distance(place.name.problem, contest.problem), -place.timed, place.contest);
  };
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) { return rank(a) < rank(b); });
  std::vector<Place> chosen;
  std::size_t problems = 0;
  std::set<Digest> classes;
  for (Place& place : places) {
    if (place.name.comparison_class == contest.comparison_class) {
      if (problems++ >= most_problems) continue;
    } else if (classes.size() >= most_classes || !classes.insert(place.name.comparison_class.key()).second) {
      continue;
    }
    chosen.push_back(std::move(place));
  }
  return chosen;
}

class ElsewhereReader {
 public:
  ElsewhereReader(const Connection& db, const ElsewhereQuery& query)
      : m_fastest(db, select("median_ns IS NOT NULL ORDER BY median_ns LIMIT ?")),
        m_slower(db, select("median_ns IS NOT NULL ORDER BY median_ns LIMIT -1 OFFSET ?")),
        m_failed(db, select("median_ns IS NULL AND status NOT IN ('skipped', 'quarantined') LIMIT ?")),
        m_configuration(db, "SELECT json FROM configurations WHERE id = ?") {
    Statement kernels(db, "SELECT id, name, parameters FROM kernels WHERE family = ?");
    auto row = kernels.use();
    row.bind(query.contest.problem.family);
    while (row.step()) {
      const Digest id = row.digest();
      Kernel kernel{row.text(), row.text()};
      const auto& wanted = query.kernels;
      if (std::find(wanted.begin(), wanted.end(), kernel.name) != wanted.end())
        m_kernels.emplace(id, std::move(kernel));
    }
  }

  Elsewhere read(const Place& place) {
    Elsewhere elsewhere{place.name, place.is_today, {}};
    add(m_fastest, place, most_fastest, 1, elsewhere);
    const std::int64_t rest = place.timed - most_fastest;
    if (rest > 0) add(m_slower, place, most_fastest, (rest + most_slower - 1) / most_slower, elsewhere);
    add(m_failed, place, most_failed, 1, elsewhere);
    return elsewhere;
  }

 private:
  struct Kernel {
    std::string name;
    std::string parameters;
  };

  /// All from the index trials_of_contest.
  static std::string select(const std::string& rest) {
    return "SELECT kernel, configuration, status, median_ns FROM trials WHERE contest = ? AND superseded = ? "
           "AND " +
           rest;
  }

  /// Every `step`-th row.
  void add(Statement& statement, const Place& place, std::int64_t bound, std::int64_t step, Elsewhere& out) {
    auto row = statement.use();
    row.bind(place.contest).bind(!place.is_today).bind(bound);
    for (std::int64_t i = 0; row.step(); ++i) {
      if (i % step != 0) continue;
      const auto kernel = m_kernels.find(row.digest());
      if (kernel == m_kernels.end()) continue;
      Elsewhere::Known known;
      known.kernel = kernel->second.name;
      known.configuration = configuration(row.digest(), kernel->second);
      known.status = read_status(row);
      if (!row.null()) known.median_ns = row.real();
      out.results.push_back(std::move(known));
    }
  }

  /// Most sizes know the same configurations: each is read once.
  std::shared_ptr<const Configuration> configuration(const Digest& id, const Kernel& kernel) {
    auto& known = m_configurations[{id, &kernel}];
    if (known) return known;
    auto row = m_configuration.use();
    row.bind(id).step();
    known = std::make_shared<const Configuration>(stored_configuration(row.text(), kernel.parameters));
    return known;
  }

  Statement m_fastest, m_slower, m_failed, m_configuration;
  std::map<Digest, Kernel> m_kernels;
  std::map<std::pair<Digest, const Kernel*>, std::shared_ptr<const Configuration>> m_configurations;
};

}  // namespace

std::vector<Elsewhere> find_elsewhere(const Connection& db, const ElsewhereQuery& query) {
  ElsewhereReader reader(db, query);
  std::vector<Elsewhere> found;
  for (const Place& place : nearest(all_places(db, query), query.contest)) {
    Elsewhere elsewhere = reader.read(place);
    if (!elsewhere.results.empty()) found.push_back(std::move(elsewhere));
  }
  return found;
}

}  // namespace db
