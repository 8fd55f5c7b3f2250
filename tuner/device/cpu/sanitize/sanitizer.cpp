#include "tuner/device/cpu/sanitize/sanitizer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/model/error.hpp"

namespace tuner::device::cpu::sanitize {
namespace {

using Sizes = std::vector<std::int64_t>;
constexpr std::int64_t usual_tile = 32;  // where the grid does not depend on an extent
constexpr std::int64_t row_padding = 3;
constexpr std::int64_t prime_extent = 37;  // of several
/// An instrumented element costs a microsecond.
constexpr std::int64_t most_elements = std::int64_t{1} << 17U;

/// The largest size that needs no more blocks than size 1, found by halving, since blocks never get fewer as
/// an extent grows; 0 where `blocks` does not tell.
std::int64_t tile(const std::function<std::optional<std::int64_t>(std::int64_t size)>& blocks,
                  std::int64_t most) {
  const auto least = blocks(1);
  const auto at_most = blocks(most);
  if (!least || !at_most || *at_most <= *least) return 0;
  std::int64_t low = 1;
  std::int64_t high = most;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto count = blocks(middle);
    if (!count) return 0;
    (*count > *least ? high : low) = middle;
  }
  return low;
}

Sizes tiles_of(const space::KernelSpace& kernel, const model::Configuration& configuration,
               model::ElementType type, const model::DeviceLimits& limits) {
  const std::size_t count = kernel.spec().sizes.size();
  const std::int64_t most = count == 1 ? most_elements : 512;  // a volume of tiles must stay affordable
  Sizes tiles(count, 0);
  for (std::size_t d = 0; d < count; ++d) {
    // Of the launch with this extent, the others 1.
    tiles[d] = tile(
        [&](std::int64_t size) -> std::optional<std::int64_t> {
          Sizes sizes(count, 1);
          sizes[d] = size;
          const auto plan =
              kernel.make_plan(space::make_problem(kernel.spec(), sizes, type, 0), configuration, limits);
          if (!std::holds_alternative<model::Plan>(plan)) return std::nullopt;
          std::int64_t total = 0;
          for (const model::Step& step : std::get<model::Plan>(plan).steps) total += step.grid.count();
          return total;
        },
        most);
  }
  const std::int64_t known = *std::max_element(tiles.begin(), tiles.end());
  for (std::int64_t& tile : tiles) {
    if (tile == 0) tile = known > 1 ? std::min(known, 2 * usual_tile) : usual_tile;
  }
  return tiles;
}

/// Of a kernel that takes only large sizes, or multiples of something: the least that are possible, up to
/// three. The search begins with equal extents.
std::vector<Sizes> least_sizes(std::size_t count, const std::function<bool(const Sizes&)>& is_possible) {
  constexpr std::int64_t most = 4096;
  constexpr std::int64_t most_volume = std::int64_t{1} << 24U;
  constexpr std::size_t wanted = 3;
  const std::int64_t most_doubled = count == 1 ? most_elements : most;
  // The least possible extent above `one`: any number, or a large power of two; 0: none.
  const auto least_above = [&](std::int64_t one, const std::function<Sizes(std::int64_t extent)>& with) {
    for (std::int64_t extent = 2; extent <= most_doubled; extent += extent < most ? 1 : extent)
      if (extent > one && is_possible(with(extent))) return extent;
    return std::int64_t{0};
  };
  const std::int64_t equal = least_above(1, [&](std::int64_t extent) { return Sizes(count, extent); });
  if (equal == 0) return {};
  Sizes sizes(count, equal);
  const auto with = [&](std::size_t d) {
    return [&sizes, d](std::int64_t extent) {
      Sizes changed = sizes;
      changed[d] = extent;
      return changed;
    };
  };
  for (std::size_t d = 0; d < count && count > 1; ++d)
    sizes[d] = is_possible(with(d)(prime_extent)) ? prime_extent : least_above(1, with(d));
  std::vector<Sizes> found;
  for (std::size_t d = 0; found.size() < wanted; d = (d + 1) % count) {
    const std::int64_t volume =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    if (volume > most_volume) break;
    found.push_back(sizes);
    sizes[d] = least_above(sizes[d], with(d));
    if (sizes[d] == 0) break;
  }
  return found;
}

}  // namespace

std::vector<model::Problem> awkward_problems(const space::KernelSpace& kernel,
                                             const model::Configuration& configuration,
                                             model::ElementType type, const model::DeviceLimits& limits) {
  const Sizes tiles = tiles_of(kernel, configuration, type, limits);
  const std::size_t count = tiles.size();
  const Sizes prime(count, count == 1 ? 1009 : prime_extent);
  std::vector<model::Problem> problems;
  const auto make = [&](const Sizes& sizes, std::int64_t padding) {
    return space::make_problem(kernel.spec(), sizes, type, padding);
  };
  const auto is_possible = [&](const model::Problem& problem) {
    return kernel.allows(problem, configuration, limits) &&
           std::holds_alternative<model::Plan>(kernel.make_plan(problem, configuration, limits));
  };
  const auto add = [&](const Sizes& sizes, std::int64_t padding) {
    const model::Problem problem = make(sizes, padding);
    const bool known = std::find(problems.begin(), problems.end(), problem) != problems.end();
    if (!known && is_possible(problem)) problems.push_back(problem);
  };
  Sizes below = tiles;
  Sizes above = tiles;
  for (std::size_t d = 0; d < count; ++d) {
    below[d] = std::max<std::int64_t>(tiles[d] - 1, 1);
    above[d] = tiles[d] + 1;
  }
  add(Sizes(count, 1), 0);
  add(prime, 0);
  add(below, 0);
  add(above, 0);
  for (std::size_t longest = 0; count > 1 && longest < count; ++longest) {
    Sizes rectangle(count, 5);
    rectangle[longest] = tiles[longest] + 3;
    add(rectangle, 0);
  }
  if (!kernel.spec().row_padding.empty()) {
    add(prime, row_padding);
    add(above, row_padding);
  }
  if (problems.empty())
    for (const Sizes& sizes :
         least_sizes(count, [&](const Sizes& sizes) { return is_possible(make(sizes, 0)); }))
      add(sizes, 0);
  return problems;
}

namespace {

using compile::host::Instrument;
using Tell = std::function<void(const std::string&)>;
constexpr std::uint64_t seed = 1;

/// Messages of a child: `problem\t3` before each problem, then what is found in it.
constexpr std::string_view problem_word = "problem\t";
constexpr std::string_view race_word = "race\t";
constexpr std::string_view fault_word = "fault\t";
constexpr std::string_view launch_word = "launch\t";

/// Buffers exactly as large as the plan says, so that the next byte is out of bounds.
struct Operands {
  std::vector<std::unique_ptr<Buffer>> buffers;
  Bindings bindings;
};

Operands make_operands(CpuDevice& device, const model::Plan& plan) {
  Operands operands;
  std::uint64_t number = 0;
  for (const model::BufferPlan& buffer : plan.buffers) {
    operands.buffers.push_back(device.allocate(buffer.bytes()));
    const Address address = operands.buffers.back()->address();
    const bool has_contents = buffer.access != model::Access::out;
    if (has_contents && buffer.init.kind == model::Init::Kind::file)
      device.write(address, read_contents(buffer.file));
    else
      device.fill(address, buffer.type, buffer.elements, has_contents ? buffer.init : model::Init{},
                  seed + number++);
    operands.bindings.buffers.push_back(address);
    operands.bindings.expected.push_back(0);
    operands.bindings.magnitude.push_back(0);
    operands.bindings.errors.push_back(0);
  }
  return operands;
}

/// Fills the variables of the module that are buffers of the plan; they are what its kernels use.
Bindings place_variables(const Module& module, const model::Compilation& compilation, const model::Plan& plan,
                         Bindings bindings) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    if (buffer.symbol.empty()) continue;
    const Variable variable = variable_of(module, compilation.kernels, buffer);
    std::memcpy(reinterpret_cast<void*>(variable.address), reinterpret_cast<const void*>(bindings.buffers[i]),
                static_cast<std::size_t>(buffer.bytes()));
    bindings.buffers[i] = variable.address;
  }
  return bindings;
}

/// In the child. `generator`: what makes the inputs of a plan with a generator, not instrumented.
void run_problem(CpuDevice& device, Module& module, const model::Compilation& compilation,
                 const model::Compilation* generator, const model::Plan& plan, const Tell& tell) {
  try {
    const Operands operands = make_operands(device, plan);
    if (generator != nullptr) {
      const auto maker = device.load(generator->binary);
      device
          .bind(*maker, generator->kernels, with_seed(plan.generator, seed), plan.buffers, operands.bindings)
          ->run(1);
    }
    for (std::size_t i = 0; i < plan.buffers.size(); ++i)
      if (!plan.buffers[i].fields.empty()) assemble_structs(device, plan, i, operands.bindings);
    const Bindings bindings = place_variables(module, compilation, plan, operands.bindings);
    device.bind(module, compilation.kernels, plan.steps, plan.buffers, bindings)->run(1);
  } catch (const DeviceFault& fault) {
    if (fault.status() == model::TrialStatus::unlaunchable) return;  // no fault of the kernel's
    const bool launch = fault.status() == model::TrialStatus::launch_error;
    tell(fmt::format("{}{}", launch ? launch_word : fault_word, fault.what()));
  }
  for (const Race& race : device.take_races(module)) {
    const model::SourceLocation& where = race.first.file.empty() ? race.second : race.first;
    tell(fmt::format("{}{}\t{}\t{}", race_word, where.file, where.line, race.text));
  }
}

Finding race_finding(std::string_view fields) {
  Finding finding;
  finding.kind = Finding::Kind::race;
  const std::size_t first = fields.find('\t');
  const std::size_t second = fields.find('\t', first + 1);
  finding.where.file = fields.substr(0, first);
  std::from_chars(fields.data() + first + 1, fields.data() + second, finding.where.line);
  finding.text = fields.substr(second + 1);
  return finding;
}

/// A device fault; the place is the first `file:line` in its text.
Finding fault_finding(Finding::Kind kind, std::string_view text,
                      const std::vector<model::SourceText>& sources) {
  Finding finding;
  finding.kind = kind;
  finding.text = text;
  std::size_t earliest = std::string_view::npos;
  for (const model::SourceText& source : sources) {
    const std::size_t at = text.find(source.name + ":");
    if (at >= earliest) continue;
    earliest = at;
    finding.where.file = source.name;
    std::from_chars(text.data() + at + source.name.size() + 1, text.data() + text.size(), finding.where.line);
  }
  return finding;
}

/// Adds a finding, or counts it where the same place showed the same kind before.
void add(std::vector<Finding>& findings, Finding finding) {
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& other) {
    const bool one_place = other.where.file == finding.where.file && other.where.line == finding.where.line;
    return other.kind == finding.kind && one_place &&
           (!finding.where.file.empty() || other.text == finding.text);
  });
  if (same == findings.end()) {
    findings.push_back(std::move(finding));
  } else if (same->problem != finding.problem) {
    ++same->occurrences;
  }
}

/// What ended a child that did not get through its problems.
Finding death(const ChildEnd& end, const std::vector<model::SourceText>& sources,
              std::chrono::milliseconds limit) {
  Finding finding;
  if (end.timed_out) {
    finding.kind = Finding::Kind::timeout;
    finding.text =
        fmt::format("a launch did not end in {:g} s", std::chrono::duration<double>(limit).count());
    return finding;
  }
  finding = read_sanitizer_log(end.output, sources);
  if (finding.text.empty()) finding.text = fmt::format("the process was ended by signal {}", end.signal);
  return finding;
}

/// Adds what a child's messages and its end mean. Returns the problem it was at.
std::size_t read_messages(const ChildEnd& end, std::size_t first,
                          const std::vector<model::SourceText>& sources,
                          const std::vector<model::Problem>& problems, std::chrono::milliseconds limit,
                          std::vector<Finding>& findings) {
  std::size_t at = first;
  const auto keep = [&](Finding finding) {
    finding.problem = problems[std::min(at, problems.size() - 1)];
    add(findings, std::move(finding));
  };
  for (const std::string_view line : end.messages) {
    if (line.starts_with(problem_word)) {
      std::from_chars(line.data() + problem_word.size(), line.data() + line.size(), at);
    } else if (line.starts_with(race_word)) {
      keep(race_finding(line.substr(race_word.size())));
    } else if (line.starts_with(fault_word)) {
      keep(fault_finding(Finding::Kind::divergence, line.substr(fault_word.size()), sources));
    } else if (line.starts_with(launch_word)) {
      keep(fault_finding(Finding::Kind::launch, line.substr(launch_word.size()), sources));
    }
  }
  if (!end.finished) keep(death(end, sources, limit));
  return at;
}

}  // namespace

Sanitizer::Sanitizer(SanitizerOptions options)
    : m_options(options),
      m_limits(describe_cpu().limits),
      m_memory({.instrument = Instrument::memory, .deadline = options.compile_limit, .cache = options.cache}),
      m_accesses(
          {.instrument = Instrument::accesses, .deadline = options.compile_limit, .cache = options.cache}) {
  if (m_options.memory && !address_sanitizer_loaded()) {
    throw model::Error(
        "AddressSanitizer's library is not loaded in this process",
        fmt::format("start it with {}", preload_variable(m_memory.address_sanitizer_library())));
  }
  if (m_options.memory) m_memory.prepare();
  if (m_options.races) m_accesses.prepare();
}

std::vector<Finding> Sanitizer::check(const space::KernelSpace& kernel,
                                      const model::Configuration& configuration,
                                      const std::vector<model::Problem>& problems) {
  Found findings;
  if (problems.empty()) return findings;
  if (m_options.memory) watch(m_memory, kernel, configuration, problems, findings);
  const bool hangs = std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.kind == Finding::Kind::timeout; });
  if (m_options.races && !hangs) watch(m_accesses, kernel, configuration, problems, findings);
  for (Finding& finding : findings) {
    finding.kernel = kernel.spec().name;
    finding.configuration = configuration;
  }
  return findings;
}

void Sanitizer::watch(compile::host::HostCompiler& compiler, const space::KernelSpace& kernel,
                      const model::Configuration& configuration, const std::vector<model::Problem>& problems,
                      Found& findings) {
  const model::CompileJob job = kernel.compile_job(problems.front(), configuration, "host", compiler.name());
  const model::Compilation compilation = compiler.compile(job);
  if (compilation.status == model::TrialStatus::unlaunchable) return;  // no device could run it either
  const auto note_failure = [&](const model::Compilation& failed) {
    Finding finding = read_compiler_log(failed.log);
    finding.problem = problems.front();
    if (failed.status == model::TrialStatus::timeout) finding.kind = Finding::Kind::timeout;
    add(findings, std::move(finding));
  };
  if (compilation.status != model::TrialStatus::ok) return note_failure(compilation);
  // What is not watched: where it is wrong, the kernel is not to blame.
  std::optional<model::Compilation> generator;
  std::optional<model::Compilation> library;
  const auto compile_plainly = [&](std::optional<model::Compilation>& into, const model::CompileJob& beside) {
    compile::host::HostCompiler plain({.deadline = m_options.compile_limit});
    into = plain.compile(beside);
    if (into->status != model::TrialStatus::ok) note_failure(*into);
    return into->status == model::TrialStatus::ok;
  };
  const std::string plain_name = compile::host::HostCompiler().name();
  if (kernel.spec().generator &&
      !compile_plainly(generator, *kernel.reference_job(problems.front(), "host", plain_name)))
    return;
  if (!job.library.empty() && !compile_plainly(library, job.library.front())) return;
  for (std::size_t first = 0; first < problems.size();) {
    const ChildEnd end = run_isolated(
        [&](const Tell& tell) {
          CpuDevice device({.workers = 1});
          const auto module =
              load_binary(device, compilation.binary, library ? library->binary : std::vector<std::byte>(),
                          library.has_value());
          for (std::size_t i = first; i < problems.size(); ++i) {
            const auto plan = kernel.make_plan(problems[i], configuration, m_limits);
            if (!std::holds_alternative<model::Plan>(plan)) continue;
            // Macros may depend on the size: then this one is of another binary.
            if (kernel.compile_job(problems[i], configuration, "host", compiler.name()).key() != job.key())
              continue;
            tell(fmt::format("{}{}", problem_word, i));
            run_problem(device, *module, compilation, generator ? &*generator : nullptr,
                        std::get<model::Plan>(plan), tell);
          }
          _exit(0);  // fibres that wait for ever are not worth unwinding
        },
        m_options.run_limit);
    const std::size_t at = read_messages(end, first, job.source, problems, m_options.run_limit, findings);
    if (end.finished || end.timed_out) break;
    first = at + 1;
  }
}

}  // namespace tuner::device::cpu::sanitize
