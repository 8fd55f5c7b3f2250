#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "db/best.hpp"
#include "db/database.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/chosen_race.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct CoverOptions : CoverQuestion {
  std::string weights;  ///< a file; empty: all sizes count alike
  std::string format = "table";
  CoverCheckOptions check;
  int fill = 0;  ///< so many of the best of each size are measured at the others first; 0: none
};

[[noreturn]] void refuse_line(const CoverOptions& options, int line, const std::string& why) {
  throw model::UsageError(fmt::format("{}:{}: {}", options.weights, line, why),
                          "a line is a size and its weight: 1024 3.5, or 512x1024x256 10");
}

/// The weights of a file by size; a single number is that of all dimensions.
std::map<cover::Sizes, double> read_weights(const CoverOptions& options, std::size_t dimensions) {
  std::map<cover::Sizes, double> weights;
  std::ifstream in(options.weights);
  if (!in) throw model::UsageError("cannot read " + options.weights, "--weights takes a file");
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream text(line.substr(0, line.find('#')));
    std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.empty()) continue;
    if (words.size() != 2)
      refuse_line(
          options, number,
          fmt::format("{} instead of a size and its weight", words.size() == 1 ? "one word" : "more words"));
    std::vector<std::vector<std::int64_t>> sizes;
    try {
      sizes = config::parse_sizes(words[0]);
    } catch (const model::Error& error) {
      refuse_line(options, number, error.what());
    }
    if (sizes.size() != 1) refuse_line(options, number, fmt::format("'{}' is no single size", words[0]));
    cover::Sizes size = sizes.front();
    if (size.size() == 1) size.assign(dimensions, size.front());
    if (size.size() != dimensions)
      refuse_line(options, number,
                  fmt::format("'{}' has {} dimensions, not {}", words[0], size.size(), dimensions));
    const auto weight = util::parse_number<double>(words[1]);
    if (!weight || !(*weight >= 0)) refuse_line(options, number, fmt::format("'{}' is no weight", words[1]));
    if (!weights.emplace(size, *weight).second)
      refuse_line(options, number, fmt::format("size {} is there twice", words[0]));
  }
  return weights;
}

/// What a program spends on each size of the kernel, or a file's weights.
std::map<cover::Sizes, double> weights_of(const db::Connection& connection, const CoverOptions& options,
                                          std::size_t dimensions, model::ElementType type) {
  const bool is_captured =
      std::filesystem::is_directory(options.weights) || options.weights.ends_with(".json");
  if (!is_captured) return read_weights(options, dimensions);
  std::map<cover::Sizes, double> weights;
  const model::KernelSpec spec = spec_named(connection, options.family, options.kernel, options.spec);
  for (const answers::CapturedUse& use : captured_uses(options.weights, spec, type).sizes)
    weights.emplace(use.sizes, use.cost);
  return weights;
}

/// Sizes that the weights leave out have weight 0: they count in no mean, and the bound holds there as well.
void set_weights(const db::Connection& connection, const CoverOptions& options, model::ElementType type,
                 cover::Table& table) {
  if (options.weights.empty()) return;
  std::map<cover::Sizes, double> weights = weights_of(connection, options, table.dimensions.size(), type);
  double sum = 0;
  for (const cover::Sizes& size : table.sizes) {
    const auto found = weights.extract(size);
    table.weights.push_back(found.empty() ? 0 : found.mapped());
    sum += table.weights.back();
  }
  if (!(sum > 0)) {
    throw model::UsageError(fmt::format("{} gives no measured size a weight", options.weights),
                            "`tuner best` lists the sizes that were measured");
  }
  if (!weights.empty()) {
    write_err(fmt::format("{} {} in {} {} never measured, and {} weight does not count", weights.size(),
                          weights.size() == 1 ? "size" : "sizes", options.weights,
                          weights.size() == 1 ? "was" : "were", weights.size() == 1 ? "its" : "their"));
  }
}

/// The cover of the results that the question is about.
answers::CoverAnswer cover_of(const db::Connection& connection, const CoverOptions& options,
                              const db::BestQuery& query, const db::BestAnswers& all,
                              const Context& context) {
  const auto chosen = of_one_environment(all);
  answers::CoverTable table = load_cover_table(connection, chosen, query, options.spec);
  const std::string& kernel = options.spec.empty() ? query.kernel : options.spec;
  table.flags =
      fmt::format("{}{}{}{}", query.family.empty() ? "" : " --family " + util::shell_quote(query.family),
                  kernel.empty() ? "" : " --kernel " + util::shell_quote(kernel),
                  options.same_bits_as.empty() ? "" : " --same-bits-as " + options.same_bits_as,
                  measuring_flags(connection, table.cases.front(), context));
  set_weights(connection, options, table.cases.front().problem.type, table.times);
  answers::CoverAnswer answer = make_cover(std::move(table), goal_of(options));
  say_spec_changes(connection, chosen, options.spec, context);
  return answer;
}

db::BestAnswers answers_of(const db::Connection& connection, const config::Settings& settings,
                           const CoverOptions& options, const db::BestQuery& query) {
  require_one_family(db::cases_to_answer(connection, query));  // before all of them are answered
  db::BestAnswers all = answers_to_cover(connection, query);
  if (all.empty()) find_nothing(connection, settings, options);
  return all;
}

/// Only what was measured where `what` will be.
void require_environment_at_hand(const char* what, const sweep::Request& request,
                                 const config::Settings& settings, db::BestAnswers& all) {
  const model::Environment known = all.front().environment();
  std::erase_if(all, [&](const db::BestAnswer& one) {
    const model::Environment& there = one.environment();
    return !(there == sweep::environment(request, there.type));
  });
  if (!all.empty()) return;
  throw NothingFound(
      fmt::format("{} measures in {}, and nothing in {} was measured there, but in {}", what,
                  sweep::environment(request, known.type).text(), settings.database().string(), known.text()),
      "`tuner refresh` and `tuner run` measure there; --device and --measure choose");
}

int run_check(const Context& context, const config::Settings& settings, const CoverOptions& options,
              const db::BestQuery& query) {
  if (options.format == "header" || !options.same_bits_as.empty())
    throw model::UsageError("--check goes neither with --format header nor with --same-bits-as",
                            "leave that out, or check without");
  ChosenRace race(context, settings);
  race.may_go_on();
  db::BestAnswers all = answers_of(race.connection(), settings, options, query);
  require_environment_at_hand("a check", race.request(), settings, all);
  const answers::CoverAnswer answer = cover_of(race.connection(), options, query, all, context);
  const KernelsAtHand at_hand = kernels_at_hand(race.connection(), answer.table, options.spec);
  race.request().inputs_seed = 0;  // the seed is of the sizes
  const answers::CoverCheck check =
      check_cover(answer, at_hand, options.check, settings.seed().value_or(1), race);
  const answers::Style style = answer_style(race.connection());
  write_out(options.format == "json"
                ? answers::cover_json(answer, answers::check_json(answer, check))
                : answers::cover_text(answer, style) + '\n' + answers::check_text(answer, check, style));
  return race.end(
      static_cast<int>(answers::is_refuted(answer, check) ? model::ExitCode::failed : model::ExitCode::done));
}

/// Whom to race so that the candidates of a cover have a time at every size. The best of a size is in its
/// final again, should another come near.
std::vector<sweep::Chosen> fill_of(const answers::CoverTable& table, const KernelsAtHand& at_hand,
                                   const std::vector<answers::Gap>& gaps, std::set<std::string>& absent) {
  std::vector<sweep::Chosen> chosen;
  const cover::Losses losses(table.times);
  std::size_t last = table.cases.size();
  const auto add = [&](std::size_t size, std::size_t one) {
    const model::TrialRecord& configuration = table.configurations[one];
    if (!at_hand.spaces.contains(configuration.kernel))
      absent.insert(configuration.kernel);
    else
      chosen.push_back({configuration.kernel, table.cases[size].problem, configuration.configuration});
  };
  for (const answers::Gap& gap : gaps) {
    for (std::size_t one = 0; gap.size != last && one < losses.configurations(); ++one)
      if (losses.is_known(gap.size, one) && losses.at(gap.size, one) == 0) add(gap.size, one);
    last = gap.size;
    add(gap.size, gap.configuration);
  }
  return chosen;
}

/// The exit code: of a signal, else 0.
int run_fill(const Context& context, const config::Settings& settings, const CoverOptions& options,
             const db::BestQuery& query) {
  ChosenRace race(context, settings);
  race.may_go_on();
  const auto load_table = [&] {
    db::BestAnswers all = answers_of(race.connection(), settings, options, query);
    require_environment_at_hand("--fill", race.request(), settings, all);
    return load_cover_table(race.connection(), of_one_environment(all), query, options.spec);
  };
  answers::CoverTable table = load_table();
  const KernelsAtHand at_hand = kernels_at_hand(race.connection(), table, options.spec);
  sweep::Request& request = race.request();
  for (const auto& [kernel, space] : at_hand.spaces) request.work.push_back({space, {}});
  race.declare();
  table = load_table();  // what an edit excludes leaves other gaps
  std::set<std::string> absent;
  const auto chosen = fill_of(
      table, at_hand, answers::gaps(table, goal_of(options), static_cast<std::size_t>(options.fill)), absent);
  std::vector<std::string> notices;
  for (const std::string& kernel : absent)
    notices.push_back(fmt::format(
        "left out: {}, whose spec is not at hand as it was measured; --kernel FILE names it", kernel));
  if (chosen.empty()) {
    for (const std::string& notice : notices) write_err(notice);
    return 0;
  }
  request.run.strategy = "fill";
  request.policy.cuts.clear();  // a loss is measured whole, however large
  for (sweep::Work& work : request.work)
    for (const db::Case& one : table.cases) work.problems.push_back(one.problem);
  race.race(chosen, notices, "the best of each size");
  return race.end(0);
}

int run_cover(const Context& context, CoverOptions options) {
  name_kernel(options);
  goal_of(options);  // throws, before anything is read
  const config::Settings settings = context.settings();
  const db::Connection connection = db::open_results(settings.database());
  const db::BestQuery query = query_of(context, settings, connection, options);
  if (options.fill > 0)
    if (const int code = run_fill(context, settings, options, query); code != 0) return code;
  if (options.check.sizes > 0) return run_check(context, settings, options, query);
  const answers::CoverAnswer answer =
      cover_of(connection, options, query, answers_of(connection, settings, options, query), context);
  if (options.format == "header") {
    write_out(cover_header(connection, answer, options.spec));
    write_err(fmt::format("loss between the measured sizes: {}", answers::bound_text(answer)));
  } else if (options.format == "json") {
    write_out(answers::cover_json(answer));
  } else {
    write_out(answers::cover_text(answer, answer_style(connection)));
  }
  return 0;
}

}  // namespace

void add_cover(const CommandPlace& place) {
  Command<CoverOptions> command(
      place, "cover", "Choose the few configurations to ship, and the rule that picks among them by size",
      run_cover);
  CoverOptions& options = command.options();
  add_cover_question(command, options);
  command.option("--weights", options.weights, "FILE|CAPTURE",
                 "how often each size is called, a line each: 1024 3.5, or 512x1024x256 10; or the time that "
                 "a captured program spends on it");
  command.choice("--format", options.format, {"table", "json", "header"},
                 "table; json; header: one C++17 header of the configurations, the rule and the launches");
  command.count("--fill", options.fill,
                "first measure the N best configurations of each size at all other sizes");
  command.count("--check", options.check.sizes, "measure N unmeasured sizes, and say whether the bound held");
  command.apart("--fill", "--check", "fill first, then check");
  command.count("--multiple-of", options.check.multiple_of,
                "of a check: draw multiples of N; without it, of what divides all measured sizes");
  command.count(
      "--search", options.check.search,
      "of a check: race so many configurations at each size, the best of the nearest sizes; default 32");
  command.goes_with("--multiple-of", "--check");
  command.goes_with("--search", "--check");
  command.pages();
  command.settings(
      "db type pad measure l2 execution device seed budget compile_jobs compile_timeout_s run_timeout_s "
      "run_timeout_factor prepare_timeout_s cache_dir cache_limit_mb progress");
  command->footer(
      "A loss is against the best at that size, as `tuner best` names it. Only trials that compete count, of "
      "one environment. A trial that was dropped early proves no bound. The rule asks for sizes, their "
      "products and ratios, the least and the largest, and which powers of two from 4 to 256 divide them. "
      "Where a spec excludes what the rule picks, the configuration of the nearest sizes is used. What is "
      "lost at other sizes is estimated by making the set and the rule again without each size, and without "
      "each neighbourhood. A check draws sizes between the measured ones, from --seed, and keeps what it "
      "measures; covers are not made from it. Exit code 1: a bound is refuted.\n"
      "Example: tuner cover --within 5%");
}

}  // namespace tuner::cli
