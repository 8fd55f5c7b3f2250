#include "config/fit_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"

namespace config {
namespace {

using Numbers = std::vector<std::int64_t>;

/// An expression with its value in each launch. Of those that give the same numbers the cheapest is taken:
/// costs say how far-fetched one is, and the constants below how the kinds compare.
struct Term {
  std::string text;
  Numbers values;
  double cost = 0;
  bool is_product = false;  ///< needs parentheses as a divisor
  bool has_sizes = false;
};

constexpr double size_cost = 1;
constexpr double parameter_cost = 1;
constexpr double division_cost = 0.5;
constexpr double rounded_down_cost = 1.5;  ///< most grids round up
constexpr double product_cost = 1;
constexpr double power_cost = 2.5;  ///< of a constant that is a power of two
constexpr double other_cost = 4;
constexpr double least_cost = 3;
constexpr double alike_gain = 0.25;          ///< of `M` divided by `BLK_M`
constexpr double power_of_one_cost = 0.125;  ///< `M * M` is rarer than `M * N`
constexpr std::int64_t largest_number = std::int64_t{1} << 50U;
constexpr std::size_t most_terms = 4000;  ///< that a search goes through, the cheapest

double cost_of(std::int64_t constant) {
  if (constant == 1) return 0;
  return (constant & (constant - 1)) == 0 ? power_cost : other_cost;
}

Term constant_term(std::int64_t constant, std::size_t launches) {
  return {std::to_string(constant), Numbers(launches, constant), size_cost + cost_of(constant)};
}

/// None where a value is beyond what launches have.
std::optional<Term> product(const Term& a, const Term& b, double cost) {
  Term made{a.text + " * " + b.text, a.values, a.cost + b.cost + cost, true, a.has_sizes || b.has_sizes};
  for (std::size_t i = 0; i < made.values.size(); ++i)
    if (__builtin_mul_overflow(made.values[i], b.values[i], &made.values[i]) ||
        made.values[i] > largest_number)
      return std::nullopt;
  return made;
}

std::optional<Term> quotient(const Term& a, const Term& b, bool rounds_up) {
  Term made{"",
            {},
            a.cost + b.cost + (rounds_up ? division_cost : rounded_down_cost),
            !rounds_up,
            a.has_sizes || b.has_sizes};
  if (b.text.ends_with('_' + a.text)) made.cost -= alike_gain;
  bool has_remainder = false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (b.values[i] <= 0) return std::nullopt;
    has_remainder |= a.values[i] % b.values[i] != 0;
    made.values.push_back((a.values[i] + (rounds_up ? b.values[i] - 1 : 0)) / b.values[i]);
  }
  // Where nothing is left over both are the same, and rounding up is right for other sizes as well.
  if (!rounds_up && !has_remainder) return std::nullopt;
  const std::string divisor = b.is_product && !rounds_up ? "(" + b.text + ")" : b.text;
  made.text = rounds_up ? fmt::format("ceil_div({}, {})", a.text, b.text) : a.text + " / " + divisor;
  return made;
}

class Terms {
 public:
  void add(std::optional<Term> term) {
    if (term) m_all.push_back(std::move(*term));
  }
  void add(const std::vector<Term>& terms) { m_all.insert(m_all.end(), terms.begin(), terms.end()); }
  /// The cheapest first.
  std::vector<Term> sorted() && {
    std::ranges::stable_sort(m_all, {}, &Term::cost);
    if (m_all.size() > most_terms) m_all.resize(most_terms);
    return std::move(m_all);
  }

 private:
  std::vector<Term> m_all;
};

std::vector<Term> leaves(const std::vector<FitName>& names, double cost, bool are_sizes) {
  std::vector<Term> terms;
  for (const FitName& name : names) terms.push_back({name.name, name.values, cost, false, are_sizes});
  return terms;
}

/// Products of one to three of them; `repeated`: of the same one as well.
std::vector<Term> products(const std::vector<Term>& of, bool repeated) {
  Terms terms;
  terms.add(of);
  for (std::size_t i = 0; i < of.size(); ++i) {
    for (std::size_t j = repeated ? i : i + 1; j < of.size(); ++j) {
      const auto two = product(of[i], of[j], product_cost + (i == j ? power_of_one_cost : 0));
      terms.add(two);
      for (std::size_t k = repeated ? j : j + 1; two && k < of.size(); ++k)
        terms.add(product(*two, of[k], product_cost + (j == k ? power_of_one_cost : 0)));
    }
  }
  return std::move(terms).sorted();
}

std::vector<Term> multiples(const std::vector<Term>& of, std::initializer_list<std::int64_t> by) {
  Terms terms;
  terms.add(of);
  for (const Term& one : of)
    for (const std::int64_t constant : by)
      terms.add(product(constant_term(constant, one.values.size()), one, 0));
  return std::move(terms).sorted();
}

/// The cheapest that gives `wanted`.
class Search {
 public:
  explicit Search(const Numbers& wanted) : m_wanted(wanted) {}

  void offer(const std::optional<Term>& term) {
    if (term && term->values == m_wanted) m_found.push_back(*term);
  }
  void offer(const std::vector<Term>& terms) {
    for (const Term& term : terms) offer(term);
  }
  bool is_done(double cost) const {
    return std::ranges::any_of(m_found, [&](const Term& one) { return one.cost <= cost; });
  }
  std::optional<FittedExpression> best() const {
    if (m_found.empty()) return std::nullopt;
    const auto best = std::ranges::min_element(m_found, {}, &Term::cost);
    FittedExpression fitted{best->text, "", best->has_sizes};
    for (const Term& other : m_found)
      if (other.cost == best->cost && other.text != best->text) {
        fitted.rival = other.text;
        break;
      }
    return fitted;
  }

 private:
  const Numbers& m_wanted;
  std::vector<Term> m_found;
};

/// Constants that a division of `dividend` by gives `wanted` with; the plainest of them, or none.
std::optional<std::int64_t> common_divisor(const Numbers& dividend, const Numbers& wanted) {
  std::int64_t least = 1;
  std::int64_t most = largest_number;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] < 1 || dividend[i] < 1) return std::nullopt;
    least = std::max(least, (dividend[i] + wanted[i] - 1) / wanted[i]);
    if (wanted[i] > 1) most = std::min(most, (dividend[i] - 1) / (wanted[i] - 1));
  }
  if (least > most || least < 2) return std::nullopt;
  for (std::int64_t power = 2; power <= most; power *= 2)
    if (power >= least) return power;
  for (const std::int64_t step : {1000, 100, 32, 10})
    if (const std::int64_t rounded = (least + step - 1) / step * step; rounded <= most) return rounded;
  return least;
}

struct Parts {
  std::vector<Term> dividends;
  std::vector<Term> divisors;
};

/// One division, and the least of it and a constant where a grid ends growing.
void offer_divisions(const Parts& parts, const Numbers& wanted, std::vector<Term>& plain, Search& search) {
  const std::int64_t most = std::ranges::max(wanted);
  for (const Term& dividend : parts.dividends) {
    for (const Term& divisor : parts.divisors) {
      for (const bool rounds_up : {true, false}) {
        const auto one = quotient(dividend, divisor, rounds_up);
        if (!one) continue;
        search.offer(one);
        if (plain.size() < most_terms) plain.push_back(*one);
        Term least = *one;
        for (std::int64_t& value : least.values) value = std::min(value, most);
        least.cost += least_cost + cost_of(most);
        least.text = fmt::format("min({}, {})", one->text, most);
        search.offer(least);
      }
    }
    if (const auto constant = common_divisor(dividend.values, wanted))
      search.offer(quotient(dividend, constant_term(*constant, wanted.size()), true));
  }
}

/// Products of two terms, found by what one of them leaves for the other.
void offer_pairs(std::vector<Term> terms, const Numbers& wanted, Search& search) {
  std::ranges::stable_sort(terms, {}, &Term::cost);
  std::map<Numbers, const Term*> by_values;
  for (const Term& term : terms) by_values.try_emplace(term.values, &term);
  for (const Term& term : terms) {
    Numbers rest;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (term.values[i] <= 0 || wanted[i] % term.values[i] != 0) break;
      rest.push_back(wanted[i] / term.values[i]);
    }
    const auto found = by_values.find(rest);
    if (found == by_values.end() || are_equal(rest)) continue;
    search.offer(product(term, *found->second, product_cost));
  }
}

}  // namespace

bool are_equal(const std::vector<std::int64_t>& numbers) {
  return std::ranges::adjacent_find(numbers, std::not_equal_to<>()) == numbers.end();
}

std::optional<FittedExpression> fit_grid(const FitNames& names, const std::vector<std::int64_t>& wanted) {
  if (wanted.empty()) return std::nullopt;
  Search search(wanted);
  if (are_equal(wanted) && wanted.front() == 1) return FittedExpression{"1", "", false};
  const std::vector<Term> sizes = leaves(names.sizes, size_cost, true);
  const std::vector<Term> parameters = leaves(names.parameters, parameter_cost, false);
  std::vector<Term> plain = products(sizes, false);
  const Parts parts = {multiples(plain, {32}),
                       multiples(products(parameters, true), {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64})};
  search.offer(plain);
  std::vector<Term> divisions = leaves(names.sizes, size_cost, true);
  offer_divisions(parts, wanted, divisions, search);
  if (!search.is_done(5)) offer_pairs(std::move(divisions), wanted, search);
  // A constant explains nothing, and says less than any name.
  if (are_equal(wanted)) {
    Term constant = constant_term(wanted.front(), wanted.size());
    constant.cost = names.sizes.empty() || wanted.size() > 1 ? 6 : 9;
    search.offer(constant);
  }
  return search.best();
}

std::optional<FittedExpression> fit_block(const FitNames& names, const std::vector<std::int64_t>& wanted) {
  if (wanted.empty()) return std::nullopt;
  if (are_equal(wanted) && wanted.front() == 1) return FittedExpression{"1", "", false};
  Search search(wanted);
  const std::vector<Term> parameters = leaves(names.parameters, parameter_cost, false);
  const std::vector<Term> all = products(parameters, true);
  search.offer(multiples(all, {2, 4, 8, 32}));
  for (const Term& a : all)
    for (const Term& b : all)
      if (a.text != b.text) search.offer(quotient(a, b, true));
  const std::int64_t most = std::ranges::max(wanted);
  for (const Term& size : leaves(names.sizes, size_cost, true)) {
    if (are_equal(wanted)) break;  // it does not follow a size
    search.offer(size);
    Term warps = size;
    for (std::int64_t& value : warps.values) value = (value + 31) / 32 * 32;
    warps.text = fmt::format("round_up({}, 32)", size.text);
    warps.cost += division_cost;
    for (Term one : {size, warps}) {
      search.offer(one);
      for (std::int64_t& value : one.values) value = std::min(value, most);
      one.text = fmt::format("min({}, {})", one.text, most);
      one.cost += least_cost;
      search.offer(one);
    }
  }
  return search.best();
}

std::optional<FittedExpression> fit_extent(const FitNames& names, const std::vector<std::int64_t>& wanted) {
  if (wanted.empty()) return std::nullopt;
  Search search(wanted);
  const std::vector<Term> sizes = leaves(names.sizes, size_cost, true);
  search.offer(multiples(products(sizes, true), {2, 3, 4, 5, 6, 8, 16}));
  std::vector<Term> with_next = sizes;
  for (const Term& size : sizes) {
    Term next = size;
    for (std::int64_t& value : next.values) ++value;
    next.text = fmt::format("({} + 1)", size.text);
    next.cost += 2;
    with_next.push_back(std::move(next));
  }
  search.offer(products(with_next, false));
  // Of a single number each size is some part.
  for (const Term& dividend : are_equal(wanted) ? std::vector<Term>() : products(sizes, false))
    if (const auto constant = common_divisor(dividend.values, wanted); constant && *constant <= 64)
      search.offer(quotient(dividend, constant_term(*constant, wanted.size()), true));
  return search.best();
}

std::optional<FittedExpression> fit_shared_bytes(const FitNames& names,
                                                 const std::vector<std::int64_t>& wanted) {
  if (wanted.empty()) return std::nullopt;
  if (are_equal(wanted) && wanted.front() == 0) return FittedExpression{"0", "", false};
  Search search(wanted);
  const auto widths = {2, 4, 8, 12, 16, 24, 32, 48, 64};
  Terms terms;
  terms.add(products(leaves(names.parameters, parameter_cost, false), true));
  if (!are_equal(wanted)) {
    std::vector<Term> both = leaves(names.parameters, parameter_cost, false);
    for (const Term& size : leaves(names.sizes, size_cost, true)) both.push_back(size);
    terms.add(products(both, false));
  }
  for (const Term& term : std::move(terms).sorted())
    for (const std::int64_t width : widths)
      search.offer(product(constant_term(width, wanted.size()), term, 0));
  return search.best();
}

std::optional<std::int64_t> expression_value(const std::string& expression,
                                             const std::map<std::string, std::int64_t>& names) {
  std::vector<tuner::space::ConditionName> known;
  std::vector<tuner::model::Value> values;
  for (const auto& [name, value] : names) {
    known.push_back({name});
    values.emplace_back(value);
  }
  try {
    return tuner::space::NamedCondition(expression, known).value(values);
  } catch (const tuner::model::UsageError&) {
    return std::nullopt;
  }
}

}  // namespace config
