#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/device.hpp"

namespace tests {

/// The arguments of one fake launch, as a kernel sees them.
class FakeArguments {
 public:
  explicit FakeArguments(std::vector<std::uint64_t> values) : m_values(std::move(values)) {}
  template <typename Element>
  Element* pointer(std::size_t index) const {
    return reinterpret_cast<Element*>(m_values.at(index));
  }
  std::int64_t integer(std::size_t index) const { return static_cast<std::int64_t>(m_values.at(index)); }

 private:
  std::vector<std::uint64_t> m_values;
};

/// A Device over the host's memory whose kernels are C++ functions, found by symbol. It records its calls,
/// tells scripted times, and fails where it is told to. Everything is set through a FakeScript that outlives
/// it.
struct FakeScript {
  using Kernel = std::function<void(const FakeArguments&)>;

  struct Fault {
    std::string call;  ///< `allocate`, `fill`, `compare`, `checksum`, `load`, `bind`, `run`, `flush_l2`
    int at = 1;        ///< which of these calls fails, counted from 1
    tuner::model::TrialStatus status = tuner::model::TrialStatus::crashed;
    bool lost = true;
    bool broken = false;
  };

  std::map<std::string, Kernel> kernels;
  std::map<std::string, std::vector<std::byte>> variables;  ///< of every module, by symbol
  std::vector<tuner::model::Memory> memory_kinds;           ///< that were asked for, in order
  /// Device time of one launch; `launch` counts from 0 over all launches of the symbol.
  std::function<double(const std::string& symbol, int launch)> time_ns = [](const std::string&, int) {
    return 1e6;
  };
  /// Of one Sequence::run, counted from 0 over all; 0: unknown.
  std::function<double(int run)> sm_clock_mhz = [](int) { return 0.0; };
  std::vector<Fault> faults;
  std::int64_t memory_bytes = std::int64_t{1} << 30U;
  std::int64_t free_memory_bytes = 0;  ///< what the device says is free; 0: it does not say
  int blocks_per_multiprocessor = 4;

  /// What a device with CUDA arrays does; given a sequence's bindings. The first is done by bind(), too.
  std::function<void(const tuner::device::Bindings&)> fill_arrays = [](const auto&) {};
  std::function<void(const tuner::device::Bindings&)> collect_arrays = [](const auto&) {};

  std::vector<std::string> calls;                   ///< in order, by name
  std::map<std::string, int> launches;              ///< by symbol
  std::vector<int> repetitions;                     ///< of each Sequence::run, references included
  std::vector<tuner::model::Execution> executions;  ///< likewise
  std::int64_t allocated_bytes = 0;
  std::int64_t most_allocated_bytes = 0;
  double clock_ns = 0;  ///< advanced by what runs

  int count(const std::string& call) const {
    const auto found = m_counts.find(call);
    return found == m_counts.end() ? 0 : found->second;
  }
  /// Notes the call; throws where a fault is planted.
  void note(const std::string& call) {
    calls.push_back(call);
    const int nth = ++m_counts[call];
    for (const Fault& fault : faults) {
      if (fault.call != call || fault.at != nth) continue;
      throw tuner::device::DeviceFault(fault.status, fault.lost, "planted fault in " + call, fault.broken);
    }
  }

 private:
  std::map<std::string, int> m_counts;  ///< of calls, by name
};

class FakeBuffer final : public tuner::device::Buffer {
 public:
  FakeBuffer(FakeScript& script, std::int64_t bytes)
      : m_script(script), m_memory(static_cast<std::size_t>(bytes) / sizeof(Block) + 1), m_bytes(bytes) {
    m_script.allocated_bytes += bytes;
    m_script.most_allocated_bytes = std::max(m_script.most_allocated_bytes, m_script.allocated_bytes);
  }
  ~FakeBuffer() override { m_script.allocated_bytes -= m_bytes; }
  tuner::device::Address address() const override { return reinterpret_cast<std::uint64_t>(m_memory.data()); }
  std::int64_t bytes() const override { return m_bytes; }

 private:
  struct alignas(256) Block {
    std::byte bytes[256];
  };
  FakeScript& m_script;
  std::vector<Block> m_memory;
  std::int64_t m_bytes;
};

class FakeModule final : public tuner::device::Module {
 public:
  explicit FakeModule(FakeScript& script) : m_script(script) {}
  tuner::device::Variable variable(const std::string& symbol) const override {
    m_script.note("variable");
    const auto found = m_script.variables.find(symbol);
    if (found == m_script.variables.end()) return Module::variable(symbol);
    return {reinterpret_cast<tuner::device::Address>(found->second.data()),
            static_cast<std::int64_t>(found->second.size())};
  }

 private:
  FakeScript& m_script;
};

class FakeSequence final : public tuner::device::Sequence {
 public:
  FakeSequence(FakeScript& script, const std::vector<tuner::model::KernelResources>& kernels,
               const std::vector<tuner::model::Step>& steps,
               const std::vector<tuner::model::BufferPlan>& buffers, const tuner::device::Bindings& bindings)
      : m_script(script), m_bindings(bindings), m_order(tuner::model::launch_order(steps)) {
    for (const tuner::model::Step& step : steps) m_steps.push_back(bind(step, kernels, buffers, bindings));
    fill_arrays();
  }

  tuner::device::Timing run(int repetitions, tuner::model::Execution execution) override {
    m_script.note("run");
    m_script.repetitions.push_back(repetitions);
    m_script.executions.push_back(execution);
    double total = 0;
    for (int i = 0; i < repetitions; ++i) {
      for (const std::size_t step : m_order) total += m_steps[step]();
    }
    m_script.clock_ns += total;
    return {total, m_script.sm_clock_mhz(m_script.count("run") - 1)};
  }
  void fill_arrays() override { m_script.fill_arrays(m_bindings); }
  void collect_arrays() override { m_script.collect_arrays(m_bindings); }
  int blocks_per_multiprocessor() const override { return m_script.blocks_per_multiprocessor; }

 private:
  using Action = std::function<double()>;  ///< does the step and returns its time

  Action bind(const tuner::model::Step& step, const std::vector<tuner::model::KernelResources>& kernels,
              const std::vector<tuner::model::BufferPlan>& buffers, const tuner::device::Bindings& bindings) {
    if (step.kind == tuner::model::Step::Kind::upload) return bind_upload(step, buffers, bindings);
    std::string symbol;
    for (const auto& kernel : kernels) {
      if (kernel.entry == step.entry) symbol = kernel.symbol;
    }
    std::vector<std::uint64_t> values;
    for (const tuner::model::Operand& operand : step.operands) values.push_back(value(operand, bindings));
    return [this, symbol, arguments = FakeArguments(values)] {
      const double time = m_script.time_ns(symbol, m_script.launches[symbol]++);
      m_script.kernels.at(symbol)(arguments);
      return time;
    };
  }

  Action bind_upload(const tuner::model::Step& step, const std::vector<tuner::model::BufferPlan>& buffers,
                     const tuner::device::Bindings& bindings) {
    const auto index = static_cast<std::size_t>(step.buffer);
    const auto size = tuner::model::size_bytes(buffers[index].type);
    auto* to = reinterpret_cast<std::byte*>(bindings.buffers[index]) + step.first * size;
    const std::vector<std::byte> image(to, to + step.count * size);
    return [to, image] {
      std::memcpy(to, image.data(), image.size());
      return 0.0;
    };
  }

  static std::uint64_t value(const tuner::model::Operand& operand, const tuner::device::Bindings& bindings) {
    const auto index = static_cast<std::size_t>(operand.buffer);
    switch (operand.kind) {
      case tuner::model::Operand::Kind::buffer:
        return bindings.buffers.at(index);
      case tuner::model::Operand::Kind::expected:
        return bindings.expected.at(index);
      case tuner::model::Operand::Kind::magnitude:
        return bindings.magnitude.at(index);
      case tuner::model::Operand::Kind::error:
        return bindings.errors.at(index);
      case tuner::model::Operand::Kind::scalar:
      case tuner::model::Operand::Kind::seed:
      case tuner::model::Operand::Kind::tensor_map:
      case tuner::model::Operand::Kind::texture:
        break;
    }
    return static_cast<std::uint64_t>(operand.integer);
  }

  FakeScript& m_script;
  tuner::device::Bindings m_bindings;
  std::vector<std::size_t> m_order;
  std::vector<Action> m_steps;
};

class FakeDevice final : public tuner::device::Device {
 public:
  explicit FakeDevice(FakeScript& script) : m_script(script) {
    m_info.id = "fake";
    m_info.kind = "fake";
    m_info.name = "Fake GPU";
    m_info.memory_bytes = script.memory_bytes;
    m_info.free_memory_bytes = script.free_memory_bytes;
  }

  const tuner::model::DeviceInfo& info() const override { return m_info; }
  std::unique_ptr<tuner::device::Buffer> allocate(std::int64_t bytes) override {
    m_script.note("allocate");
    if (m_script.allocated_bytes + bytes > m_script.memory_bytes) {
      throw tuner::device::DeviceFault(tuner::model::TrialStatus::launch_error, false, "out of fake memory");
    }
    return std::make_unique<FakeBuffer>(m_script, bytes);
  }
  std::unique_ptr<tuner::device::Buffer> allocate_in(tuner::model::Memory memory,
                                                     std::int64_t bytes) override {
    m_script.memory_kinds.push_back(memory);
    return allocate(bytes);
  }
  void fill(tuner::device::Address address, tuner::model::ElementType type, std::int64_t elements,
            const tuner::model::Init& init, std::uint64_t seed) override {
    m_script.note("fill");
    tuner::device::fill_on_host(reinterpret_cast<void*>(address), type, elements, init, seed);
  }
  tuner::model::Verification compare(const tuner::device::CompareRequest& request) override {
    m_script.note("compare");
    return tuner::device::compare_on_host(request);
  }
  void write(tuner::device::Address to, std::span<const std::byte> from) override {
    m_script.note("write");
    std::copy(from.begin(), from.end(), reinterpret_cast<std::byte*>(to));
  }
  void read(tuner::device::Address from, std::span<std::byte> to) override {
    m_script.note("read");
    const auto* bytes = reinterpret_cast<const std::byte*>(from);
    std::copy(bytes, bytes + to.size(), to.begin());
  }
  std::uint64_t checksum(tuner::device::Address address, std::int64_t bytes) override {
    m_script.note("checksum");
    return tuner::device::checksum_on_host(reinterpret_cast<const void*>(address), bytes);
  }
  std::unique_ptr<tuner::device::Module> load(std::span<const std::byte>) override {
    m_script.note("load");
    return std::make_unique<FakeModule>(m_script);
  }
  std::unique_ptr<tuner::device::Sequence> bind(tuner::device::Module&,
                                                const std::vector<tuner::model::KernelResources>& kernels,
                                                const std::vector<tuner::model::Step>& steps,
                                                const std::vector<tuner::model::BufferPlan>& buffers,
                                                const tuner::device::Bindings& bindings) override {
    m_script.note("bind");
    return std::make_unique<FakeSequence>(m_script, kernels, steps, buffers, bindings);
  }
  void flush_l2() override { m_script.note("flush_l2"); }

 private:
  FakeScript& m_script;
  tuner::model::DeviceInfo m_info;
};

}  // namespace tests
