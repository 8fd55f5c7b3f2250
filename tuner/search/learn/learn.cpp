#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "tuner/search/learn/facts.hpp"
#include "tuner/search/learn/model.hpp"
#include "tuner/search/learn/proposals.hpp"
#include "tuner/search/learn/records.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search::learn {
namespace {

// The usual values were chosen on training spaces alone; docs/search.md has the figures.
constexpr std::array known_settings = {
    Setting{"start", 6, 1, 1000, true, "results before it learns; 2 where records of elsewhere are known"},
    Setting{"random", 0.02, 0, 1, false, "share of random proposals, while they gain as much as the model's"},
    Setting{"local", 0.05, 0, 1, false,
            "share of neighbours of the best, while they gain as much as the model's"},
    Setting{"bold", 0.4, 0, 1, false, "share of the model's proposals at uncertain places"},
    ahead_setting,
    Setting{"members", 4, 1, 64, true, "members of the ensemble: sets of hyperparameters that are averaged"},
    Setting{"points", 250, 20, 2000, true,
            "results that the model knows: the best half, and some of the rest"},
    Setting{"covered", 1024, 64, 20000, true, "promising candidates that are predicted after every result"},
    Setting{"pool", 20000, 1000, 1000000, true, "candidates from which it picks the promising ones"},
};

constexpr std::size_t start_with_records = 2;
/// Spreads that a candidate is expected to be slower by for each oddity.
constexpr float spreads_of_oddity = 0.5F;
/// Lower confidence bounds have so many deviations, and more when nothing improves: local optima of recorded
/// spaces lie 17 to 26 % above the best.
constexpr double deviations = 1.5;
constexpr double more_deviations = 0.5;
constexpr std::size_t local_parents = 5;
/// Of the proposals, while a kernel lacks some and the search might yet go on without them.
constexpr double share_of_lacking = 0.25;
constexpr std::size_t pool_parents = 20;

enum class Source : std::uint8_t { random, local, model };

/// What a source of proposals brings: improvements a proposal, the older the less they count.
struct Pay {
  double tries = 0;
  double wins = 0;
  void add(bool won) {
    constexpr double memory = 0.98;
    tries = memory * tries + 1;
    wins = memory * wins + (won ? 1 : 0);
  }
  double rate() const { return (wins + 1) / (tries + 8); }
};

/// What was believed of a compiled candidate.
struct Expected {
  BinaryFacts compiled;
  Belief belief;
};

std::vector<Trend> trends_of(const SearchSpace& space, const Axes& axes, const Records& records) {
  std::vector<Trend> trends(2);
  trends[0].log_weight = std::log(0.5);
  trends[1].in_spreads = true;
  for (std::size_t i = 0; i < space.size(); ++i)
    trends[1].value.push_back(spreads_of_oddity * axes.oddity(i));
  for (std::size_t record = 0; record < records.count(); ++record) trends.push_back(records.trend(record));
  return trends;
}
constexpr std::size_t trend_of_oddity = 1;
constexpr std::size_t first_record_trend = 2;

class Learn final : public Strategy {
 public:
  Learn(const SearchSpace& space, std::uint64_t seed, const Settings& settings)
      : m_settings(settings),
        m_random(seed),
        m_part(space, settings.count("pool"), m_random),
        m_open(m_part.space(), m_random),
        m_axes(m_part.space()),
        m_neighbourhood(m_part.space()),
        m_records(m_part.space(), m_axes, space.size(), m_random),
        m_trends(trends_of(m_part.space(), m_axes, m_records)),
        m_first(m_axes, m_records),
        m_coverage(m_part.space()),
        m_costs(m_axes),
        m_fit_at((m_records.empty() ? settings.count("start") : start_with_records) + space.begun.size()) {
    m_part.space().known.for_each([this](std::size_t i, const Result& known) {
      m_tried.push_back(i);
      m_coverage.begin(i);
      learn(i, known);
    });
    m_recent = RecentGain();  // in which order those came is not known
    if (m_best) m_recent.add(m_best);
    for (const std::size_t candidate : m_part.space().begun) begin(candidate);
  }

  std::optional<Proposal> next() override {
    if (m_open.count() == 0 && !m_part.is_whole()) {
      m_part.add_random(m_settings.count("pool"), m_random);
      take_in();
    }
    if (m_open.count() == 0) return std::nullopt;
    fit_if_due();
    Proposal proposal = choose();
    m_open.take(proposal.candidate);
    begin(proposal.candidate);
    proposal.candidate = m_part.in_whole(proposal.candidate);
    return proposal;
  }

  bool compiled(std::size_t number, const BinaryFacts& compiled) override {
    const std::size_t candidate = m_part.in_part(number);
    if (compiled.status != model::TrialStatus::ok) return true;  // it will not run anyway
    m_costs.add(candidate, compiled.compile_ms);
    if (!m_model || !m_best) return true;
    const Belief belief = m_model->log_time_of(candidate);
    m_expected[candidate] = {compiled, belief};
    return !m_effects.hopeless(compiled, belief, *m_best);
  }

  void report(std::size_t number, const Result& result) override {
    const std::size_t candidate = m_part.in_part(number);
    std::erase(m_under_way, candidate);
    m_has_skipped = m_has_skipped || result.status == model::TrialStatus::skipped;
    learn(candidate, result);
  }

  std::size_t lookahead() const override { return m_settings.count("ahead"); }
  std::optional<Outlook> outlook() const override {
    if (m_open.count() == 0 && m_part.is_whole() && m_under_way.empty() && !m_has_skipped) return exhausted();
    if (!m_model || !m_best) return std::nullopt;
    constexpr double untested = 0.1;
    constexpr double seen_to_end = 0.01;  // where the searches of Experience ended
    constexpr double never_less = 0.001;  // measuring does not tell it apart
    const RecentGain::Gain late = late_gain();
    const bool is_enough = late.is_complete && m_coverage.is_complete(m_best_candidate);
    Outlook outlook;
    outlook.estimate = "gain of late";
    outlook.gain = late.share;
    outlook.stretch = static_cast<std::int64_t>(late.over);
    outlook.high = std::max(is_enough ? never_less : untested, late.share);
    if (outlook.high < seen_to_end) {
      const auto failed = static_cast<double>(m_observations.size() - m_worked);
      const Experience known =
          experience(m_records.any_near(), failed / static_cast<double>(m_observations.size()));
      outlook.behind = known.behind;
      outlook.behind_at_worst = known.behind_at_worst;
    }
    return outlook;
  }

 private:
  void begin(std::size_t candidate) {
    m_tried.push_back(candidate);
    m_under_way.push_back(candidate);
    m_coverage.begin(candidate);
    if (m_model) m_model->begin(candidate);
  }

  void learn(std::size_t candidate, const Result& result) {
    const auto expected = m_expected.extract(candidate);
    const auto source = m_source.extract(candidate);
    m_coverage.end(candidate, model::is_failure(result.status));
    if (result.status == model::TrialStatus::skipped) return;
    Observation observation{candidate, Observation::Kind::failure, 0};
    if (const auto time_ns = comparable_time_ns(result)) {
      const bool dropped = result.status == model::TrialStatus::dropped;
      observation.kind = dropped ? Observation::Kind::bound : Observation::Kind::time;
      observation.log_time = std::log(*time_ns);
    }
    const bool timed = observation.kind == Observation::Kind::time;
    const bool better = timed && (!m_best || observation.log_time < *m_best);
    if (source) m_pay[static_cast<std::size_t>(source.mapped())].add(better);
    if (expected && timed)
      m_effects.add(expected.mapped().compiled, expected.mapped().belief,
                    std::min(observation.log_time, m_model->scale().clip));
    m_observations.push_back(observation);
    if (observation.kind != Observation::Kind::failure) {
      ++m_worked;
      m_recent.add(timed ? std::optional(observation.log_time) : std::nullopt);
    }
    if (better) {
      m_best = observation.log_time;
      m_best_candidate = candidate;
    }
    if (m_model) m_model->end(observation);
  }

  /// Of a part of a space: looks around the best, and has a few more at random.
  void widen() {
    if (m_part.is_whole()) return;
    constexpr std::size_t children = 1000;
    constexpr std::size_t strangers = 500;
    m_part.add_around(best_candidates(pool_parents), children, m_random);
    m_part.add_random(strangers, m_random);
    take_in();
  }

  /// What is new in the part is known to everybody.
  void take_in() {
    for (std::size_t i = m_open.size(); i < m_part.space().size(); ++i) {
      m_axes.add();
      m_open.add();
      m_neighbourhood.add(i);
      m_records.add(i);
      m_trends[trend_of_oddity].value.push_back(spreads_of_oddity * m_axes.oddity(i));
      for (std::size_t record = 0; record < m_records.count(); ++record)
        m_trends[first_record_trend + record].value.push_back(m_records.trend(record).value[i]);
    }
  }

  void fit_if_due() {
    const bool due = m_observations.size() >= m_fit_at || (m_model && m_model->is_full());
    if (!m_best || !due) return;
    if (!m_model) {
      ModelSettings settings;
      settings.members = m_settings.count("members");
      settings.points = m_settings.count("points");
      settings.covered = m_settings.count("covered");
      m_model.emplace(m_axes, m_trends, settings, m_random);
    }
    widen();
    const std::vector<std::size_t> pool = make_pool(m_settings.count("pool"), m_open, m_records,
                                                    m_neighbourhood, best_candidates(pool_parents), m_random);
    m_model->fit(m_observations, m_under_way, pool, m_random);
    // After every result while they are few: each changes the members, and a fit costs nothing yet.
    const std::size_t results = m_observations.size();
    m_fit_at = results + std::clamp<std::size_t>(results / 8, 1, 48);
  }

  Proposal choose() {
    if (!m_model) return m_first.next(m_open, m_tried, m_random);
    if (auto proposal = of_lacking_kernel()) return std::move(*proposal);
    const double drawn = m_random.unit();
    const double random_share = share(Source::random, m_settings.number("random"));
    const double local_share = share(Source::local, m_settings.number("local"));
    if (drawn >= random_share) {
      if (drawn < random_share + local_share)
        if (const auto candidate = near_the_best()) return proposed_by(Source::local, *candidate, "local");
      if (auto proposal = from_model()) return std::move(*proposal);
    }
    return proposed_by(Source::random, *m_open.first(), "random");
  }

  Proposal proposed_by(Source source, std::size_t candidate, std::string origin) {
    m_source[candidate] = source;
    return {candidate, std::move(origin)};
  }

  std::optional<std::size_t> near_the_best() {
    const std::vector<std::size_t> best = best_candidates(local_parents);
    constexpr int tries = 8;
    for (int attempt = 0; attempt < tries && !best.empty(); ++attempt) {
      const auto step = m_neighbourhood.step(best[m_random.below(best.size())], m_random);
      if (step && m_open.contains(*step)) return step;
    }
    return std::nullopt;
  }

  std::optional<Proposal> from_model() {
    Ambition ambition;
    if (m_random.unit() < m_settings.number("bold")) {
      const auto stalled = static_cast<double>(m_recent.since_improved());
      ambition.deviations = deviations + more_deviations * std::log2(1 + stalled / 16);
    }
    const auto found = most_promising(*m_model, m_open, *m_best, m_costs, ambition);
    if (!found) return std::nullopt;
    const std::size_t candidate = m_model->covered()[*found];
    return proposed_by(Source::model, candidate, origin_of(candidate));
  }

  /// Of a kernel that was tried too little, if there is one and its turn.
  std::optional<Proposal> of_lacking_kernel() {
    const auto kernel = m_coverage.lacking(m_best_candidate);
    if (!kernel) return std::nullopt;
    if (!late_gain().is_complete && m_random.unit() >= share_of_lacking) return std::nullopt;
    const auto is_of_it = [&](std::size_t candidate) { return m_coverage.kernel_of(candidate) == *kernel; };
    if (const auto found = most_promising(*m_model, m_open, *m_best, m_costs, {std::nullopt, is_of_it})) {
      const std::size_t candidate = m_model->covered()[*found];
      return Proposal{candidate, origin_of(candidate)};
    }
    return Proposal{m_open.first(is_of_it).value(), "random"};
  }

  RecentGain::Gain late_gain() const {
    const std::size_t all = m_part.size_of_whole();
    const std::size_t failed = m_observations.size() - m_worked;
    if (failed == 0 || !m_model)
      return m_recent.gain(static_cast<double>(all), m_records.any_near()).value_or(RecentGain::Gain{});
    const std::size_t unknown = all - m_observations.size();
    const double working =
        static_cast<double>(m_worked) + m_model->working_share() * static_cast<double>(unknown);
    // What works is less alike than as many of a space where all does: between the two.
    const double length = std::sqrt(working * static_cast<double>(all));
    // Where hardly anything that is left works, no more can be asked for.
    constexpr double unlikely = 0.1;
    const double most = likeliest(*m_model, m_open) < unlikely ? 0 : working / 2;
    return m_recent.gain(length, m_records.any_near(), static_cast<std::size_t>(most))
        .value_or(RecentGain::Gain{});
  }

  /// The origin of a covered candidate: a record that most members go by and that recommends it.
  std::string origin_of(std::size_t candidate) const {
    for (std::size_t record = 0; record < m_records.count(); ++record)
      if (goes_by(record) && m_records.recommends(record, candidate)) return m_records.trend(record).origin;
    return "model";
  }

  /// Whether most members go by that record.
  bool goes_by(std::size_t record) const {
    const auto& particles = m_model->particles();
    const auto believers = std::count_if(particles.begin(), particles.end(), [&](const Particle& particle) {
      return particle.trend() == first_record_trend + record;
    });
    return 2 * believers > static_cast<std::ptrdiff_t>(particles.size());
  }

  double share(Source source, double usual) const {
    const double pays = m_pay[static_cast<std::size_t>(source)].rate();
    const double model_pays = m_pay[static_cast<std::size_t>(Source::model)].rate();
    return usual * std::clamp(pays / model_pays, 0.5, 5.0);
  }

  std::vector<std::size_t> best_candidates(std::size_t most) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (const Observation& one : m_observations)
      if (one.kind == Observation::Kind::time) order.emplace_back(one.log_time, one.candidate);
    most = std::min(most, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end());
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < most; ++i) best.push_back(order[i].second);
    return best;
  }

  Settings m_settings;
  RandomSource m_random;
  Part m_part;  ///< all that follows has its candidates' numbers
  OpenCandidates m_open;
  Axes m_axes;
  Neighbourhood m_neighbourhood;
  Records m_records;
  std::vector<Trend> m_trends;
  FirstProposals m_first;
  KernelCoverage m_coverage;
  std::vector<std::size_t> m_tried;  ///< all that was proposed or known
  std::vector<std::size_t> m_under_way;
  std::unordered_map<std::size_t, Source> m_source;      ///< of candidates under way
  std::unordered_map<std::size_t, Expected> m_expected;  ///< of candidates under way, once compiled
  std::vector<Observation> m_observations;
  std::optional<double> m_best;                 ///< log time
  std::optional<std::size_t> m_best_candidate;  ///< whose that is
  RecentGain m_recent;
  std::array<Pay, 3> m_pay;
  ResourceEffects m_effects;
  CompileCosts m_costs;
  std::optional<Model> m_model;
  std::size_t m_fit_at;
  std::size_t m_worked = 0;    ///< results that are no failures
  bool m_has_skipped = false;  ///< whether something was proposed and then not run
};

}  // namespace

}  // namespace tuner::search::learn

namespace tuner::search {

const StrategyKind learning = {"learn",
                               "a model of the results so far picks the most promising configurations",
                               learn::known_settings, make_strategy<learn::Learn>, true};

}  // namespace tuner::search
