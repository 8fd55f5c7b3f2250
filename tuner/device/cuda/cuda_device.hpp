#pragma once
#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/cuda/driver.hpp"
#include "tuner/device/device.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/device/words.h"
#include "tuner/model/plan.hpp"

namespace tuner::device::cuda {

/// The clock of one multiprocessor, as tuner_read_clock writes it.
struct ClockReading {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
};

/// Mean frequency in MHz between two readings; 0 where one was not taken or they are too close: the timer may
/// step by a microsecond.
double mean_clock_mhz(const ClockReading& from, const ClockReading& to);

/// The kernels of support.cu. Work is queued on the session's stream; what returns a result waits for it. All
/// functions throw device::DeviceFault.
class SupportKernels {
 public:
  /// `binary`: what compiling support_job() gave.
  SupportKernels(std::shared_ptr<const Session> session, std::span<const std::byte> binary);

  void fill(Address address, std::int64_t elements, const FillRequest& request) const;
  Comparison compare(const CompareRequest& request) const;
  std::uint64_t checksum(Address address, std::int64_t bytes) const;
  /// Keeps the stream busy for about so long.
  void delay(std::uint64_t nanoseconds) const;
  /// Notes the clock when the stream gets there, and a second time. What is between must be queued behind the
  /// first and before the second. Costs the GPU a few microseconds.
  void begin_clock() const;
  void end_clock() const;
  /// Mean SM clock between the two in MHz, 0 where it is unknown; once the stream has been waited for.
  double clock_mhz() const;

 private:
  static constexpr int result_words = 3;

  CUfunction find(const char* name) const;
  ClockReading* clock_readings() const { return static_cast<ClockReading*>(m_clock.get()); }
  void read_clock(ClockReading* into) const;
  /// Threads for `work` items, at most as many blocks as fill the GPU.
  void launch(CUfunction function, std::int64_t work, void** arguments, const char* doing) const;
  /// Copies the words at the start of m_result to the host, and waits.
  void fetch_result(const char* doing) const;
  std::span<const std::uint64_t> result() const;

  std::shared_ptr<const Session> m_session;
  ModuleHandle m_module;
  CUfunction m_fill = nullptr;
  CUfunction m_compare = nullptr;
  CUfunction m_checksum = nullptr;
  CUfunction m_delay = nullptr;
  CUfunction m_read_clock = nullptr;
  int m_multiprocessors = 1;
  int m_most_blocks = 1;
  DeviceMemory m_result;
  PinnedMemory m_result_on_host;
  PinnedMemory m_clock;  ///< two ClockReadings, which the GPU writes by itself
};

/// Throws device::DeviceFault (launch_error) unless `binary` looks like a cubin: the driver trusts what it is
/// given.
void require_cubin(std::span<const std::byte> binary);

/// The CUtensorMap that `operand` asks for, over the buffer at `address`. Throws device::DeviceFault:
/// unlaunchable where the driver or the device has no such map.
OperandValue make_tensor_map(const Driver& driver, const model::Operand& operand, Address address);

/// Of one of the numbers of `type`.
CUarray_format format_of(model::ElementType type);

/// The texture object that `operand` asks for, over the buffer at `address`, or over `array` where it is in
/// one. Throws device::DeviceFault: unlaunchable where the driver has no such texture.
TextureHandle make_texture(const Session& session, const model::Operand& operand, Address address,
                           CUarray array);

/// The surface object over `array` that `operand` asks for; throws as make_texture() does.
SurfaceHandle make_surface(const Session& session, const model::Operand& operand, CUarray array);

/// What a device says of itself; 0: it does not.
using AttributeQuery = std::function<std::int64_t(CUdevice_attribute)>;

/// What of `operand`, a texture or a surface, is more than the device takes, with both numbers: `a texture of
/// 140000 columns; this device takes 131072`. Empty: nothing.
std::string beyond_limits(const model::Operand& operand, const AttributeQuery& attribute);

/// Why the driver, which said `result`, has no `what` (`a texture`) for `operand`: the limit that it is
/// beyond, or else the driver's own word.
std::string refusal_of(const Session& session, const model::Operand& operand, const char* what,
                       CUresult result);

/// The CUDA arrays of a sequence: one for each buffer that a texture in an array or a surface is over,
/// however many of these there are. All functions throw device::DeviceFault.
class Arrays {
 public:
  explicit Arrays(std::shared_ptr<const Session> session) : m_session(std::move(session)) {}

  const Session& session() const { return *m_session; }

  /// That of the buffer that `operand` is over, which lies at `address`; unlaunchable where the device has no
  /// such array.
  CUarray array_of(const model::Operand& operand, Address address);
  /// Copies the buffers into their arrays, and waits.
  void fill() const;
  /// Copies the arrays that a surface is over back into their buffers, and waits.
  void collect() const;

 private:
  struct Entry {
    int buffer = -1;
    Address address = 0;
    std::size_t row_bytes = 0;
    std::size_t pitch_bytes = 0;  ///< of the buffer's rows
    std::size_t height = 0;
    bool has_surface = false;
    ArrayHandle array;
  };
  ArrayHandle make(const model::Operand& operand) const;

  std::shared_ptr<const Session> m_session;
  std::vector<Entry> m_entries;
};

/// One kernel launch with its arguments bound, ready to be queued as often as wanted.
class Launch {
 public:
  /// Checks the arguments against the parameters the binary has, and opts in to as much dynamic shared memory
  /// as the step asks for. Throws device::DeviceFault (launch_error) where kernel and step do not fit.
  /// `arrays` gets what the arguments need, and must outlive the launch.
  Launch(const std::shared_ptr<const Driver>& shared_driver, CUfunction function, const model::Step& step,
         const Bindings& bindings, Arrays& arrays);

  void enqueue(const Driver& driver, CUstream stream) const;
  int blocks_per_multiprocessor(const Driver& driver) const;

 private:
  void check_parameters(const Driver& driver, const model::Step& step) const;
  void opt_in_to_shared_memory(const Driver& driver) const;
  void prefer_shared_memory(const Driver& driver, std::int64_t percent) const;
  void check_clusters(const Driver& driver, const model::Dim3& cluster) const;
  CUlaunchConfig config(CUstream stream) const;
  std::string text() const;

  CUfunction m_function;
  std::string m_entry;
  model::Dim3 m_grid;
  model::Dim3 m_block;
  std::int64_t m_dynamic_shared_bytes;
  std::vector<CUlaunchAttribute> m_attributes;
  OperandValue value_of(const model::Operand& operand, const Bindings& bindings, Arrays& arrays);

  std::vector<TextureHandle> m_textures;
  std::vector<SurfaceHandle> m_surfaces;
  std::vector<OperandValue> m_values;  ///< one argument each
  std::vector<void*> m_arguments;      ///< into m_values, whose elements stay in place when a Launch is moved
};

/// Steps bound to kernels and memory, on as many streams as they name.
///
/// The time is that between two events on the session's stream, unless it is of Execution::eager. What is
/// queued between them waits behind a delay kernel, so that the host is done queueing when the first event
/// passes and its latency is not in the number; in a stream the delay is as long as queueing all repetitions
/// takes. Else several repetitions are one graph launch, because the host queues kernels more slowly than the
/// GPU ends short ones. The SM clock is read before the delay and after the second event, so that even a
/// short run has one and none of it is in the time.
class CudaSequence final : public Sequence {
 public:
  struct Parts {
    std::shared_ptr<const Session> session;
    std::shared_ptr<const SupportKernels> support;
    CUmodule cubin = nullptr;  ///< of `module`; null where that is a HostLibrary
    const Module& module;
  };
  CudaSequence(Parts parts, const std::vector<model::KernelResources>& kernels,
               const std::vector<model::Step>& steps, const std::vector<model::BufferPlan>& buffers,
               const Bindings& bindings);

  Timing run(int repetitions, model::Execution execution) override;
  void run_alone() override;
  void fill_arrays() override { m_arrays.fill(); }
  void collect_arrays() override { m_arrays.collect(); }
  int blocks_per_multiprocessor() const override;

 private:
  /// A copy from a pinned image of what the buffer held when the sequence was bound.
  struct Upload {
    PinnedMemory image;
    CUdeviceptr to = 0;
    std::size_t bytes = 0;
  };
  /// A memset.
  struct Set {
    CUdeviceptr to = 0;
    std::size_t bytes = 0;
    unsigned char byte = 0;
  };
  struct BoundStep {
    std::optional<Launch> launch;
    std::optional<Upload> upload;
    std::optional<Set> set;
    std::optional<LibraryCall> call;
    std::size_t stream = 0;  ///< 0: the session's; else m_streams[stream - 1]
    std::vector<std::size_t> after;
    Event done;  ///< made when a later step waits for it
  };
  struct SideStream {
    int number = 0;  ///< as steps call it
    Stream stream;
    Event joined;
  };

  CUfunction find_kernel(const std::vector<model::KernelResources>& kernels, const std::string& entry) const;
  Upload make_upload(const MemoryPart& part) const;
  std::size_t stream_index(int number, int main_number);
  CUstream stream_at(std::size_t index) const;
  void enqueue(int repetitions) const;
  void enqueue_step(const BoundStep& step) const;
  void call(const LibraryCall& library, CUstream stream) const;
  void prepare_graph(int repetitions);
  Timing run_eagerly(int repetitions);
  std::uint64_t delay_of_stream(int repetitions) const;
  void wait(CUstream stream, const Event& event) const;
  void record(const Event& event, CUstream stream) const;

  Parts m_parts;
  Arrays m_arrays;
  std::vector<SideStream> m_streams;
  std::vector<BoundStep> m_steps;
  std::vector<std::size_t> m_order;  ///< of one run, loops written out
  Event m_start;
  Event m_stop;
  Event m_fork;
  GraphExec m_graph;
  int m_graph_repetitions = 0;
};

/// A GPU in the primary context of this process. What is allocated, loaded or bound keeps the context.
class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<const Session> session, model::DeviceInfo info,
             std::span<const std::byte> support_binary);

  const model::DeviceInfo& info() const override { return m_info; }
  std::unique_ptr<Buffer> allocate(std::int64_t bytes) override;
  std::unique_ptr<Buffer> allocate_in(model::Memory memory, std::int64_t bytes) override;
  /// Queued; a fault shows in the next call that waits.
  void fill(Address address, model::ElementType type, std::int64_t elements, const model::Init& init,
            std::uint64_t seed) override;
  model::Verification compare(const CompareRequest& request) override;
  void write(Address to, std::span<const std::byte> from) override;
  void read(Address from, std::span<std::byte> to) override;
  std::uint64_t checksum(Address address, std::int64_t bytes) override;
  std::unique_ptr<Module> load(std::span<const std::byte> binary) override;
  std::unique_ptr<Sequence> bind(Module& module, const std::vector<model::KernelResources>& kernels,
                                 const std::vector<model::Step>& steps,
                                 const std::vector<model::BufferPlan>& buffers,
                                 const Bindings& bindings) override;
  /// Writes twice the cache's size. Queued, so that a run queued behind it starts without waiting for the
  /// host.
  void flush_l2() override;

 private:
  std::shared_ptr<const Session> m_session;
  model::DeviceInfo m_info;
  std::shared_ptr<const SupportKernels> m_support;
  DeviceMemory m_flushed;  ///< allocated by the first flush
};

}  // namespace tuner::device::cuda
