#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "config/settings.hpp"
#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/statement.hpp"
#include "db/transfer.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using Paths = std::vector<std::string>;

/// What each file brought, and what of it does not compete, since the spec in force was not there to look at.
/// The exit code.
int say_added(const db::Connection& connection, const Paths& paths, const std::vector<db::Added>& added) {
  for (std::size_t i = 0; i < added.size(); ++i)
    write_err(fmt::format("{}: {}, {} and {} were new", paths[i], util::counted(added[i].runs, "run"),
                          util::counted(added[i].trials, "trial"),
                          util::counted(added[i].measurements, "measurement")));
  for (const auto& [kernel, trials] : db::KernelSpecs(connection).waiting()) {
    write_err(
        fmt::format("{}: {} of another spec {} not compete: the spec in force is not at hand, or was edited "
                    "since; the next `tuner run` of {} decides",
                    kernel, util::counted(trials, "trial"), trials == 1 ? "does" : "do", kernel));
  }
  return 0;
}

/// What `write` does to the database, with the rows that it has written shown after a second.
template <class Write>
auto watched(const config::Settings& settings, const db::Connection& connection, const char* doing,
             const Write& write) {
  terminal::LinePrinter printer(open_terminal(settings), terminal::steady_clock());
  {
    const db::Watch watch(connection, [&, clock = terminal::steady_clock(),
                                       began = terminal::steady_clock()()](std::int64_t rows) {
      if (clock() - began > 1)
        printer.status(fmt::format("{}: {} written", doing, util::counted(rows, "row")), 0);
    });
    const auto done = write();
    printer.clear();
    return done;
  }
}

/// The files at `paths`. What can be read only once (a pipe, or `-` for standard input) is copied, since a
/// file is looked at before it is read.
class ReadableFiles {
 public:
  explicit ReadableFiles(const Paths& paths) {
    for (const std::string& path : paths) m_files.push_back(readable(path == "-" ? "/dev/stdin" : path));
  }
  const std::vector<std::filesystem::path>& all() const { return m_files; }

 private:
  std::filesystem::path readable(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::file_type type = std::filesystem::status(path, error).type();
    if (type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::character)
      return path;
    if (!m_folder) m_folder.emplace();
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::string name = fmt::format("{}-{}", path.filename().string(), m_files.size() + 1);
    m_folder->write(name, text);
    return m_folder->path() / name;
  }

  std::optional<util::TemporaryFolder> m_folder;
  std::vector<std::filesystem::path> m_files;
};

int import_files(const Context& context, const Paths& paths) {
  const ReadableFiles files(paths);
  for (const auto& file : files.all()) db::require_importable(file);  // before a database is made
  const config::Settings settings = context.settings();
  db::ResultStore store(settings.database());
  return say_added(store.connection(), paths, watched(settings, store.connection(), "importing", [&] {
                     return db::import_files(store.connection(), files.all(), judge_by_files());
                   }));
}

int merge_files(const Context& context, const Paths& paths) {
  for (const std::string& path : paths) db::require_mergeable(path);
  const config::Settings settings = context.settings();
  db::ResultStore store(settings.database());
  db::MergeOptions options;
  options.judge = judge_by_files();
  return say_added(store.connection(), paths, watched(settings, store.connection(), "merging", [&] {
                     return db::merge_databases(store.connection(), {paths.begin(), paths.end()}, options);
                   }));
}

}  // namespace

void add_import(const CommandPlace& place) {
  Command<Paths> command(place, "import",
                         "Add exported files and recordings of other tuners, all or none: a bad line leaves "
                         "everything unchanged",
                         import_files);
  command.option("files", command.options(), "FILE", "exported files; -: standard input")->required();
  command.settings("db progress");
}

void add_merge(const CommandPlace& place) {
  Command<Paths> command(
      place, "merge", "Add what other databases hold; nothing in them is trusted or executed", merge_files);
  command.option("databases", command.options(), "FILE", "databases of other machines")->required();
  command.settings("db progress");
}

namespace {

struct ForgetOptions {
  std::string kernel;
  std::string family;  ///< of that kernel; empty: any
  std::string run;
  std::string trial;
  std::string before;
  bool dry_run = false;
};

/// `2026-11-21` or `2026-11-21T12:00:00`, compared as the database's own times are: as text.
void require_date(const std::string& text) {
  const auto fits = [&](std::string_view pattern) {
    if (text.size() > pattern.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool digit = text[i] >= '0' && text[i] <= '9';
      if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return false;
    }
    return true;
  };
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (const char digit : text.substr(std::min(at, text.size()), digits))
      value = 10 * value + (digit - '0');
    return value;
  };
  if (text.size() >= 10 && fits("0000-00-00T00:00:00.000000Z")) {
    using namespace std::chrono;
    const year_month_day date = year(number(0, 4)) / number(5, 2) / number(8, 2);
    if (date.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60) return;
  }
  throw model::UsageError(fmt::format("'{}' is no date", text), "2026-11-21 or 2026-11-21T12:00:00, in UTC");
}

db::ForgetQuery make_query(const db::Connection& connection, const ForgetOptions& options) {
  db::ForgetQuery query;
  query.kernel = options.kernel;
  query.family = options.family;
  if (!options.run.empty()) query.run = run_named(connection, options.run);
  if (!options.trial.empty()) query.trial = db::find_trial(connection, options.trial).key;
  query.before = options.before;
  return query;
}

int forget(const Context& context, const ForgetOptions& options) {
  const auto ways =
      4 - std::ranges::count(std::array{options.kernel, options.run, options.trial, options.before}, "");
  if (ways != 1) {
    throw model::UsageError(
        ways == 0 ? "`tuner forget` needs to be told what" : "`tuner forget` takes one of its filters",
        "give one of --kernel, --run, --trial and --before");
  }
  if (!options.family.empty() && options.kernel.empty())
    throw model::UsageError("--family says which kernel of a name is meant", "give --kernel too");
  if (!options.before.empty()) require_date(options.before);
  const config::Settings settings = context.settings();
  const std::filesystem::path database = settings.database();
  db::open_for_reading(database);  // says what is wrong where it is not there
  db::ResultStore store(database);
  const db::Connection& connection = store.connection();
  const db::ForgetQuery query = make_query(connection, options);
  const db::Forgotten gone = watched(settings, connection, "forgetting",
                                     [&] { return db::forget(connection, query, options.dry_run); });
  if (gone.nothing()) {
    throw NothingFound("no trial in the database matches", "`tuner list runs` shows what was measured");
  }
  std::string line =
      fmt::format("{}: {}, {}, {}, {}, {}", options.dry_run ? "would be forgotten" : "forgotten",
                  util::counted(gone.trials, "trial"), util::counted(gone.measurements, "measurement"),
                  util::counted(gone.failures, "failure"), util::counted(gone.finals, "final"),
                  util::counted(gone.runs, "run"));
  if (gone.attempts > 0) line += ", " + util::counted(gone.attempts, "unfinished attempt");
  if (gone.probings > 0) line += ", " + util::counted(gone.probings, "probe result");
  write_out(line + "\n");
  if (options.dry_run) write_err("nothing was changed; the same without --dry-run does it");
  return 0;
}

}  // namespace

void add_forget(const CommandPlace& place) {
  Command<ForgetOptions> command(place, "forget", "Remove a kernel, a run, a trial, or what is old", forget);
  ForgetOptions& options = command.options();
  command.option("--kernel,-k", options.kernel, "NAME", "every trial of this kernel");
  command.option("--family", options.family, "NAME", "of the kernel in this family alone");
  command.option("--run", options.run, "ID", "what this run measured");
  command.option("--trial", options.trial, "ID", "this trial");
  command.option("--before", options.before, "DATE", "what was measured before this day (UTC)");
  command.flag("--dry-run", options.dry_run, "only say what would go");
  command.settings("db progress");
  command->footer(
      "All of it goes, or nothing. Trials keep what other runs have measured of them, or seen fail.\n"
      "Example: tuner forget --kernel my_kernel --dry-run");
}

namespace {

int show_config(const Context& context, const std::string& format) {
  const config::Settings settings = context.settings();
  reports::Table table({{"setting"},
                        {"value", reports::Align::left, true},
                        {"from", reports::Align::left, true},
                        {"variable", reports::Align::left, false, 1},
                        {"meaning", reports::Align::left, true, 2}});
  for (const config::KnownSetting& known : config::known_settings()) {
    const config::Setting* setting = settings.find(known.name);
    std::string value = setting ? setting->value : "(" + std::string(known.unset) + ")";
    if (known.name == "db") value = settings.database().string();
    if (known.name == "cache_dir") value = settings.cache_folder().string();
    table.add_row({std::string(known.name), value, setting ? setting->origin : "unset",
                   config::variable_name(known.name), std::string(known.description)});
  }
  write_table(table, "settings", format);
  return 0;
}

}  // namespace

void add_config(const CommandPlace& place) {
  Command<std::string> command(place, "config", "Show every setting, its value and where it came from",
                               show_config);
  command.table_format(command.options());
  for (const config::KnownSetting& known : config::known_settings())
    if (known.name != "color") command.settings(known.name);  // which every command has
  command->footer(
      "Strongest first: flag, environment variable, tuner.toml of the project, user's tuner.toml "
      "($XDG_CONFIG_HOME/tuner/tuner.toml), shipped default.");
}

namespace {

int show_cache(const Context& context, const NoOptions&) {
  const auto cache = binary_cache(context.settings());
  const compile::CacheStats stats = cache->stats();
  const std::string headers = stats.header_bytes == 0 ? ""
                                                      : fmt::format(" and {} of headers that g++ has read",
                                                                    reports::bytes_text(stats.header_bytes));
  write_out(fmt::format("{}: {}{}, {} of at most {}\n", cache->folder().string(),
                        util::counted(stats.entries, "binary"), headers, reports::bytes_text(stats.bytes),
                        reports::bytes_text(cache->limit_bytes())));
  return 0;
}

int prune_cache(const Context& context, std::int64_t target_mib) {
  const compile::CacheStats removed = binary_cache(context.settings())->prune(target_mib << 20);
  write_err(fmt::format("{} removed, {}", util::counted(removed.entries, "binary"),
                        reports::bytes_text(removed.bytes)));
  return 0;
}

}  // namespace

void add_cache(const CommandPlace& place) {
  Command<NoOptions> cache(place, "cache", "Show or prune the compiled binaries kept between runs",
                           show_cache);
  cache->require_subcommand(0, 1);
  cache.settings("cache_dir cache_limit_mb");
  Command<std::int64_t> prune({*cache.operator->(), place.context, place.action}, "prune",
                              "remove the binaries used longest ago", prune_cache);
  prune.option("--to", prune.options(), "N", "MiB to keep; 0 removes all")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40).description(""))
      ->required();
}

}  // namespace tuner::cli
