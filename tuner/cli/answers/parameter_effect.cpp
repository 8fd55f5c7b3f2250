#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "reports/json.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cli/answers/evidence.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using Least = ParameterEffect::Least;
using reports::Align;

bool is_before(const model::Value& a, const model::Value& b) {
  const auto of_a = util::parse_number<double>(a.text());
  const auto of_b = util::parse_number<double>(b.text());
  return of_a && of_b && *of_a < *of_b;
}

bool is_dropped(const db::Ranked& one) {
  return !model::has_trusted_time(one.trial.outcome.status);
}

ParameterEffect::Size effect_at(const ParameterEffect& effect, const db::BestAnswer& answer,
                                const db::Ranking& ranking) {
  ParameterEffect::Size size{answer.problem(), {}};
  size.least.resize(effect.values.size());
  std::vector<double> ratios(effect.values.size(), std::numeric_limits<double>::infinity());
  // The first of any part is the best of that part, though one that is tied with it may have a lower ratio.
  const auto best = std::ranges::find_if(ranking, [&](const db::Ranked& one) {
    return one.trial.configuration.find(effect.parameter) != nullptr;
  });
  for (const db::Ranked& one : ranking) {
    const model::Value* const value = one.trial.configuration.find(effect.parameter);
    if (value == nullptr) continue;
    const auto at =
        static_cast<std::size_t>(std::ranges::find(effect.values, *value) - effect.values.begin());
    std::optional<Least>& least = size.least[at];
    const std::int64_t trials = least ? least->trials + 1 : 1;
    const bool is_of_best = least && least->trial.key == best->trial.key;
    if (!least || (!is_of_best && one.ratio < ratios[at])) {
      least = Least{0, is_dropped(one), one.trial, 0};
      ratios[at] = one.ratio;
    }
    least->trials = trials;
  }
  for (std::size_t i = 0; i < ratios.size(); ++i)
    if (size.least[i]) size.least[i]->loss = std::max(0.0, ratios[i] / best->ratio - 1);
  return size;
}

std::string least_text(const std::optional<Least>& least) {
  if (!least) return "";
  return (least->is_approximate ? "~" : "") + loss_text(least->loss);
}

/// What a value loses over all sizes.
struct Overall {
  std::size_t best = 0;  ///< at so many sizes nothing is better
  std::size_t known = 0;
  double sum = 0;
  double worst = 0;
  bool is_approximate = false;
  std::string worst_at;
};

Overall overall_of(const ParameterEffect& effect, std::size_t value) {
  Overall overall;
  for (const ParameterEffect::Size& size : effect.sizes) {
    const std::optional<Least>& least = size.least[value];
    if (!least) continue;
    ++overall.known;
    overall.best += least->loss == 0 && !least->is_approximate ? 1 : 0;
    overall.sum += least->loss;
    overall.is_approximate |= least->is_approximate;
    if (overall.worst_at.empty() || least->loss > overall.worst) {
      overall.worst = least->loss;
      overall.worst_at = reports::size_label(size.problem);
    }
  }
  return overall;
}

reports::Table overall_table(const ParameterEffect& effect) {
  reports::Table table({{effect.parameter, Align::right},
                        {"best at", Align::right},
                        {"mean loss", Align::right},
                        {"worst loss", Align::right},
                        {"at", Align::right},
                        {"sizes", Align::right, false, 1}});
  for (std::size_t i = 0; i < effect.values.size(); ++i) {
    const Overall overall = overall_of(effect, i);
    const char* const about = overall.is_approximate ? "~" : "";
    const double mean = overall.known > 0 ? overall.sum / static_cast<double>(overall.known) : 0;
    table.add_row({effect.values[i].text(), std::to_string(overall.best), about + loss_text(mean),
                   about + loss_text(overall.worst), overall.worst_at, std::to_string(overall.known)});
  }
  return table;
}

}  // namespace

ParameterEffect parameter_effect(const std::string& parameter, const Chosen& answers,
                                 const std::vector<db::Ranking>& rankings) {
  ParameterEffect effect;
  effect.parameter = parameter;
  for (const db::Ranking& ranking : rankings)
    for (const db::Ranked& one : ranking) {
      const model::Value* const value = one.trial.configuration.find(parameter);
      if (value != nullptr && std::ranges::find(effect.values, *value) == effect.values.end())
        effect.values.push_back(*value);
    }
  std::ranges::stable_sort(effect.values, is_before);
  if (effect.values.empty()) return effect;
  effect.environment = answers.front()->environment();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ParameterEffect::Size size = effect_at(effect, *answers[i], rankings[i]);
    const auto has_time = [](const std::optional<Least>& one) { return one.has_value(); };
    if (std::ranges::any_of(size.least, has_time)) effect.sizes.push_back(std::move(size));
  }
  return effect;
}

std::vector<std::string> parameter_names(const std::vector<db::Ranking>& rankings) {
  std::vector<std::string> names;
  for (const db::Ranking& ranking : rankings)
    for (const db::Ranked& one : ranking)
      for (const model::Assignment& assignment : one.trial.configuration.assignments())
        if (std::ranges::find(names, assignment.name) == names.end()) names.push_back(assignment.name);
  return names;
}

std::string effect_text(const ParameterEffect& effect, const Style& style) {
  std::string out = style.wrapped(fmt::format(
      "{} of {}: {}", effect.parameter, effect.sizes.front().problem.family, effect.environment.text()));
  out += style.wrapped(fmt::format("at {}: the best with each value, against the best with any",
                                   util::counted(effect.sizes.size(), "size")));
  out += '\n' + overall_table(effect).fitted(style.columns, "--format json") + '\n';
  reports::Table table({{"size"}});
  for (const model::Value& value : effect.values)
    table.add_column(fmt::format("{} {}", effect.parameter, value.text()), Align::right);
  bool is_any_approximate = false;
  for (const ParameterEffect::Size& size : effect.sizes) {
    std::vector<std::string> row = {reports::size_label(size.problem)};
    for (const std::optional<Least>& least : size.least) {
      row.push_back(least_text(least));
      is_any_approximate |= least && least->is_approximate;
    }
    table.add_row(std::move(row));
  }
  out += table.fitted(style.columns, "--format json");
  if (is_any_approximate)
    out +=
        '\n' + style.wrapped("~: the fastest with this value was dropped early, so its time is approximate");
  return out;
}

std::string effect_json(const ParameterEffect& effect) {
  using reports::Json;
  Json out = {{"schema_version", 1}, {"parameter", effect.parameter}};
  out["environment"] = db::json_of(effect.environment);
  Json& values = out["values"] = Json::array();
  for (std::size_t i = 0; i < effect.values.size(); ++i) {
    const Overall overall = overall_of(effect, i);
    values.push_back(
        {{"value", effect.values[i].text()},
         {"best_at", overall.best},
         {"sizes", overall.known},
         {"mean_loss", overall.known > 0 ? Json(overall.sum / static_cast<double>(overall.known)) : Json()},
         {"worst_loss", overall.worst},
         {"worst_at", overall.worst_at},
         {"approximate", overall.is_approximate}});
  }
  Json& sizes = out["sizes"] = Json::array();
  for (const ParameterEffect::Size& size : effect.sizes) {
    Json one = db::json_of(size.problem);
    Json& leasts = one["values"] = Json::array();
    for (std::size_t i = 0; i < effect.values.size(); ++i) {
      const std::optional<Least>& least = size.least[i];
      if (!least) continue;
      leasts.push_back({{"value", effect.values[i].text()},
                        {"loss", least->loss},
                        {"approximate", least->is_approximate},
                        {"trial", least->trial.key.hex()},
                        {"kernel", least->trial.kernel},
                        {"trials", least->trials}});
    }
    sizes.push_back(std::move(one));
  }
  return reports::json_text(out);
}

}  // namespace tuner::cli::answers
