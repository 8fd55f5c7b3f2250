#include <fmt/format.h>

#include "tuner/cli/command.hpp"
#include "tuner/cli/status_formats.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct StatusOptions {
  std::string folder;
  std::string format = "table";
};

void say_next(const cluster::SweepFolder& folder, const cluster::SweepStatus& status) {
  if (status.done()) {
    if (const auto description = cluster::read_description(folder)) {
      write_err(fmt::format("done; the results are in {}", description->result.string()));
    }
    return;
  }
  if (status.count(cluster::PartState::lost) == 0) return;
  write_err(status.last ? fmt::format("`tuner slurm --retry {}` submits what is missing",
                                      util::shell_quote(folder.path().string()))
                        : std::string("the same command again goes on where a lost shard was"));
}

int show_status(const Context&, const StatusOptions& options) {
  const cluster::SweepFolder folder(options.folder);
  const bool is_slurms = cluster::read_description(folder).has_value();
  const cluster::SweepStatus status =
      cluster::look_at(folder, is_slurms ? cluster::ask_slurm(folder.path()) : cluster::Queue{});
  write_out(options.format == "json" ? status_json(status) : status_table(status, stdout_screen()));
  for (const std::string& note : status.notes) write_err("warning: " + note);
  say_next(folder, status);
  const bool lost = !status.done() && status.count(cluster::PartState::lost) > 0;
  return static_cast<int>(lost ? model::ExitCode::failed : model::ExitCode::done);
}

}  // namespace

void add_status(const CommandPlace& place) {
  Command<StatusOptions> command(place, "status", "Show the state of a sweep's shards", show_status);
  StatusOptions& options = command.options();
  command
      .option("folder", options.folder, "FOLDER",
              "a folder of `tuner slurm`, or one with files of `tuner run --publish`")
      ->required();
  command.choice("--format", options.format, {"table", "json"}, "default: table");
  command->footer("Exit code: 0 done or running, 1 where shards are lost, 3 where there is no sweep.");
}

}  // namespace tuner::cli
