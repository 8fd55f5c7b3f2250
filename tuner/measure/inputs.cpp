#include "tuner/measure/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/device/mix.h"
#include "tuner/measure/bound.hpp"

namespace tuner::measure {
namespace {

using model::Access;
using model::ElementType;
using model::Operand;

constexpr model::Init poison{};

bool refers_to(const std::vector<model::Step>& steps, Operand::Kind kind, std::size_t buffer) {
  return std::any_of(steps.begin(), steps.end(), [&](const model::Step& step) {
    return std::any_of(step.operands.begin(), step.operands.end(), [&](const Operand& operand) {
      return operand.kind == kind && operand.buffer == static_cast<int>(buffer);
    });
  });
}

bool is_judged(const model::Plan& plan, std::size_t index) {
  const Access access = plan.buffers[index].access;
  return (access == Access::out || access == Access::inout) &&
         refers_to(plan.verify.reference, Operand::Kind::expected, index);
}

const model::Init& init_of(const model::BufferPlan& buffer, Draw draw) {
  const bool has_second = buffer.second_init.kind != model::Init::Kind::none;
  return draw == Draw::second && has_second ? buffer.second_init : buffer.init;
}

}  // namespace

void fill_initially(device::Device& device, const model::Plan& plan, std::size_t index,
                    device::Address address, std::uint64_t seed, Draw draw) {
  const model::BufferPlan& buffer = plan.buffers[index];
  const model::Init& init = buffer.access == Access::out ? poison : init_of(buffer, draw);
  const std::uint64_t of_draw = draw == Draw::first ? seed : device::mix(~seed);
  device.fill(address, buffer.type, buffer.elements, init,
              device::mix(of_draw + (index + 1) * device::mix_step));
}

BufferTable allocate_workspaces(device::Device& device, const model::Plan& plan) {
  BufferTable out(plan.buffers.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    if (buffer.access == Access::workspace)
      out[i].emplace(device, buffer.type, buffer.elements, Fence::numbers);
  }
  return out;
}

std::optional<std::string> why_unjudgeable(const model::Plan& plan) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    if (!is_judged(plan, i) || bound_factor(plan.verify.rounding_terms, buffer.type)) continue;
    return fmt::format("{} rounding terms are too many for {}: the error bound of {} would accept zeros",
                       plan.verify.rounding_terms, model::cuda_name(buffer.type), buffer.name);
  }
  return std::nullopt;
}

Inputs::Inputs(device::Device& device, const model::TrialJob& job, Draw draw) : m_draw(draw) {
  const model::Plan& plan = job.plan;
  allocate(device, plan);
  m_checksums.resize(plan.buffers.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (!m_buffers[i]) continue;
    fill_initially(device, plan, i, m_buffers[i]->address(), job.seed, draw);
    if (plan.buffers[i].access == Access::in) {
      m_checksums[i] = device.checksum(m_buffers[i]->address(), m_buffers[i]->bytes());
    }
  }
  if (plan.verify.reference.empty()) return;
  try {
    run_reference(device, job);
  } catch (const device::DeviceFault& fault) {
    throw device::DeviceFault(fault.status(), fault.lost(), fmt::format("the reference: {}", fault.what()));
  }
  for (auto& expectation : m_expectations) {
    if (expectation) expectation->checksum = checksum_of(device, *expectation);
  }
  require_judgement(device, plan);
}

void Inputs::allocate(device::Device& device, const model::Plan& plan) {
  m_buffers.resize(plan.buffers.size());
  m_expectations.resize(plan.buffers.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = plan.buffers[i];
    if (buffer.access == Access::workspace) continue;
    m_buffers[i].emplace(device, buffer.type, buffer.elements,
                         m_draw == Draw::first ? Fence::numbers : Fence::poison);
    m_bytes += buffer.bytes() + 2 * GuardedBuffer::fence_bytes;
    if (!is_judged(plan, i)) continue;
    Expectation& expectation = m_expectations[i].emplace();
    const std::int64_t bytes = buffer.elements * model::size_bytes(ElementType::float64);
    expectation.expected = device.allocate(bytes);
    expectation.magnitude = device.allocate(bytes);
    m_bytes += 2 * bytes;
    device.fill(expectation.expected->address(), ElementType::float64, buffer.elements, poison, 0);
    device.fill(expectation.magnitude->address(), ElementType::float64, buffer.elements, poison, 0);
  }
}

void Inputs::run_reference(device::Device& device, const model::TrialJob& job) {
  const BufferTable workspaces = allocate_workspaces(device, job.plan);
  for (std::size_t i = 0; i < workspaces.size(); ++i) {
    if (workspaces[i]) fill_initially(device, job.plan, i, workspaces[i]->address(), job.seed, m_draw);
  }
  const auto module = device.load(job.reference_binary);
  const auto sequence = device.bind(*module, job.reference_kernels, job.plan.verify.reference,
                                    job.plan.buffers, bindings(workspaces));
  sequence->run(1);
}

void Inputs::require_judgement(device::Device& device, const model::Plan& plan) const {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (!m_expectations[i] || plan.buffers[i].elements == 0) continue;
    if (device.compare(compare_request(plan, i)).wrong_elements > 0) continue;
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
  out.got = m_buffers[index]->address();
  out.type = buffer.type;
  out.elements = buffer.elements;
  out.expected = expectation.expected->address();
  out.magnitude = expectation.magnitude->address();
  const bool exact = m_draw == Draw::second && plan.verify.second_is_exact;
  out.bound_factor = exact ? 0 : bound_factor(plan.verify.rounding_terms, buffer.type).value_or(0);
  out.ignore_unwritten = buffer.access == Access::inout;  // it was never poison
  return out;
}

std::uint64_t Inputs::checksum_of(device::Device& device, const Expectation& expectation) const {
  const std::uint64_t expected =
      device.checksum(expectation.expected->address(), expectation.expected->bytes());
  const std::uint64_t magnitude =
      device.checksum(expectation.magnitude->address(), expectation.magnitude->bytes());
  return device::mix(expected) + magnitude;
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
