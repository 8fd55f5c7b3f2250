#include "tuner/cli/slurm_retry.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "tuner/cli/context.hpp"
#include "tuner/cluster/slurm_queue.hpp"
#include "tuner/cluster/slurm_scripts.hpp"
#include "tuner/cluster/sweep_status.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using cluster::PartState;

/// `1-3,7`, as sbatch takes the tasks of an array.
std::string ranges_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (end > i) text += fmt::format("-{}", numbers[end]);
    i = end;
  }
  return text;
}

std::string submit_last(const cluster::SweepFolder& folder, const std::set<std::string>& after) {
  std::vector<std::string> options;
  if (!after.empty()) options.push_back(fmt::format("--dependency=afterany:{}", fmt::join(after, ":")));
  const std::string job = cluster::submit_script(folder.last_script(), options);
  write_out(fmt::format("last {}\n", job));
  return job;
}

std::vector<int> missing_parts(const cluster::SweepStatus& status) {
  std::vector<int> missing;
  for (const cluster::PartStatus& part : status.parts) {
    if (part.state == PartState::lost) missing.push_back(part.number);
  }
  return missing;
}

/// Jobs of shards that are still in the queue.
std::set<std::string> shard_jobs(const cluster::Queue& queue) {
  std::set<std::string> jobs;
  for (const cluster::QueuedTask& task : queue.tasks) {
    if (task.part) jobs.insert(task.job);
  }
  return jobs;
}

std::vector<cluster::QueuedTask> last_jobs(const cluster::Queue& queue) {
  std::vector<cluster::QueuedTask> jobs;
  for (const cluster::QueuedTask& task : queue.tasks) {
    if (!task.part && task.name == cluster::last_job_name) jobs.push_back(task);
  }
  return jobs;
}

void require_slurm(const cluster::SweepFolder& folder, const cluster::Queue& queue) {
  if (queue.answered()) return;
  throw model::Error(
      queue.there ? "Slurm cannot be asked what it has in its queue: " + queue.failure
                  : "Slurm's commands are not on this machine",
      fmt::format("where they are: tuner slurm --retry {}", util::shell_quote(folder.path().string())));
}

/// What it said was of the shards before.
void forget_last_progress(const cluster::SweepDescription& description) {
  std::error_code ignored;
  std::filesystem::remove(cluster::progress_file_of(description.result), ignored);
}

}  // namespace

void submit_sweep(const cluster::SweepFolder& folder) {
  const std::string array = cluster::submit_script(folder.array_script(), {});
  write_out(fmt::format("array {}\n", array));
  submit_last(folder, {array});
}

void retry_sweep(const cluster::SweepFolder& folder) {
  const auto description = cluster::read_description(folder);
  if (!description) {
    throw model::UsageError(fmt::format("{} is no folder of `tuner slurm`", folder.path().string()),
                            "it has no sweep.json");
  }
  const cluster::Queue queue = cluster::ask_slurm(folder.path());
  require_slurm(folder, queue);
  const cluster::SweepStatus status = cluster::look_at(folder, queue);
  if (status.done()) return write_err("nothing is missing: the sweep is done");
  const std::vector<int> missing = missing_parts(status);
  const std::vector<cluster::QueuedTask> earlier_last = last_jobs(queue);
  if (missing.empty() && !earlier_last.empty()) {
    return write_err("nothing is missing: what is not done is in Slurm's queue");
  }
  std::set<std::string> after = shard_jobs(queue);
  if (!missing.empty()) {
    const std::string array =
        cluster::submit_script(folder.array_script(), {"--array=" + ranges_text(missing)});
    write_out(fmt::format("array {} ({})\n", array, ranges_text(missing)));
    after.insert(array);
  }
  for (const cluster::QueuedTask& task : earlier_last) {
    if (!task.waiting) after.insert(task.job);
  }
  forget_last_progress(*description);
  submit_last(folder, after);
  for (const cluster::QueuedTask& task : earlier_last) {
    if (!task.waiting) continue;
    cluster::cancel_job(task.job);
    write_err(fmt::format("job {} was cancelled: the last job before, which waited for the shards before",
                          task.job));
  }
}

}  // namespace tuner::cli
