#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "config/known_settings.hpp"
#include "db/best.hpp"
#include "db/database.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cli/captured_sizes.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct CoverOptions : CoverQuestion {
  std::string weights;  ///< a file; empty: all sizes count alike
  std::string format = "table";
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
std::map<cover::Sizes, double> weights_of(const CoverOptions& options, std::size_t dimensions) {
  const bool is_captured =
      std::filesystem::is_directory(options.weights) || options.weights.ends_with(".json");
  if (!is_captured) return read_weights(options, dimensions);
  std::map<cover::Sizes, double> weights;
  for (const CapturedUse& use :
       captured_uses(options.weights, spec_named(options.kernel, options.spec)).sizes)
    weights.emplace(use.sizes, use.cost);
  return weights;
}

/// Sizes that the weights leave out have weight 0: they count in no mean, and the bound holds there as well.
void set_weights(const CoverOptions& options, cover::Table& table) {
  if (options.weights.empty()) return;
  std::map<cover::Sizes, double> weights = weights_of(options, table.dimensions.size());
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

int run_cover(const Context& context, CoverOptions options) {
  name_kernel(options);
  const cover::Goal goal = goal_of(options);
  const config::Settings settings = context.settings();
  db::BestQuery query = query_of(context, settings, options);
  const db::Connection connection = db::open_results(settings.database());
  ask_for_bits(connection, options, query);
  const std::vector<db::BestAnswer> all = db::best(connection, query);
  if (all.empty())
    find_nothing(connection, settings, options, asked_text(options),
                 "measure it first: tuner run --sizes 512..4096");
  const auto chosen = of_one_environment(all, options);
  answers::CoverTable table = load_cover_table(connection, chosen, query, options.spec);
  set_weights(options, table.times);
  const answers::CoverAnswer answer = make_cover(std::move(table), goal);
  say_spec_changes(connection, chosen, options.spec, context);
  if (options.format == "header") {
    write_out(cover_header(connection, answer, options.spec));
    write_err(fmt::format("at sizes between the measured ones it loses {}", answers::bound_text(answer)));
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
  command.option(
      "--weights", options.weights, "FILE|CAPTURE",
      "how often each size is called, a line each: 1024 3.5, or 512x1024x256 10; or the time that a "
      "captured program spends on it");
  command.choice("--format", options.format, {"table", "json", "header"},
                 "table; json; header: one C++17 header of the configurations, the rule and the launches");
  command.settings({"db", "type", "pad", "measure", "l2"});
  command->footer(
      "A loss is against the best at that size, as `tuner best` names it. Only trials that compete count, of "
      "one environment. A trial that was dropped early proves no bound. The rule asks for sizes, their "
      "products and ratios, the least and the largest, and which powers of two from 4 to 256 divide them. "
      "Where a spec "
      "excludes what the rule picks, the configuration of the nearest sizes is used. What is lost at other "
      "sizes is estimated by making the set and the rule again without each size, and without each "
      "neighbourhood.\n"
      "Example: tuner cover --within 5%");
}

}  // namespace tuner::cli
