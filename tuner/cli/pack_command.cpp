#include <fmt/format.h>

#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/packed_family.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/use/pack_writer.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct PackOptions : CoverQuestion {
  std::string out;
};

/// Answers by what a pack holds apart: family, type and padding, then device.
using Parts = std::map<std::pair<std::string, std::string>, std::map<std::string, db::BestAnswers>>;

Parts parts_of(db::BestAnswers all) {
  Parts parts;
  for (db::BestAnswer& answer : all) {
    const model::Problem& problem = answer.problem();
    parts[{problem.family, std::string(model::cuda_name(problem.type))}][answer.environment().device]
        .push_back(std::move(answer));
  }
  return parts;
}

int run_pack(const Context& context, PackOptions options) {
  name_kernel(options);
  const cover::Goal goal = goal_of(options);
  const config::Settings settings = context.settings();
  require_deliverable(options.out);
  const db::Connection connection = db::open_results(settings.database());
  const db::BestQuery query = query_of(context, settings, connection, options);
  const db::BestAnswers all = answers_to_cover(connection, query);
  if (all.empty()) find_nothing(connection, settings, options);
  use::Pack pack;
  terminal::LinePrinter printer(open_terminal(settings), terminal::steady_clock());
  PackCompiler compiler(settings, printer);
  std::vector<std::string> lines;
  std::list<answers::CoverAnswer> kept;  // families point to their records
  const Parts parts = parts_of(std::move(all));
  const bool is_named = !options.kernel.empty() || !options.family.empty();
  std::optional<model::Error> left_out;  // the first of what cannot be packed, where all was asked for
  const auto add = [&](const std::pair<std::string, std::string>& name, const auto& devices) {
    PackedFamily family(pack, compiler);
    for (const auto& [device, answered] : devices) {
      const auto chosen = of_one_environment(answered);
      say_spec_changes(connection, chosen, options.spec, context);
      kept.push_back(make_cover(load_cover_table(connection, chosen, query, options.spec), goal));
      const answers::CoverAnswer& answer = kept.back();
      const std::string without_any =
          family.add(answer, kernels_at_hand(connection, answer.table, options.spec));
      lines.push_back(fmt::format("{} {} on {}: {} of {} configurations for {}; loss between these: {}",
                                  name.first, name.second, device, answer.cover.set.configurations.size(),
                                  answer.table.tried, util::counted(answer.table.cases.size(), "size"),
                                  answers::bound_text(answer)));
      if (!without_any.empty())
        lines.push_back(
            fmt::format("{0} {1} on {2}: nothing in the pack runs at {3}; after `tuner run --sizes "
                        "{3}` with a kernel that does, pack again",
                        name.first, name.second, device, without_any));
    }
    family.finish();
  };
  for (const auto& [name, devices] : parts) {
    const std::size_t configurations = pack.configurations.size(), images = pack.images.size();
    const std::size_t said = lines.size();
    try {
      add(name, devices);
    } catch (const model::Error& error) {
      if (is_named) throw;
      if (!left_out) left_out = error;
      pack.configurations.resize(configurations);
      pack.images.resize(images);
      lines.resize(said);
      printer.clear();
      write_problem(fmt::format("left out: {} {}: {}", name.first, name.second, error.what()));
    }
  }
  if (pack.kernels.empty()) throw left_out.value();
  printer.clear();
  const std::string bytes = use::written(pack);
  deliver(options.out, bytes);
  for (const std::string& line : lines) write_err(line);
  write_err(
      fmt::format("{}: {} bytes, {}", options.out, bytes.size(),
                  pack.images.size() == 1 ? "1 binary" : fmt::format("{} binaries", pack.images.size())));
  return 0;
}

}  // namespace

void add_pack(const CommandPlace& place) {
  Command<PackOptions> command(
      place, "pack", "Write the configurations to ship, with their binaries, for programs", run_pack);
  PackOptions& options = command.options();
  command.option("-o,--output", options.out, "FILE", "the pack, for example matmul.tuned")->required();
  add_cover_question(command, options);
  command.settings("db type pad measure l2 execution cache_dir compile_jobs compile_timeout_s");
  command->footer(
      "A pack holds what `tuner cover` chooses for each family, type and GPU: the configurations, the rule "
      "by size, launches and binaries; and defaults, for sizes at which none of these runs. Programs launch "
      "from it with "
      "libtuner, in C, C++ or Python (docs/use.md). No GPU is needed.\n"
      "Example: tuner pack -o matmul.tuned --family matmul");
}

}  // namespace tuner::cli
