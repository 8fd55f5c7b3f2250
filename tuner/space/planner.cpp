#include "tuner/space/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/parser.hpp"

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
  switch (model::component_type(type)) {
    case ElementType::boolean:
      return {0, 1};
    case ElementType::int8:
      return {-128, 127};
    case ElementType::uint8:
      return {0, 255};
    case ElementType::int16:
      return {-0x1p15, 0x1p15 - 1};
    case ElementType::uint16:
      return {0, 0x1p16 - 1};
    case ElementType::int32:
      return {-0x1p31, 0x1p31 - 1};
    case ElementType::uint32:
      return {0, 0x1p32 - 1};
    case ElementType::int64:
      return {-0x1p63, 0x1.fffffffffffffp62};
    case ElementType::uint64:
      return {0, 0x1.fffffffffffffp63};
    default:
      return {-model::most_whole(type), model::most_whole(type)};
  }
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
      return fits(init.a) && whole(init.b);  // how far it gets depends on the extent
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

int numbers_of(Kind kind) {
  switch (kind) {
    case Kind::none:
    case Kind::file:
    case Kind::generated:
      return 0;
    case Kind::constant:
    case Kind::signs:
    case Kind::permutation:
      return 1;
    case Kind::sparse:
      return 3;
    default:
      return 2;
  }
}

model::Init with_numbers(Kind kind, const std::vector<double>& numbers) {
  if (kind == Kind::sparse) return {kind, numbers.at(1), numbers.at(2), numbers.at(0)};
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
    const auto fits = [most](double value) { return std::fabs(value) <= most; };
    if (!narrow || init.kind == Kind::iota || fits_all(init, fits)) return std::nullopt;
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
  if (fits_all(init, fits)) return std::nullopt;
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
  if (!check_macros() || !make_buffers() || !make_scalars()) return std::nullopt;
  model::Plan plan;
  plan.problem = m_problem.text();
  std::optional<std::vector<model::Step>> run = steps(m_spec.steps, m_compiled.steps);
  if (!run) return std::nullopt;
  plan.steps = std::move(*run);
  if (m_spec.generator) {
    std::optional<std::vector<model::Step>> generator = steps(m_spec.generator->steps, m_compiled.generator);
    if (!generator) return std::nullopt;
    plan.generator = std::move(*generator);
  }
  if (m_compiled.verify) {
    if (!m_spec.verify->steps.empty()) {
      std::optional<std::vector<model::Step>> reference =
          steps(m_spec.verify->steps, m_compiled.verify->steps);
      if (!reference) return std::nullopt;
      plan.verify.reference = std::move(*reference);
    }
    if (!m_spec.verify->comparison.empty()) {
      std::optional<std::vector<model::Step>> comparison =
          steps(m_spec.verify->comparison, m_compiled.verify->comparison);
      if (!comparison) return std::nullopt;
      plan.verify.comparison = std::move(*comparison);
    }
    const std::optional<double> terms = real(m_compiled.verify->rounding_terms, "rounding_terms");
    if (!terms) return std::nullopt;
    if (*terms < 0) {
      return reject(
          fmt::format("rounding_terms {} is negative", shown(m_compiled.verify->rounding_terms, *terms)));
    }
    plan.verify.rounding_terms = *terms;
    plan.verify.second_is_exact = m_spec.verify->second_is_exact;
    plan.verify.tolerance = m_spec.verify->tolerance;
    plan.verify.accumulator = m_spec.verify->accumulator;
  }
  plan.buffers = std::move(m_buffers);
  plan.deterministic = m_spec.deterministic;
  return plan;
}

std::optional<std::int64_t> Planner::number(const Compiled& expression, std::string_view what) {
  const Evaluated<std::int64_t> result = evaluate(expression.program, m_slots);
  if (result.fault == Fault::none) return result.value;
  return reject(
      fmt::format("{}: {}", what, explain(m_compiled, expression, m_slots, result.fault, result.slot)));
}

std::optional<double> Planner::real(const Compiled& expression, std::string_view what) {
  const Evaluated<double> result = evaluate_real(expression.program, m_slots);
  if (result.fault == Fault::none) return result.value;
  return reject(
      fmt::format("{}: {}", what, explain(m_compiled, expression, m_slots, result.fault, result.slot)));
}

std::nullopt_t Planner::reject(std::string reason) {
  if (m_rejection.reason.empty()) m_rejection.reason = std::move(reason);
  return std::nullopt;
}

}  // namespace tuner::space
