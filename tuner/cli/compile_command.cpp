#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <unordered_set>

#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/compile/compiler.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// After so many compilations it is known how large they are.
constexpr std::int64_t telling_compilations = 32;
constexpr std::chrono::milliseconds stop_latency{100};

/// What a failed compilation is told by: once, however many share it.
struct Failures {
  std::int64_t count = 0;
  std::string example;
};

/// Compiles what the trials of a sweep need, each binary once.
class Filler {
 public:
  explicit Filler(OutlinedSweep& sweep)
      : m_sweep(sweep),
        m_cache(binary_cache(sweep.settings)),
        m_pool(sweep.backend.compile_jobs, sweep.backend.make_compiler),
        m_budget(sweep.settings.budget()),
        m_started(terminal::steady_clock()()) {}

  /// False where it was stopped, or the budget is spent.
  bool fill() {
    m_bytes_before = binary_bytes();
    if (model::device_kind(m_sweep.backend.device.kind).has_own_kernels) {
      model::CompileJob job =
          device::cuda::support_job(m_sweep.request.device.architecture, m_sweep.request.compiler);
      const model::Digest key = job.key();
      submit(key, std::move(job), "the tuner's own kernels");
    }
    const bool all = submit_all();
    while (!over() && m_pool.outstanding() > 0) take();
    m_pool.cancel();
    return all && !over();
  }

  void say_end() const {
    for (const auto& [what, failures] : m_failures)
      write_problem(fmt::format("{} failed: {}\n  {}", failures.count, what, failures.example));
    const double seconds = terminal::steady_clock()() - m_started;
    write_err(fmt::format("{} compiled in {:.1f} s, {} {} there; {}, {:.1f} MB, {} in {}", m_compiled,
                          seconds, m_cached, m_cached == 1 ? "was" : "were",
                          util::counted(m_cache->stats().entries, "binary"),
                          static_cast<double>(m_cache->stats().bytes) / 1e6,
                          m_cache->stats().entries == 1 ? "is" : "are", m_cache->folder().string()));
    if (m_not_kept > 0)
      write_problem(fmt::format("{} of them could not be kept: is {} writable, and has it room?", m_not_kept,
                                m_cache->folder().string()));
  }

  bool is_well() const { return m_bad_references == 0 && m_not_kept == 0; }

 private:
  std::int64_t binary_bytes() const {
    const compile::CacheStats stats = m_cache->stats();
    return stats.bytes - stats.header_bytes;
  }

  bool over() const {
    const double seconds = terminal::steady_clock()() - m_started;
    const bool late = m_budget.time.count() > 0 && seconds >= static_cast<double>(m_budget.time.count());
    return m_sweep.signals.stop() || late || (m_budget.trials > 0 && m_compiled >= m_budget.trials);
  }

  bool submit_all() {
    for (const sweep::Group& group : m_sweep.list.groups) {
      std::map<std::size_t, sweep::TrialMaker> makers;
      // Of more than can ever be compiled, a part that stands for the whole.
      search::RandomSource random(m_sweep.request.seed);
      std::optional<search::RandomOrderOf> order;
      if (group.has_unseen()) order.emplace(group.candidates.size(), random);
      for (std::size_t place = 0; place < group.candidates.size(); ++place) {
        const std::size_t i = order ? (*order)[place] : place;
        if (over()) return false;
        if (group.known[i]) continue;
        ++m_looked_at;
        if (!group.offers(m_sweep.request, i)) continue;
        const auto candidate = group.candidates[i];
        const sweep::Work& work = group.work_of_kernel(m_sweep.request, candidate.kernel);
        const sweep::TrialMaker& maker =
            makers.try_emplace(candidate.kernel, m_sweep.request, work, group.problem).first->second;
        sweep::Trial trial = maker.make(group.lists[candidate.kernel][candidate.configuration]);
        if (trial.record.outcome.status != model::TrialStatus::ok) continue;
        if (trial.reference)
          submit(trial.reference_key, std::move(*trial.reference), trial.record.kernel, true);
        submit(trial.record.binary_key, std::move(trial.job),
               trial.record.kernel + " " + trial.record.configuration.text());
      }
    }
    return !over();
  }

  void submit(const model::Digest& key, model::CompileJob job, const std::string& name,
              bool is_reference = false) {
    if (!m_submitted.insert(key).second) return;
    // Jobs hold their sources: no more of them than keep the compilers busy.
    while (!over() && m_pool.outstanding() >= 2 * static_cast<std::size_t>(m_sweep.backend.compile_jobs))
      take();
    if (over()) return;
    m_under_way[m_pool.submit(std::move(job))] = {key, name, is_reference};
  }

  void take() {
    const auto finished = m_pool.take_for(stop_latency);
    if (!finished) return;
    const auto under_way = m_under_way.extract(finished->ticket);
    const model::Compilation& compilation = *finished->compilation;
    const Asked& asked = under_way.mapped();
    if (note(compilation, asked.name, asked.is_reference)) {
      ++(compilation.from_cache ? m_cached : m_compiled);
      if (!m_cache->has(asked.key)) ++m_not_kept;
    }
    if (m_compiled == telling_compilations) tell_of_size();
    const auto left = static_cast<double>(m_sweep.list.total() - m_sweep.list.known());
    m_sweep.printer.status(
        fmt::format("{} compiled, {} were there, {} failed", m_compiled, m_cached, m_failed),
        static_cast<double>(m_looked_at) / left);
  }

  /// Whether it compiled.
  bool note(const model::Compilation& compilation, const std::string& name, bool is_reference) {
    if (compilation.status == model::TrialStatus::ok ||
        compilation.status == model::TrialStatus::unlaunchable)
      return true;
    ++m_failed;
    if (is_reference) ++m_bad_references;
    const std::string_view reason = compile::gist(compilation.log);
    Failures& failures = m_failures[fmt::format("{}: {}", model::to_string(compilation.status), reason)];
    if (failures.count++ == 0) failures.example = is_reference ? "the reference of " + name : name;
    return false;
  }

  /// While there is time to give another limit.
  void tell_of_size() {
    const double each = static_cast<double>(binary_bytes() - m_bytes_before) / telling_compilations;
    const auto trials = static_cast<double>(m_sweep.list.total() - m_sweep.list.known());
    const double expected = static_cast<double>(m_bytes_before) + each * trials;
    if (expected <= static_cast<double>(m_cache->limit_bytes())) return;
    m_sweep.printer.warning(
        fmt::format("{:.0f} MB may be compiled, and the cache is kept below {} MB: what was compiled first "
                    "goes again",
                    expected / 1e6, m_cache->limit_bytes() >> 20U),
        "give the sweep and this command a larger --cache-limit-mb, or compile it in parts with --shard");
  }

  OutlinedSweep& m_sweep;
  std::shared_ptr<compile::BinaryCache> m_cache;
  compile::CompilePool m_pool;
  config::Budget m_budget;
  double m_started;
  std::int64_t m_bytes_before = 0;
  std::unordered_set<model::Digest, model::DigestHash> m_submitted;
  struct Asked {
    model::Digest key;
    std::string name;
    bool is_reference;
  };
  std::map<compile::CompilePool::Ticket, Asked> m_under_way;
  std::map<std::string, Failures> m_failures;
  std::int64_t m_looked_at = 0;  ///< of the trials that are left
  std::int64_t m_compiled = 0;
  std::int64_t m_cached = 0;
  std::int64_t m_failed = 0;
  std::int64_t m_bad_references = 0;
  std::int64_t m_not_kept = 0;
};

int fill_cache(const Context& context, const OutlineOptions& options) {
  OutlinedSweep sweep(context, options);
  if (compiler_kind(sweep.backend.device).empty())
    throw model::UsageError(fmt::format("{}: a recording has its binaries", sweep.settings.text("device")),
                            "name the GPU with --gpu");
  sweep.printer.line(fmt::format("for {} ({}), {}; {}, {} known", sweep.request.device.name,
                                 sweep.request.device.architecture, sweep.request.compiler,
                                 util::counted(sweep.list.total(), "trial"), sweep.list.known()));
  for (const std::string& notice : sweep.notices) sweep.printer.line(notice);
  Filler filler(sweep);
  const bool all = filler.fill();
  sweep.printer.clear();
  filler.say_end();
  if (sweep.signals.stop()) {
    write_problem("interrupted; what is compiled is kept. To go on:" + pasteable(context.command_again()));
    return sweep.signals.exit_code();
  }
  if (!all) write_problem("the budget is spent; to go on:" + pasteable(context.command_again()));
  return static_cast<int>(filler.is_well() ? model::ExitCode::done : model::ExitCode::failed);
}

}  // namespace

void add_compile(const CommandPlace& place) {
  Command<OutlineOptions> command(place, "compile",
                                  "Fill the cache with the binaries of a sweep; no GPU needed", fill_cache);
  add_outline_flags(command);
  command->footer(
      "`tuner run` with the same flags and --cache-dir then compiles nothing. A configuration that does not "
      "compile is reported and is no failure. A reference that does not compile is one, and a cache that "
      "cannot be written: exit code 1. "
      "--budget is a time, or how many to compile.\n"
      "Example: tuner compile --gpu sm_90 --sizes 512..4096 --cache-dir /shared/binaries");
}

}  // namespace tuner::cli
