#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tuner/device/cuda/cuda_device.hpp"

namespace tuner::device::cuda {
namespace {

/// Long enough for the host to queue what comes after: it takes some 3 µs a launch, and 10 µs for a graph.
constexpr std::uint64_t delay_ns = 20'000;
constexpr std::uint64_t delay_per_step_ns = 5'000;
constexpr std::uint64_t longest_delay_ns = 200'000;
/// A call of cuBLAS took 19 µs of the host, of a stream on an H100.
constexpr std::uint64_t delay_per_call_ns = 30'000;
/// A stream holds some thousand launches; beyond that the host waits, and more delay is of no use.
constexpr std::uint64_t longest_delay_of_stream_ns = 10'000'000;

}  // namespace

CudaSequence::CudaSequence(Parts parts, const std::vector<model::KernelResources>& kernels,
                           const std::vector<model::Step>& steps,
                           const std::vector<model::BufferPlan>& buffers, const Bindings& bindings)
    : m_parts(std::move(parts)),
      m_arrays(m_parts.session),
      m_order(model::launch_order(steps)),
      m_start(m_parts.session->make_event(true)),
      m_stop(m_parts.session->make_event(true)),
      m_fork(m_parts.session->make_event(false)) {
  m_steps.reserve(steps.size());
  for (const model::Step& step : steps) {
    BoundStep bound;
    bound.stream = stream_index(step.stream, steps.front().stream);
    for (const int index : step.after) {
      if (index < 0 || static_cast<std::size_t>(index) >= m_steps.size()) {
        refuse(fmt::format("step {} waits for step {}, which is not before it", m_steps.size(), index));
      }
      BoundStep& earlier = m_steps[static_cast<std::size_t>(index)];
      if (earlier.stream == bound.stream) continue;  // in order anyway
      if (!earlier.done) earlier.done = m_parts.session->make_event(false);
      bound.after.push_back(static_cast<std::size_t>(index));
    }
    switch (step.kind) {
      case model::Step::Kind::launch:
        bound.launch.emplace(m_parts.session->shared_driver(), find_kernel(kernels, step.entry), step,
                             bindings, m_arrays);
        break;
      case model::Step::Kind::upload:
        bound.upload = make_upload(part_of(step, buffers, bindings));
        break;
      case model::Step::Kind::memset: {
        const MemoryPart part = part_of(step, buffers, bindings);
        bound.set = Set{part.address, part.bytes, static_cast<unsigned char>(step.byte)};
        break;
      }
      case model::Step::Kind::call:
        bound.call.emplace(m_parts.module, step, buffers, bindings);
        break;
    }
    m_steps.push_back(std::move(bound));
  }
  m_arrays.fill();
}

CUfunction CudaSequence::find_kernel(const std::vector<model::KernelResources>& kernels,
                                     const std::string& entry) const {
  const std::string& symbol = symbol_of(kernels, entry);
  if (m_parts.cubin == nullptr) refuse(fmt::format("the binary has no kernel {}", entry));
  CUfunction function = nullptr;
  const Driver& driver = m_parts.session->driver();
  const CUresult result = driver.module_get_function(&function, m_parts.cubin, symbol.c_str());
  if (result != CUDA_SUCCESS) check(driver, result, fmt::format("finding {} in the binary", symbol).c_str());
  return function;
}

CudaSequence::Upload CudaSequence::make_upload(const MemoryPart& part) const {
  Upload upload;
  upload.to = part.address;
  upload.bytes = part.bytes;
  if (upload.bytes == 0) return upload;
  const Session& session = *m_parts.session;
  upload.image = session.allocate_pinned(static_cast<std::int64_t>(upload.bytes));
  check(session.driver(),
        session.driver().memcpy_dtoh_async(upload.image.get(), upload.to, upload.bytes, session.stream()),
        "keeping the initial contents of a buffer");
  session.synchronize("keeping the initial contents of a buffer");
  return upload;
}

std::size_t CudaSequence::stream_index(int number, int main_number) {
  if (number == main_number) return 0;
  for (std::size_t i = 0; i < m_streams.size(); ++i) {
    if (m_streams[i].number == number) return i + 1;
  }
  m_streams.push_back({number, m_parts.session->make_stream(), m_parts.session->make_event(false)});
  return m_streams.size();
}

CUstream CudaSequence::stream_at(std::size_t index) const {
  return index == 0 ? m_parts.session->stream() : m_streams[index - 1].stream.get();
}

void CudaSequence::wait(CUstream stream, const Event& event) const {
  const Driver& driver = m_parts.session->driver();
  check(driver, driver.stream_wait_event(stream, event.get(), CU_EVENT_WAIT_DEFAULT), "ordering streams");
}

void CudaSequence::record(const Event& event, CUstream stream) const {
  const Driver& driver = m_parts.session->driver();
  check(driver, driver.event_record(event.get(), stream), "recording an event");
}

/// Where a library fails, what was launched before may have ended the context: then that is why, and nothing
/// else can be launched here.
void CudaSequence::call(const LibraryCall& library, CUstream stream) const {
  try {
    library.enqueue(stream);
  } catch (const DeviceFault& fault) {
    const Driver& driver = m_parts.session->driver();
    try {
      check(driver, driver.stream_synchronize(stream),
            fmt::format("calling a library ({})", fault.what()).c_str());
    } catch (const DeviceFault& end) {
      if (end.lost()) throw;
    }
    throw;
  }
}

void CudaSequence::enqueue_step(const BoundStep& step) const {
  const Driver& driver = m_parts.session->driver();
  const CUstream stream = stream_at(step.stream);
  for (const std::size_t earlier : step.after) wait(stream, m_steps[earlier].done);
  if (step.launch) step.launch->enqueue(driver, stream);
  if (step.call) call(*step.call, stream);
  if (step.upload && step.upload->bytes > 0) {
    check(driver,
          driver.memcpy_htod_async(step.upload->to, step.upload->image.get(), step.upload->bytes, stream),
          "uploading a buffer");
  }
  if (step.set && step.set->bytes > 0) {
    check(driver, driver.memset_d8_async(step.set->to, step.set->byte, step.set->bytes, stream),
          "setting a buffer");
  }
  if (step.done) record(step.done, stream);
}

/// Each repetition starts when the one before has ended on every stream, and all end on the session's stream.
void CudaSequence::enqueue(int repetitions) const {
  const CUstream main = m_parts.session->stream();
  for (int i = 0; i < repetitions; ++i) {
    if (!m_streams.empty()) record(m_fork, main);
    for (const SideStream& side : m_streams) wait(side.stream.get(), m_fork);
    for (const std::size_t step : m_order) enqueue_step(m_steps[step]);
    for (const SideStream& side : m_streams) {
      record(side.joined, side.stream.get());
      wait(main, side.joined);
    }
  }
}

void CudaSequence::prepare_graph(int repetitions) {
  if (m_graph && m_graph_repetitions == repetitions) return;
  m_graph = GraphExec();
  const Session& session = *m_parts.session;
  const Driver& driver = session.driver();
  check(driver, driver.stream_begin_capture(session.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
        "beginning to capture a graph");
  const auto end_capture = [&](CUgraph& raw) { return driver.stream_end_capture(session.stream(), &raw); };
  CUgraph raw = nullptr;
  try {
    enqueue(repetitions);
  } catch (...) {
    static_cast<void>(
        end_capture(raw));  // leaves the stream usable; what it says is the fault in hand once more
    const Graph discarded(m_parts.session->shared_driver(), raw);
    throw;
  }
  check(driver, end_capture(raw), "capturing a graph");
  const Graph graph(m_parts.session->shared_driver(), raw);
  CUgraphExec exec = nullptr;
  check(driver, driver.graph_instantiate(&exec, graph.get(), 0), "making a graph of repeated launches");
  m_graph = GraphExec(m_parts.session->shared_driver(), exec);
  m_graph_repetitions = repetitions;
}

std::uint64_t CudaSequence::delay_of_stream(int repetitions) const {
  std::uint64_t queueing_ns = 0;
  for (const std::size_t step : m_order)
    queueing_ns += m_steps[step].call ? delay_per_call_ns : delay_per_step_ns;
  return std::min(delay_ns + queueing_ns * static_cast<std::uint64_t>(repetitions),
                  longest_delay_of_stream_ns);
}

/// The clock is read apart, so that neither reading is in the host's time.
Timing CudaSequence::run_eagerly(int repetitions) {
  using Clock = std::chrono::steady_clock;
  const Session& session = *m_parts.session;
  m_parts.support->begin_clock();
  session.synchronize("waiting for the device");
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < repetitions; ++i) {
    enqueue(1);
    session.synchronize("running the kernel");
  }
  const std::chrono::duration<double, std::nano> passed = Clock::now() - start;
  m_parts.support->end_clock();
  session.synchronize("reading the clock");
  return {passed.count(), m_parts.support->clock_mhz()};
}

Timing CudaSequence::run(int repetitions, model::Execution execution) {
  if (execution == model::Execution::eager) return run_eagerly(repetitions);
  const Session& session = *m_parts.session;
  const Driver& driver = session.driver();
  const bool is_graph = execution == model::Execution::graph && repetitions > 1;
  if (is_graph) prepare_graph(repetitions);
  m_parts.support->begin_clock();
  m_parts.support->delay(execution == model::Execution::stream
                             ? delay_of_stream(repetitions)
                             : std::min(delay_ns + delay_per_step_ns * m_order.size(), longest_delay_ns));
  record(m_start, session.stream());
  if (is_graph) {
    check(driver, driver.graph_launch(m_graph.get(), session.stream()), "launching repeatedly");
  } else {
    enqueue(repetitions);
  }
  record(m_stop, session.stream());
  m_parts.support->end_clock();
  session.synchronize("running the kernel");
  float milliseconds = 0;
  check(driver, driver.event_elapsed_time(&milliseconds, m_start.get(), m_stop.get()), "reading the time");
  return {static_cast<double>(milliseconds) * 1e6, m_parts.support->clock_mhz()};
}

void CudaSequence::run_alone() {
  enqueue(1);
  m_parts.session->synchronize("running the kernel alone");
}

int CudaSequence::blocks_per_multiprocessor() const {
  for (const BoundStep& step : m_steps) {
    if (step.launch) return step.launch->blocks_per_multiprocessor(m_parts.session->driver());
  }
  return -1;
}

}  // namespace tuner::device::cuda
