#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "config/kernel_file.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/sanitize_check.hpp"
#include "tuner/cli/sweep_display.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/compile/nvcc/nvcc_compiler.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> kernels;
  std::string architecture = "sm_90";
  bool names_architecture = false;
  bool all = false;
  bool no_compile = false;
  bool sanitize = false;
};

/// Compiles configurations of one kernel and judges them against a device's limits, without running anything.
class Checker {
 public:
  Checker(const Backend& backend, compile::CompilePool& pool, terminal::LinePrinter& printer)
      : m_pool(pool), m_printer(printer), m_oracle(backend.oracle) {
    m_request.device = backend.device;
    m_request.compiler = backend.compiler;
  }

  /// What the compiler says of the reference; empty: nothing against it.
  std::string check_reference(const sweep::Work& work, const model::Problem& problem) {
    auto job = work.kernel.reference_job(problem, m_request.device.architecture, m_request.compiler);
    if (!job) return "";
    m_pool.submit(std::move(*job));
    const auto finished = m_pool.take();
    const bool good = !finished || finished->compilation->status == model::TrialStatus::ok ||
                      finished->compilation->status == model::TrialStatus::skipped;
    return good ? "" : finished->compilation->log;
  }

  /// As many of `which`, `count` numbers, as are done before `is_over`.
  std::vector<model::TrialRecord> check(const sweep::Work& work, const model::Problem& problem,
                                        const space::ConfigurationList& list, std::size_t count,
                                        const std::function<std::size_t(std::size_t)>& which,
                                        const std::function<bool()>& is_over) {
    std::map<compile::CompilePool::Ticket, sweep::Trial> compiling;
    std::vector<model::TrialRecord> records;
    const sweep::TrialMaker maker(m_request, work, problem);
    const auto take = [&] {
      const auto finished = m_pool.take_for(patience);
      if (!finished) return;
      sweep::Trial trial = std::move(compiling.extract(finished->ticket).mapped());
      sweep::add_compilation(trial, *finished->compilation, m_oracle);
      records.push_back(std::move(trial.record));
      m_printer.status(fmt::format("{}: {} of {} compiled", work.kernel.spec().name, records.size(), count),
                       static_cast<double>(records.size()) / static_cast<double>(count));
    };
    for (std::size_t i = 0; i < count && !is_over(); ++i) {
      while (m_pool.outstanding() >= most_under_way && !is_over()) take();
      sweep::Trial trial = maker.make(list[which(i)]);
      if (trial.record.outcome.status != model::TrialStatus::ok) {
        records.push_back(std::move(trial.record));
        continue;
      }
      const auto ticket = m_pool.submit(std::exchange(trial.job, {}));
      compiling.emplace(ticket, std::move(trial));
    }
    while (m_pool.outstanding() > 0 && !is_over()) take();
    m_pool.abandon();
    m_printer.clear();
    std::ranges::sort(records, {}, [](const model::TrialRecord& one) {
      std::vector<model::Value> values;
      for (const model::Assignment& assigned : one.configuration.assignments())
        values.push_back(assigned.value);
      return values;
    });
    return records;
  }

 private:
  static constexpr std::chrono::milliseconds patience{100};
  static constexpr std::size_t most_under_way = 512;

  sweep::Request m_request;
  compile::CompilePool& m_pool;
  terminal::LinePrinter& m_printer;
  sweep::LaunchOracle m_oracle;
};

/// What the configurations have in common is said once, below.
std::string result_table(const std::vector<model::TrialRecord>& records, const reports::Screen& screen) {
  using reports::Align;
  const answers::Common common(reports::view(records));
  reports::Table table({{"configuration", Align::left, true},
                        {"block", Align::left, false, 2},
                        {"registers", Align::right},
                        {"spill bytes", Align::right, false, 4},
                        {"shared bytes", Align::right, false, 3},
                        {"occupancy", Align::right, false, 5},
                        {"limited by", Align::left, true, 1},
                        {"status", Align::left, true}});
  for (const model::TrialRecord& record : records) {
    const auto& resources = record.resources;
    const auto& occupancy = record.occupancy;
    const auto status = record.outcome.status;
    table.add_row(
        {common.rest(record), reports::dim_text(record.block), reports::registers_text(record),
         resources ? fmt::format("{}", resources->spill_bytes()) : "",
         resources ? fmt::format("{}", resources->static_shared_bytes + record.dynamic_shared_bytes) : "",
         occupancy ? reports::percent_text(occupancy->fraction) : "",
         occupancy ? fmt::format("{}", fmt::join(occupancy->limited_by, ", ")) : "",
         status == model::TrialStatus::unlaunchable || status == model::TrialStatus::skipped
             ? fmt::format("{}: {}", model::to_string(status), record.outcome.detail)
             : std::string(model::to_string(status))});
  }
  return table.fitted(screen) + "\n" + (records.size() > 1 ? common.text(screen) : "");
}

bool can_launch(const model::TrialRecord& record) {
  return record.outcome.status != model::TrialStatus::unlaunchable;
}

/// What refuses every configuration alike; empty: nothing does.
std::string shared_refusal(const std::vector<model::TrialRecord>& records) {
  const auto refuses = [&](const model::TrialRecord& record) {
    return !can_launch(record) && record.outcome.detail == records.front().outcome.detail;
  };
  return !records.empty() && std::ranges::all_of(records, refuses) ? records.front().outcome.detail : "";
}

/// A sample of a large space takes minutes to compile; what more of it would show is rarely new.
constexpr std::size_t most_sampled = 256;

/// What is compiled of one kernel before it is left, unless a budget says otherwise.
constexpr double usual_seconds = 60;

/// How long a check may take.
class Patience {
 public:
  Patience(const config::Settings& settings, bool all, const std::atomic<bool>& stop)
      : m_seconds(static_cast<double>(settings.budget().time.count())),
        m_most(settings.budget().trials),
        m_is_all(all),
        m_stop(stop),
        m_began(m_clock()) {}
  void begin_kernel() { m_kernel_began = m_clock(); }
  /// Of all kernels.
  bool is_spent() const {
    return m_stop || (m_seconds > 0 && m_clock() - m_began >= m_seconds) ||
           (m_most > 0 && m_looked_at >= m_most);
  }
  /// Of this one, too.
  bool is_over() const {
    const bool has_budget = m_seconds > 0 || m_most > 0;
    return is_spent() || (!has_budget && !m_is_all && m_clock() - m_kernel_began >= usual_seconds);
  }
  void looked_at(std::size_t configurations) { m_looked_at += static_cast<std::int64_t>(configurations); }
  std::optional<double> seconds_left() const {
    if (m_seconds <= 0) return usual_seconds;
    return std::max(0.0, m_seconds - (m_clock() - m_began));
  }
  /// At most so many of a kernel's.
  std::size_t most_of(std::size_t configurations) const {
    return m_most > 0 ? std::min(configurations,
                                 static_cast<std::size_t>(std::max<std::int64_t>(0, m_most - m_looked_at)))
                      : configurations;
  }

 private:
  terminal::Clock m_clock = terminal::steady_clock();
  double m_seconds;
  std::int64_t m_most;
  bool m_is_all;
  const std::atomic<bool>& m_stop;
  double m_began;
  double m_kernel_began = 0;
  std::int64_t m_looked_at = 0;
};

/// A kernel's configurations at the last size that has any, and how many there are at each that was looked
/// at.
struct Counted {
  space::ConfigurationList list;
  model::Problem problem;
  std::vector<std::size_t> counts;
  std::vector<std::string> empty;  ///< sizes
  bool has_default = false;        ///< at one of the sizes, or the spec names none

  /// `540 configurations at 4096 float`; `6 to 540 configurations at 29 sizes float, none at 2 of them: 16,
  /// 32`
  std::string text() const {
    const auto [least, most] = std::ranges::minmax(counts);
    const std::size_t sizes = counts.size() + empty.size();
    std::string text = list.is_sample() ? "at least " : "";
    text += least == most ? util::counted(most, "configuration")
                          : fmt::format("{} to {} configurations", least, most);
    if (!has_default) text += ", the default not among them,";
    if (sizes == 1) return text + " at " + problem.text();
    text += fmt::format(" at {} sizes, the last {}", sizes, problem.text());
    if (empty.empty()) return text;
    return text + fmt::format("; none at {} of them: {}", empty.size(), reports::first_of(empty, 3));
  }
};

/// What a check goes by, and where it is shown.
struct Look {
  Look(const config::Settings& asked, const model::DeviceInfo& target, bool all)
      : settings(asked),
        device(target),
        patience(asked, all, signals.stop()),
        printer(open_terminal(asked), terminal::steady_clock()) {}

  /// The configurations; nothing where there are none, which is said. What there is no time for is left out.
  std::optional<Counted> count(const space::KernelSpace& kernel) {
    const std::string& name = kernel.spec().name;
    const space::GoOn go_on =
        long_look(printer, name + ": counting configurations", patience.seconds_left(), signals.stop());
    std::vector<model::Problem> problems = problems_to_check(kernel.spec(), settings);
    if (problems.empty()) return std::nullopt;
    const std::size_t asked = problems.size();
    if (settings.find("sizes")->layer != config::Layer::command_line &&
        !recorded_sizes(kernel.spec(), problems.front().type)) {
      // It may be of smaller ones than others.
      for (const std::int64_t size : {64, 16, 1})
        problems.push_back(space::make_problem(
            kernel.spec(), std::vector<std::int64_t>(kernel.spec().sizes.size(), size), settings.type(), 0));
    }
    Counted counted{space::ConfigurationList(kernel.spec().parameters),
                    problems.back(),
                    {},
                    {},
                    kernel.spec().defaults.empty()};
    std::optional<space::ConfigurationList> list;
    std::vector<std::int64_t> seen;
    for (std::size_t i = 0; i < problems.size() && (i < asked || counted.counts.empty()); ++i) {
      const model::Problem& problem = problems[i];
      std::vector<std::int64_t> sees = kernel.seen_of(problem, device.limits);
      if (list && sees != seen && !go_on()) break;
      if (!list || sees != seen) list = kernel.list(problem, device.limits, go_on);
      seen = std::move(sees);
      if (list->size() == 0) {
        counted.empty.push_back(problem.size_text());
        continue;
      }
      counted.counts.push_back(list->size());
      counted.has_default = counted.has_default || kernel.default_configuration(problem, device.limits);
      counted.list = *list;
      counted.problem = problem;
    }
    printer.clear();
    if (!counted.counts.empty() || signals.stop()) return counted;
    write_prose(fmt::format(
        "{}: empty at {}: {}", name,
        problems.size() == 1 ? problems.back().text() : fmt::format("all {} sizes", counted.empty.size()),
        kernel.why_empty(problems.back(), device.limits, *list)));
    return std::nullopt;
  }

  const config::Settings& settings;
  const model::DeviceInfo& device;
  SignalGuard signals;
  Patience patience;
  terminal::LinePrinter printer;
};

int count_spaces(const KernelCatalog& catalog, Look& look) {
  bool any_empty = false;
  for (const model::KernelSpec& spec : catalog.selected()) {
    const auto counted = look.count(space::KernelSpace(spec));
    if (look.signals.stop()) return look.signals.exit_code();
    any_empty = any_empty || !counted;
    if (counted) write_prose(fmt::format("{}: sound; {}", spec.name, counted->text()));
  }
  return static_cast<int>(any_empty ? model::ExitCode::failed : model::ExitCode::done);
}

bool is_mistake(const model::TrialRecord& record) {
  const model::TrialStatus status = record.outcome.status;
  return status != model::TrialStatus::ok && status != model::TrialStatus::unlaunchable &&
         status != model::TrialStatus::skipped;
}

/// What the sample says of a spec.
std::string judgement(std::size_t wrong, std::size_t compiled, bool has_good_reference, bool is_refused) {
  if (is_refused) return "none can be launched";
  if (wrong > 0 && wrong == compiled) return "none of the sample compiles";
  if (wrong > 0) return fmt::format("{} of the {} compiled fail", wrong, compiled);
  return has_good_reference ? "sound" : "its reference does not compile";
}

/// Equal mistakes once: how many there are, and the first in full.
void say_mistakes(const std::vector<const model::TrialRecord*>& wrong) {
  for (const reports::FailureGroup& group : reports::failure_groups(wrong)) {
    const model::TrialRecord& first = *group.example;
    const std::size_t count = group.trials.size();
    write_problem(fmt::format("{}: {} of {}, {}{}:\n{}", first.kernel, model::to_string(first.outcome.status),
                              util::counted(count, "configuration"), count == 1 ? "" : "the first ",
                              first.configuration.text(), reports::whole_reason(first)));
  }
}

std::string compiler_of(const model::KernelSpec& spec, const std::string& compiler) {
  return spec.by_nvcc && compiler.starts_with("nvrtc ") ? "nvcc " + compile::nvcc::release_of(compiler)
                                                        : compiler;
}

/// The kernels, and behind each the libraries for the device that offer the type.
std::vector<model::KernelSpec> compiled_specs(const KernelCatalog& catalog, const Look& look) {
  std::vector<model::KernelSpec> all = with_baselines(catalog.selected());
  const std::optional<model::ElementType> type = look.settings.type();
  std::erase_if(all, [&](const model::KernelSpec& spec) {
    return spec.role == model::Role::baseline &&
           (!model::runs_on(spec.device_kinds, look.device.kind) ||
            (type && std::ranges::find(spec.types, *type) == spec.types.end()));
  });
  return all;
}

int compile_samples(const KernelCatalog& catalog, Look& look, bool all) {
  const Backend backend = compiling_backend(look.settings, look.device);
  require_nvcc(catalog.selected(), look.device, backend.compiler);
  compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
  Checker checker(backend, pool, look.printer);
  std::int64_t mistakes = 0;
  bool any_other = false;  // empty spaces, bad references, and what no device could launch
  for (const model::KernelSpec& spec : compiled_specs(catalog, look)) {
    const sweep::Work work{space::KernelSpace(spec), {}};
    look.patience.begin_kernel();
    if (look.patience.is_spent()) {
      write_prose(fmt::format("{}: not looked at, the budget is spent", spec.name));
      continue;
    }
    const auto counted = look.count(work.kernel);
    any_other = any_other || !counted;
    if (look.signals.stop()) return look.signals.exit_code();
    if (!counted) continue;
    const space::ConfigurationList* const list = &counted->list;
    const model::Problem& problem = counted->problem;
    const auto sample = all ? std::vector<std::size_t>{} : search::covering_sample(*list, most_sampled);
    const std::size_t wanted = all ? list->size() : sample.size();
    const auto records = checker.check(
        work, problem, *list, look.patience.most_of(wanted),
        [&](std::size_t i) { return all ? i : sample[i]; }, [&] { return look.patience.is_over(); });
    look.patience.looked_at(records.size());
    if (look.signals.stop()) return look.signals.exit_code();
    std::vector<const model::TrialRecord*> wrong;
    for (const model::TrialRecord& record : records)
      if (is_mistake(record)) wrong.push_back(&record);
    mistakes += static_cast<std::int64_t>(wrong.size());
    const std::string reference = checker.check_reference(work, problem);
    const std::string refusal = shared_refusal(records);
    const bool is_refused = !records.empty() && std::ranges::none_of(records, can_launch);
    any_other = any_other || !reference.empty() || is_refused;
    const bool is_cut = !all && records.size() == most_sampled;
    const bool is_ended = records.size() < wanted;
    write_prose(fmt::format(
        "{}: {}{}; {}, {} of them tried for {} by {}{}", spec.name,
        judgement(wrong.size(), records.size(), reference.empty(), is_refused),
        is_ended && wrong.empty() ? " as far as it was looked at" : "", counted->text(), records.size(),
        look.device.architecture, compiler_of(spec, backend.compiler),
        is_ended ? fmt::format(" (of {} wanted, in the time there was; --budget 10m looks longer)", wanted)
        : is_cut ? " (the sample has no more; --all compiles every one)"
                 : ""));
    if (refusal.empty())
      write_out(result_table(records, stdout_screen()));
    else
      write_problem(fmt::format("{}: {}", spec.name, refusal));
    say_mistakes(wrong);
    if (!reference.empty())
      write_problem(fmt::format("{}: its reference does not compile:\n{}", spec.name, reference));
  }
  if (look.signals.stop()) return look.signals.exit_code();
  if (mistakes > 0)
    write_problem(fmt::format("{} not compile", mistakes == 1
                                                    ? "1 configuration does"
                                                    : fmt::format("{} configurations do", mistakes)));
  return static_cast<int>(mistakes > 0 || any_other ? model::ExitCode::failed : model::ExitCode::done);
}

/// What a driver takes without a word, and what then reads arguments that were not passed.
void refuse_wrong_launches(const KernelCatalog& catalog) {
  config::LoadedKernels found;
  for (const model::KernelSpec& spec : catalog.selected())
    for (model::Diagnostic& mistake : config::signature_mistakes(spec))
      found.mistakes.push_back(std::move(mistake));
  if (found.mistakes.empty()) return;
  print_mistakes(found);
  throw model::UsageError("launches do not fit what the sources declare", "nothing was compiled");
}

int check(const Context& context, const CheckOptions& options) {
  const config::Settings settings = context.settings();
  const model::DeviceKind* const kind = model::named_kind(settings.text("device"));
  if (options.sanitize && !kind->has_sanitizers) {
    throw model::UsageError("--sanitize runs kernels on the CPU", "add --device cpu");
  }
  if (options.names_architecture && !kind->is_gpu && !kind->compiler.empty())
    throw model::UsageError(
        fmt::format("--arch names a GPU's architecture, and --device {} has its own", kind->name),
        "leave out one of them");
  const KernelCatalog catalog = KernelCatalog::load(options.kernels);
  refuse_wrong_launches(catalog);
  if (options.sanitize) return check_sanitized(context, catalog.selected(), settings, options.all);
  // This processor where it is asked for, else a GPU that need not be here.
  const model::DeviceInfo device = device_to_check_for(settings.text("device"), options.architecture);
  Look look(settings, device, options.all && !options.no_compile);
  return options.no_compile ? count_spaces(catalog, look) : compile_samples(catalog, look, options.all);
}

}  // namespace

void add_check(const CommandPlace& place) {
  Command<CheckOptions> command(place, "check",
                                "Check kernel specs; compile a sample of each space, no GPU needed", check);
  CheckOptions& options = command.options();
  command.option("kernels", options.kernels, "SPEC",
                 "names, families, spec files or folders; default: all shipped");
  command
      .option("--arch", options.architecture, "sm_XX",
              "architecture to compile for, with the limits of its largest GPU")
      ->capture_default_str()
      ->each([&options](const std::string&) { options.names_architecture = true; });
  command.flag("--all", options.all, "compile every configuration, not a covering sample");
  command.flag("--no-compile", options.no_compile, "only read the specs and count their configurations");
  command.flag("--sanitize", options.sanitize,
               "with --device cpu: run the sample, at awkward sizes, those of --sizes or of files, under "
               "AddressSanitizer, UndefinedBehaviorSanitizer and a race detector");
  command.apart("--no-compile", "--sanitize", "--no-compile compiles none, and --sanitize runs them");
  command.apart("--no-compile", "--all",
                "--no-compile compiles none, and --all compiles every configuration");
  command.settings(
      "device sizes type pad budget compile_jobs compile_timeout_s run_timeout_s cache_dir cache_limit_mb");
  command->footer(
      "The sample covers every pair of parameter values that occurs in the space, with at most 256 "
      "configurations. In a space of more than 262,144 configurations it covers the pairs that 20,000 of "
      "them have. Without --budget each kernel gets a minute, with --sanitize as long as it takes. Mistakes "
      "are shown with file, line and column; "
      "then the exit code is 2. After findings of --sanitize it is 1.");
}

}  // namespace tuner::cli
