#include "tuner/cluster/slurm_scripts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cluster {
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

}  // namespace tuner::cluster
