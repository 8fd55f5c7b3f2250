#include "tuner/cli/packed_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <variant>

#include "tuner/cli/output.hpp"
#include "tuner/model/error.hpp"
#include "tuner/packing/launch_limits.hpp"
#include "tuner/packing/packed_kernel.hpp"

namespace tuner::cli {

std::string PackedFamily::add(const answers::CoverAnswer& answer, const KernelsAtHand& at_hand) {
  m_answer = &answer;
  m_at_hand = &at_hand;
  m_specs.clear();
  m_jobs.clear();
  m_like.reset();
  m_kernel.family = case_of(0).problem.family;
  m_kernel.type = std::string(model::cuda_name(case_of(0).problem.type));
  m_kernel.sizes = answer.table.times.dimensions;
  say_toolkit(case_of(0).environment);
  use::Target target;
  target.architecture = architecture();
  target.gpu = at_hand.device.name;
  std::map<std::size_t, std::vector<std::uint32_t>> places;
  std::vector<std::size_t> defaults = defaults_by_sizes();
  if (!defaults.empty()) defaults.resize(1);
  const std::optional<std::size_t> untuned =
      defaults.empty() ? std::nullopt : std::optional(defaults.front());
  const std::string without_any = add_defaults(defaults);
  std::vector<std::size_t> all = answer.cover.set.configurations;
  all.insert(all.end(), defaults.begin(), defaults.end());
  for (const std::size_t one : all) {
    at_hand.of(record(one).kernel, "packs");
    at_hand.require_described(answer.table, one);
    start_compiling(one);
  }
  for (const std::size_t one : answer.cover.set.configurations) places[one] = all_launches(one);
  packing::Promise promise;
  for (const cover::Bound& bound : answer.estimate.between)  // the one that speaks of most sizes
    if (std::isfinite(bound.loss) && bound.share > promise.confidence) promise = {bound.loss, bound.share};
  target.rule = packing::rule_code(answer.cover.rule, m_kernel.sizes.size(), places, promise);
  add_measured(target, untuned);
  for (const std::size_t one : all) keep_from_failures(one);
  for (const std::size_t one : defaults) {
    const std::vector<std::uint32_t> launches = all_launches(one);
    target.defaults.insert(target.defaults.end(), launches.begin(), launches.end());
  }
  m_kernel.targets.push_back(std::move(target));
  return without_any;
}

bool PackedFamily::is_gpu() const {
  return model::device_kind(m_at_hand->device.kind).is_gpu;
}

std::string PackedFamily::architecture() const {
  return is_gpu() ? m_at_hand->device.architecture : "host";
}

void PackedFamily::say_toolkit(const model::Environment& environment) {
  const std::string& compiler = m_compiler.name(m_at_hand->device);
  if (compiler == environment.toolkit) return;
  write_err(fmt::format("warning: {} was measured with {}, and is compiled with {} here: times may differ",
                        environment.device, environment.toolkit, compiler));
}

const space::CompiledSpec& PackedFamily::spec_of(const std::string& kernel) {
  std::shared_ptr<const space::CompiledSpec>& compiled = m_specs[kernel];
  if (compiled) return *compiled;
  std::vector<model::Diagnostic> diagnostics;
  compiled = space::compile_spec(m_at_hand->of(kernel, "packs").spec(), diagnostics);
  return *compiled;
}

model::CompileJob PackedFamily::job_of(std::size_t configuration, const model::Problem& problem) {
  const model::TrialRecord& trial = record(configuration);
  return m_at_hand->of(trial.kernel, "packs")
      .compile_job(problem, trial.configuration, m_at_hand->device.architecture,
                   m_compiler.name(m_at_hand->device));
}

void PackedFamily::start_compiling(std::size_t configuration) {
  for (std::size_t size = 0; size < m_answer->table.cases.size(); ++size)
    if (is_tried(configuration, size))
      m_compiler.start(m_at_hand->device, job_of(configuration, case_of(size).problem));
}

std::uint32_t PackedFamily::launches(std::size_t configuration, std::size_t size) {
  const model::TrialRecord& trial = record(configuration);
  const model::Problem& problem = case_of(size).problem;
  const space::CompiledSpec& spec = spec_of(trial.kernel);
  const model::Digest job = job_of(configuration, problem).key();
  model::DigestBuilder key;
  key.add(trial.kernel).add(trial.configuration.text()).add(job);
  const auto [known, is_new] = m_launches.try_emplace(key.finish());
  if (!is_new) return known->second;
  require_same_arguments(trial.kernel, packing::packed_kernel(spec, problem).parameters);
  require_same_buffers(configuration);
  const auto compilation = m_compiler.compiled(
      m_at_hand->device, std::move(job), fmt::format("{} {}", trial.kernel, trial.configuration.text()));
  use::Configuration packed = packing::packed_configuration(
      spec, problem, m_at_hand->device.limits, trial.configuration, *compilation, image(*compilation));
  known->second = static_cast<std::uint32_t>(m_pack.configurations.size());
  m_pack.configurations.push_back(std::move(packed));
  return known->second;
}

/// Of the sizes where it was tried; several where macros or options depend on the size.
std::vector<std::uint32_t> PackedFamily::all_launches(std::size_t configuration) {
  std::vector<std::uint32_t> all;
  for (std::size_t size = 0; size < m_answer->table.cases.size(); ++size) {
    if (!is_tried(configuration, size)) continue;
    const std::uint32_t one = launches(configuration, size);
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  return all;
}

std::uint32_t PackedFamily::image(const model::Compilation& compilation) {
  use::Image image;
  image.architecture = architecture();
  image.kind = is_gpu() ? use::ImageKind::cubin : use::ImageKind::shared_object;
  image.bytes.assign(reinterpret_cast<const char*>(compilation.binary.data()), compilation.binary.size());
  for (std::size_t i = 0; i < m_pack.images.size(); ++i) {
    if (m_pack.images[i].architecture == image.architecture && m_pack.images[i].bytes == image.bytes)
      return static_cast<std::uint32_t>(i);
  }
  m_pack.images.push_back(std::move(image));
  return static_cast<std::uint32_t>(m_pack.images.size() - 1);
}

namespace {

std::string arguments_text(const std::vector<use::Parameter>& parameters) {
  std::string out;
  for (const use::Parameter& one : parameters)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", one.type_name, one.name);
  return out.empty() ? "nothing" : out;
}

}  // namespace

/// A caller passes the same whichever kernel is picked.
void PackedFamily::require_same_arguments(const std::string& kernel, std::vector<use::Parameter> parameters) {
  if (m_first.empty()) {
    m_first = kernel;
    m_kernel.parameters = std::move(parameters);
    return;
  }
  const std::string own = arguments_text(parameters), other = arguments_text(m_kernel.parameters);
  for (std::size_t i = 0; own == other && i < parameters.size(); ++i) {
    use::Parameter& known = m_kernel.parameters[i];
    known.alignment = std::max(known.alignment, parameters[i].alignment);
    known.is_read = known.is_read || parameters[i].is_read;
    known.is_written = known.is_written || parameters[i].is_written;
  }
  if (own == other) return;
  throw model::Error(fmt::format("{} takes {}, and {} takes {}", m_first, other, kernel, own),
                     "pack them apart: --kernel NAME");
}

namespace {

/// Beside the measured sizes: with one dimension, or all, larger by 1 or 8, and with one dimension of 1.
std::vector<model::Problem> sizes_beside(const std::vector<db::Case>& cases) {
  std::vector<model::Problem> out;
  for (const db::Case& one : cases) {
    const std::size_t dimensions = one.problem.sizes.size();
    for (std::size_t i = 0; i < dimensions; ++i) out.emplace_back(one.problem).sizes[i].value = 1;
    for (const std::int64_t more : {8, 1}) {
      model::Problem all = one.problem;
      for (std::size_t i = 0; i < dimensions; ++i) {
        all.sizes[i].value += more;
        out.emplace_back(one.problem).sizes[i].value += more;
      }
      out.push_back(std::move(all));
    }
  }
  return out;
}

}  // namespace

/// At the measured sizes and beside them, as the first configuration has them.
void PackedFamily::require_same_buffers(std::size_t configuration) {
  if (!m_like) m_like = configuration;
  if (record(*m_like).kernel == record(configuration).kernel) return;
  const auto bytes = [&](const model::TrialRecord& trial, const model::Problem& problem) {
    std::map<std::string, std::int64_t> out;
    if (!answers::may_run(m_at_hand->spaces, m_at_hand->device.limits, trial, problem)) return out;
    const auto plan =
        m_at_hand->spaces.at(trial.kernel).make_plan(problem, trial.configuration, m_at_hand->device.limits);
    if (const auto* made = std::get_if<model::Plan>(&plan)) {
      for (const model::BufferPlan& buffer : made->buffers)
        if (buffer.access != model::Access::workspace) out[buffer.name] = buffer.bytes();
    }
    return out;
  };
  std::vector<model::Problem> sizes = sizes_beside(m_answer->table.cases);
  for (const db::Case& one : m_answer->table.cases) sizes.push_back(one.problem);
  for (const model::Problem& one : sizes) {
    const auto own = bytes(record(configuration), one), other = bytes(record(*m_like), one);
    if (own.empty() || other.empty()) continue;
    for (const auto& [name, count] : other) {
      if (own.at(name) == count) continue;
      throw model::Error(
          fmt::format("at {} {} takes {} bytes of {}, and {} takes {}", one.size_text(),
                      record(*m_like).kernel, count, name, record(configuration).kernel, own.at(name)),
          "pack them apart: --kernel NAME");
    }
  }
}

/// What the rule picks there, or else the default, where they were measured.
void PackedFamily::add_measured(use::Target& target, std::optional<std::size_t> untuned) {
  const cover::Table& times = m_answer->table.times;
  const cover::Losses losses(times);
  for (std::size_t size = 0; size < times.sizes.size(); ++size) {
    std::optional<std::size_t> picked = m_answer->cover.rule.pick(times.sizes[size]);
    if (!picked || !losses.is_known(size, *picked)) picked = untuned;
    if (!picked || times.times[size][*picked].known != cover::Known::measured) continue;
    target.measured.push_back({times.sizes[size], launches(*picked, size),
                               m_answer->table.trials[size][*picked].median_ns, losses.at(size, *picked)});
  }
}

/// Where it failed, none of its launches applies, on any GPU of the architecture.
void PackedFamily::keep_from_failures(std::size_t configuration) {
  for (const cover::FailedAt& there : m_answer->cover.rule.failed) {
    if (!std::ranges::binary_search(there.configurations, configuration)) continue;
    for (const std::uint32_t one : all_launches(configuration))
      if (m_kept.insert({one, there.sizes}).second)
        packing::leave_out(m_pack.configurations[one], there.sizes);
  }
}

namespace {

/// At how many sizes it has a time, and what it loses there in the mean.
std::pair<std::ptrdiff_t, double> known_loss(const cover::Losses& losses, std::size_t configuration) {
  std::ptrdiff_t sizes = 0;
  double sum = 0;
  for (std::size_t size = 0; size < losses.sizes(); ++size) {
    if (!losses.is_known(size, configuration)) continue;
    ++sizes;
    sum += losses.at(size, configuration);
  }
  return {sizes, sizes > 0 ? sum / static_cast<double>(sizes) : 0};
}

}  // namespace

/// Those that are known at most sizes come first, of such the fastest.
std::vector<std::size_t> PackedFamily::defaults_by_sizes() const {
  const cover::Losses losses(m_answer->table.times);
  std::vector<std::tuple<std::ptrdiff_t, double, std::size_t>> known;
  for (std::size_t i = 0; i < m_answer->table.configurations.size(); ++i) {
    if (!record(i).is_default) continue;
    const auto [sizes, loss] = known_loss(losses, i);
    if (sizes > 0) known.emplace_back(-sizes, loss, i);
  }
  std::sort(known.begin(), known.end());
  std::vector<std::size_t> out;
  for (const auto& [sizes, loss, configuration] : known) out.push_back(configuration);
  return out;
}

/// What callers pass its kernel; none where it cannot be packed.
std::optional<std::string> PackedFamily::arguments_of(std::size_t configuration) {
  if (!m_at_hand->spaces.contains(record(configuration).kernel)) return std::nullopt;
  try {
    m_at_hand->require_described(m_answer->table, configuration);
    return arguments_text(
        packing::packed_kernel(spec_of(record(configuration).kernel), case_of(0).problem).parameters);
  } catch (const model::Error&) {
    return std::nullopt;
  }
}

/// Whether the pack's launch of it applies: a binary of a measured size is that of `problem` too.
bool PackedFamily::runs_at(std::size_t configuration, const model::Problem& problem) {
  if (!answers::may_run(m_at_hand->spaces, m_at_hand->device.limits, record(configuration), problem))
    return false;
  const auto [known, is_new] = m_jobs.try_emplace(configuration);
  std::set<model::Digest>& jobs = known->second;
  for (std::size_t size = 0; is_new && size < m_answer->table.cases.size(); ++size)
    if (is_tried(configuration, size)) jobs.insert(job_of(configuration, case_of(size).problem).key());
  return jobs.contains(job_of(configuration, problem).key());
}

/// Each time the one that helps at most sizes.
std::string PackedFamily::add_defaults(std::vector<std::size_t>& defaults) {
  std::vector<std::size_t> held = m_answer->cover.set.configurations;
  held.insert(held.end(), defaults.begin(), defaults.end());
  const bool is_at_hand = std::all_of(held.begin(), held.end(), [&](std::size_t one) {
    return m_at_hand->spaces.contains(record(one).kernel);
  });
  if (!is_at_hand || held.empty()) return "";  // it will be refused
  std::vector<model::Problem> open = sizes_beside(m_answer->table.cases);
  const auto run_by = [&](std::size_t one) {
    return [this, one](const model::Problem& problem) { return runs_at(one, problem); };
  };
  for (const std::size_t one : held) std::erase_if(open, run_by(one));
  const std::optional<std::string> arguments = arguments_of(held.front());
  std::vector<std::size_t> others = defaults_by_sizes();
  std::erase_if(others, [&](std::size_t one) { return arguments_of(one) != arguments; });
  while (!open.empty()) {
    std::ptrdiff_t most = 0;
    std::size_t next = 0;
    for (const std::size_t one : others) {
      const std::ptrdiff_t helped = std::count_if(open.begin(), open.end(), run_by(one));
      if (helped > most) std::tie(most, next) = std::pair(helped, one);
    }
    if (most == 0) return open.back().size_text();
    defaults.push_back(next);
    std::erase_if(open, run_by(next));
  }
  return "";
}

}  // namespace tuner::cli
