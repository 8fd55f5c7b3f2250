#include "tuner/cluster/slurm.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cluster {
namespace {

constexpr int description_schema = 1;
constexpr int most_shards = 1'000'000;

}  // namespace

SweepFolder::SweepFolder(std::filesystem::path path)
    : m_path(std::filesystem::weakly_canonical(std::filesystem::absolute(path))) {}

std::filesystem::path SweepFolder::published(int part) const {
  return results() / fmt::format("{}.db", part);
}

void write_description(const SweepFolder& folder, const SweepDescription& description) {
  const nlohmann::ordered_json json = {{"schema_version", description_schema},
                                       {"shards", description.shards},
                                       {"command", description.command},
                                       {"result", description.result.string()}};
  util::write_file(folder.description_file().string(),
                   json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n',
                   "give another --folder");
}

std::optional<SweepDescription> read_description(const SweepFolder& folder) {
  std::ifstream in(folder.description_file(), std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  try {
    const auto json = nlohmann::json::parse(text.str());
    SweepDescription description;
    description.shards = json.at("shards").get<int>();
    description.command = json.at("command").get<std::string>();
    description.result = json.at("result").get<std::string>();
    const bool sound = description.shards >= 1 && description.shards <= most_shards;
    if (json.at("schema_version") != description_schema || !sound)
      throw model::Error("its schema is another one");
    return description;
  } catch (const std::exception& error) {
    throw model::Error(
        fmt::format("{}: is no sweep's description: {}", folder.description_file().string(), error.what()),
        "`tuner slurm` writes one into a new folder");
  }
}

namespace {

/// As sbatch reads a value in a script: in double quotes, where `"` and `\` are escaped.
std::string option_value(std::string_view text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_=/.,:+@[]%").find(c) != std::string_view::npos;
  };
  if (std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string option_line(std::string_view option) {
  const std::string_view name = util::split_first(option, "=");
  return fmt::format("#SBATCH {}{}{}\n", name, option.empty() ? "" : "=",
                     option.empty() ? "" : option_value(option));
}

bool asks_for_gpus(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("--g") || option.starts_with("-G");
  });
}

std::string head(const SlurmSweep& sweep, const std::string& job_name, const std::string& log,
                 const std::string& array, std::string_view what) {
  std::string text = "#!/bin/bash\n";
  text += fmt::format("# {}\n# Written by: {}\n", what, util::one_line(sweep.command));
  text += "# Edit it as you like; `tuner slurm --retry` submits it as it is then.\n";
  text += option_line("--job-name=" + job_name);
  text += option_line("--chdir=" + sweep.folder.path().string());
  if (!array.empty()) text += option_line("--array=" + array);
  text += option_line("--output=" + log);
  text += option_line("--open-mode=append");
  text += option_line("--requeue");
  text += "# Two minutes before its time is up a task is told, and publishes what it has.\n";
  text += option_line("--signal=B:TERM@120");
  if (sweep.needs_gpu && !asks_for_gpus(sweep.options)) text += option_line("--gres=gpu:1");
  for (const std::string& option : sweep.options) text += option_line(option);
  text +=
      fmt::format(R"(
tuner={}
shared={}

# On the node: a requeued task finds what it had where it comes back to the same one. Results are safe in $shared
# either way.
own=${{SLURM_TMPDIR:-${{TMPDIR:-/tmp}}}}/tuner-${{USER:-$UID}}-$SLURM_JOB_ID
mkdir -m 700 "$own" 2>/dev/null || {{ [ -d "$own" ] && [ -O "$own" ] && [ ! -L "$own" ]; }} || {{
  echo "$own cannot be made, or is another user's" >&2
  exit 1
}}
)",
                  util::shell_quote(sweep.program.string()), util::shell_quote(sweep.folder.path().string()));
  text += sweep.cache.empty() ? "cache=$own/cache\n"
                              : fmt::format("cache={}\n", util::shell_quote(sweep.cache.string()));
  text += R"(
# All settings stand below; files of settings, which somebody may edit meanwhile, are not found from here, and
# variables of the shell that submits this are not taken.
cd "$own" || exit 1
export XDG_CONFIG_HOME=$own
)";
  text += fmt::format("unset {}\n", fmt::join(sweep.variables, " "));
  text += R"(
run= stop=
trap 'stop=1; [ -z "$run" ] || kill -TERM "$run"' TERM INT
)";
  return text;
}

/// `tuner run` in the background, so that the shell hears signals and can hand them on.
std::string run_and_wait(const SlurmSweep& sweep, const std::string& more) {
  std::string text = "\"$tuner\" run";
  for (const std::string& argument : sweep.arguments) text += ' ' + util::shell_quote(argument);
  text += " \\\n  --db \"$own/tuner.db\" --cache-dir \"$cache\" " + more + " &\n";
  text += R"(run=$!
if [ -n "$stop" ]; then kill -TERM "$run"; fi
wait "$run"
status=$?
while kill -0 "$run" 2>/dev/null; do  # the wait was ended by a signal
  wait "$run"
  status=$?
done

rm -rf "$own/cache"
case $status in
  0 | 2 | 3 | 4 | 130 | 143) rm -rf "$own" ;;
  *) echo "kept on $(hostname), since not all it has may be published: $own" >&2 ;;
esac
exit "$status"
)";
  return text;
}

}  // namespace

std::string array_script(const SlurmSweep& sweep) {
  std::string text = head(sweep, "tuner", "logs/%a.log", fmt::format("1-{}", sweep.shards),
                          fmt::format("Shard K of {} is task K of this array.", sweep.shards));
  text += '\n';
  text += run_and_wait(
      sweep,
      fmt::format(
          "--shard \"$SLURM_ARRAY_TASK_ID/{}\" \\\n  --publish \"$shared/results/$SLURM_ARRAY_TASK_ID.db\"",
          sweep.shards));
  return text;
}

std::string last_script(const SlurmSweep& sweep) {
  std::string text = head(sweep, last_job_name, "logs/last.log", "",
                          "After the shards: brings them together, does what is missing, holds the finals.");
  text += R"(
for part in "$shared"/results/*.db; do
  if [ -e "$part" ]; then "$tuner" merge --db "$own/tuner.db" "$part"; fi
done
)";
  text += run_and_wait(sweep,
                       fmt::format("--report {} \\\n  --publish {}", util::shell_quote(sweep.report.string()),
                                   util::shell_quote(sweep.result.string())));
  return text;
}

void require_speakable(const std::filesystem::path& folder) {
  const std::string text = folder.string();
  const bool speakable = std::none_of(text.begin(), text.end(), [](char c) {
    return c == '%' || c == '\\' || static_cast<unsigned char>(c) < ' ';
  });
  if (speakable) return;
  throw model::UsageError(fmt::format("--folder {}: sbatch takes %, \\ and control characters in a path for "
                                      "something else",
                                      util::one_line(text)),
                          "give a folder with a plainer name");
}

std::string sbatch_option(const std::string& text) {
  std::string option = text.starts_with("-") ? text : "--" + text;
  const std::string name = option.substr(0, option.find('='));
  const bool is_option =
      name.size() > 2 && name.starts_with("--") && std::all_of(name.begin(), name.end(), [](char c) {
        return c == '-' || std::isalnum(static_cast<unsigned char>(c)) != 0;
      });
  if (!is_option || option != util::one_line(option)) {
    throw model::UsageError(fmt::format("--sbatch '{}': is no option of sbatch", util::one_line(text, 60)),
                            "write it in full with its value: --sbatch time=2:00:00");
  }
  for (const char* ours : {"--array", "--chdir", "--dependency", "--output", "--signal", "--job-name"}) {
    if (name == ours) {
      throw model::UsageError(
          fmt::format("--sbatch '{}': {} is the tuner's to set", util::one_line(text, 60), name),
          "edit the script in the folder where it must be another");
    }
  }
  return option;
}

namespace {

constexpr auto slurm_answers_within = std::chrono::seconds(60);

std::string run_slurm(const std::vector<std::string>& arguments) {
  // A job inherits the limits of the process that submits it.
  const util::CommandResult result = util::run_command(arguments, "/", slurm_answers_within,
                                                       util::CommandGroup::own, util::ProcessorTime::callers);
  if (result.exit_code == 0 && result.output.size() < util::most_command_output) return result.output;
  if (result.exit_code == 0)
    throw model::Error(fmt::format("{}: an answer of more than a MiB", arguments.front()));
  throw model::Error(fmt::format(
      "{}: {}", arguments.front(),
      result.timed_out ? "no answer within a minute" : util::one_line(util::trimmed(result.output), 300)));
}

/// The tasks belong to the folder's owner, also where a colleague looks.
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
