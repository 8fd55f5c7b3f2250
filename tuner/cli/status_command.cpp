#include <fmt/format.h>

#include "reports/json.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/sweep_display.hpp"
#include "tuner/cli/terminal/progress.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using cluster::PartState;
using reports::Align;
using StatusJson = reports::Json;

constexpr int status_schema = 1;

std::string trials_text(std::int64_t measured, std::int64_t planned) {
  return fmt::format("{} of {}", measured, planned);
}

std::string rate_text(double trials_per_second) {
  return fmt::format("{:.1f}", trials_per_second);
}

std::string left_text(const cluster::PartStatus& part) {
  if (part.state != PartState::running || !part.progress || part.progress->trials_per_second <= 0) return "";
  return terminal::duration_text(static_cast<double>(part.progress->planned - part.progress->measured()) /
                                 part.progress->trials_per_second);
}

void add_status_row(reports::Table& table, const cluster::PartStatus& part) {
  const auto& progress = part.progress;
  table.add_row({part.number == 0 ? "last" : fmt::format("{}", part.number),
                 std::string(to_string(part.state)),
                 progress ? trials_text(progress->measured(), progress->planned) : "",
                 progress && part.state == PartState::running ? rate_text(progress->trials_per_second) : "",
                 left_text(part), progress ? progress->host : "", part.note});
}

StatusJson status_json_of(const cluster::PartStatus& part) {
  StatusJson json = {{"shard", part.number == 0 ? StatusJson("last") : StatusJson(part.number)},
                     {"state", to_string(part.state)},
                     {"note", part.note}};
  if (!part.progress) return json;
  const cluster::PartProgress& progress = *part.progress;
  json["run"] = {{"state", to_string(progress.state)},
                 {"planned", progress.planned},
                 {"measured", progress.measured()},
                 {"trials_per_second", progress.trials_per_second},
                 {"host", progress.host},
                 {"process", progress.process},
                 {"job", progress.job},
                 {"database", progress.database}};
  return json;
}

constexpr PartState part_states[] = {PartState::done, PartState::running, PartState::waiting,
                                     PartState::lost};

}  // namespace

std::string status_table(const cluster::SweepStatus& status, const reports::Screen& screen) {
  reports::Table table({{"shard"},
                        {"state"},
                        {"trials", Align::right},
                        {"a second", Align::right, false, 2},
                        {"left", Align::right},
                        {"host", Align::left, false, 1},
                        {"note", Align::left, true}});
  for (const cluster::PartStatus& part : status.parts) add_status_row(table, part);
  if (status.last) add_status_row(table, *status.last);
  std::string counts;
  for (const PartState state : part_states) {
    const int count = status.count(state);
    if (count > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, to_string(state));
  }
  const auto left = status.seconds_left();
  const bool at_work = status.count(PartState::running) > 0;
  table.add_row({"total", counts, trials_text(status.measured(), status.planned()),
                 at_work ? rate_text(status.trials_per_second()) : "",
                 at_work && left ? terminal::duration_text(*left) : "", "", ""});
  return table.fitted(screen, "--format json");
}

std::string status_json(const cluster::SweepStatus& status) {
  StatusJson shards = StatusJson::array();
  for (const cluster::PartStatus& part : status.parts) shards.push_back(status_json_of(part));
  const auto left = status.seconds_left();
  StatusJson json = {{"schema_version", status_schema},
                     {"done", status.done()},
                     {"planned", status.planned()},
                     {"measured", status.measured()},
                     {"trials_per_second", status.trials_per_second()},
                     {"seconds_left", left ? StatusJson(*left) : StatusJson(nullptr)},
                     {"shards", std::move(shards)}};
  for (const PartState state : part_states)
    json["count"][std::string(to_string(state))] = status.count(state);
  json["last"] = status.last ? status_json_of(*status.last) : StatusJson(nullptr);
  return reports::json_text(json);
}

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
