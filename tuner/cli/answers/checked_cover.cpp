#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cover/cover.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using reports::Json;

std::vector<double> losses_of(const CoverCheck& check, double CheckedSize::*loss = &CheckedSize::loss) {
  std::vector<double> losses;
  for (const CheckedSize& one : check.sizes) losses.push_back(one.*loss);
  return losses;
}

/// What the sizes say of each bound that is stated of such sizes.
std::vector<std::pair<cover::Bound, cover::Held>> verdicts(const CoverAnswer& answer,
                                                           const CoverCheck& check) {
  std::vector<std::pair<cover::Bound, cover::Held>> all;
  for (const cover::Bound& bound : answer.estimate.between)
    if (std::isfinite(bound.loss) && check.is_of_all)
      all.emplace_back(bound, cover::hold(bound, losses_of(check, &CheckedSize::loss_low)));
  return all;
}

/// `A`, or of what is none of the cover's its values.
std::string name_of_best(const CoverAnswer& answer, const CheckedSize& size) {
  if (!size.best) return "none has a time";
  const std::vector<std::string> names = letters(answer);
  for (const std::size_t one : answer.cover.set.configurations) {
    const model::TrialRecord& known = answer.table.configurations[one];
    if (known.kernel == size.best->kernel && known.configuration == size.best->configuration)
      return names[one];
  }
  return "none of these";
}

std::string rows_text(const CoverAnswer& answer, const CoverCheck& check, const Style& style) {
  using reports::Align;
  reports::Table table({{"size"}, {"rule"}});
  table.add_column("loss", Align::right);
  table.add_column("default", Align::right, false, 1);
  table.add_column("best");
  table.add_column("trial", Align::left, false, 2);
  const std::vector<std::string> names = letters(answer);
  const auto cell = [](double loss) { return std::isfinite(loss) ? loss_text(loss) : "no time"; };
  for (const CheckedSize& one : check.sizes)
    table.add_row({reports::size_label(one.problem), one.picked ? names[*one.picked] : "none may run",
                   (one.is_approximate ? "~" : "") + cell(one.loss), cell(one.default_loss),
                   name_of_best(answer, one), one.best ? style.id(one.best->key) : ""});
  return table.fitted(style.columns, "--format json");
}

std::string verdict_word(const cover::Held& held) {
  return held.is_refuted ? "refuted" : held.is_confirmed ? "confirmed" : "not refuted";
}

std::string verdict_text(const cover::Bound& bound, const cover::Held& held) {
  return fmt::format("{}: at most {} at {} was said; {} of {} sizes are within{}", verdict_word(held),
                     loss_text(bound.loss), case_share_text(bound.share), held.within, held.of,
                     held.is_confirmed
                         ? ""
                         : fmt::format(", and so few or fewer have a chance of {}",
                                       reports::percent_text(std::round(held.chance * 100) / 100)));
}

std::string mean_text(const CoverCheck& check) {
  double rule = 0;
  double untuned = 0;
  std::size_t known = 0;
  std::size_t with_default = 0;
  for (const CheckedSize& one : check.sizes) {
    if (std::isfinite(one.loss)) rule += one.loss;
    if (std::isfinite(one.default_loss)) untuned += one.default_loss;
    known += std::isfinite(one.loss) ? 1 : 0;
    with_default += std::isfinite(one.default_loss) ? 1 : 0;
  }
  std::string text =
      known == 0 ? "the rule has no time there"
                 : fmt::format("the rule loses {} in the mean", loss_text(rule / static_cast<double>(known)));
  if (known > 0 && known < check.sizes.size())
    text += fmt::format(", and has no time at {}", check.sizes.size() - known);
  if (with_default > 0)
    text += fmt::format("; the default {}", loss_text(untuned / static_cast<double>(with_default)));
  return text;
}

std::string multiple_text(const CoverCheck& check) {
  const bool are_equal = std::equal(check.multiple.begin() + 1, check.multiple.end(), check.multiple.begin());
  return are_equal ? fmt::format("{}", check.multiple.front())
                   : fmt::format("{}", fmt::join(check.multiple, "x"));
}

}  // namespace

bool is_refuted(const CoverAnswer& answer, const CoverCheck& check) {
  return std::ranges::any_of(verdicts(answer, check), [](const auto& one) { return one.second.is_refuted; });
}

std::string check_text(const CoverAnswer& answer, const CoverCheck& check, const Style& style) {
  std::string text;
  const auto say = [&](const std::string& line) { text += style.wrapped(line); };
  say(fmt::format(
      "checked at {} that were not measured before: multiples of {} between those that were, from seed {}{}",
      util::counted(check.sizes.size(), "size"), multiple_text(check), check.seed,
      check.drawn < check.asked ? fmt::format("; {} were asked for, and {} found", check.asked, check.drawn)
                                : ""));
  if (check.sizes.size() < check.drawn)
    say(fmt::format("{} not reached",
                    util::counted(static_cast<std::int64_t>(check.drawn - check.sizes.size()), "size")));
  if (check.sizes.empty()) return text;
  std::size_t most = 0;
  for (const CheckedSize& one : check.sizes) most = std::max(most, one.tried);
  text += '\n' + rows_text(answer, check, style) + '\n';
  say(mean_text(check) +
      fmt::format("; the best is that of at most {} a size", util::counted(most, "configuration")));
  if (!check.is_of_all)
    say("what the cover says of other sizes is said of those that a larger number divides");
  for (const auto& [bound, held] : verdicts(answer, check)) say(verdict_text(bound, held));
  if (const std::string alone = bounds_text(cover::bounds(losses_of(check))); !alone.empty())
    say("these sizes alone say: " + alone + ", each with 95 % confidence");
  return text;
}

Json check_json(const CoverAnswer& answer, const CoverCheck& check) {
  const std::vector<std::string> names = letters(answer);
  Json out = {{"seed", check.seed},         {"asked", check.asked},   {"drawn", check.drawn},
              {"multiple", check.multiple}, {"sizes", Json::array()}, {"verdicts", Json::array()}};
  for (const CheckedSize& one : check.sizes) {
    Json size = db::json_of(one.problem);
    size["configuration"] = one.picked ? Json(names[*one.picked]) : Json(nullptr);
    size["loss"] = number_json(one.loss);
    size["loss_low"] = number_json(one.loss_low);
    size["is_approximate"] = one.is_approximate;
    size["default_loss"] = number_json(one.default_loss);
    size["best"] = one.best ? Json(one.best->key.hex()) : Json(nullptr);
    size["tried"] = one.tried;
    out["sizes"].push_back(std::move(size));
  }
  for (const auto& [bound, held] : verdicts(answer, check)) {
    out["verdicts"].push_back({{"share", bound.share},
                               {"loss", bound.loss},
                               {"within", held.within},
                               {"of", held.of},
                               {"chance", held.chance},
                               {"verdict", verdict_word(held)}});
  }
  out["bounds"] = bounds_json(cover::bounds(losses_of(check)));
  return out;
}

}  // namespace tuner::cli::answers
