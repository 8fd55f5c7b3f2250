// What learn's model computes, against the same by the textbook in double precision (Rasmussen and Williams,
// Gaussian Processes for Machine Learning, 2.25 and 2.26).
#include "tuner/search/learn/posterior.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "tests/search/spaces.hpp"
#include "tuner/search/learn/axes.hpp"
#include "tuner/search/learn/model.hpp"
#include "tuner/search/learn/proposals.hpp"
#include "tuner/search/open_candidates.hpp"

using namespace tuner::search::learn;
using tuner::search::OpenCandidates;
using tuner::search::RandomSource;

TEST_SUITE("tuner::search::learn posterior") {
  namespace {

  using Matrix = std::vector<std::vector<double>>;

  constexpr std::size_t candidates = 24;
  constexpr float noise = 0.01F;
  constexpr double usual_variance = 0.5;

  /// The solution of `matrix` x = `right` by elimination; adds the logarithm of the determinant.
  std::vector<double> solved(Matrix matrix, std::vector<double> right, double& log_determinant) {
    const std::size_t n = right.size();
    for (std::size_t a = 0; a < n; ++a) {
      log_determinant += std::log(matrix[a][a]);
      for (std::size_t b = a + 1; b < n; ++b) {
        const double factor = matrix[b][a] / matrix[a][a];
        for (std::size_t c = a; c < n; ++c) matrix[b][c] -= factor * matrix[a][c];
        right[b] -= factor * right[a];
      }
    }
    for (std::size_t a = n; a-- > 0;) {
      for (std::size_t b = a + 1; b < n; ++b) right[a] -= matrix[a][b] * right[b];
      right[a] /= matrix[a][a];
    }
    return right;
  }

  /// A line of candidates, a covariance of them, and eleven points on it.
  struct Process {
    Process() : line(candidates), axes(line.space), covariance(axes, hyperparameters()) {
      for (std::size_t i = 0; i < 11; ++i) {
        places.push_back(i * 7 % candidates);
        values.push_back(static_cast<float>(std::sin(static_cast<double>(3 * i))));
      }
    }
    static Hyperparameters hyperparameters() {
      Hyperparameters some;
      some.log_length = {std::log(0.2F)};
      return some;
    }
    Point point(std::size_t i, bool pending = false) const {
      return {axes.levels(places[i]), pending ? 0 : values[i], pending};
    }
    std::vector<const std::uint8_t*> all_levels() const {
      std::vector<const std::uint8_t*> levels;
      for (std::size_t i = 0; i < candidates; ++i) levels.push_back(axes.levels(i));
      return levels;
    }
    double between(std::size_t a, std::size_t b) const {
      return covariance.between(axes.levels(a), axes.levels(b));
    }
    Matrix matrix(std::size_t points) const {
      Matrix result(points, std::vector<double>(points));
      for (std::size_t a = 0; a < points; ++a)
        for (std::size_t b = 0; b < points; ++b)
          result[a][b] = between(places[a], places[b]) + (a == b ? static_cast<double>(noise) : 0);
      return result;
    }
    std::vector<double> with_points(std::size_t candidate, std::size_t points) const {
      std::vector<double> result;
      for (std::size_t a = 0; a < points; ++a) result.push_back(between(candidate, places[a]));
      return result;
    }
    static double product(const std::vector<double>& a, const std::vector<double>& b) {
      double sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    }
    /// Covariance of two candidates given the first points, as a share of the amplitude's square.
    double left_between(std::size_t a, std::size_t b, std::size_t points) const {
      double unused = 0;
      return between(a, b) -
             product(with_points(a, points), solved(matrix(points), with_points(b, points), unused));
    }
    double mean(std::size_t candidate, std::size_t points) const {
      double unused = 0;
      return product(with_points(candidate, points), solved(matrix(points), told(points), unused));
    }
    std::vector<double> told(std::size_t points) const {
      return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(points)};
    }
    /// Sum of squares of what the covariance does not explain.
    double squares(std::size_t points, double& log_determinant) const {
      return product(told(points), solved(matrix(points), told(points), log_determinant));
    }
    /// Two results as usual, and those there are.
    double amplitude(std::size_t points) const {
      double unused = 0;
      return std::sqrt((2 * usual_variance + squares(points, unused)) / (2 + static_cast<double>(points)));
    }

    tuner::test::LineSpace line;
    Axes axes;
    Covariance covariance;
    std::vector<std::size_t> places;
    std::vector<float> values;
  };

  void check_is_given(const Process& process, const Posterior& posterior, std::size_t points) {
    const double amplitude = process.amplitude(points);
    for (std::size_t i = 0; i < candidates; ++i) {
      CAPTURE(i);
      const double mean = process.mean(i, points);
      const double deviation = amplitude * std::sqrt(process.left_between(i, i, points));
      CHECK(posterior.mean(i) == doctest::Approx(mean).epsilon(1e-3).scale(1));
      CHECK(posterior.standard_deviation(i) == doctest::Approx(deviation).epsilon(1e-2));
      const auto [one_mean, one_deviation] =
          posterior.mean_and_deviation(process.covariance, process.axes.levels(i));
      CHECK(one_mean == doctest::Approx(mean).epsilon(1e-3).scale(1));
      CHECK(one_deviation == doctest::Approx(deviation).epsilon(1e-2));
    }
  }

  std::vector<Observation> rising(const std::vector<std::size_t>& but) {
    std::vector<Observation> all;
    for (std::size_t i = 0; i < 60; i += 2)
      if (std::find(but.begin(), but.end(), i) == but.end())
        all.push_back({i, Observation::Kind::time, 0.1 * static_cast<double>(i)});
    return all;
  }

  std::vector<std::size_t> all_but_told(std::size_t count) {
    std::vector<std::size_t> pool;
    for (std::size_t i = 1; i < count; i += 2) pool.push_back(i);
    return pool;
  }

  }  // namespace

  TEST_CASE("a candidate is wholly like itself, and the less like another the farther that is") {
    const Process process;
    CHECK(process.between(5, 5) == doctest::Approx(1));
    for (std::size_t i = 1; i < candidates; ++i) CHECK(process.between(0, i) < process.between(0, i - 1));
    const auto matern = [](double distance) {
      const double r = std::sqrt(3) * distance;
      return (1 + r) * std::exp(-r);
    };
    const double apart = 5.0 / 23 / 0.2;
    CHECK(process.between(2, 7) ==
          doctest::Approx(0.85 * (0.1 + 0.9 * matern(apart)) + 0.15 * matern(4 * apart)).epsilon(1e-4));
    CHECK(process.between(7, 2) == process.between(2, 7));
  }

  TEST_CASE("means and deviations are those of a Gaussian process, point after point") {
    const Process process;
    Posterior posterior;
    posterior.begin(11, noise, usual_variance);
    posterior.add(process.covariance, process.point(0));
    posterior.cover(process.covariance, process.all_levels(), process.axes.count());
    check_is_given(process, posterior, 1);
    for (std::size_t i = 1; i < 11; ++i) posterior.add(process.covariance, process.point(i));
    CHECK(posterior.points() == 11);
    check_is_given(process, posterior, 11);
    posterior.cover(process.covariance, process.all_levels(), process.axes.count());
    check_is_given(process, posterior, 11);
    posterior.begin(11, noise, usual_variance);
    CHECK(posterior.points() == 0);
    for (std::size_t i = 0; i < 4; ++i) posterior.add(process.covariance, process.point(i));
    posterior.cover(process.covariance, process.all_levels(), process.axes.count());
    check_is_given(process, posterior, 4);
  }

  TEST_CASE("what is under way makes its surroundings surer and leaves every mean; its value may come late") {
    const Process process;
    Posterior posterior;
    posterior.begin(11, noise, usual_variance);
    for (std::size_t i = 0; i < 8; ++i) posterior.add(process.covariance, process.point(i));
    posterior.cover(process.covariance, process.all_levels(), process.axes.count());
    for (std::size_t i = 8; i < 11; ++i) posterior.add(process.covariance, process.point(i, true));
    for (std::size_t i = 0; i < candidates; ++i) {
      CHECK(posterior.mean(i) == doctest::Approx(process.mean(i, 8)).epsilon(1e-3).scale(1));
      CHECK(posterior.standard_deviation(i) ==
            doctest::Approx(process.amplitude(8) * std::sqrt(process.left_between(i, i, 11))).epsilon(1e-2));
    }
    for (const std::size_t i : {10, 8, 9}) posterior.set_value(i, process.values[i]);
    check_is_given(process, posterior, 11);
  }

  TEST_CASE("the evidence is the density of the values, their scale integrated out") {
    const Process process;
    std::vector<float> scratch;
    for (const std::size_t points : {1, 5, 11}) {
      std::vector<Point> some;
      for (std::size_t i = 0; i < points; ++i) some.push_back(process.point(i));
      double log_determinant = 0;
      const double squares = process.squares(points, log_determinant);
      const double weight = static_cast<double>(points) + 2;
      const double expected = -0.5 * weight * std::log((squares + 2 * usual_variance) / weight) -
                              0.5 * log_determinant + std::log(usual_variance);
      CHECK(log_evidence(process.covariance, noise, some, usual_variance, scratch) ==
            doctest::Approx(expected).epsilon(1e-3));
    }
  }

  TEST_CASE("a factor times its transpose is the matrix, and no pivot is less than the least") {
    std::vector<float> matrix = {4, 0, 0, 2, 5, 0, 1, 3, 6};
    factorise(matrix.data(), 3, 1e-6F);
    CHECK(matrix[0] == doctest::Approx(2));
    CHECK(matrix[3] == doctest::Approx(1));
    CHECK(matrix[4] == doctest::Approx(2));
    CHECK(matrix[6] == doctest::Approx(0.5));
    CHECK(matrix[7] == doctest::Approx(1.25));
    CHECK(matrix[8] == doctest::Approx(std::sqrt(6 - 0.25 - 1.5625)));
    std::vector<float> singular = {1, 0, 1, 1};
    factorise(singular.data(), 2, 0.25F);
    CHECK(singular[3] == 0.5);
  }

  TEST_CASE("a model knows what it was told, also of what was under way, and guesses between") {
    const tuner::test::LineSpace line(60);
    const Axes axes(line.space);
    const std::vector<Trend> none(1);
    RandomSource random(1);
    ModelSettings settings;
    settings.clip = 1;
    Model model(axes, none, settings, random);
    const std::vector<Observation> told = rising({20, 22});
    const std::vector<std::size_t> under_way = {20};
    const std::vector<std::size_t> pool = all_but_told(60);
    model.fit(told, under_way, pool, random);
    CHECK(std::vector<std::size_t>(model.covered().begin(), model.covered().end()) == pool);
    for (const std::size_t i : {4, 9, 31, 50})
      CHECK(model.log_time_of(i).mean ==
            doctest::Approx(0.1 * static_cast<double>(i)).scale(1).epsilon(0.15));
    const double before = model.log_time_of(20).mean;
    model.begin(22);
    CHECK(model.log_time_of(20).mean == doctest::Approx(before).epsilon(1e-3));
    model.end({20, Observation::Kind::time, 5});
    model.end({22, Observation::Kind::time, 5});
    model.end({23, Observation::Kind::time, 0});  // it was never under way
    CHECK(model.log_time_of(20).mean > 4);
    CHECK(model.log_time_of(22).mean > 4);
    CHECK(model.log_time_of(23).mean > 2);
    const std::vector<std::size_t> asked = {20, 4, 50};
    const std::vector<double> means = model.log_times_of(asked);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(means[i] == doctest::Approx(model.log_time_of(asked[i]).mean).epsilon(1e-2));
  }

  TEST_CASE("a dropped trial is no faster than its bound, and as slow as the others let expect") {
    const tuner::test::LineSpace line(60);
    const Axes axes(line.space);
    const std::vector<Trend> none(1);
    const std::vector<std::size_t> dropped = {26, 28, 30, 32, 34};
    for (const double bound : {1.0, 4.5}) {
      RandomSource random(1);
      ModelSettings settings;
      settings.clip = 1;
      Model model(axes, none, settings, random);
      std::vector<Observation> told = rising(dropped);
      const std::vector<std::size_t> pool = all_but_told(60);
      model.fit(told, {}, pool, random);
      for (const std::size_t i : dropped) told.push_back({i, Observation::Kind::bound, bound});
      model.fit(told, {}, pool, random);
      CHECK(model.log_time_of(30).mean == doctest::Approx(std::max(bound, 3.0)).epsilon(0.15));
    }
  }

  TEST_CASE("members wander to what explains the results: a trend that has them, not one that has nothing") {
    const tuner::test::LineSpace line(60);
    const Axes axes(line.space);
    std::vector<Trend> trends(2);
    for (std::size_t i = 0; i < 60; ++i) {
      const double at = static_cast<double>(i);
      trends[0].value.push_back(static_cast<float>(std::sin(at)));
      trends[1].value.push_back(static_cast<float>(3 * std::sin(1.7 * at)));
    }
    RandomSource random(1);
    ModelSettings settings;
    settings.members = 8;
    settings.clip = 1;
    Model model(axes, trends, settings, random);
    std::vector<Observation> told;
    for (std::size_t i = 0; i < 60; i += 2)
      told.push_back({i, Observation::Kind::time, static_cast<double>(trends[1].value[i])});
    std::vector<std::size_t> pool;
    for (std::size_t i = 1; i < 60; i += 2) pool.push_back(i);
    model.fit(told, {}, pool, random);
    for (const Particle& particle : model.particles()) CHECK(particle.trend() == 1);
  }

  TEST_CASE("of a large pool a model covers as many as it was told, most of them promising, each once") {
    const tuner::test::LineSpace line(2000);
    const Axes axes(line.space);
    const std::vector<Trend> none(1);
    RandomSource random(1);
    ModelSettings settings;
    settings.covered = 100;
    Model model(axes, none, settings, random);
    std::vector<Observation> told;
    for (std::size_t i = 0; i < 2000; i += 100)
      told.push_back({i, Observation::Kind::time, std::abs(static_cast<double>(i) - 1000) / 500});
    std::vector<std::size_t> pool;
    for (std::size_t i = 0; i < 2000; ++i)
      if (i % 100 != 0) pool.push_back(i);
    model.fit(told, {}, pool, random);
    const std::set<std::size_t> covered(model.covered().begin(), model.covered().end());
    CHECK(model.covered().size() == 100);
    CHECK(covered.size() == 100);
    CHECK(std::none_of(covered.begin(), covered.end(), [](std::size_t i) { return i % 100 == 0; }));
    const auto near =
        std::count_if(covered.begin(), covered.end(), [](std::size_t i) { return i > 700 && i < 1300; });
    CHECK(near >= 60);
    CHECK(near < 95);
  }

  TEST_CASE("the most promising is open, and of two alike the one that is quick to compile") {
    tuner::test::LineSpace line(64);
    const Axes axes(line.space);
    const std::vector<Trend> none(1);
    RandomSource random(1);
    Model model(axes, none, {}, random);
    std::vector<Observation> told;
    for (std::size_t i = 0; i < 64; i += 4)
      told.push_back({i, Observation::Kind::time, std::abs(static_cast<double>(i) - 32) / 16});
    for (const Observation& one : told) line.space.known[one.candidate] = {{}, 1};
    std::vector<std::size_t> pool;
    for (std::size_t i = 0; i < 64; ++i)
      if (i % 4 != 0) pool.push_back(i);
    model.fit(told, {}, pool, random);
    OpenCandidates open(line.space, random);
    CompileCosts costs(axes);
    const auto next = [&](const Ambition& ambition) {
      const auto found = most_promising(model, open, 0, costs, ambition);
      REQUIRE(found);
      return model.covered()[*found];
    };
    const std::size_t first = next({});
    CHECK(first > 24);
    CHECK(first < 40);
    CHECK(next({.deviations = 0}) > 24);
    for (int i = 0; i < 20; ++i) costs.add(first, 100000), costs.add(2, 100);
    const std::size_t other = next({});
    CHECK(other != first);
    CHECK(next({.deviations = 0.0}) == next({.deviations = 0.0}));
    open.take(other);
    CHECK(next({}) != other);
    for (const std::size_t i : pool) open.take(i);
    CHECK_FALSE(most_promising(model, open, 0, costs, {}));
  }
}
