#include "tuner/cli/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "config/settings.hpp"
#include "db/queries.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

void name_kernel(Question& question) {
  std::error_code error;
  const bool is_folder =
      question.kernel.find('/') != std::string::npos && std::filesystem::is_directory(question.kernel, error);
  if (!is_folder && !question.kernel.ends_with(".toml")) return;
  const KernelCatalog catalog = KernelCatalog::load({question.kernel});
  if (catalog.selected().size() > 1) {
    std::vector<std::string> names;
    for (const model::KernelSpec& kernel : catalog.selected()) names.push_back(kernel.name);
    throw model::UsageError(
        fmt::format("{} holds {} kernels, and --kernel is of one here", question.kernel, names.size()),
        fmt::format("name one: {}", fmt::join(names, ", ")));
  }
  question.spec = is_folder ? catalog.selected().front().path : question.kernel;
  question.kernel = catalog.selected().front().name;
  if (question.family.empty()) question.family = catalog.selected().front().family;
}

namespace {

/// Has `query` answered with trials of the bits that the question asks for.
void ask_for_bits(const db::Connection& connection, const Question& question, db::BestQuery& query) {
  if (question.same_bits_as.empty()) return;
  query.same_bits = same_bits_as(connection, question.same_bits_as);
  if (!query.same_bits->trial) return;
  const model::Problem& problem = query.same_bits->trial->problem;
  const bool is_of_family = query.family.empty() || query.family == problem.family;
  if (!is_of_family || (query.type && *query.type != problem.type)) {
    throw model::UsageError(
        fmt::format("--same-bits-as {} is of {} in {}, and {} is asked for", question.same_bits_as,
                    problem.family, model::cuda_name(problem.type),
                    is_of_family ? std::string(model::cuda_name(*query.type)) : query.family),
        "bits compare within one family and element type");
  }
  query.family = problem.family;
  query.type = problem.type;
}

}  // namespace

db::BestQuery query_of(const Context& context, const config::Settings& settings,
                       const db::Connection& connection, const Question& question) {
  db::BestQuery query;
  query.family = question.family;
  query.kernel = question.kernel;
  query.device = question.gpu;
  query.part_of_environment = question.part_of_environment;
  if (context.flags.contains("measure")) query.method = settings.text("measure");
  if (context.flags.contains("l2")) query.l2 = settings.text("l2");
  if (context.flags.contains("execution")) query.execution = settings.text("execution");
  query.type = settings.type();
  query.row_padding.reset();
  if (context.flags.contains("pad")) {
    const std::vector<std::int64_t> paddings = settings.paddings();
    if (paddings.size() > 1)
      throw model::UsageError(
          fmt::format("one padding is taken, '{}' is {}", settings.text("pad"), paddings.size()),
          "give one; without --pad there is an answer for each");
    query.row_padding = paddings.front();
  }
  ask_for_bits(connection, question, query);
  return query;
}

namespace {

db::TrialFilter filter_of(const Question& question) {
  db::TrialFilter filter;
  filter.family = question.family;
  filter.kernel = question.kernel;
  return filter;
}

/// Why the GPU that was named has no answer, and which have.
std::string lack_of_gpu(const db::Connection& connection, const config::Settings& settings,
                        const Question& question) {
  if (question.gpu.empty()) return "";
  const auto type = settings.type();
  db::TrialFilter filter = filter_of(question);
  std::set<std::string> others;
  for (const db::Case& one : db::cases(connection, filter)) {
    if (one.ok + one.dropped == 0 || (type && one.environment.type != *type)) continue;
    const std::string& device = one.environment.device;
    // It has answers to other questions, so it is not what this one lacks.
    if (util::lower(device).find(util::lower(question.gpu)) != std::string::npos) return "";
    others.insert(device);
  }
  filter.device = question.gpu;
  const std::int64_t trials = db::count_trials(connection, filter);
  filter.superseded = true;
  const std::int64_t superseded = db::count_trials(connection, filter);
  std::string said =
      fmt::format("; of a device named '{}' there {} {}{}", question.gpu, trials == 1 ? "is" : "are",
                  util::counted(trials, "trial"), type && trials > 0 ? " of any type" : "");
  if (superseded > 0)
    said += fmt::format(", {} of them superseded: their kernels have changed since", superseded);
  if (!others.empty() && question.same_bits_as.empty())
    said += fmt::format("; answers are of {}", fmt::join(others, ", "));
  return said;
}

/// What the database has of the kernel or family, where no trial of it competes; the hint that goes with it.
std::pair<std::string, std::string> what_does_not_compete(const db::Connection& connection,
                                                          const Question& question) {
  if (question.family.empty() && question.kernel.empty()) return {};
  db::TrialFilter filter = filter_of(question);
  filter.superseded = false;
  if (db::count_trials(connection, filter) > 0) return {};
  filter.superseded = true;
  const std::int64_t superseded = db::count_trials(connection, filter);
  if (superseded == 0) return {};
  return {fmt::format("; of {} the spec, as it was last run, no longer is what was measured",
                      util::counted(superseded, "trial")),
          "if the spec is as it was, this takes them back: "};
}

bool is_library(const db::Connection& connection, const std::string& kernel) {
  if (kernel.empty()) return false;
  db::TrialFilter filter;
  filter.kernel = kernel;
  const std::vector<model::TrialRecord> trials = db::trials(connection, filter);
  return !trials.empty() && std::ranges::none_of(trials, model::may_win, &model::TrialRecord::role);
}

/// What is said of a name that neither the database nor a shipped spec has; empty where one has.
std::string unknown_name(const std::string& name, std::vector<std::string> known) {
  for (const kernels::ShippedKernel& kernel : kernels::shipped_kernels())
    known.insert(known.end(), {std::string(kernel.name), std::string(kernel.family)});
  if (name.empty() || std::ranges::count(known, name) > 0) return "";
  if (std::filesystem::is_directory(name))
    return fmt::format("{} is a folder, and this asks of one kernel: name one of its specs",
                       util::one_line(name, 60));
  const std::string meant = util::did_you_mean(name, known);
  return meant.empty() ? fmt::format(
                             "nothing is called '{}' here; `tuner list kernels` shows what is shipped, "
                             "and --kernel takes the file of a spec",
                             util::one_line(name, 60))
                       : meant;
}

/// What `tuner run` takes for the kernels that are asked of: their spec, or those of the database, of which
/// too many are none; the shipped ones by their name.
std::vector<std::string> kernels_of(const db::Connection& connection, const Question& question) {
  if (!question.spec.empty()) return {question.spec};
  constexpr std::size_t many = 4;
  std::vector<std::string> kernels = db::declared_paths(connection, question.family, question.kernel);
  const std::size_t shipped =
      std::erase_if(kernels, [](const std::string& path) { return path.starts_with(model::shipped_prefix); });
  const std::string& name = question.kernel.empty() ? question.family : question.kernel;
  if (name.empty() && kernels.size() + shipped > many) return {};
  if (!name.empty() && (shipped > 0 || kernels.empty())) kernels.push_back(name);
  return kernels;
}

std::string kernel_flags(const db::Connection& connection, const Question& question) {
  std::string flags;
  for (const std::string& kernel : kernels_of(connection, question))
    flags += " --kernel " + util::shell_quote(kernel);
  return flags;
}

/// Measures a trial's kernel at its size again, in its environment.
std::string command_again(const db::Connection& connection, const model::TrialRecord& trial) {
  const model::Problem& problem = trial.problem;
  const model::Environment& environment = trial.environment;
  Question question;
  question.family = problem.family;
  question.kernel = trial.kernel;
  std::string command =
      fmt::format("tuner run --fresh{} --sizes {} --type {}", kernel_flags(connection, question),
                  problem.size_text(), util::shell_quote(std::string(cuda_name(problem.type))));
  if (problem.row_padding != 0) command += fmt::format(" --pad {}", problem.row_padding);
  return fmt::format("{} --measure {} --l2 {} --execution {}{}", command,
                     environment.method.substr(0, environment.method.rfind('-')), environment.l2,
                     environment.execution_word(), device_flag(connection, environment.device));
}

/// What is said of a size that has more numbers, or fewer, than those that were measured; empty where it has
/// as many.
std::string other_dimensions(const db::Connection& connection, const Question& question,
                             const std::string& sizes) {
  const auto given = 1 + std::ranges::count(sizes.substr(0, sizes.find(',')), 'x');
  std::set<std::string> measured;
  for (const db::Case& one : db::cases(connection, filter_of(question))) {
    std::vector<std::string> names;
    for (const model::Dimension& size : one.problem.sizes) names.push_back(size.name);
    if (given == 1 || given == std::ssize(names)) return "";
    measured.insert(fmt::format("{} of {}", fmt::join(names, " x "), one.problem.family));
  }
  if (measured.empty()) return "";
  return fmt::format("a size here is {}: give one number, or one for each", fmt::join(measured, ", "));
}

}  // namespace

db::SameBitsAs same_bits_as(const db::Connection& connection, const std::string& text) {
  if (text == "default") return {};
  db::SameBitsAs as{db::find_trial(connection, text)};
  if (const std::string why = db::why_no_bits(*as.trial); !why.empty()) {
    throw model::UsageError(
        fmt::format("--same-bits-as {}: {}", text, why),
        "name a trial that passed, or measure it again: " + command_again(connection, *as.trial));
  }
  return as;
}

std::string flags_asked(const config::Settings& settings) {
  std::string flags;
  for (const char* const name : {"measure", "l2", "execution", "type", "pad"}) {
    const config::Setting* const asked = settings.find(name);
    if (asked != nullptr && asked->layer == config::Layer::command_line)
      flags += fmt::format(" {} {}", config::flag_name(name), util::shell_quote(asked->value));
  }
  return flags;
}

std::string flags_of(const Question& question) {
  std::string flags;
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) flags += fmt::format(" {} {}", flag, util::shell_quote(value));
  };
  add("--family", question.family);
  add("--kernel", question.spec.empty() ? question.kernel : question.spec);
  add("--gpu", question.gpu);
  add("--environment", question.part_of_environment);
  add("--same-bits-as", question.same_bits_as);
  return flags;
}

std::string measuring_command(const db::Connection& connection, const config::Settings& settings,
                              const Question& question, const std::string& sizes) {
  std::string command = "tuner run" + kernel_flags(connection, question);
  if (!question.same_bits_as.empty()) command += " --same-bits-as " + question.same_bits_as;
  return command + " --sizes " + (sizes.empty() ? "512..4096" : sizes) + flags_asked(settings) +
         device_flag(connection, "");
}

void find_nothing(const db::Connection& connection, const config::Settings& settings,
                  const Question& question, const std::string& sizes, const std::string& besides,
                  const std::string& next, const std::string& more) {
  const std::vector<std::string> known = db::kernel_and_family_names(connection);
  std::string hint;
  if (question.spec.empty())
    for (const std::string& name : {question.family, question.kernel})
      if (hint.empty()) hint = unknown_name(name, known);
  if (hint.empty() && is_library(connection, question.kernel))
    hint = "a library is never chosen; without --kernel its time stands beside the best";
  if (hint.empty()) hint = other_dimensions(connection, question, sizes);
  if (hint.empty()) hint = next;
  const auto [excluded, way_back] = what_does_not_compete(connection, question);
  if (hint.empty())
    hint = (way_back.empty() ? "measure it first: " : way_back) +
           measuring_command(connection, settings, question, sizes) + more;
  std::string what = "no answer";
  if (const auto type = settings.type()) what += fmt::format(" in {}", cuda_name(*type));
  if (!sizes.empty()) what += " for size " + sizes;
  if (const std::string pad = settings.text("pad"); pad != "0") what += " pad " + pad;
  throw NothingFound(
      fmt::format("{}{}{} in {}{}{}", what, asked_text(question), besides, settings.database().string(),
                  excluded, lack_of_gpu(connection, settings, question)),
      hint);
}

void ask_for_size(const std::string& size, const config::Settings& settings, db::BestQuery& query) {
  if (size.empty()) return;
  const auto sizes = config::parse_sizes(size);
  if (sizes.size() != 1)
    throw model::UsageError(fmt::format("one size is taken, '{}' is {}", size, sizes.size()),
                            "give 1024 or 512x1024x256; `tuner best` without a size answers for all");
  query.sizes = sizes.front();
  query.row_padding = settings.paddings().front();
}

model::Problem asked_problem(const model::Problem& measured, const std::vector<std::int64_t>& sizes) {
  model::Problem problem = measured;
  for (std::size_t i = 0; i < problem.sizes.size(); ++i)
    problem.sizes[i].value = sizes.size() == 1 ? sizes.front() : sizes[i];
  return problem;
}

bool is_of_size(const model::Problem& problem, const std::vector<std::int64_t>& wanted) {
  const bool fits = wanted.size() == 1 || wanted.size() == problem.sizes.size();
  return fits && asked_problem(problem, wanted) == problem;
}

bool is_of_sizes(const model::Problem& problem, const std::vector<std::vector<std::int64_t>>& wanted) {
  return std::ranges::any_of(wanted, [&](const auto& one) { return is_of_size(problem, one); });
}

std::string asked_text(const Question& question) {
  std::string what;
  if (!question.family.empty() && question.family != question.kernel) what += " of family " + question.family;
  if (!question.kernel.empty()) what += " of kernel " + question.kernel;
  if (!question.same_bits_as.empty()) what += " with the bits of " + question.same_bits_as;
  if (!question.part_of_environment.empty()) what += " in environment " + question.part_of_environment;
  return what;
}

std::string asked_environment(const db::BestQuery& query) {
  std::vector<std::string> asked;
  if (!query.part_of_environment.empty()) asked.push_back("in environment " + query.part_of_environment);
  if (!query.method.empty()) asked.push_back("with --measure " + query.method);
  if (!query.l2.empty()) asked.push_back("with --l2 " + query.l2);
  if (!query.execution.empty()) asked.push_back("with --execution " + query.execution);
  return fmt::format("{}", fmt::join(asked, " and "));
}

db::BestQuery without_environment(db::BestQuery query) {
  query.part_of_environment.clear();
  query.method.clear();
  query.l2.clear();
  query.execution.clear();
  return query;
}

}  // namespace tuner::cli
