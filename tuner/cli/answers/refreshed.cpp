#include "tuner/cli/answers/refreshed.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "reports/json.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using reports::Json;

/// The time of today by that of before.
struct TimeRatio {
  double ratio = 0;
  double low = 0;
  double high = 0;
  bool is_faster() const { return high < 1; }
  bool is_slower() const { return low > 1; }
  /// Surely within 2 %.
  bool is_as_fast() const { return low >= 0.98 && high <= 1.02; }
};

TimeRatio time_ratio(const Refreshed& one) {
  const model::Measurement& now = *one.after->winner.outcome.measurement;
  const model::Measurement& then = *one.before.winner.outcome.measurement;
  return {now.median_ns / then.median_ns, now.low_ns / then.high_ns, now.high_ns / then.low_ns};
}

std::string signed_percent(double ratio) {
  return fmt::format("{:+.1f}", (ratio - 1) * 100);
}

/// `3.1 % faster (-4.2 to -2.0 %)`, `as fast (-0.4 to +0.6 %)`, `undecided (-6 to +9 %)`.
std::string change_cell(const Refreshed& one) {
  if (!one.after) return "no time";
  const TimeRatio change = time_ratio(one);
  const bool is_approximate = one.after->is_approximate() || one.before.is_approximate();
  const char* const about = is_approximate ? "~" : "";
  if (change.low >= most_in_percent)
    return fmt::format("{}{} slower ({} to {})", about, reports::ratio_text(change.ratio),
                       reports::ratio_text(change.low), reports::ratio_text(change.high));
  const std::string interval =
      fmt::format(" ({} to {} %)", signed_percent(change.low), signed_percent(change.high));
  if (!change.is_faster() && !change.is_slower())
    return fmt::format("{}{}{}", about, change.is_as_fast() ? "as fast" : "undecided", interval);
  return fmt::format("{}{:.1f} % {}{}", about, std::abs(change.ratio - 1) * 100,
                     change.is_faster() ? "faster" : "slower", interval);
}

std::string answer_time_cell(const db::BestAnswer& answer) {
  return approximate_mark(answer) + reports::time_text(answer.winner.outcome.measurement->median_ns);
}

bool is_timed(const std::optional<model::TrialRecord>& trial) {
  return trial && trial->outcome.measurement;
}

/// What became of the former winner, where another has its place.
std::string former_text(const Refreshed& one) {
  if (!one.again) return "the former is not in its kernel's space here, or was not measured";
  if (!is_timed(one.again))
    return fmt::format("the former fails: {}, {}", model::to_string(one.again->outcome.status),
                       reports::reason(*one.again));
  const bool in_turn = one.after->final && model::entry_of(*one.after->final, one.again->key) != nullptr;
  return "the former is " + difference_text(db::times_as_long(*one.after, *one.again), in_turn);
}

std::string winner_cell(const Refreshed& one) {
  const Keeps kept = keeps(one);
  if (kept == Keeps::same) return "the same";
  if (!one.after) return former_text(one);
  const model::TrialRecord& now = one.after->winner;
  const std::string change = now.kernel == one.before.winner.kernel
                                 ? change_text(one.before.winner.configuration, now.configuration)
                                 : fmt::format("{} {}", now.kernel, now.configuration.text());
  if (kept == Keeps::tied) return "tied with the one chosen: " + change;
  return fmt::format("another: {}; {}", change, former_text(one));
}

/// Whether the former winner gives other bits here than it gave there.
std::string bits_cell(const Refreshed& one) {
  if (!one.again) return "";
  const auto relation = compare_bits(one.before.winner.outcome.output_bits, one.again->outcome.output_bits);
  return relation == model::BitsRelation::same    ? "same"
         : relation == model::BitsRelation::other ? "others"
                                                  : "";
}

using RefreshedGroup = std::vector<const Refreshed*>;

std::string refreshed_group_text(const RefreshedGroup& group, const Style& style) {
  using reports::Align;
  const auto& first = group.front()->before.tuning_case;
  std::string text =
      style.wrapped(fmt::format("{}, from {}", first.problem.family, first.environment.text()));
  reports::Table table({{"size", Align::right},
                        {"before", Align::right},
                        {"now", Align::right},
                        {"change"},
                        {"winner", Align::left, true},
                        {"its bits", Align::left, false, 1}});
  for (const Refreshed* one : group)
    table.add_row({reports::size_label(one->before.problem()), answer_time_cell(one->before),
                   one->after ? answer_time_cell(*one->after) : "", change_cell(*one), winner_cell(*one),
                   bits_cell(*one)});
  return text + table.fitted(style.columns);
}

std::string refreshed_counts(const std::vector<Refreshed>& sizes) {
  std::map<Keeps, std::int64_t> kept;
  std::int64_t faster = 0, slower = 0, as_fast = 0, undecided = 0;
  for (const Refreshed& one : sizes) {
    ++kept[keeps(one)];
    if (!one.after) continue;
    const TimeRatio change = time_ratio(one);
    ++(change.is_faster() ? faster : change.is_slower() ? slower : change.is_as_fast() ? as_fast : undecided);
  }
  return fmt::format(
      "{}: the winner is the same at {}, tied at {}, another at {}, without a time at {}; the best is faster "
      "at {}, slower at {}, as fast at {}, undecided at {}\n",
      util::counted(sizes.size(), "size"), kept[Keeps::same], kept[Keeps::tied], kept[Keeps::another],
      kept[Keeps::gone], faster, slower, as_fast, undecided);
}

const char* word_of_keeps(Keeps kept) {
  constexpr const char* words[] = {"same", "tied", "another", "gone"};
  return words[static_cast<int>(kept)];
}

Json refreshed_json(const Refreshed& one) {
  Json out = db::json_of(one.before.problem());
  out["from"] = db::json_of(one.before.environment());
  out["before"] = trial_json(one.before, one.before.winner);
  out["after"] = one.after ? trial_json(*one.after, one.after->winner) : Json(nullptr);
  out["winner"] = word_of_keeps(keeps(one));
  out["former"] = one.again ? db::json_of(one.again->key) : Json(nullptr);
  out["time_ratio"] = nullptr;
  if (one.after) {
    const TimeRatio change = time_ratio(one);
    out["time_ratio"] = {{"ratio", change.ratio}, {"low", change.low}, {"high", change.high}};
  }
  const std::string bits = bits_cell(one);
  out["same_bits"] = bits.empty() ? Json(nullptr) : Json(bits == "same");
  return out;
}

}  // namespace

Keeps keeps(const Refreshed& one) {
  if (!is_timed(one.again)) return Keeps::gone;
  if (one.after->winner.key == one.again->key) return Keeps::same;
  return is_tied(*one.after, one.again->key) ? Keeps::tied : Keeps::another;
}

std::string refreshed_text(const std::vector<Refreshed>& sizes, const Style& style) {
  std::string text;
  for (const auto& group : grouped(
           sizes, [](const Refreshed& one) -> const auto& { return one.before; }))
    text += refreshed_group_text(group, style) + '\n';
  return text + style.wrapped(refreshed_counts(sizes));
}

std::string refreshed_json(const std::vector<Refreshed>& sizes) {
  Json out = {{"schema_version", 1}, {"sizes", Json::array()}};
  for (const Refreshed& one : sizes) out["sizes"].push_back(refreshed_json(one));
  return reports::json_text(out);
}

}  // namespace tuner::cli::answers
