#include "tuner/measure/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace tuner::measure {
namespace {

constexpr auto poison_byte = std::byte{0xFF};

const model::KernelResources& entry_of(const model::TrialJob& job, const std::string& symbol) {
  const auto found = std::find_if(job.kernels.begin(), job.kernels.end(),
                                  [&](const auto& kernel) { return kernel.entry == "&" + symbol; });
  if (found == job.kernels.end()) device::refuse(fmt::format("the binary has no variable {}", symbol));
  return *found;
}

}  // namespace

Variables::Variables(device::Device& device, const model::TrialJob& job, const device::Module& module)
    : m_device(device), m_job(job) {
  for (std::size_t i = 0; i < job.plan.buffers.size(); ++i) {
    const model::BufferPlan& buffer = job.plan.buffers[i];
    if (buffer.symbol.empty()) continue;
    const device::Variable variable = module.variable(entry_of(job, buffer.symbol).symbol);
    if (variable.bytes < buffer.bytes()) {
      device::refuse(fmt::format("the variable {} has {} bytes, and {} needs {}", buffer.symbol,
                                 variable.bytes, buffer.name, buffer.bytes()));
    }
    m_entries.push_back({i, variable});
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
