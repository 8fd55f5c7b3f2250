#include "tuner/cluster/slurm_queue.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>

#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cluster {
namespace {

constexpr auto slurm_answers_within = std::chrono::seconds(60);

std::string run_slurm(const std::vector<std::string>& arguments) {
  // A job gets the limits of whoever submits it.
  const util::CommandResult result = util::run_command(arguments, "/", slurm_answers_within,
                                                       util::CommandGroup::own, util::ProcessorTime::callers);
  if (result.exit_code == 0 && result.output.size() < util::most_command_output) return result.output;
  if (result.exit_code == 0)
    throw model::Error(fmt::format("{}: an answer of more than a MiB", arguments.front()));
  throw model::Error(fmt::format(
      "{}: {}", arguments.front(),
      result.timed_out ? "no answer within a minute" : util::one_line(util::trimmed(result.output), 300)));
}

/// The tasks are those of whom the folder belongs to, also where a colleague looks.
std::string owner_of(const std::filesystem::path& folder) {
  struct stat status {};
  return fmt::format("{}", ::stat(folder.c_str(), &status) == 0 ? status.st_uid : 0);
}

}  // namespace

const char* const queue_format = "%F|%K|%t|%j|%Z";

std::vector<QueuedTask> parse_queue(std::string_view text, const std::filesystem::path& folder) {
  std::vector<QueuedTask> tasks;
  while (!text.empty()) {
    std::string_view line = util::split_first(text, "\n");
    QueuedTask task;
    task.job = util::split_first(line, "|");
    task.part = util::parse_number<int>(util::split_first(line, "|"));
    task.waiting = util::split_first(line, "|") == "PD";
    task.name = util::split_first(line, "|");
    if (std::filesystem::weakly_canonical(line) == folder) tasks.push_back(std::move(task));
  }
  return tasks;
}

Queue ask_slurm(const std::filesystem::path& folder) {
  Queue queue;
  const auto squeue = util::find_program("squeue");
  if (!squeue) return queue;
  queue.there = true;
  try {
    queue.tasks = parse_queue(run_slurm({squeue->string(), "--noheader", "--array", "--user",
                                         owner_of(folder), "--format", queue_format}),
                              folder);
  } catch (const model::Error& error) {
    queue.failure = error.what();
  }
  return queue;
}

std::string submit_script(const std::filesystem::path& script, const std::vector<std::string>& options) {
  std::vector<std::string> command = {"sbatch", "--parsable"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(script.string());
  const std::string answer = run_slurm(command);
  // `123`, or `123;cluster`; warnings stand on lines of their own.
  std::string_view text = util::trimmed(answer);
  std::string_view last = text.substr(text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1);
  const std::string job(util::split_first(last, ";"));
  if (!util::parse_number<std::int64_t>(job))
    throw model::Error(
        fmt::format("sbatch did not answer with a job's number: {}", util::one_line(text, 300)));
  return job;
}

void cancel_job(const std::string& job) {
  run_slurm({"scancel", job});
}

}  // namespace tuner::cluster
