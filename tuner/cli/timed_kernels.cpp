#include <fmt/format.h>

#include <algorithm>

#include "reports/json.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using reports::Align;
using reports::Json;

/// `1.23x faster than a, 95 % 1.21..1.25`
std::string beside_first(const TimedSize::Kernel& kernel, const std::string& first) {
  const measure::Ratio& ratio = kernel.to_first->ratio;
  if (kernel.to_first->verdict == measure::Verdict::tied)
    return fmt::format("{} and {} are tied: the ratio of their times is {}", kernel.name, first,
                       reports::ratio_interval_text(ratio.ratio, ratio.low, ratio.high));
  const bool is_faster = kernel.to_first->verdict == measure::Verdict::faster;
  const measure::Ratio factor = is_faster ? measure::inverse(ratio) : ratio;
  const std::string word(measure::to_string(kernel.to_first->verdict));
  return fmt::format("{} is {}x {} than {}, 95 % {}..{}", kernel.name, reports::significant(factor.ratio, 3),
                     word, first, reports::significant(factor.low, 3), reports::significant(factor.high, 3));
}

std::string size_prefix(const TimedKernels& timed, const TimedSize& size) {
  return timed.sizes.size() > 1 ? reports::size_label(size.problem) + ": " : "";
}

bool is_too_slow(const TimedKernels& timed, const TimedSize::Kernel& kernel) {
  return timed.allowed_share && kernel.to_first &&
         measure::slowdown_of(kernel.to_first->ratio, *timed.allowed_share).allowed == measure::Allowed::no;
}

template <typename Holds>
bool is_any(const TimedKernels& timed, const Holds& holds) {
  return std::ranges::any_of(timed.sizes,
                             [&](const TimedSize& size) { return std::ranges::any_of(size.kernels, holds); });
}

const model::Measurement* measurement_in(const TimedSize::Kernel& kernel) {
  return kernel.failure.empty() && kernel.trial && kernel.trial->outcome.measurement
             ? &*kernel.trial->outcome.measurement
             : nullptr;
}

Json kernel_json(const TimedSize::Kernel& kernel) {
  Json out = {{"kernel", kernel.name}, {"failure", kernel.failure}};
  out["status"] = kernel.trial ? Json(std::string(model::to_string(kernel.trial->outcome.status))) : Json();
  const model::Measurement* const measurement = measurement_in(kernel);
  out["measurement"] = measurement != nullptr ? db::json_of(*measurement) : Json();
  out["verdict"] = kernel.to_first ? Json(measure::to_string(kernel.to_first->verdict)) : Json();
  out["ratio"] = kernel.to_first ? Json(kernel.to_first->ratio.ratio) : Json();
  out["ratio_low"] = kernel.to_first ? Json(kernel.to_first->ratio.low) : Json();
  out["ratio_high"] = kernel.to_first ? Json(kernel.to_first->ratio.high) : Json();
  out["in_turn"] = kernel.to_first ? Json(kernel.to_first->in_turn) : Json();
  return out;
}

}  // namespace

int exit_code_of(const TimedKernels& timed) {
  if (timed.interrupted != 0) return timed.interrupted;
  const bool has_failure =
      is_any(timed, [](const TimedSize::Kernel& kernel) { return !kernel.failure.empty(); });
  const bool has_slower =
      is_any(timed, [&](const TimedSize::Kernel& kernel) { return is_too_slow(timed, kernel); });
  return static_cast<int>(has_failure  ? model::ExitCode::failed
                          : has_slower ? model::ExitCode::slower
                                       : model::ExitCode::done);
}

std::string timed_text(const TimedKernels& timed, std::size_t columns) {
  reports::Table table({{"size"},
                        {"kernel"},
                        {"median", Align::right},
                        {"95 % interval", Align::right, false, 1},
                        {"registers", Align::right, false, 2}});
  std::vector<std::string> sentences;
  bool has_latency = false;
  for (const TimedSize& size : timed.sizes) {
    for (const TimedSize::Kernel& kernel : size.kernels) {
      const std::string& first = size.kernels.front().name;
      if (!kernel.failure.empty())
        sentences.push_back(
            fmt::format("{}{} has no time: {}", size_prefix(timed, size), kernel.name, kernel.failure));
      else if (kernel.to_first)
        sentences.push_back(size_prefix(timed, size) + beside_first(kernel, first) +
                            (kernel.to_first->in_turn ? "" : " (" + kernel.to_first->how + ")") +
                            (is_too_slow(timed, kernel) ? "; more than --fail-if-slower allows" : ""));
      const model::Measurement* const measurement = measurement_in(kernel);
      if (measurement == nullptr) continue;
      has_latency = has_latency || measurement->includes_launch_latency;
      table.add_row({reports::size_label(size.problem), kernel.name, reports::marked_time(*kernel.trial),
                     reports::interval_text(measurement->low_ns, measurement->high_ns),
                     reports::registers_text(*kernel.trial)});
    }
  }
  std::string out = table.empty() ? "" : table.fitted(columns, "--format json") + "\n";
  if (has_latency) sentences.emplace_back(reports::latency_meaning);
  if (timed.interrupted != 0)
    sentences.push_back("partial: interrupted before all kernels had been sampled in turn");
  for (const std::string& sentence : sentences) out += util::wrapped_text(sentence, columns, 2);
  return out;
}

std::string timed_json(const TimedKernels& timed) {
  Json out = {{"schema_version", 1},
              {"device", timed.device},
              {"assumed", timed.assumed},
              {"results_compared", timed.not_compared.empty()},
              {"partial", timed.interrupted != 0},
              {"exit_code", exit_code_of(timed)}};
  Json& sizes = out["sizes"] = Json::array();
  for (const TimedSize& size : timed.sizes) {
    Json one = db::json_of(size.problem);
    one["kernels"] = Json::array();
    for (const TimedSize::Kernel& kernel : size.kernels) one["kernels"].push_back(kernel_json(kernel));
    sizes.push_back(std::move(one));
  }
  return reports::json_text(out);
}

}  // namespace tuner::cli
