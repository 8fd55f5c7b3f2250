#include "tuner/space/planner.hpp"

#include <fmt/format.h>

#include <utility>

#include "tuner/space/lexer.hpp"
#include "tuner/space/plan_text.hpp"
#include "tuner/space/slots.hpp"

namespace tuner::space {

std::optional<model::Plan> Planner::plan() {
  if (!check_macros() || !make_buffers() || !make_scalars()) return std::nullopt;
  model::Plan plan;
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
