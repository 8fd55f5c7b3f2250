#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include "db/best.hpp"
#include "db/export_file.hpp"
#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/interchange/written_files.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// A file to be written, by its name in a folder.
using Files = std::vector<std::pair<std::string, std::string>>;

/// A name that no other file of `files` has.
std::string free_name(const Files& files, const std::string& begin, const std::string& end) {
  std::string name = begin + end;
  for (int i = 2; std::ranges::find(files, name, &Files::value_type::first) != files.end(); ++i)
    name = fmt::format("{}-{}{}", begin, i, end);
  return name;
}

/// Adds what `write` makes of one kernel. What a format has no words for is left out, and the others are
/// written.
class Writing {
 public:
  void add(const std::string& begin, const std::string& end, const std::function<std::string()>& write) {
    try {
      std::string text = write();
      if (!text.empty()) m_files.emplace_back(free_name(m_files, begin, end), std::move(text));
    } catch (const model::Error& error) {
      m_left_out.push_back(error);
    }
  }
  /// Throws where nothing but what was left out is there.
  Files files() {
    if (m_files.empty() && !m_left_out.empty()) throw model::Error(m_left_out.front());
    for (const model::Error& error : m_left_out) write_err(fmt::format("left out: {}", error.what()));
    return std::move(m_files);
  }

 private:
  Files m_files;
  std::vector<model::Error> m_left_out;
};

/// Those of one kernel, problem and environment follow one another.
Files recordings(const db::Connection& connection, db::TrialFilter filter, const std::string& format) {
  filter.superseded = false;
  filter.ceilings = false;
  Writing writing;
  std::vector<model::TrialRecord> trials;
  const auto write = [&] {
    if (trials.empty()) return;
    const model::TrialRecord& first = trials.front();
    const std::string name =
        fmt::format("{}-{}-{}", first.kernel, first.problem.text(), first.environment.device);
    writing.add(interchange::in_file_name(name), ".json", [&] {
      return format == "t4" ? interchange::t4_results(trials) : interchange::kernel_tuner_cache(trials);
    });
    trials.clear();
  };
  const auto place = [](const model::TrialRecord& trial) {
    return std::tie(trial.kernel, trial.problem, trial.environment);
  };
  db::for_each_trial(connection, filter, {.samples = true}, [&](db::StoredTrial&& stored) {
    const auto status = stored.trial.outcome.status;
    const bool says_something =
        status != model::TrialStatus::skipped && status != model::TrialStatus::quarantined;
    if (stored.trial.role != model::Role::competitor || !says_something) return;
    if (!trials.empty() && place(trials.front()) != place(stored.trial)) write();
    trials.push_back(std::move(stored.trial));
  });
  write();
  return writing.files();
}

/// What `best` says of a kernel, once for each problem and device.
std::vector<model::TrialRecord> winners_of(const db::Connection& connection, const db::BestQuery& query) {
  std::map<std::pair<std::string, std::string>, db::BestAnswers> by_place;
  for (db::BestAnswer& answer : db::best(connection, query)) {
    const db::Case& measured = answer.tuning_case;
    const std::string problem = measured.problem.text() + measured.problem.sizes_json();
    by_place[{measured.environment.device, problem}].push_back(std::move(answer));
  }
  std::vector<model::TrialRecord> winners;
  for (const auto& [place, found] : by_place) {
    const auto choices = answers::choose_environments(found);
    if (choices.size() != 1 || !choices.front().chosen) {
      throw model::UsageError(
          fmt::format("{} has answers of several environments on {}, and no rule chooses among them",
                      query.kernel, place.first),
          "`tuner best` shows them; kernel_launcher tells devices apart, and nothing else");
    }
    winners.push_back(found[*choices.front().chosen].winner);
  }
  return winners;
}

Files wisdom(const db::Connection& connection, const db::TrialFilter& filter) {
  Writing writing;
  using Name = std::pair<std::string, std::string>;  // and the family
  std::map<Name, std::set<model::ElementType>> kernels;
  db::TrialFilter selected = filter;
  selected.superseded = false;
  selected.ceilings = false;
  db::for_each_trial(connection, selected, {}, [&](db::StoredTrial&& stored) {
    const model::TrialRecord& trial = stored.trial;
    if (trial.role == model::Role::competitor)
      kernels[{trial.kernel, trial.problem.family}].insert(trial.problem.type);
  });
  std::map<std::string, int> families;  // by kernel
  for (const auto& [name, types] : kernels) ++families[name.first];
  const std::vector<model::DeviceInfo> devices = db::devices(connection);
  for (const auto& [name, types] : kernels) {
    for (const model::ElementType type : types) {
      db::BestQuery query;
      query.kernel = name.first;
      query.family = name.second;
      query.type = type;
      query.device = filter.device;
      // kernel_launcher finds it by this name, and tells sizes and devices apart.
      std::string key = name.first;
      if (families.at(name.first) > 1) key = interchange::in_file_name(name.second + "_" + key);
      if (types.size() > 1)
        key = interchange::in_file_name(fmt::format("{}_{}", key, model::cuda_name(type)));
      writing.add(interchange::in_file_name(key), ".wisdom", [&] {
        const std::vector<model::TrialRecord> winners = winners_of(connection, query);
        return winners.empty() ? "" : interchange::kernel_launcher_wisdom(key, winners, devices);
      });
    }
  }
  return writing.files();
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || std::filesystem::is_directory(path, error);
}

std::string names_of(const Files& files) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files) names.push_back(name);
  return reports::first_of(names, 4);
}

/// Writes what `filter` selects in another tuner's format: `kernel-tuner` and `t4` have a file for each
/// kernel, problem and environment, `kernel-launcher` one for each kernel and type, with what `best` chooses.
/// `path` is a file or standard output where there is one such file, else a folder, made where it ends with
/// `/`. Returns how many files were written. Throws model::UsageError where a folder is needed, model::Error
/// with nothing_found where nothing is selected.
int write_foreign(const db::Connection& connection, const std::string& format, const db::TrialFilter& filter,
                  const std::string& path) {
  const Files files =
      format == "kernel-launcher" ? wisdom(connection, filter) : recordings(connection, filter, format);
  if (files.empty())
    throw NothingFound("nothing that is selected has an outcome", "`tuner report` shows what there is");
  if (!is_folder(path)) {
    if (files.size() > 1) {
      throw model::UsageError(
          fmt::format("{} files would be written, one for each {}: {}", files.size(),
                      format == "kernel-launcher" ? "kernel and type" : "kernel, problem and environment",
                      names_of(files)),
          "give a folder, as -o results/, or select with --kernel and --gpu");
    }
    deliver(path, files.front().second);
    return 1;
  }
  std::filesystem::create_directories(path);
  for (const auto& [name, text] : files) deliver((std::filesystem::path(path) / name).string(), text);
  return static_cast<int>(files.size());
}

struct ExportOptions {
  std::string path;
  std::string run;
  std::string format = "jsonl";
  db::TrialFilter filter;
};

int export_trials(const Context& context, const ExportOptions& options) {
  const bool is_own = options.format == "jsonl";
  for (const char* const extension : {".csv", ".html", ".md"})
    if (options.path.ends_with(extension))
      throw model::UsageError(
          fmt::format("an export is JSON, which a file called '{}' is not", extension),
          fmt::format("`tuner report -o {}` writes that", util::shell_quote(options.path)));
  if (is_own) require_deliverable(options.path);
  db::Connection connection = db::open_results(context.settings().database());
  if (!options.run.empty()) connection = db::extract_run(connection, run_named(connection, options.run));
  if (!is_own) {
    const int files = write_foreign(connection, options.format, options.filter, options.path);
    write_err(util::counted(files, "file") + " written");
    return 0;
  }
  const db::TrialFilter& filter = options.filter;
  const bool is_part =
      !options.run.empty() || !filter.family.empty() || !filter.kernel.empty() || !filter.device.empty();
  if (is_part && db::count_trials(connection, filter) == 0)
    throw NothingFound("nothing that is selected was tried", "`tuner report` shows what there is");
  std::int64_t trials = 0;
  deliver(options.path, [&](std::ostream& out) { trials = db::export_database(connection, filter, out); });
  write_err(util::counted(trials, "trial") + " exported");
  return 0;
}

}  // namespace

void add_export(const CommandPlace& place) {
  Command<ExportOptions> command(
      place, "export", "Write results: to compare, to keep, to replay, for other tuners", export_trials);
  ExportOptions& options = command.options();
  command.option("-o,--output", options.path, "FILE", "file to write; without it, or with -, stdout");
  command.choice("--format", options.format, {"jsonl", "kernel-tuner", "t4", "kernel-launcher"},
                 "jsonl: all that is known; kernel-tuner: cache files; t4: T4 results; kernel-launcher: the "
                 "best configurations as wisdom. -o FOLDER/ takes several files of these");
  command.option("--run", options.run, "ID", "only what this run measured");
  command.option("--family", options.filter.family, "NAME", "only this family");
  command.option("--kernel,-k", options.filter.kernel, "NAME", "only this kernel");
  command.option("--gpu", options.filter.device, "NAME", "only devices with this in their name");
  command.settings("db");
  command->footer("An export is a device too: tuner run --device replay:FILE");
}

}  // namespace tuner::cli
