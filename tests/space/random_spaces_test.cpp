// Random spaces against loops over everything, which are slow and have nothing to get wrong.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/space/spec_builder.hpp"
#include "tests/support/fuzz.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/configuration_list.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

constexpr std::int64_t size_n = 24;

using Values = std::vector<std::int64_t>;  // of the parameters, in written order

/// A condition as a spec has it, and as a person would work it out; nothing where it has no value.
struct Condition {
  std::string text;
  std::function<std::optional<bool>(const Values&)> holds;
};

std::string name_of(std::size_t parameter) {
  return "P" + std::to_string(parameter);
}

class RandomSpace {
 public:
  explicit RandomSpace(unsigned seed) : m_random(seed) {
    const std::size_t parameters = 1 + pick(4);
    for (std::size_t i = 0; i < parameters; ++i) m_rank.push_back(i);
    std::shuffle(m_rank.begin(), m_rank.end(), m_random);
    for (std::size_t i = 0; i < parameters; ++i) {
      Values values;
      for (std::int64_t value = 0; value < 7; ++value) values.push_back(value);
      std::shuffle(values.begin(), values.end(), m_random);
      values.resize(1 + pick(4));
      m_values.push_back(values);
      m_when.emplace_back();
      m_otherwise.push_back(-static_cast<std::int64_t>(pick(3)));
    }
    for (std::size_t i = 0; i < parameters; ++i) {
      if (const auto other = of_lower_rank(i); other && pick(3) == 0) m_when[i] = condition({*other});
    }
    std::vector<std::size_t> all(parameters);
    for (std::size_t i = 0; i < parameters; ++i) all[i] = i;
    for (std::size_t i = pick(4); i > 0; --i) m_constraints.push_back(condition(all));
    if (pick(2) == 0) m_constraints.push_back(alternatives(all));
  }

  model::KernelSpec spec() const {
    model::KernelSpec spec;
    spec.name = "k";
    spec.path = "k.toml";
    spec.sizes = {"N"};
    spec.types = {model::ElementType::float32};
    for (std::size_t i = 0; i < m_values.size(); ++i) {
      const std::vector<model::Value> values(m_values[i].begin(), m_values[i].end());
      spec.parameters.push_back(m_when[i]
                                    ? parameter_when(name_of(i), values, m_when[i]->text, m_otherwise[i])
                                    : parameter(name_of(i), values));
    }
    for (const Condition& constraint : m_constraints) spec.constraints.push_back(expression(constraint.text));
    for (std::size_t i = 0; i < m_derived.size(); ++i)
      spec.derived.push_back({derived_name(i), expression(m_derived[i])});
    spec.steps = {launch("k", {"1"}, {"1"})};
    return spec;
  }

  /// Everything that is valid, in written order, the last parameter fastest. Where a parameter does not apply
  /// comes before its first value.
  std::vector<Values> by_loops() const {
    std::map<Values, Values> by_place;
    Values raw(m_values.size());
    loop(0, raw, [&] {
      const auto values = applied(raw);
      const auto holds = [&](const Condition& constraint) { return constraint.holds(*values) == true; };
      if (values && std::all_of(m_constraints.begin(), m_constraints.end(), holds))
        by_place.emplace(places(raw, *values), *values);
    });
    std::vector<Values> valid;
    for (const auto& [place, values] : by_place) valid.push_back(values);
    return valid;
  }
  /// Values that any parameter may have anywhere, in all combinations, valid or not.
  void for_each_conceivable(const std::function<void(const Values&)>& visit) const {
    Values values(m_values.size());
    conceive(0, values, visit);
  }

 private:
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(m_random() % count); }

  std::optional<std::size_t> of_lower_rank(std::size_t parameter) {
    std::vector<std::size_t> lower;
    for (std::size_t i = 0; i < m_rank.size(); ++i)
      if (m_rank[i] < m_rank[parameter]) lower.push_back(i);
    if (lower.empty()) return std::nullopt;
    return lower[pick(lower.size())];
  }

  Condition condition(const std::vector<std::size_t>& of) {
    const std::size_t a = of[pick(of.size())];
    const std::size_t b = of[pick(of.size())];
    const auto c = static_cast<std::int64_t>(pick(12));
    const std::string p = name_of(a), q = name_of(b), number = std::to_string(c);
    switch (pick(6)) {
      case 0:
        return {p + " + 2 * " + q + " <= " + number, [=](const Values& v) { return v[a] + 2 * v[b] <= c; }};
      case 1:
        return {p + " != " + number, [=](const Values& v) { return v[a] != c; }};
      case 2:
        return {"N % " + p + " == 0", [=](const Values& v) -> std::optional<bool> {
                  if (v[a] == 0) return std::nullopt;
                  return size_n % v[a] == 0;
                }};
      case 3:
        return {p + " < " + q + " || " + q + " == " + number,
                [=](const Values& v) { return v[a] < v[b] || v[b] == c; }};
      case 4:
        return {p + " * " + q + " > " + number + " && N > " + p,
                [=](const Values& v) { return v[a] * v[b] > c && size_n > v[a]; }};
      default:
        return {q + " == 0 || " + number + " / " + q + " >= " + p,
                [=](const Values& v) { return v[b] == 0 || c / v[b] >= v[a]; }};
    }
  }

  static std::string derived_name(std::size_t index) { return "D" + std::to_string(index); }

  static Condition in_brackets(Condition one) { return {"(" + one.text + ")", one.holds}; }
  /// As the language has it: the second is looked at only where it matters.
  static Condition joined(const Condition& a, const Condition& b, bool both) {
    return {a.text + (both ? " && " : " || ") + b.text, [=](const Values& v) -> std::optional<bool> {
              const std::optional<bool> first = a.holds(v);
              return !first || *first != both ? first : b.holds(v);
            }};
  }

  /// `a && b || (c || d) && e || …` of conditions, some of them behind derived values.
  Condition alternatives(const std::vector<std::size_t>& of) {
    Condition all = terms(of, false);
    for (std::size_t i = pick(3); i > 0; --i) all = joined(all, terms(of, pick(3) == 0), false);
    return all;
  }
  Condition terms(const std::vector<std::size_t>& of, bool derived) {
    Condition all = condition(of);
    for (std::size_t i = pick(3); i > 0; --i) {
      const bool both = pick(3) > 0;
      all = joined(in_brackets(all), in_brackets(condition(of)), both);
    }
    if (!derived) return in_brackets(all);
    m_derived.push_back(all.text);
    return {derived_name(m_derived.size() - 1), all.holds};
  }

  void loop(std::size_t at, Values& raw, const std::function<void()>& visit) const {
    if (at == raw.size()) return visit();
    for (const std::int64_t value : m_values[at]) {
      raw[at] = value;
      loop(at + 1, raw, visit);
    }
  }

  /// With `otherwise` where a parameter does not apply, which is counted once: beside its first value.
  /// Nothing for the other values there, and where a condition has no value.
  std::optional<Values> applied(const Values& raw) const {
    Values values = raw;
    for (std::size_t rank = 0; rank < m_rank.size(); ++rank) {
      const auto i = static_cast<std::size_t>(std::find(m_rank.begin(), m_rank.end(), rank) - m_rank.begin());
      if (!m_when[i]) continue;
      const std::optional<bool> applies = m_when[i]->holds(values);
      if (!applies) return std::nullopt;
      if (*applies) continue;
      if (raw[i] != m_values[i].front()) return std::nullopt;
      values[i] = m_otherwise[i];
    }
    return values;
  }

  /// Of each value in its list, from 1; 0 where the parameter does not apply.
  Values places(const Values& raw, const Values& values) const {
    Values places;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const auto found = std::find(m_values[i].begin(), m_values[i].end(), raw[i]);
      const bool is_active = !m_when[i] || m_when[i]->holds(values) == true;
      places.push_back(is_active ? 1 + (found - m_values[i].begin()) : 0);
    }
    return places;
  }

  void conceive(std::size_t at, Values& values, const std::function<void(const Values&)>& visit) const {
    if (at == values.size()) return visit(values);
    for (std::int64_t value = -2; value < 7; ++value) {
      values[at] = value;
      conceive(at + 1, values, visit);
    }
  }

  std::mt19937 m_random;
  std::vector<std::size_t> m_rank;  ///< a parameter's condition is of parameters of lower rank
  std::vector<Values> m_values;
  std::vector<std::optional<Condition>> m_when;
  Values m_otherwise;
  std::vector<Condition> m_constraints;
  std::vector<std::string> m_derived;
};

model::Configuration configuration(const Values& values) {
  std::vector<model::Assignment> assignments;
  for (std::size_t i = 0; i < values.size(); ++i) assignments.push_back({name_of(i), values[i]});
  return model::Configuration(assignments);
}

std::string described(const model::KernelSpec& spec) {
  std::string text;
  for (const model::ParameterSpec& parameter : spec.parameters) {
    text += parameter.name + " in";
    for (const model::Value& value : parameter.values) text += ' ' + value.json();
    if (parameter.when) text += " when " + parameter.when->text + " otherwise " + parameter.otherwise.json();
    text += '\n';
  }
  for (const model::Expression& constraint : spec.constraints) text += constraint.text + '\n';
  for (const model::NamedExpression& derived : spec.derived)
    text += derived.name + " = " + derived.value.text + '\n';
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("random spaces have the configurations that loops over everything find, in their order") {
  test::fuzz([](unsigned first) {
    constexpr unsigned spaces = 400;
    for (unsigned seed = first * spaces; seed < (first + 1) * spaces; ++seed) {
      CAPTURE(seed);
      const RandomSpace random(seed);
      const model::KernelSpec spec = random.spec();
      INFO(described(spec));
      const KernelSpace space(spec);
      const model::Problem problem = make_problem(spec, {size_n}, std::nullopt, 0);
      const std::vector<Values> expected = random.by_loops();
      const ConfigurationList list = space.list(problem, {});
      CHECK(space.list(problem, {}).size() == expected.size());
      REQUIRE(list.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(list[i].text() == configuration(expected[i]).text());
      std::vector<model::Diagnostic> mistakes;
      const auto counted = CountedSpace::make(*compile_spec(spec, mistakes), problem, {});
      REQUIRE(counted->size() == static_cast<std::int64_t>(expected.size()));
      const ConfigurationList same(spec.parameters, counted);
      for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(same[i].text() == configuration(expected[i]).text());
    }
  });
}

TEST_CASE("of all that is conceivable a random space contains what it lists, and nothing else") {
  test::fuzz([](unsigned first) {
    constexpr unsigned spaces = 40;
    for (unsigned seed = first * spaces; seed < (first + 1) * spaces; ++seed) {
      CAPTURE(seed);
      const RandomSpace random(seed);
      const model::KernelSpec spec = random.spec();
      INFO(described(spec));
      const KernelSpace space(spec);
      const model::Problem problem = make_problem(spec, {size_n}, std::nullopt, 0);
      const std::vector<Values> listed = random.by_loops();
      const std::set<Values> valid(listed.begin(), listed.end());
      std::size_t wrong = 0;
      random.for_each_conceivable([&](const Values& values) {
        if (space.contains(problem, configuration(values), {}) != valid.contains(values)) ++wrong;
      });
      CHECK(wrong == 0);
    }
  });
}

TEST_SUITE_END();
