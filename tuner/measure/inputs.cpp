#include "tuner/measure/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/device/words.h"
#include "tuner/measure/verify.hpp"

namespace tuner::measure {
namespace {

/// Neither 0 nor 1, which adding and multiplying would leave as they are; all finite, in any type.
constexpr model::Init numbers{model::Init::Kind::uniform, 2, 100};
constexpr std::uint64_t front_seed = 0x66726f6e74;
constexpr std::uint64_t back_seed = 0x6261636b;

}  // namespace

GuardedBuffer::GuardedBuffer(device::Device& device, model::ElementType type, std::int64_t elements,
                             Fence fence, model::Memory memory)
    : m_bytes(elements * model::size_bytes(type)),
      m_memory(memory == model::Memory::device ? device.allocate(m_bytes + 2 * fence_bytes)
                                               : device.allocate_in(memory, m_bytes + 2 * fence_bytes)) {
  const model::ElementType number = model::component_type(type);
  const auto fill = [&](device::Address address, std::uint64_t seed) {
    const bool poison = fence == Fence::poison;
    // Both begin at a multiple of a number's size.
    device.fill(address, number, fence_bytes / model::size_bytes(number), poison ? model::Init{} : numbers,
                seed);
  };
  fill(m_memory->address(), front_seed);
  fill(back_fence(), back_seed);
  m_front_checksum = device.checksum(m_memory->address(), fence_bytes);
  m_back_checksum = device.checksum(back_fence(), fence_bytes);
}

GuardedBuffer::Damage GuardedBuffer::damage(device::Device& device) const {
  if (device.checksum(back_fence(), fence_bytes) != m_back_checksum) return Damage::past_end;
  if (device.checksum(m_memory->address(), fence_bytes) != m_front_checksum) return Damage::before_start;
  return Damage::none;
}

namespace {

using model::Access;
using model::ElementType;
using model::Operand;

constexpr model::Init poison{};
/// Of the second input set: no constant that a kernel should write is the poison of both.
constexpr model::Init other_poison{model::Init::Kind::none, 1};
constexpr model::Init zeros{model::Init::Kind::constant};
constexpr model::Init zero{model::Init::Kind::constant, 0, 0};

bool is_judged(const model::Plan& plan, std::size_t index) {
  const bool is_output = model::is_written(plan.buffers[index].access);
  return is_output && (!plan.buffers[index].expected.path.empty() || plan.has_comparison(index) ||
                       model::refers_to(plan.verify.reference, Operand::Kind::expected, index));
}

std::optional<double> bound_of(const model::Plan& plan, const model::BufferPlan& buffer) {
  const ElementType accumulator = plan.verify.accumulator.value_or(buffer.type);
  return bound_factor(plan.verify.rounding_terms, accumulator, buffer.type);
}

/// That of all outputs is for what is rounded: a share of their value is for integers to say themselves.
model::Tolerance tolerance_of(const model::Plan& plan, const model::BufferPlan& buffer) {
  if (buffer.tolerance) return *buffer.tolerance;
  model::Tolerance of_all = plan.verify.tolerance;
  if (!model::is_floating(buffer.type)) of_all.relative = 0;
  return of_all;
}

/// Whether buffer `index` is a field of structs that have another field which is judged and not accepted: a
/// kernel need not change every field.
bool has_refused_sibling(const model::Plan& plan, std::size_t index, const std::vector<bool>& judged,
                         const std::vector<bool>& accepted) {
  const auto is_refused = [&](const model::FieldPlan& field) {
    return judged.at(static_cast<std::size_t>(field.buffer)) &&
           !accepted.at(static_cast<std::size_t>(field.buffer));
  };
  return std::any_of(plan.buffers.begin(), plan.buffers.end(), [&](const model::BufferPlan& structs) {
    const auto& fields = structs.fields;
    const bool is_own = std::any_of(fields.begin(), fields.end(), [&](const model::FieldPlan& field) {
      return field.buffer == static_cast<int>(index);
    });
    return is_own && std::any_of(fields.begin(), fields.end(), is_refused);
  });
}

std::uint64_t seed_of(std::uint64_t trial, InputSet set) {
  return set == InputSet::first ? trial : device::mix(~trial);
}

/// A workspace that the spec does not fill begins as zeros for one set and as poison for the other: in a
/// program it begins with anything.
const model::Init& init_of(const model::BufferPlan& buffer, InputSet set) {
  const bool is_unsaid = buffer.init.kind == model::Init::Kind::none;
  if (buffer.access == Access::workspace && is_unsaid && set == InputSet::first) return zeros;
  const bool has_second = buffer.second_init.kind != model::Init::Kind::none;
  return set == InputSet::second && has_second ? buffer.second_init : buffer.init;
}

}  // namespace

void fill_initially(device::Device& device, const model::Plan& plan, std::size_t index,
                    device::Address address, std::uint64_t seed, InputSet set) {
  const model::BufferPlan& buffer = plan.buffers[index];
  const model::Init& init = buffer.access != Access::out ? init_of(buffer, set)
                            : set == InputSet::first     ? poison
                                                         : other_poison;
  if (init.kind == model::Init::Kind::file) {
    const std::vector<std::byte> contents =
        device::read_contents(&init == &buffer.init ? buffer.file : buffer.second_file);
    if (contents.size() != static_cast<std::size_t>(buffer.bytes()))
      device::refuse(
          fmt::format("{} of {} bytes from a file of {}", buffer.name, buffer.bytes(), contents.size()));
    device.write(address, contents);
    return;
  }
  device.fill(address, buffer.type, buffer.elements, init,
              device::mix(seed_of(seed, set) + (index + 1) * device::mix_step));
}

BufferTable allocate_workspaces(device::Device& device, const model::Plan& plan) {
  BufferTable out(plan.buffers.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    if (buffer.access == Access::workspace)
      out[i].emplace(device, buffer.type, buffer.elements, Fence::numbers, buffer.memory);
  }
  return out;
}

std::optional<std::string> why_unjudgeable(const model::Plan& plan) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    if (!is_judged(plan, i) || plan.has_comparison(i) || bound_of(plan, buffer)) continue;
    return fmt::format("{} rounding terms are too many for {}: the error bound of {} would accept zeros",
                       plan.verify.rounding_terms, model::cuda_name(buffer.type), buffer.name);
  }
  return std::nullopt;
}

std::string rule_text(const model::Plan& plan, std::size_t index) {
  const model::BufferPlan& output = plan.buffers[index];
  const model::Tolerance tolerance = tolerance_of(plan, output);
  if (plan.has_comparison(index)) {
    return tolerance.share > 0
               ? fmt::format("a comparison of its own, but for {:.3g} %", 100 * tolerance.share)
               : "a comparison of its own";
  }
  std::vector<std::string> parts;
  if (bound_of(plan, output).value_or(0) > 0) {
    const auto& accumulator = plan.verify.accumulator;
    const bool is_used =
        accumulator && model::unit_roundoff(*accumulator) <= model::unit_roundoff(output.type);
    parts.push_back(fmt::format("rounding bound of {} term{}{}", plan.verify.rounding_terms,
                                plan.verify.rounding_terms == 1 ? "" : "s",
                                is_used ? fmt::format(" in {}", model::cuda_name(*accumulator)) : ""));
  }
  if (tolerance.absolute > 0) parts.push_back(fmt::format("absolute {}", tolerance.absolute));
  if (tolerance.relative > 0) parts.push_back(fmt::format("relative {}", tolerance.relative));
  if (tolerance.ulps > 0) parts.push_back(fmt::format("{} ulp", tolerance.ulps));
  std::string text = parts.empty() ? "equal" : fmt::format("{}", fmt::join(parts, " + "));
  if (tolerance.share > 0) text += fmt::format(", but for {:.3g} %", 100 * tolerance.share);
  if (output.unordered_within > 0) text += fmt::format(", in any order within {}", output.unordered_within);
  if (output.ignores_unwritten) text += ", where the reference writes";
  return text;
}

Inputs::Inputs(device::Device& device, const model::TrialJob& job, InputSet set) : m_set(set) {
  const model::Plan& plan = job.plan;
  allocate(device, plan);
  fill(device, job);
  read_expected(device, plan);
  run_steps(device, job, plan.verify.reference, "the reference");
  keep_unwritten(device, plan);
  for (auto& expectation : m_expectations) {
    if (expectation) expectation->checksum = checksum_of(device, *expectation);
  }
}

void Inputs::allocate(device::Device& device, const model::Plan& plan) {
  m_buffers.resize(plan.buffers.size());
  m_expectations.resize(plan.buffers.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    if (buffer.access == Access::workspace) continue;
    m_buffers[i].emplace(device, buffer.type, buffer.elements,
                         m_set == InputSet::first ? Fence::numbers : Fence::poison, buffer.memory);
    m_bytes += buffer.bytes() + 2 * GuardedBuffer::fence_bytes;
    if (!is_judged(plan, i)) continue;
    Expectation& expectation = m_expectations[i].emplace();
    const auto doubles = [&](const model::Init& init) {
      auto memory = device.allocate(buffer.numbers() * model::size_bytes(ElementType::float64));
      device.fill(memory->address(), ElementType::float64, buffer.numbers(), init, 0);
      m_bytes += memory->bytes();
      return memory;
    };
    expectation.expected = doubles(poison);
    expectation.magnitude = doubles(poison);
    if (!plan.has_comparison(i)) continue;
    expectation.errors = doubles(poison);
    expectation.zeros = doubles(zero);
  }
}

void Inputs::fill(device::Device& device, const model::TrialJob& job) {
  const model::Plan& plan = job.plan;
  for (std::size_t i = 0; i < m_buffers.size(); ++i) {
    if (m_buffers[i]) fill_initially(device, plan, i, m_buffers[i]->address(), job.seed, m_set);
  }
  run_steps(device, job, plan.generator, "the generator");
  for (std::size_t i = 0; i < plan.buffers.size(); ++i)
    if (!plan.buffers[i].fields.empty()) device::assemble_structs(device, plan, i, bindings({}));
  m_images.resize(m_buffers.size());
  m_checksums.resize(m_buffers.size());
  for (std::size_t i = 0; i < m_buffers.size(); ++i) {
    if (!m_buffers[i]) continue;
    const model::Init::Kind kind = init_of(plan.buffers[i], m_set).kind;
    const bool has_fields = !plan.buffers[i].fields.empty();
    const bool is_costly =
        kind == model::Init::Kind::file || kind == model::Init::Kind::generated || has_fields;
    if (plan.buffers[i].access == Access::in) {
      m_checksums[i] = device.checksum(m_buffers[i]->address(), m_buffers[i]->bytes());
    } else if ((plan.buffers[i].access == Access::inout && is_costly) || has_fields) {
      m_images[i].resize(static_cast<std::size_t>(m_buffers[i]->bytes()));
      device.read(m_buffers[i]->address(), m_images[i]);
    }
  }
}

void Inputs::read_expected(device::Device& device, const model::Plan& plan) {
  for (std::size_t i = 0; i < m_buffers.size(); ++i) {
    const model::FileContents& file = plan.buffers[i].expected;
    if (file.path.empty() || !m_expectations[i]) continue;
    const std::vector<std::byte> contents = device::read_contents(file);
    const int type = static_cast<int>(model::component_type(file.type));
    const auto bytes = static_cast<std::size_t>(model::size_bytes(model::component_type(file.type)));
    std::vector<double> expected;
    for (std::size_t at = 0; at + bytes <= contents.size(); at += bytes) {
      device::Word word = 0;
      std::memcpy(&word, contents.data() + at, bytes);
      expected.push_back(device::value_of(type, word));
    }
    if (expected.size() != static_cast<std::size_t>(plan.buffers[i].numbers()))
      device::refuse(fmt::format("{} has {} numbers, its expected values {}", plan.buffers[i].name,
                                 plan.buffers[i].numbers(), expected.size()));
    device.write(m_expectations[i]->expected->address(), std::as_bytes(std::span(expected)));
    for (double& value : expected) value = std::fabs(value);
    device.write(m_expectations[i]->magnitude->address(), std::as_bytes(std::span(expected)));
  }
}

void Inputs::run_steps(device::Device& device, const model::TrialJob& job,
                       const std::vector<model::Step>& steps, const char* what) const {
  if (steps.empty()) return;
  try {
    run_bound(device, job, device::with_seed(steps, device::mix(seed_of(job.seed, m_set))));
  } catch (const device::DeviceFault& fault) {
    throw device::DeviceFault(fault.status(), fault.lost(), fmt::format("{}: {}", what, fault.what()));
  }
}

void Inputs::run_bound(device::Device& device, const model::TrialJob& job,
                       const std::vector<model::Step>& steps) const {
  const BufferTable workspaces = allocate_workspaces(device, job.plan);
  for (std::size_t i = 0; i < workspaces.size(); ++i) {
    if (workspaces[i]) fill_initially(device, job.plan, i, workspaces[i]->address(), job.seed, m_set);
  }
  const auto module = device.load(job.reference_binary);
  const auto sequence =
      device.bind(*module, job.reference_kernels, steps, job.plan.buffers, bindings(workspaces));
  sequence->run(1);
}

bool Inputs::is_exact(const model::Plan& plan) const {
  return m_set == InputSet::second && plan.verify.second_is_exact;
}

void Inputs::run_comparison(device::Device& device, const model::TrialJob& job) const {
  if (job.plan.verify.comparison.empty() || is_exact(job.plan)) return;
  for (std::size_t i = 0; i < m_expectations.size(); ++i) {
    if (!m_expectations[i] || m_expectations[i]->errors == nullptr) continue;
    device.fill(m_expectations[i]->errors->address(), ElementType::float64, job.plan.buffers[i].numbers(),
                poison, 0);
  }
  run_steps(device, job, job.plan.verify.comparison, "the comparison");
  for (std::size_t i = 0; i < m_expectations.size(); ++i) {
    if (m_expectations[i] && m_expectations[i]->errors != nullptr) excuse_no_gaps(device, job.plan, i);
  }
}

void Inputs::excuse_no_gaps(device::Device& device, const model::Plan& plan, std::size_t index) const {
  const model::BufferPlan& buffer = plan.buffers[index];
  const Expectation& expectation = *m_expectations[index];
  const model::Tolerance tolerance = {1, 0, 0, tolerance_of(plan, buffer).share};
  if (tolerance.share == 0) return;
  device::CompareRequest request;
  request.got = m_buffers[index]->address();
  request.type = buffer.type;
  request.elements = buffer.elements;
  request.expected =
      buffer.ignores_unwritten ? expectation.expected->address() : expectation.zeros->address();
  request.magnitude = expectation.zeros->address();
  request.ignore_unwritten = buffer.ignores_unwritten;
  request.tolerance = tolerance;
  request.other_poison = m_set == InputSet::second;
  if (std::isfinite(device.compare(request).error_ratio)) return;
  const auto numbers = static_cast<std::size_t>(buffer.numbers());
  std::vector<std::byte> got(static_cast<std::size_t>(buffer.bytes()));
  std::vector<double> expected(numbers), errors(numbers);
  device.read(request.got, got);
  device.read(request.expected, std::as_writable_bytes(std::span(expected)));
  device.read(expectation.errors->address(), std::as_writable_bytes(std::span(errors)));
  const device::CompareRule rule = device::rule_of(request);
  const int type = static_cast<int>(model::component_type(buffer.type));
  const auto bytes = static_cast<std::size_t>(device::fill_size(type));
  for (std::size_t at = 0; at < numbers; ++at) {
    if (errors[at] <= 1) continue;
    device::Word word = 0;
    std::memcpy(&word, got.data() + at * bytes, bytes);
    const bool is_poison =
        word == device::poison_bits(type, static_cast<device::Word>(at), request.other_poison);
    const double error = device::error_of(rule, type, device::value_of(type, word), is_poison, expected[at],
                                          0, request.ignore_unwritten);
    if (!std::isfinite(error)) errors[at] = std::numeric_limits<double>::quiet_NaN();
  }
  device.write(expectation.errors->address(), std::as_bytes(std::span(errors)));
}

void Inputs::keep_unwritten(device::Device& device, const model::Plan& plan) const {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    if (!m_expectations[i] || buffer.access != Access::inout || buffer.ignores_unwritten ||
        buffer.unordered_within > 0)
      continue;
    const Expectation& expectation = *m_expectations[i];
    std::vector<double> expected(static_cast<std::size_t>(buffer.numbers()));
    device.read(expectation.expected->address(), std::as_writable_bytes(std::span(expected)));
    const auto is_unwritten = [](double value) {
      return device::bits_of_double(value) == device::poison_double;
    };
    if (std::ranges::none_of(expected, is_unwritten)) continue;
    std::vector<double> magnitude(expected.size());
    device.read(expectation.magnitude->address(), std::as_writable_bytes(std::span(magnitude)));
    std::vector<std::byte> before(static_cast<std::size_t>(buffer.bytes()));
    device.read(m_buffers[i]->address(), before);
    const int type = static_cast<int>(model::component_type(buffer.type));
    const auto bytes = static_cast<std::size_t>(device::fill_size(type));
    for (std::size_t at = 0; at < expected.size(); ++at) {
      if (!is_unwritten(expected[at])) continue;
      device::Word word = 0;
      std::memcpy(&word, before.data() + at * bytes, bytes);
      const double value = device::value_of(type, word);
      if (!(value == value)) continue;  // no comparison can say that a NaN was kept
      expected[at] = value;
      magnitude[at] = 0;
    }
    device.write(expectation.expected->address(), std::as_bytes(std::span(expected)));
    device.write(expectation.magnitude->address(), std::as_bytes(std::span(magnitude)));
  }
}

void Inputs::require_judgement(device::Device& device, const model::TrialJob& job) const {
  const model::Plan& plan = job.plan;
  for (std::size_t i = 0; i < m_buffers.size(); ++i)
    if (m_buffers[i] && model::is_written(plan.buffers[i].access))
      fill_again(device, job, i, m_buffers[i]->address());
  run_comparison(device, job);
  std::vector<bool> judged(plan.buffers.size());
  std::vector<bool> accepted(plan.buffers.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    judged[i] = m_expectations[i] && plan.buffers[i].elements != 0;
    if (!judged[i]) continue;
    const device::CompareRequest request = compare_request(plan, i);
    accepted[i] = device::accepts(request, device.compare(request));
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (!accepted[i] || has_refused_sibling(plan, i, judged, accepted)) continue;
    throw device::DeviceFault(
        model::TrialStatus::wrong_result, false,
        fmt::format("the reference accepts {} before any kernel has written it, so it cannot tell "
                    "a kernel that works from one that does nothing",
                    plan.buffers[i].name));
  }
}

device::Bindings Inputs::bindings(const BufferTable& workspaces) const {
  device::Bindings out;
  // The plan in hand may have more workspaces behind the other buffers than the one that these were made for.
  for (std::size_t i = 0; i < std::max(m_buffers.size(), workspaces.size()); ++i) {
    const GuardedBuffer* own = buffer(i);
    if (own == nullptr && i < workspaces.size() && workspaces[i]) own = &*workspaces[i];
    const Expectation* expected = expectation(i);
    out.buffers.push_back(own != nullptr ? own->address() : 0);
    out.expected.push_back(expected != nullptr ? expected->expected->address() : 0);
    out.magnitude.push_back(expected != nullptr ? expected->magnitude->address() : 0);
    const bool is_compared = expected != nullptr && expected->errors != nullptr;
    out.errors.push_back(is_compared ? expected->errors->address() : 0);
  }
  return out;
}

const GuardedBuffer* Inputs::buffer(std::size_t index) const {
  return index < m_buffers.size() && m_buffers[index] ? &*m_buffers[index] : nullptr;
}

const Inputs::Expectation* Inputs::expectation(std::size_t index) const {
  return index < m_expectations.size() && m_expectations[index] ? &*m_expectations[index] : nullptr;
}

device::CompareRequest Inputs::compare_request(const model::Plan& plan, std::size_t index) const {
  const model::BufferPlan& buffer = plan.buffers[index];
  const Expectation& expectation = *m_expectations[index];
  device::CompareRequest out;
  if (plan.has_comparison(index) && !is_exact(plan)) {
    out.got = expectation.errors->address();
    out.type = ElementType::float64;
    out.elements = buffer.numbers();
    out.expected = out.magnitude = expectation.zeros->address();
    out.tolerance.absolute = 1;
    out.tolerance.share = tolerance_of(plan, buffer).share;
    return out;
  }
  out.got = m_buffers[index]->address();
  out.type = buffer.type;
  out.elements = buffer.elements;
  out.expected = expectation.expected->address();
  out.magnitude = expectation.magnitude->address();
  out.unordered_within = buffer.unordered_within;
  out.ignore_unwritten = buffer.ignores_unwritten || buffer.access == Access::inout;  // see keep_unwritten()
  out.other_poison = m_set == InputSet::second;
  if (is_exact(plan)) return out;
  out.bound_factor = bound_of(plan, buffer).value_or(0);
  out.tolerance = tolerance_of(plan, buffer);
  if (out.bound_factor > 0) out.tolerance.absolute += model::underflow(buffer.type);
  return out;
}

std::uint64_t Inputs::checksum_of(device::Device& device, const Expectation& expectation) const {
  const std::uint64_t expected =
      device.checksum(expectation.expected->address(), expectation.expected->bytes());
  const std::uint64_t magnitude =
      device.checksum(expectation.magnitude->address(), expectation.magnitude->bytes());
  return device::mix(expected) + magnitude;
}

void Inputs::fill_again(device::Device& device, const model::TrialJob& job, std::size_t index,
                        device::Address address) const {
  if (index < m_images.size() && !m_images[index].empty()) {
    device.write(address, m_images[index]);
  } else {
    fill_initially(device, job.plan, index, address, job.seed, m_set);
  }
}

bool Inputs::unchanged(device::Device& device, std::size_t index) const {
  const GuardedBuffer& buffer = *m_buffers[index];
  return device.checksum(buffer.address(), buffer.bytes()) == m_checksums[index];
}

bool Inputs::intact(device::Device& device, const model::Plan& plan) const {
  for (std::size_t i = 0; i < m_buffers.size(); ++i) {
    if (!m_buffers[i]) continue;
    if (m_buffers[i]->damage(device) != GuardedBuffer::Damage::none) return false;
    if (plan.buffers[i].access == Access::in && !unchanged(device, i)) return false;
    if (m_expectations[i] && checksum_of(device, *m_expectations[i]) != m_expectations[i]->checksum)
      return false;
  }
  return true;
}

}  // namespace tuner::measure
