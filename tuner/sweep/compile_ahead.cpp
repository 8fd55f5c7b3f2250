#include "tuner/sweep/compile_ahead.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace tuner::sweep {

void CompileTimes::learn(const std::string& kernel, const model::Configuration& configuration,
                         double compile_ms) {
  if (!(compile_ms > 0)) return;
  Kernel& known = m_kernels[kernel];
  Result result;
  result.log_ms = std::log(compile_ms);
  for (const model::Assignment& one : configuration.assignments())
    result.effects.push_back(
        known.effect_of.try_emplace({one.name, one.value}, known.effect_of.size()).first->second);
  known.results.push_back(std::move(result));
  if (known.results.size() > most_results) known.results.pop_front();
  known.is_fitted = false;
  ++m_known;
}

/// By coordinate descent, an effect after the other, each against what the others leave.
void CompileTimes::fit(Kernel& kernel) {
  constexpr int rounds = 8;
  constexpr double ridge = 0.3;  // results' worth of doubt in each effect
  kernel.mean = 0;
  for (const Result& result : kernel.results) kernel.mean += result.log_ms;
  kernel.mean /= static_cast<double>(kernel.results.size());
  kernel.effects.assign(kernel.effect_of.size(), 0);
  std::vector<std::vector<std::size_t>> having(kernel.effects.size());
  std::vector<double> rest;  // of each result, what nothing explains yet
  for (std::size_t i = 0; i < kernel.results.size(); ++i) {
    rest.push_back(kernel.results[i].log_ms - kernel.mean);
    for (const std::size_t effect : kernel.results[i].effects) having[effect].push_back(i);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t effect = 0; effect < having.size(); ++effect) {
      double sum = 0;
      for (const std::size_t i : having[effect]) sum += rest[i] + kernel.effects[effect];
      const double fitted = sum / (static_cast<double>(having[effect].size()) + ridge);
      for (const std::size_t i : having[effect]) rest[i] -= fitted - kernel.effects[effect];
      kernel.effects[effect] = fitted;
    }
  }
  kernel.is_fitted = true;
}

double CompileTimes::expected_ms(const std::string& kernel, const model::Configuration& configuration) {
  const auto known = m_kernels.find(kernel);
  if (known == m_kernels.end()) return 0;
  if (!known->second.is_fitted) fit(known->second);
  double log_ms = known->second.mean;
  for (const model::Assignment& one : configuration.assignments()) {
    const auto effect = known->second.effect_of.find({one.name, one.value});
    if (effect != known->second.effect_of.end()) log_ms += known->second.effects[effect->second];
  }
  return std::exp(log_ms);
}

namespace {

/// Trials that wait to be measured, and their binaries, at most. Trials of one binary are counted each.
constexpr std::size_t most_ready = 512;
constexpr std::size_t most_ready_bytes = std::size_t{256} << 20U;
/// Trials on their way at most, so that a space whose trials all share one binary is not planned as a whole.
constexpr std::size_t most_compiling = 1024;
constexpr std::chrono::milliseconds no_patience{0};

std::size_t bytes_of(const CompiledTrial& trial) {
  return trial.binary->binary.size() + trial.binary->library.size() + trial.binary->log.size();
}

}  // namespace

CompileAhead::CompileAhead(compile::CompilePool& pool, Judge judge)
    : m_pool(pool), m_judge(std::move(judge)) {}

bool CompileAhead::wants_more(std::int64_t left_to_come) const {
  const compile::PoolStats stats = m_pool.stats();
  const bool are_last = left_to_come <= most_last;
  return (are_last || stats.pending < static_cast<std::size_t>(stats.workers)) &&
         m_compiling.size() < most_compiling && m_ready.size() < most_ready &&
         m_ready_bytes < most_ready_bytes;
}

void CompileAhead::finish_long_ones_first() {
  if (m_times.known() == m_times_ordered_by || m_pool.stats().pending < 2) return;
  m_times_ordered_by = m_times.known();
  std::map<compile::CompilePool::Ticket, double> expected_ms;
  for (const auto& [ticket, compiled] : m_compiling) {
    const model::TrialRecord& record = compiled.trial.record;
    expected_ms[ticket] = m_times.expected_ms(record.kernel, record.configuration);
  }
  // All trials of a problem wait for its reference.
  for (const auto& [ticket, key] : m_reference_tickets)
    expected_ms[ticket] = std::numeric_limits<double>::max();
  m_pool.start_longest_first(expected_ms);
}

void CompileAhead::begin(Trial trial, CandidateQueue::Item item, bool apart) {
  if (trial.reference && m_references.emplace(trial.reference_key, nullptr).second) {
    m_once_more.insert_or_assign(trial.reference_key, *trial.reference);
    m_reference_tickets[m_pool.submit(std::move(*trial.reference))] = trial.reference_key;
  }
  trial.reference.reset();
  const auto died = m_died.find(trial.record.binary_key);
  model::CompileJob job = std::exchange(trial.job, {});
  CompiledTrial begun{std::move(trial), std::move(item), nullptr, nullptr, m_turns++, !apart, apart};
  if (died != m_died.end()) {
    begun.binary = died->second;
    add_ready(std::move(begun));
  } else {
    m_compiling.emplace(m_pool.submit(std::move(job)), std::move(begun));
  }
}

void CompileAhead::poll() {
  while (auto finished = m_pool.take_for(no_patience)) accept(std::move(*finished));
}

void CompileAhead::add_ready(CompiledTrial trial) {
  if (trial.judged && m_judge && !m_judge(trial)) return;
  m_ready_bytes += bytes_of(trial);
  (trial.apart ? m_apart : m_ready).push_back(std::move(trial));
}

std::optional<CompiledTrial> CompileAhead::take(const Reluctance& reluctance) {
  poll();
  const auto ready = first_ready(reluctance);
  if (ready == m_ready.end()) return std::nullopt;
  return remove(m_ready, ready);
}

void CompileAhead::give_back(CompiledTrial trial) {
  trial.judged = false;  // it was, before it was taken
  add_ready(std::move(trial));
}

void CompileAhead::abandon() {
  m_pool.abandon();
  m_compiling.clear();
  for (const auto& [ticket, key] : m_reference_tickets) m_references.erase(key);
  m_reference_tickets.clear();
  m_ready.clear();
  m_apart.clear();
  m_ready_bytes = 0;
}

std::optional<CompiledTrial> CompileAhead::take_apart(const model::Digest& trial) {
  const auto found = std::find_if(m_apart.begin(), m_apart.end(), [&](const CompiledTrial& one) {
    return one.trial.record.key == trial && complete(one);
  });
  if (found == m_apart.end()) return std::nullopt;
  return remove(m_apart, found);
}

CompiledTrial CompileAhead::compile_now(Trial trial) {
  const model::Digest key = trial.record.key;
  submit_apart(std::move(trial));
  while (true) {
    if (auto compiled = take_apart(key)) return std::move(*compiled);
    if (auto finished = m_pool.take()) accept(std::move(*finished));
  }
}

void CompileAhead::accept(compile::CompilePool::Finished finished) {
  if (const auto reference = m_reference_tickets.find(finished.ticket);
      reference != m_reference_tickets.end()) {
    const model::Digest key = reference->second;
    m_reference_tickets.erase(reference);
    auto again = m_once_more.extract(key);
    // All trials hang on it: one death, as for want of memory, is not the end of them.
    if (again && finished.compilation->status == model::TrialStatus::crashed)
      m_reference_tickets[m_pool.submit(std::move(again.mapped()))] = key;
    else
      m_references[key] = finished.compilation;
    return;
  }
  auto compiling = m_compiling.extract(finished.ticket);
  CompiledTrial& trial = compiling.mapped();
  trial.binary = std::move(finished.compilation);
  m_times.learn(trial.trial.record.kernel, trial.trial.record.configuration, trial.binary->compile_ms);
  if (model::is_death(trial.binary->status)) m_died.emplace(trial.trial.record.binary_key, trial.binary);
  add_ready(std::move(trial));
}

bool CompileAhead::complete(const CompiledTrial& trial) const {
  const model::Digest& reference = trial.trial.reference_key;
  return reference.empty() || m_references.at(reference) != nullptr;
}

std::deque<CompiledTrial>::iterator CompileAhead::first_ready(const Reluctance& reluctance) {
  std::map<std::size_t, std::optional<std::size_t>> asked;  // by group
  const auto of = [&](std::size_t group) {
    const auto [known, is_new] = asked.try_emplace(group, 0);
    if (is_new && reluctance) known->second = reluctance(group);
    return known->second;
  };
  const auto place = [&](const CompiledTrial& trial) {
    return std::tuple(of(trial.item.group), trial.item.group, trial.turn);
  };
  auto chosen = m_ready.end();
  for (auto it = m_ready.begin(); it != m_ready.end(); ++it) {
    if (!complete(*it) || !of(it->item.group)) continue;
    if (chosen == m_ready.end() || place(*it) < place(*chosen)) chosen = it;
  }
  return chosen;
}

CompiledTrial CompileAhead::remove(std::deque<CompiledTrial>& from,
                                   std::deque<CompiledTrial>::iterator trial) {
  CompiledTrial compiled = std::move(*trial);
  from.erase(trial);
  m_ready_bytes -= bytes_of(compiled);
  const model::Digest& reference = compiled.trial.reference_key;
  if (!reference.empty()) compiled.reference = m_references.at(reference);
  return compiled;
}

model::TrialJob job_of(const Request& request, const CompiledTrial& compiled) {
  const Trial& trial = compiled.trial;
  model::TrialJob job;
  job.key = trial.record.key;
  if (!request.recorded_device.empty()) {
    // A replayed trial is another one than the one that was recorded, which is what a recording knows.
    model::Environment recorded = trial.record.environment;
    recorded.device = request.recorded_device;
    job.key = model::trial_key(trial.record.kernel, trial.record.configuration, trial.record.binary_key,
                               trial.plan, trial.reference_key, trial.record.problem, recorded);
  }
  job.plan = trial.plan;
  job.binary = compiled.binary->binary;
  job.kernels = compiled.binary->kernels;
  job.library = compiled.binary->library;
  if (compiled.reference) {
    job.reference_key = trial.reference_key;
    job.reference_binary = compiled.reference->binary;
    job.reference_kernels = compiled.reference->kernels;
  }
  job.policy = request.policy;
  job.seed = request.inputs_seed;
  job.role = trial.record.role;
  return job;
}

}  // namespace tuner::sweep
