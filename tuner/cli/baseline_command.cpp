#include <fmt/format.h>

#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/baseline_file.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct BaselineOptions {
  std::string path = "tuner-baseline.json";
  db::TrialFilter filter;
};

int write_baseline(const Context& context, const BaselineOptions& options) {
  require_deliverable(options.path);
  const db::Connection connection = db::open_results(context.settings().database());
  std::vector<BestTrial> best = best_in(connection, options.filter);
  // A time of few samples holds nothing.
  std::erase_if(best, [](const BestTrial& one) { return !one.trial.outcome.trusted_ns(); });
  if (best.empty())
    throw model::Error("no size that is selected has an answer", "`tuner best` shows what there is",
                       model::ExitCode::nothing_found);
  deliver(options.path, baseline_text(best));
  write_err(
      fmt::format("{} of {} written; commit it, and hold later results against it: "
                  "tuner compare NEW.db {} --fail-if-slower 2%",
                  is_stdout(options.path) ? "a baseline" : options.path,
                  util::counted(static_cast<std::int64_t>(best.size()), "size"),
                  is_stdout(options.path) ? "FILE" : options.path));
  return 0;
}

}  // namespace

void add_baseline(const CommandPlace& place) {
  Command<BaselineOptions> command(
      place, "baseline", "Write the small file of today's answers that `compare` holds later ones against",
      write_baseline);
  BaselineOptions& options = command.options();
  command.option("-o,--output", options.path, "FILE", "file to write; - is stdout")->capture_default_str();
  command.option("--family", options.filter.family, "NAME", "only this family");
  command.option("--kernel,-k", options.filter.kernel, "NAME", "only this kernel");
  command.option("--gpu", options.filter.device, "NAME", "only devices with this in their name");
  command.settings({"db"});
  command->footer(
      "Of each size in each environment: the configuration to use, its time with interval and samples, the "
      "GPU, and the digest of the kernel's definition.\n"
      "Example: tuner compare tonight.db tuner-baseline.json --fail-if-slower 2% --format github");
}

}  // namespace tuner::cli
