#include "tuner/cli/report_writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <set>

#include "config/kernel_file.hpp"
#include "config/settings.hpp"
#include "db/best.hpp"
#include "db/database.hpp"
#include "db/finals.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "db/transfer.hpp"
#include "kernels/shipped.hpp"
#include "reports/document.hpp"
#include "reports/json.hpp"
#include "reports/layout.hpp"
#include "reports/named_trials.hpp"
#include "reports/report.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/explained.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> formats = {"md", "html", "csv", "json"};

std::string format_of(const ReportOptions& options) {
  if (!options.format.empty()) return options.format;
  fs::path path = options.path == "-" ? "" : options.path;
  if (path.extension() == ".gz") path.replace_extension();
  const std::string extension = path.extension().string();
  if (extension == ".htm") return "html";
  const std::string format = extension.empty() ? "md" : extension.substr(1);
  if (!formats.contains(format)) {
    throw model::UsageError(fmt::format("no report format is written to files called '{}'", extension),
                            "name it .md, .html, .csv or .json; `tuner report` also takes --format");
  }
  return format;
}

db::TrialFilter filter_of(const ReportOptions& options, bool superseded) {
  db::TrialFilter filter = options.filter;
  filter.superseded = superseded;
  filter.ceilings = !filter.family.empty() || !filter.kernel.empty();
  return filter;
}

/// Visits the trials that are asked for, or those of one environment.
void for_each_asked_for(const db::Connection& connection, const ReportOptions& options,
                        const model::Environment* environment,
                        const std::function<void(model::TrialRecord&&)>& visit) {
  db::TrialFilter filter = filter_of(options, false);
  if (environment != nullptr) filter.environment = *environment;
  db::for_each_trial(connection, filter, {}, [&](db::StoredTrial&& stored) {
    if (options.keep && !options.keep(stored.trial)) return;
    if (options.sizes.empty() || is_of_sizes(stored.trial.problem, options.sizes))
      visit(std::move(stored.trial));
  });
}

/// A pivot that no kernel has would be ignored in silence.
void require_pivot(const ReportOptions& options, const std::set<std::string>& names) {
  if (options.pivot.empty() || names.contains(options.pivot)) return;
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string meant = util::did_you_mean(options.pivot, known);
  throw model::UsageError(fmt::format("--pivot: no kernel of the report has a parameter '{}'", options.pivot),
                          meant.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : meant);
}

/// Of the identifiers that the report shows.
std::size_t id_digits(const db::Connection& connection, std::vector<std::string> keys,
                      const reports::ReportInput& input) {
  std::size_t digits = util::telling_length(std::move(keys), input.id_digits);
  db::ShortIds ids(connection);
  for (const db::BestAnswer& answer : input.answers)
    digits = std::max(digits, ids.of(answer.winner.key).size());
  return digits;
}

/// Behind commands about a family of the report, so that they answer as it does.
std::string selection(const std::string& kernel, const db::BestAnswer& answer, bool is_one_of_many) {
  std::string out = " --family " + util::shell_quote(answer.problem().family);
  if (!kernel.empty()) out += " --kernel " + util::shell_quote(kernel);
  if (is_one_of_many) out += " --environment " + util::shell_quote(answer.environment().text());
  return out + database_flag();
}

/// How to build each winner, by the spec that is at hand.
std::map<model::Digest, reports::Usage> usages(const db::Connection& connection,
                                               const reports::ReportInput& input,
                                               const ReportOptions& options) {
  std::map<model::Digest, const model::TrialRecord*> trials;
  for (const model::TrialRecord& trial : input.trials) trials.emplace(trial.key, &trial);
  std::set<model::Digest> environments;
  std::map<std::string, std::set<std::string>> kinds;  // of problems, by family
  for (const db::BestAnswer& answer : input.answers) {
    environments.insert(answer.environment().key());
    kinds[answer.problem().family].insert(answer.problem().kind());
  }
  // Where the report leaves environments out, the database may hold others that would answer.
  const bool is_one_of_many =
      environments.size() > 1 || !options.filter.device.empty() || options.keep != nullptr;
  std::map<model::Digest, reports::Usage> out;
  SpecsAtHand specs(connection, "");
  for (const db::BestAnswer& answer : input.answers) {
    const auto trial = trials.find(answer.winner.key);
    if (trial == trials.end()) continue;
    const model::Problem& problem = answer.problem();
    reports::Usage& usage = out[answer.winner.key];
    const bool is_one_kind = kinds[problem.family].size() == 1;
    usage.selection =
        selection(is_one_kind ? options.filter.kernel : trial->second->kernel, answer, is_one_of_many);
    usage.command = "tuner best " + problem.size_text() + usage.selection;
    if (problem.row_padding != 0) usage.command += fmt::format(" --pad {}", problem.row_padding);
    try {
      usage.flags = packing::build_flags(recipe_of(connection, *trial->second, specs));
    } catch (const model::Error&) {  // a value that no flag can say, or a spec that is no longer readable
    }
  }
  return out;
}

/// What the program that was captured gains by the report's answers.
void add_gain(const db::Connection& connection, const ReportOptions& options,
              std::vector<std::string>& notes) {
  if (options.program.empty()) return;
  const model::KernelSpec spec =
      spec_named(connection, options.filter.family, options.filter.kernel, options.spec);
  db::BestQuery query;
  query.family = spec.family;
  query.kernel = spec.name;
  query.device = options.filter.device;
  query.row_padding.reset();
  db::BestAnswers all = db::best(connection, query);
  std::erase_if(all, [&](const db::BestAnswer& answer) {
    return !options.sizes.empty() && !is_of_sizes(answer.problem(), options.sizes);
  });
  for (const std::string& text :
       answers::gain_sentences(all, captured_uses(options.program, spec, std::nullopt)))
    notes.push_back(text + ".");
}

/// Why each winner that the report shows is fast, by what is at hand: nothing is compiled for it.
void add_explanations(const db::Connection& connection, const config::Settings& settings,
                      const ReportOptions& options, reports::ReportInput& input) {
  for (const db::StoredCounter& stored : db::counters(connection))
    input.counters[stored.trial].push_back(stored.counter);
  if (format_of(options) == "csv" || !options.layout.empty()) return;
  std::set<model::Digest> shown;
  for (const model::TrialRecord& trial : input.trials) shown.insert(trial.key);
  Explainer explainer(connection, settings, "", false);
  db::BestQuery query;
  query.kernel = options.filter.kernel;
  for (const db::BestAnswer& answer : input.answers)
    if (shown.contains(answer.winner.key))
      input.explanations[answer.winner.key] =
          explainer(answer, db::ranking(connection, answer, query)).findings;
}

reports::NamedTrials::Where named_where(const ReportOptions& options) {
  using Where = reports::NamedTrials::Where;
  if (!options.layout.empty()) return Where::anywhere;
  return format_of(options) == "md" ? Where::tables : Where::problems;
}

/// The trials, and what all of them say; `input` has the answers. Returns their runs.
std::set<model::Digest> add_trials(const db::Connection& connection, const ReportOptions& options,
                                   reports::ReportInput& input) {
  reports::NamedTrials named(input.answers, named_where(options));
  std::set<model::Digest> runs;
  std::set<std::string> parameters;
  std::vector<std::string> keys;
  for_each_asked_for(connection, options, nullptr, [&](model::TrialRecord&& trial) {
    runs.insert(trial.run);
    keys.push_back(trial.key.hex());
    for (const model::Assignment& one : trial.configuration.assignments()) parameters.insert(one.name);
    named.add(std::move(trial));
  });
  named.finish(input);
  if (!keys.empty()) require_pivot(options, parameters);
  input.id_digits = id_digits(connection, std::move(keys), input);
  input.each_trial = [&connection, &options](const model::Environment* environment,
                                             const reports::Visit& visit) {
    for_each_asked_for(connection, options, environment, visit);
  };
  return runs;
}

/// What people should know of specs that are not what was measured, each kernel once.
void add_edits(const db::Connection& connection, const ReportOptions& options, reports::ReportInput& input) {
  if (options.context == nullptr) return;
  const std::vector<answers::SpecNote> notes =
      spec_notes(connection, input.answers, options.spec, *options.context);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    std::string text = answers::sentence(notes[i], input.answers[i].winner.kernel);
    if (!text.empty() && std::ranges::count(input.notes, text) == 0) input.notes.push_back(std::move(text));
  }
}

/// It reads the connection as long as it lives.
reports::ReportInput gather(const db::Connection& connection, const config::Settings& settings,
                            const ReportOptions& options) {
  reports::ReportInput input;
  input.command = options.command;
  input.generated_at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  input.pivot = options.pivot;
  input.answers = db::best_of_each(connection, filter_of(options, false));
  const std::set<model::Digest> runs = add_trials(connection, options, input);
  const std::int64_t left_out =
      options.keep || !options.sizes.empty() ? 0 : db::count_trials(connection, filter_of(options, true));
  if (left_out > 0) {
    input.notes.push_back(
        fmt::format("Left out: {} that today's specs do not describe. `tuner export` has them.",
                    util::counted(left_out, "trial")));
  }
  if (input.trials.empty() && left_out > 0) {
    throw NothingFound(
        left_out == 1
            ? "the only trial that matches is of a spec that has changed since"
            : fmt::format("all {} trials that match are of specs that have changed since", left_out),
        "tune again with `tuner run`, or see them with `tuner export`");
  }
  if (input.trials.empty()) {
    throw NothingFound("no trial in the database matches", "`tuner list runs` shows what was measured");
  }
  add_edits(connection, options, input);
  add_gain(connection, options, input.notes);
  input.ceilings = db::ceilings(connection);
  add_explanations(connection, settings, options, input);
  for (model::RunRecord& run : db::runs(connection)) {
    if (runs.contains(run.id)) input.runs.push_back(std::move(run));
  }
  return input;
}

reports::Document make_document(const reports::ReportInput& input, const ReportOptions& options) {
  if (options.layout.empty()) return reports::build_report(input);
  return reports::build_layout(config::load_layout(kernels::shipped(), options.layout), input);
}

/// Markdown's charts go to files beside it: NAME.md and NAME-chart-….svg.
std::string markdown(const reports::Document& document, const std::string& path) {
  if (is_stdout(path) || !util::leads_to_file(path)) return reports::to_markdown(document);
  const fs::path file(path);
  const std::string prefix = file.stem().string() + "-";
  for (const reports::SvgFile& figure : reports::svg_files(document)) {
    deliver((file.parent_path() / (prefix + figure.name)).string(), figure.text);
  }
  return reports::to_markdown(document, &prefix);
}

void write_selected(const db::Connection& connection, const config::Settings& settings,
                    const ReportOptions& options) {
  const db::Snapshot snapshot(connection);  // trials are read more than once
  reports::ReportInput input = gather(connection, settings, options);
  const std::string format = format_of(options);
  if (format == "md") return deliver(options.path, markdown(make_document(input, options), options.path));
  if (format == "html") {
    input.usages = usages(connection, input, options);
    input.first_races = db::first_races(connection);
    input.database_flag = database_flag();
  }
  deliver(options.path, [&](std::ostream& out) {
    if (format == "html") return reports::to_html(input, out);
    if (format == "csv") return reports::to_csv(input, out);
    reports::to_json(input, out);
  });
}

}  // namespace

void require_report(const std::string& path, const std::string& format) {
  ReportOptions options;
  options.path = path;
  options.format = format;
  static_cast<void>(format_of(options));  // throws
  require_deliverable(path);
}

void write_report(const db::Connection& connection, const config::Settings& settings,
                  const ReportOptions& options) {
  if (options.run.empty()) {
    write_selected(connection, settings, options);
  } else {
    write_selected(db::extract_run(connection, run_named(connection, options.run)), settings, options);
  }
}

namespace {

int report(const Context& context, ReportOptions options) {
  if (options.filter.kernel.ends_with(".toml")) {
    options.spec = options.filter.kernel;
    options.filter.kernel = KernelCatalog::load({options.spec}).selected().front().name;
  }
  if (!options.layout.empty() && format_of(options) != "md")
    throw model::UsageError("a layout is written as Markdown, and other formats have no room for one",
                            "leave out --layout, or write to a file called .md");
  if (!options.program.empty() && format_of(options) == "csv")
    throw model::UsageError("rows of CSV have no room for what a program gains", "write another --format");
  if (!options.size_text.empty()) options.sizes = config::parse_sizes(options.size_text);
  options.command = context.command_line();
  if (options.run.empty()) options.context = &context;
  require_report(options.path, options.format);
  const config::Settings settings = context.settings();
  write_report(db::open_results(settings.database()), settings, options);
  if (!is_stdout(options.path)) write_err("report: " + options.path, options.path);
  return 0;
}

}  // namespace

void add_report(const CommandPlace& place) {
  Command<ReportOptions> command(place, "report", "Write a document of the results", report);
  ReportOptions& options = command.options();
  command.option("-o,--output", options.path, "FILE", "file to write; without it, or with -, stdout");
  command.choice("--format", options.format, {"md", "html", "csv", "json"},
                 "default: by the file's extension, else md");
  command.option("--layout", options.layout, "NAME", "a layout shipped with the kernels, such as `notes`");
  command.option("--pivot", options.pivot, "NAME", "parameter whose values are the tables' columns");
  command.option("--size,-s", options.size_text, "SIZES", "only these sizes: 1024, 512..2048, 512x1024x256");
  command.option("--family", options.filter.family, "NAME", "only this family of kernels");
  command.option("--kernel,-k", options.filter.kernel, "NAME|FILE",
                 "only this kernel, by its name or its spec");
  command.option("--program", options.program, "CAPTURE",
                 "say what the captured program gains by the answers, with --kernel");
  command.option("--gpu", options.filter.device, "NAME", "only devices with this in their name");
  command.option("--run", options.run, "ID", "only what this run measured (`tuner list runs`)");
  command.pages();
  command.settings("db");
  command->footer("Example: tuner report -o report.html\n         tuner report --layout notes -o notes.md");
}

}  // namespace tuner::cli
