#include "tuner/space/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/expression.hpp"

namespace tuner::space {
namespace {

using model::ElementType;
using Kind = model::Init::Kind;

/// Between which a type holds every whole number, as doubles (64-bit ones rounded towards zero).
struct Range {
  double least;
  double most;
};
Range range_of(ElementType type) {
  const ElementType number = model::component_type(type);
  if (model::is_floating(number)) return {-model::most_whole(number), model::most_whole(number)};
  if (number == ElementType::boolean) return {0, 1};
  const bool is_unsigned = number == ElementType::uint8 || number == ElementType::uint16 ||
                           number == ElementType::uint32 || number == ElementType::uint64;
  const auto bits = static_cast<int>(8 * model::size_bytes(number));
  const double beyond = std::ldexp(1.0, is_unsigned ? bits : bits - 1);
  return {is_unsigned ? 0 : -beyond, bits == 64 ? std::nextafter(beyond, 0) : beyond - 1};
}

bool whole(double value) {
  return std::trunc(value) == value;
}

bool has_odd(double least, double most) {
  return least < most || (least == most && std::fmod(least, 2) != 0);
}

/// Whether `fits` holds for all that elements may be.
template <typename Fits>
bool fits_all(const model::Init& init, Fits fits) {
  switch (init.kind) {
    case Kind::signs:
      return fits(-1) && fits(1);
    case Kind::constant:
      return fits(init.a);
    case Kind::iota:
      return fits(init.a) && fits(init.a + init.b * std::max(0.0, init.c - 1));
    case Kind::permutation:
      return fits(init.a) && fits(init.a + std::max(0.0, init.c - 1));
    case Kind::normal:
      return fits(init.a - 6 * init.b) && fits(init.a + 6 * init.b);
    default:
      return fits(init.a) && fits(init.b);
  }
}

bool is_of_whole_numbers(Kind kind) {
  return kind == Kind::integers || kind == Kind::odd_integers || kind == Kind::permutation;
}

}  // namespace

std::span<const InitForm> init_forms() {
  static constexpr std::array forms = {InitForm{"uniform", Kind::uniform, 2},
                                       InitForm{"integers", Kind::integers, 2},
                                       InitForm{"constant", Kind::constant, 1},
                                       InitForm{"iota", Kind::iota, 2},
                                       InitForm{"odd_integers", Kind::odd_integers, 2},
                                       InitForm{"signs", Kind::signs, 1},
                                       InitForm{"normal", Kind::normal, 2},
                                       InitForm{"permutation", Kind::permutation, 1},
                                       InitForm{"sorted", Kind::sorted, 2},
                                       InitForm{"sparse", Kind::sparse, 3}};
  return forms;
}

bool fits(ElementType type, std::int64_t value) {
  if (model::component_type(type) == ElementType::int64) return true;
  const Range range = range_of(type);
  const auto number = static_cast<double>(value);
  return number >= range.least && number <= range.most;
}

model::Init with_numbers(Kind kind, const std::vector<double>& numbers) {
  if (kind == Kind::sparse) return {kind, numbers.at(1), numbers.at(2), numbers.at(0)};
  if (kind == Kind::integers) return {kind, std::ceil(numbers.at(0)), std::floor(numbers.at(1)), 0};  // N / 3
  return {kind, numbers.empty() ? 0 : numbers[0], numbers.size() > 1 ? numbers[1] : 0, 0};
}

std::optional<model::Diagnostic> mistake_in(const model::Init& init) {
  const auto mistake = [](std::string message, std::string hint) {
    return model::Diagnostic{{}, std::move(message), std::move(hint)};
  };
  switch (init.kind) {
    case Kind::uniform:
      if (init.a < init.b) return std::nullopt;
      return mistake(fmt::format("uniform({}, {}) is an empty interval", init.a, init.b),
                     "the first number must be less than the second");
    case Kind::integers:
      if (whole(init.a) && whole(init.b) && init.a <= init.b) return std::nullopt;
      return mistake(fmt::format("integers({}, {}) holds no whole range", init.a, init.b),
                     "two whole numbers, the smaller first");
    case Kind::odd_integers:
      if (whole(init.a) && whole(init.b) && has_odd(init.a, init.b)) return std::nullopt;
      return mistake(fmt::format("odd_integers({}, {}) holds no odd number", init.a, init.b),
                     "two whole numbers, the smaller first, with an odd one among them");
    case Kind::signs:
      if (whole(init.a) && init.a >= 1) return std::nullopt;
      return mistake(fmt::format("signs({}) says how many elements of a column are not 0", init.a),
                     "a whole number from 1 on");
    case Kind::normal:
      if (std::isfinite(init.a) && init.b > 0) return std::nullopt;
      return mistake(fmt::format("normal({}, {}) has no spread", init.a, init.b),
                     "a mean, and a standard deviation above 0");
    case Kind::permutation:
      if (whole(init.a)) return std::nullopt;
      return mistake(fmt::format("permutation({}) begins with no whole number", init.a),
                     "a whole number, usually 0");
    case Kind::sorted:
      if (init.a <= init.b) return std::nullopt;
      return mistake(fmt::format("sorted({}, {}) descends", init.a, init.b), "the smaller number first");
    case Kind::sparse:
      if (init.c >= 0 && init.c <= 1 && init.a < init.b) return std::nullopt;
      return mistake(fmt::format("sparse({}, {}, {}) is no share and an interval", init.c, init.a, init.b),
                     "the share of elements that are not 0, from 0 to 1, then the smaller number first");
    default:
      return std::nullopt;
  }
}

std::optional<model::Diagnostic> misfit(const model::Init& init, ElementType type) {
  if (init.kind == Kind::file || init.kind == Kind::generated || init.kind == Kind::none) return std::nullopt;
  const std::string_view name = model::cuda_name(type);
  const bool narrow = model::size_bytes(model::component_type(type)) < 4;
  if (model::is_floating(type) && !is_of_whole_numbers(init.kind)) {
    const double most = model::largest(type);
    const auto fits = [&](double value) {
      return std::fabs(value) <= most || (!narrow && !std::isfinite(value));  // an infinity that is asked for
    };
    if (fits_all(init, fits)) return std::nullopt;
    return model::Diagnostic{{},
                             fmt::format("elements of type {} cannot hold these numbers", name),
                             fmt::format("numbers from {0} to {1}", -most, most)};
  }
  if (model::is_floating(type) && !narrow && init.kind == Kind::integers) return std::nullopt;
  if (init.kind == Kind::uniform || init.kind == Kind::normal) {
    return model::Diagnostic{
        {},
        fmt::format("{} makes real numbers, but elements may be of type {}",
                    init.kind == Kind::uniform ? "uniform" : "normal", name),
        "integers(-8, 8), or one for each type: init = { float = \"uniform(-1, 1)\", int = "
        "\"integers(-8, 8)\" }"};
  }
  const Range range = range_of(type);
  const auto fits = [range](double value) {
    return whole(value) && value >= range.least && value <= range.most;
  };
  const bool has_fractions = init.kind == Kind::iota && !whole(init.b);
  if (!has_fractions && fits_all(init, fits)) return std::nullopt;
  return model::Diagnostic{{},
                           fmt::format("elements of type {} cannot hold these numbers", name),
                           fmt::format("whole numbers from {:.0f} to {:.0f}", range.least, range.most)};
}

namespace {

using Waits = std::set<int>;

/// The latest step before `index` on the same stream, or -1.
int predecessor(const std::vector<model::StepSpec>& steps, std::size_t index) {
  for (std::size_t i = index; i-- > 0;) {
    if (steps[i].stream == steps[index].stream) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::vector<std::vector<int>> waits_of_kept(const std::vector<model::StepSpec>& steps,
                                            const std::vector<bool>& kept) {
  std::vector<std::vector<int>> result;
  std::vector<Waits> stands_for(steps.size());  // the kept steps that waiting for a step comes down to
  std::vector<int> number(steps.size(), -1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Waits waits;
    for (const int before : steps[i].after) waits.merge(Waits(stands_for[static_cast<std::size_t>(before)]));
    const int previous = predecessor(steps, i);
    const bool gap = previous >= 0 && !kept[static_cast<std::size_t>(previous)];
    // In a stream that lost a step, the order the lost one imposed on its successor has to be said.
    if (gap || (previous >= 0 && !kept[i])) {
      waits.merge(Waits(stands_for[static_cast<std::size_t>(previous)]));
    }
    if (!kept[i]) {
      stands_for[i] = std::move(waits);
      continue;
    }
    std::vector<int> named;
    for (const int before : waits) {
      if (steps[static_cast<std::size_t>(before)].stream != steps[i].stream) {
        named.push_back(number[static_cast<std::size_t>(before)]);
      }
    }
    number[i] = static_cast<int>(result.size());
    stands_for[i] = {static_cast<int>(i)};
    result.push_back(std::move(named));
  }
  return result;
}

std::optional<model::Plan> Planner::plan() {
  check_macros();
  make_buffers();
  if (!is_rejected()) make_scalars();
  model::Plan plan;
  plan.problem = m_problem.text();
  const auto add = [&](std::vector<model::Step>& to, const auto& specs, const auto& compiled) {
    if (!is_rejected()) to = steps(specs, compiled);
  };
  add(plan.steps, m_spec.steps, m_compiled.steps);
  if (m_spec.generator) add(plan.generator, m_spec.generator->steps, m_compiled.generator);
  if (m_compiled.verify) {
    add(plan.verify.reference, m_spec.verify->steps, m_compiled.verify->steps);
    add(plan.verify.comparison, m_spec.verify->comparison, m_compiled.verify->comparison);
    const Compiled& terms = m_compiled.verify->rounding_terms;
    plan.verify.rounding_terms = real(terms, "rounding_terms");
    if (plan.verify.rounding_terms < 0)
      reject(fmt::format("rounding_terms {} is negative", shown(terms, plan.verify.rounding_terms)));
    plan.verify.second_is_exact = m_spec.verify->second_is_exact;
    plan.verify.tolerance = m_spec.verify->tolerance;
    plan.verify.accumulator = m_spec.verify->accumulator;
  }
  if (is_rejected()) return std::nullopt;
  plan.buffers = std::move(m_buffers);
  plan.deterministic = m_spec.deterministic;
  return plan;
}

std::int64_t Planner::number(const Compiled& expression, std::string_view what) {
  return value_of(evaluate(expression.program, m_slots), expression, what);
}

double Planner::real(const Compiled& expression, std::string_view what) {
  return value_of(evaluate_real(expression.program, m_slots), expression, what);
}

template <class Number>
Number Planner::value_of(const Evaluated<Number>& result, const Compiled& expression, std::string_view what) {
  if (result.fault == Fault::none) return result.value;
  reject(fmt::format("{}: {}", what, explain(m_compiled, expression, m_slots, result.fault, result.slot)));
  return 0;
}

std::nullopt_t Planner::reject(std::string reason) {
  if (!is_rejected()) m_rejection.reason = std::move(reason);
  return std::nullopt;
}

}  // namespace tuner::space
