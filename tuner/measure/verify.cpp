#include "tuner/measure/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/host_library.hpp"

namespace tuner::measure {
namespace {

using model::Access;
using model::TrialStatus;

/// Whether the uploads among `steps` together cover all of a buffer.
bool uploaded_whole(const std::vector<model::Step>& steps, std::size_t index, std::int64_t elements) {
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
  for (const model::Step& step : steps) {
    if (step.kind != model::Step::Kind::upload || step.buffer != static_cast<int>(index)) continue;
    parts.emplace_back(step.first, step.first + step.count);
  }
  std::sort(parts.begin(), parts.end());
  std::int64_t covered = 0;
  for (const auto& [begin, end] : parts) {
    if (begin > covered) return false;
    covered = std::max(covered, end);
  }
  return !parts.empty() && covered >= elements;
}

std::string describe_wrong(const model::BufferPlan& buffer, const model::Verification& verification) {
  const std::string how =
      std::isfinite(verification.error_ratio)
          ? fmt::format("the largest error is {:.3g} times its bound", verification.error_ratio)
          : std::string("never written, not a number, or not equal where equality is asked for");
  const bool is_vector = model::components(buffer.type) > 1;
  return fmt::format(
      "{} of the {} {} of {} are wrong, the first at index {}: {}", verification.wrong_elements,
      buffer.numbers(),
      is_vector ? fmt::format("numbers in the {}s", model::cuda_name(buffer.type)) : "elements", buffer.name,
      verification.first_wrong, how);
}

}  // namespace

Verifier::Verifier(device::Device& device, const model::TrialJob& job, const Inputs& inputs,
                   const BufferTable& workspaces)
    : m_device(device), m_job(job), m_inputs(inputs), m_workspaces(workspaces) {}

const GuardedBuffer& Verifier::buffer(std::size_t index) const {
  const GuardedBuffer* shared = m_inputs.buffer(index);
  return shared != nullptr ? *shared : *m_workspaces[index];
}

bool Verifier::is_output(std::size_t index) const {
  const model::BufferPlan& planned = m_job.plan.buffers[index];
  if (!planned.fields.empty()) return false;  // its fields are; the bytes between them need not be written
  return model::is_written(planned.access);
}

void Verifier::fill_others() {
  for (std::size_t i = 0; i < m_job.plan.buffers.size(); ++i) {
    if (m_job.plan.buffers[i].access == Access::in) continue;
    m_inputs.fill_again(m_device, m_job, i, buffer(i).address());
  }
}

void Verifier::prepare() {
  fill_others();
  const model::Plan& plan = m_job.plan;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const model::BufferPlan& planned = plan.buffers[i];
    if (planned.access != Access::in || !uploaded_whole(plan.steps, i, planned.elements)) continue;
    m_device.fill(buffer(i).address(), planned.type, planned.elements, model::Init{}, 0);
  }
}

Finding Verifier::inspect(bool compare_outputs) const {
  if (Finding fences = inspect_fences(); fences.status != TrialStatus::ok) return fences;
  if (Finding inputs = inspect_inputs(); inputs.status != TrialStatus::ok) return inputs;
  return compare_outputs ? inspect_outputs() : Finding{};
}

Finding Verifier::inspect_fences() const {
  const auto& buffers = m_job.plan.buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const GuardedBuffer::Damage damage = buffer(i).damage(m_device);
    if (damage == GuardedBuffer::Damage::none) continue;
    const char* where = damage == GuardedBuffer::Damage::past_end ? "past the end" : "before the start";
    return {TrialStatus::out_of_bounds,
            fmt::format("something was written {} of {} ({} elements)", where, buffers[i].name,
                        buffers[i].elements / std::max<std::int64_t>(buffers[i].struct_bytes, 1)),
            {}};
  }
  return {};
}

Finding Verifier::inspect_inputs() const {
  const auto& buffers = m_job.plan.buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].access != Access::in || m_inputs.unchanged(m_device, i)) continue;
    return {TrialStatus::input_modified, fmt::format("{} is an input and was changed", buffers[i].name), {}};
  }
  return {};
}

Finding Verifier::inspect_outputs() const {
  Finding worst;
  std::optional<std::size_t> wrong_output;
  m_inputs.run_comparison(m_device, m_job);
  for (std::size_t i = 0; i < m_job.plan.buffers.size(); ++i) {
    if (m_inputs.expectation(i) == nullptr) continue;
    const device::CompareRequest request = m_inputs.compare_request(m_job.plan, i);
    model::Verification verification = m_device.compare(request);
    verification.buffer = m_job.plan.buffers[i].name;
    verification.rule = rule_text(m_job.plan, i);
    const bool wrong = !device::accepts(request, verification);
    const bool was_wrong = worst.status != TrialStatus::ok;
    const bool worse = wrong != was_wrong ? wrong
                                          : !worst.verification.checked ||
                                                verification.error_ratio > worst.verification.error_ratio;
    if (!worse) continue;
    worst.verification = verification;
    if (!wrong) continue;
    worst.status = TrialStatus::wrong_result;
    worst.detail = describe_wrong(m_job.plan.buffers[i], verification);
    wrong_output = i;
  }
  if (wrong_output) {
    const std::string values =
        wrong_values(m_device, m_job.plan, m_inputs, *wrong_output, worst.verification.first_wrong);
    if (!values.empty()) worst.detail += "; " + values;
  }
  return worst;
}

std::vector<std::uint64_t> Verifier::output_checksums() const {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < m_job.plan.buffers.size(); ++i) {
    if (is_output(i)) out.push_back(m_device.checksum(buffer(i).address(), buffer(i).bytes()));
  }
  return out;
}

Finding Verifier::compare_runs(const std::vector<std::uint64_t>& first,
                               const std::vector<std::uint64_t>& second) const {
  std::size_t output = 0;
  for (std::size_t i = 0; i < m_job.plan.buffers.size(); ++i) {
    if (!is_output(i)) continue;
    if (first[output] != second[output]) {
      return {TrialStatus::unstable,
              fmt::format(
                  "two runs on the same inputs gave different {}; a kernel whose sums have no fixed order "
                  "(atomics) is declared with deterministic = false",
                  m_job.plan.buffers[i].name),
              {}};
    }
    ++output;
  }
  return {};
}

bool Verifier::repeatable() const {
  const auto& buffers = m_job.plan.buffers;
  return std::none_of(buffers.begin(), buffers.end(),
                      [](const auto& b) { return b.access == Access::inout && !b.restored; });
}

namespace {

constexpr auto poison_byte = std::byte{0xFF};

}  // namespace

Variables::Variables(device::Device& device, const model::TrialJob& job, const device::Module& module)
    : m_device(device), m_job(job) {
  for (std::size_t i = 0; i < job.plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = job.plan.buffers[i];
    if (buffer.symbol.empty()) continue;
    m_entries.push_back({i, device::variable_of(module, job.kernels, buffer)});
  }
}

device::Bindings Variables::placed(device::Bindings bindings) const {
  for (const Entry& entry : m_entries) bindings.buffers.at(entry.buffer) = entry.variable.address;
  return bindings;
}

void Variables::fill(const device::Bindings& bindings) const {
  for (const Entry& entry : m_entries) {
    std::vector<std::byte> image(static_cast<std::size_t>(entry.variable.bytes), poison_byte);
    const auto own = static_cast<std::size_t>(m_job.plan.buffers[entry.buffer].bytes());
    m_device.read(bindings.buffers.at(entry.buffer), std::span(image).first(own));
    m_device.write(entry.variable.address, image);
  }
}

Finding Variables::collect(const device::Bindings& bindings) const {
  Finding finding;
  for (const Entry& entry : m_entries) {
    const model::BufferPlan& buffer = m_job.plan.buffers[entry.buffer];
    std::vector<std::byte> image(static_cast<std::size_t>(entry.variable.bytes));
    m_device.read(entry.variable.address, image);
    const auto own = std::span(image).first(static_cast<std::size_t>(buffer.bytes()));
    m_device.write(bindings.buffers.at(entry.buffer), own);
    const bool intact = std::all_of(image.begin() + buffer.bytes(), image.end(),
                                    [](std::byte byte) { return byte == poison_byte; });
    if (intact || finding.status != model::TrialStatus::ok) continue;
    finding.status = model::TrialStatus::out_of_bounds;
    finding.detail = fmt::format("something was written past the end of {} ({} elements) in the variable {}",
                                 buffer.name, buffer.elements, buffer.symbol);
  }
  return finding;
}

}  // namespace tuner::measure
