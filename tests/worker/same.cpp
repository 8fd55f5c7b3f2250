#include <tuple>

#include "tests/worker/samples.hpp"

namespace tuner::model {
namespace {

auto fields(const SourceText& value) {
  const auto& [name, text] = value;
  return std::tie(name, text);
}
auto fields(const Macro& value) {
  const auto& [name, text] = value;
  return std::tie(name, text);
}
auto fields(const CompileJob& value) {
  const auto& [source, source_key, macros, vocabulary, options, entries, architecture, compiler] = value;
  return std::tie(source, source_key, macros, vocabulary, options, entries, architecture, compiler);
}
auto fields(const KernelResources& value) {
  const auto& [entry, symbol, registers, stores, loads, stack, shared, constant, threads] = value;
  return std::tie(entry, symbol, registers, stores, loads, stack, shared, constant, threads);
}
auto fields(const Compilation& value) {
  const auto& [status, binary, kernels, log, compile_ms, from_cache] = value;
  return std::tie(status, binary, kernels, log, compile_ms, from_cache);
}
auto fields(const DeviceLimits& value) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = value;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
}
auto fields(const DeviceInfo& value) {
  const auto& [id, kind, name, uuid, architecture, major, minor, driver, memory, free, limits] = value;
  return std::tuple_cat(std::tie(id, kind, name, uuid, architecture, major, minor, driver, memory, free),
                        fields(limits));
}
auto fields(const BufferPlan& value) {
  const auto& [name, type, elements, access, init, second_init] = value;
  return std::tie(name, type, elements, access, init, second_init);
}
auto fields(const Operand& value) {
  const auto& [kind, buffer, type, integer, real] = value;
  return std::tie(kind, buffer, type, integer, real);
}
auto fields(const Step& value) {
  const auto& [kind, entry, grid, block, shared, operands, buffer, first, elements, stream, after] = value;
  return std::tie(kind, entry, grid, block, shared, operands, buffer, first, elements, stream, after);
}
auto fields(const VerifyPlan& value) {
  const auto& [reference, rounding_terms, second_is_exact] = value;
  return std::tie(reference, rounding_terms, second_is_exact);
}
auto fields(const Plan& value) {
  const auto& [buffers, steps, verify, deterministic] = value;
  return std::tie(buffers, steps, verify, deterministic);
}
auto fields(const Cut& value) {
  const auto& [samples, factor] = value;
  return std::tie(samples, factor);
}
auto fields(const FinalPolicy& value) {
  const auto& [contestants, within, choosing, confirming, limit] = value;
  return std::tie(contestants, within, choosing, confirming, limit);
}
auto fields(const MeasurePolicy& value) {
  const auto& [name, samples, cuts, final, batch_below, batch, limit, flush] = value;
  return std::tuple_cat(std::tie(name, samples, cuts, batch_below, batch, limit, flush), fields(final));
}
auto fields(const TrialJob& value) {
  const auto& [key, plan, binary, kernels, reference, reference_kernels, reference_key, policy, probes, best,
               seed] = value;
  return std::tie(key, plan, binary, kernels, reference, reference_kernels, reference_key, policy, probes,
                  best, seed);
}
auto fields(const Verification& value) {
  const auto& [checked, ratio, scale, wrong, first, buffer] = value;
  return std::tie(checked, ratio, scale, wrong, first, buffer);
}
auto fields(const Measurement& value) {
  const auto& [samples, launches, median, low, high, least, clock, throttled, temperature, power, latency] =
      value;
  return std::tie(samples, launches, median, low, high, least, clock, throttled, temperature, power, latency);
}
auto fields(const TrialOutcome& value) {
  const auto& [status, detail, verification, measurement, lost, blocks] = value;
  return std::tie(status, detail, verification, measurement, lost, blocks);
}
auto fields(const Standing& value) {
  const auto& [measurement, ratio, low, high, tied] = value;
  return std::tie(measurement, ratio, low, high, tied);
}
auto fields(const FinalOutcome& value) {
  const auto& [standings, fastest, rounds, throttled, failure, culprit] = value;
  return std::tie(standings, fastest, rounds, throttled, failure, culprit);
}

}  // namespace

bool operator==(const SourceText& a, const SourceText& b) {
  return fields(a) == fields(b);
}
bool operator==(const Macro& a, const Macro& b) {
  return fields(a) == fields(b);
}
bool operator==(const CompileJob& a, const CompileJob& b) {
  return fields(a) == fields(b);
}
bool operator==(const KernelResources& a, const KernelResources& b) {
  return fields(a) == fields(b);
}
bool operator==(const Compilation& a, const Compilation& b) {
  return fields(a) == fields(b);
}
bool operator==(const DeviceInfo& a, const DeviceInfo& b) {
  return fields(a) == fields(b);
}
static bool operator==(const BufferPlan& a, const BufferPlan& b) {
  return fields(a) == fields(b);
}
static bool operator==(const Operand& a, const Operand& b) {
  return fields(a) == fields(b);
}
static bool operator==(const Step& a, const Step& b) {
  return fields(a) == fields(b);
}
static bool operator==(const VerifyPlan& a, const VerifyPlan& b) {
  return fields(a) == fields(b);
}
static bool operator==(const Plan& a, const Plan& b) {
  return fields(a) == fields(b);
}
static bool operator==(const Cut& a, const Cut& b) {
  return fields(a) == fields(b);
}
static bool operator==(const MeasurePolicy& a, const MeasurePolicy& b) {
  return fields(a) == fields(b);
}
bool operator==(const TrialJob& a, const TrialJob& b) {
  return fields(a) == fields(b);
}
static bool operator==(const Verification& a, const Verification& b) {
  return fields(a) == fields(b);
}
static bool operator==(const Measurement& a, const Measurement& b) {
  return fields(a) == fields(b);
}
bool operator==(const TrialOutcome& a, const TrialOutcome& b) {
  return fields(a) == fields(b);
}
static bool operator==(const Standing& a, const Standing& b) {
  return fields(a) == fields(b);
}
bool operator==(const FinalOutcome& a, const FinalOutcome& b) {
  return fields(a) == fields(b);
}

}  // namespace tuner::model
