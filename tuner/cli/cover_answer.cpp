#include "tuner/cli/cover_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "db/queries.hpp"
#include "reports/summary.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/packing/build_recipe.hpp"
#include "tuner/space/cpp_configuration.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// A left-out size costs a whole cover, so each is searched less far than the cover that is shown.
constexpr cover::Effort effort_left_out{500, 10'000};

using Chosen = answers::Chosen;

/// How many sizes each environment of `choices` has an answer for among `all`, chosen there or not.
std::string environment_lines(const db::BestAnswers& all, const Chosen& choices) {
  std::map<std::string, std::int64_t> sizes;
  for (const db::BestAnswer* one : choices) sizes.emplace(one->environment().text(), 0);
  for (const db::BestAnswer& one : all)
    if (const auto known = sizes.find(one.environment().text()); known != sizes.end()) ++known->second;
  std::string lines;
  for (const auto& [environment, count] : sizes)
    lines += fmt::format("\n  {}: {}", environment, util::counted(count, "size"));
  return lines;
}

[[noreturn]] void refuse(const std::string& why, const db::BestAnswers& all, const Chosen& choices) {
  throw model::UsageError(why + ":" + environment_lines(all, choices),
                          "choose with " + answers::choosing_flags(choices));
}

}  // namespace

void require_one_family(const std::vector<db::Case>& all) {
  std::set<std::string> families;
  std::set<std::int64_t> paddings;
  for (const db::Case& one : all) {
    families.insert(one.problem.family);
    paddings.insert(one.problem.row_padding);
  }
  if (families.size() > 1) {
    throw model::UsageError(fmt::format("several families have answers: {}", fmt::join(families, ", ")),
                            fmt::format("name one: --family {}", *families.begin()));
  }
  if (paddings.size() > 1) {
    throw model::UsageError(fmt::format("answers have several row paddings: {}", fmt::join(paddings, ", ")),
                            fmt::format("name one: --pad {}", *paddings.begin()));
  }
}

cover::Goal goal_of(const CoverQuestion& question) {
  cover::Goal goal;
  goal.at_most = static_cast<std::size_t>(question.at_most);
  if (question.within.empty()) return goal;
  std::string_view number = question.within;
  if (number.ends_with('%')) number.remove_suffix(1);
  const auto percent = util::parse_number<double>(util::trimmed(number));
  if (!percent || *percent < 0 || *percent > 1000) {
    throw model::UsageError(fmt::format("--within {} is no loss", question.within),
                            "a percentage from 0 to 1000, as --within 2%");
  }
  goal.within = *percent / 100;
  return goal;
}

void require_one_kind(const db::BestAnswers& all) {
  std::set<std::string> kinds;
  for (const db::BestAnswer& answer : all) kinds.insert(answer.problem().kind());
  if (kinds.size() > 1) {
    throw model::UsageError(fmt::format("the kernels have different sizes: {}", fmt::join(kinds, ", ")),
                            "name one: --kernel " + util::shell_quote(all.front().winner.kernel));
  }
}

db::BestAnswers answers_to_cover(const db::Connection& connection, const db::BestQuery& query) {
  db::BestAnswers all = db::best(connection, query);
  std::erase_if(all, [&](const db::BestAnswer& one) {
    return db::is_only_of_strategy(connection, one.tuning_case, check_strategy);
  });
  return all;
}

answers::Chosen of_one_environment(const db::BestAnswers& all) {
  std::vector<db::Case> cases;
  for (const db::BestAnswer& one : all) cases.push_back(one.tuning_case);
  require_one_family(cases);
  require_one_kind(all);
  Chosen chosen, undecided;
  for (const answers::EnvironmentChoice& choice : answers::choose_environments(all)) {
    if (choice.chosen) chosen.push_back(&all[*choice.chosen]);
    if (!choice.chosen) std::ranges::copy(answers::choices_of(all, choice), std::back_inserter(undecided));
  }
  if (!undecided.empty())
    refuse("several environments have answers, and no rule decides among them", all, undecided);
  for (const db::BestAnswer* one : chosen) {
    if (!(one->environment() == chosen.front()->environment()))
      refuse("a cover is of one environment, and the sizes are answered by several", all, chosen);
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const db::BestAnswer* a, const db::BestAnswer* b) {
    return reports::problem_less(a->problem(), b->problem());
  });
  return chosen;
}

namespace {

/// `configurations` were measured on this device.
KernelsAtHand kernels_of(const db::Connection& connection, const std::string& on,
                         const std::vector<model::TrialRecord>& configurations, const std::string& spec) {
  KernelsAtHand at_hand;
  at_hand.device.name = on;
  const std::vector<model::DeviceInfo> devices = db::devices(connection);
  if (const auto* device = device_named(devices, on)) at_hand.device = *device;
  SpecsAtHand specs(connection, spec);
  std::set<std::string> seen;
  for (const model::TrialRecord& one : configurations) {
    if (!seen.insert(one.kernel).second) continue;
    for (model::KernelSpec& known : specs.of(one, true)) {
      space::KernelSpace space(std::move(known));
      if (is_described(one, space, devices)) at_hand.spaces.emplace(one.kernel, std::move(space));
    }
  }
  return at_hand;
}

}  // namespace

KernelsAtHand kernels_at_hand(const db::Connection& connection, const answers::CoverTable& table,
                              const std::string& spec) {
  return kernels_of(connection, table.cases.front().environment.device, table.configurations, spec);
}

const space::KernelSpace& KernelsAtHand::of(const std::string& kernel, const char* does) const {
  if (const auto found = spaces.find(kernel); found != spaces.end()) return found->second;
  throw model::Error(
      fmt::format("the spec of {} is not at hand, or has changed since it was measured", kernel),
      fmt::format("--kernel FILE names it; --kernel NAME {} another kernel alone", does));
}

void KernelsAtHand::require_described(const answers::CoverTable& table, std::size_t configuration) const {
  const model::TrialRecord& record = table.configurations[configuration];
  const space::KernelSpace& kernel = of(record.kernel);
  for (std::size_t size = 0; size < table.cases.size(); ++size) {
    const db::Case& there = table.cases[size];
    const model::Digest& trial = table.trials[size][configuration].key;
    if (trial.empty() ||
        sweep::describes(kernel, {trial, record.configuration, there.problem, there.environment,
                                  record.definition, device.architecture, device.limits}))
      continue;
    throw model::Error(fmt::format("the spec of {} has changed since {} was measured at {}", record.kernel,
                                   record.configuration.text(), there.problem.size_text()),
                       "`tuner run` measures what the spec says now");
  }
}

answers::CoverTable load_cover_table(const db::Connection& connection, const Chosen& answers,
                                     const db::BestQuery& query, const std::string& spec) {
  answers::CoverTable table = answers::cover_table(connection, answers, query);
  const KernelsAtHand at_hand = kernels_at_hand(connection, table, spec);
  answers::mark_excluded(at_hand.spaces, at_hand.device.limits, table);
  return table;
}

namespace {

/// What a configuration's compiler is given and at which size, and a remark where that depends on it.
void set_options(const db::Connection& connection, const answers::CoverAnswer& answer,
                 std::size_t configuration, SpecsAtHand& specs, packing::HeaderConfiguration& written) {
  std::set<model::Digest> binaries;
  for (const auto& row : answer.table.trials) {
    if (row[configuration].key.empty()) continue;
    const auto trial = db::find_trial(connection, row[configuration].key);
    if (!trial || !binaries.insert(trial->binary_key).second || binaries.size() > 1) continue;
    const packing::BuildRecipe recipe = recipe_of(connection, *trial, specs);
    written.options = packing::build_words(recipe);
    written.problem = trial->problem;
    written.remarks.push_back(fmt::format("{}: {}", trial->kernel, trial->configuration.text()));
    if (!recipe.doubt.empty()) written.remarks.push_back("doubtful: " + recipe.doubt);
  }
  if (binaries.size() > 1) {
    written.remarks.push_back(fmt::format(
        "compiled in {} ways, since its macros or options depend on the size: these are of {}, and it can be "
        "launched where they are the same",
        binaries.size(), written.problem.size_text()));
  }
}

std::string as_identifier(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (space::is_cpp_keyword(out) || out == "std") return out + "_";
  return std::isdigit(static_cast<unsigned char>(out.front())) != 0 ? "_" + out : out;
}

}  // namespace

std::string cover_header(const db::Connection& connection, const answers::CoverAnswer& answer,
                         const std::string& spec) {
  const KernelsAtHand at_hand = kernels_at_hand(connection, answer.table, spec);
  const db::Case& first = answer.table.cases.front();
  packing::LaunchHeader header;
  header.name_space = "tuned::" + as_identifier(first.problem.family);
  header.dimensions = answer.table.times.dimensions;
  header.device = at_hand.device;
  header.rule = answer.cover.rule;
  std::map<std::size_t, std::size_t> places;
  SpecsAtHand specs(connection, spec);
  for (const std::size_t one : answer.cover.set.configurations) {
    const model::TrialRecord& record = answer.table.configurations[one];
    at_hand.require_described(answer.table, one);
    places[one] = header.configurations.size();
    packing::HeaderConfiguration& written = header.configurations.emplace_back();
    written.spec = &at_hand.of(record.kernel).spec();
    written.values = record.configuration;
    written.problem = first.problem;
    set_options(connection, answer, one, specs, written);
  }
  for (cover::RuleNode& node : header.rule.nodes) {
    if (!node.is_leaf) continue;
    node.configuration = places.at(node.configuration);
    for (std::size_t& other : node.otherwise) other = places.at(other);
  }
  for (cover::FailedAt& there : header.rule.failed) {
    std::vector<std::size_t> failed;
    for (const std::size_t one : there.configurations)
      if (const auto place = places.find(one); place != places.end()) failed.push_back(place->second);
    there.configurations = std::move(failed);
  }
  std::erase_if(header.rule.failed, [](const cover::FailedAt& one) { return one.configurations.empty(); });
  header.remarks = answers::cover_remarks(answer);
  return header.text();
}

answers::CoverAnswer make_cover(answers::CoverTable table, const cover::Goal& goal) {
  answers::CoverAnswer answer{std::move(table), goal, {}, {}};
  const cover::Losses losses(answer.table.times);
  answer.cover = cover::cover(losses, goal);
  answer.estimate = cover::estimate(losses, goal, effort_left_out);
  return answer;
}

namespace {

/// Reading so many takes about a second.
constexpr std::int64_t most_trials_read = 80'000;

/// The size of the table nearest to `problem` at which the configuration has a time.
std::size_t nearest_size(const answers::CoverTable& table, std::size_t configuration,
                         const model::Problem& problem) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t size = 0; size < table.cases.size(); ++size) {
    const double away = model::distance(table.cases[size].problem, problem);
    if (table.trials[size][configuration].key.empty() || away >= least) continue;
    least = away;
    best = size;
  }
  return best;
}

/// The answer of a size with another trial as the one to use; what was said of its winner is then left out.
db::BestAnswer with_trial(const db::Connection& connection, db::BestAnswer answer,
                          const model::Digest& trial) {
  if (answer.winner.key == trial) return answer;
  answer.winner = *db::find_trial(connection, trial);
  answer.is_by_rule = true;
  const bool in_final = answer.final && model::entry_of(*answer.final, trial) != nullptr;
  if (!in_final) answer.final.reset();
  answer.check = {};
  answer.tied.clear();
  answer.tied_count = 0;
  answer.dropped_near = 0;
  answer.newcomers.clear();
  return answer;
}

}  // namespace

std::optional<RuleAnswer> answer_by_rule(const db::Connection& connection, const db::BestAnswer& nearest,
                                         const db::BestQuery& query, const std::string& spec) {
  const db::Case& first = nearest.tuning_case;
  db::BestQuery every = query;
  every.family = first.problem.family;
  every.sizes.clear();
  every.type = first.problem.type;
  db::BestAnswers all = answers_to_cover(connection, every);
  std::erase_if(all, [&](const db::BestAnswer& one) {
    return !(one.environment() == first.environment) || one.problem().kind() != first.problem.kind() ||
           one.problem().row_padding != first.problem.row_padding;
  });
  answers::Chosen answers;
  std::int64_t trials = 0;
  for (const db::BestAnswer& one : all) {
    answers.push_back(&one);
    trials += one.tuning_case.trials();
  }
  if (trials > most_trials_read) return std::nullopt;
  answers::CoverTable table = load_cover_table(connection, answers, every, spec);
  const KernelsAtHand at_hand = kernels_at_hand(connection, table, spec);
  const answers::CoverAnswer made = make_cover(std::move(table), cover::Goal{});
  if (cover::largest_known(made.estimate.between) == nullptr) return std::nullopt;
  const model::Problem problem = asked_problem(first.problem, query.sizes);
  const auto picked = made.cover.rule.pick(answers::sizes_of(problem), [&](std::size_t one) {
    return answers::may_run(at_hand.spaces, at_hand.device.limits, made.table.configurations[one], problem);
  });
  if (!picked) return std::nullopt;
  const std::size_t size = nearest_size(made.table, *picked, problem);
  RuleAnswer answer{with_trial(connection, all[size], made.table.trials[size][*picked].key), "", {}};
  answer.answer.exact = false;
  answer.answer.distance = model::distance(made.table.cases[size].problem, problem);
  const std::size_t preferred = made.cover.rule.leaf(answers::sizes_of(problem)).configuration;
  const model::TrialRecord& first_choice = made.table.configurations[preferred];
  const bool is_first = preferred == *picked;
  const std::string picks =
      is_first ? "picks this"
               : fmt::format("picks {} {}, which {} here; this takes its place", first_choice.kernel,
                             first_choice.configuration.text(),
                             made.cover.rule.has_failed(answers::sizes_of(problem), preferred)
                                 ? "failed"
                                 : "its spec excludes");
  answer.why = fmt::format(
      "size {} was never measured here; the rule of `tuner cover` over {} {}, shown as "
      "measured at {}: {}{}",
      problem.size_text(), util::counted(made.table.cases.size(), "size"), picks,
      made.table.cases[size].problem.size_text(),
      is_first ? "it loses " + answers::bound_text(made) : "what it loses is not known",
      query.same_bits ? "; its bits were not compared at this size" : "");
  if (is_first) answer.bounds = answers::bounds_json(made.estimate.between);
  return answer;
}

std::optional<RuleAnswer> answer_allowed(const db::Connection& connection, const db::BestAnswer& nearest,
                                         const db::BestQuery& query, const std::string& spec) {
  const model::Problem problem = asked_problem(nearest.problem(), query.sizes);
  const std::string& device = nearest.environment().device;
  const KernelsAtHand of_winner = kernels_of(connection, device, {nearest.winner}, spec);
  if (answers::may_run(of_winner.spaces, of_winner.device.limits, nearest.winner, problem))
    return std::nullopt;
  std::vector<model::TrialRecord> ranked;
  for (db::Ranked& one : db::ranking(connection, nearest, query)) ranked.push_back(std::move(one.trial));
  const KernelsAtHand at_hand = kernels_of(connection, device, ranked, spec);
  const auto allowed = std::ranges::find_if(ranked, [&](const model::TrialRecord& one) {
    return answers::may_run(at_hand.spaces, at_hand.device.limits, one, problem);
  });
  const bool is_any = allowed != ranked.end();
  RuleAnswer answer{is_any ? with_trial(connection, nearest, allowed->key) : nearest, "", {}};
  answer.why = fmt::format(
      "size {} was never measured here; at the nearest, {}, the best is {}, which its spec excludes at {}: "
      "{}",
      problem.size_text(), nearest.problem().size_text(), nearest.winner.configuration.text(),
      problem.size_text(),
      is_any ? "this is the best that it allows" : "it allows none of those that have a time");
  return answer;
}

}  // namespace tuner::cli
