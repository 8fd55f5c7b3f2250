#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/plan.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::device {

/// A device operation failed. `status` is what a trial that caused it gets; after `lost` nothing works any
/// more on this Device and its process must be replaced.
class DeviceFault : public std::runtime_error {
 public:
  DeviceFault(model::TrialStatus status, bool lost, const std::string& message, bool broken = false)
      : std::runtime_error(message), m_status(status), m_lost(lost), m_broken(broken) {}
  model::TrialStatus status() const { return m_status; }
  bool lost() const { return m_lost; }
  /// The device itself failed, not the work on it.
  bool broken() const { return m_broken; }

 private:
  model::TrialStatus m_status;
  bool m_lost;
  bool m_broken;
};

/// What was asked for cannot be; the device goes on working.
[[noreturn]] inline void refuse(const std::string& message) {
  throw DeviceFault(model::TrialStatus::launch_error, false, message);
}

/// An address in the device's memory.
using Address = std::uint64_t;

/// Device memory, freed with the object.
class Buffer : public model::Seam {
 public:
  virtual Address address() const = 0;
  virtual std::int64_t bytes() const = 0;
};

/// A variable of a loaded binary.
struct Variable {
  Address address = 0;
  std::int64_t bytes = 0;
};

/// A loaded binary, unloaded with the object.
class Module : public model::Seam {
 public:
  /// Where steps of kind `call` find their functions: a HostLibrary beside the kernels, or the binary itself.
  const Module& callee() const { return m_library != nullptr ? *m_library : *this; }
  void set_library(std::unique_ptr<Module> library) { m_library = std::move(library); }
  /// By its symbol in the binary. Throws DeviceFault (launch_error) where there is none.
  virtual Variable variable(const std::string& symbol) const {
    refuse("the binary has no variable " + symbol);
  }

 private:
  std::unique_ptr<Module> m_library;
};

/// What one Sequence::run took.
struct Timing {
  double ns = 0;            ///< device time of the whole
  double sm_clock_mhz = 0;  ///< mean clock of a multiprocessor meanwhile; 0: unknown
};

/// Steps with their arguments bound, ready to run.
class Sequence : public model::Seam {
 public:
  /// Runs all steps `repetitions` times, waits, and says how long the whole took. Throws DeviceFault. A
  /// device without streams is not asked for Execution::stream.
  virtual Timing run(int repetitions, model::Execution execution) = 0;
  /// Back to back.
  Timing run(int repetitions) { return run(repetitions, model::Execution::graph); }
  /// Runs all steps once, with nothing else on the device, and waits: for who counts what they do.
  virtual void run_alone() { run(1); }
  /// Where steps find buffers as CUDA arrays (model::Texture::in_array), these are the sequence's own. They
  /// have the buffers' contents since it was bound; this copies them again, outside all timing.
  virtual void fill_arrays() {}
  /// Copies arrays that steps may have written back into their buffers.
  virtual void collect_arrays() {}
  /// The driver's own blocks per multiprocessor for the first launch; -1 where there is no such thing.
  virtual int blocks_per_multiprocessor() const = 0;
};

/// Counts what the hardware does.
class Counters : public model::Seam {
 public:
  /// The usual metrics and those that are `named`, over one run of `work`. It runs once a pass, each time
  /// after `before_each`, which is not counted. Throws model::Error, a UsageError for a metric that is not
  /// known here, and what the two throw.
  virtual model::Profile count(const std::vector<std::string>& named,
                               const std::function<void()>& before_each,
                               const std::function<void()>& work) = 0;
};

/// Where the operands of a sequence live: for each buffer of the plan its address, and for each output (same
/// index) the addresses of the reference's two double arrays and of a comparison's, 0 where there are none.
struct Bindings {
  std::vector<Address> buffers;
  std::vector<Address> expected;
  std::vector<Address> magnitude;
  std::vector<Address> errors = {};
};

/// Compares `elements` of `type` at `got`, each of its numbers with a double: a number passes when
/// |got - expected| <= bound_factor * magnitude + what the tolerance allows and got is a number; with all of
/// these 0, when they are equal. One whose `expected` is still poison was never written by the reference and
/// must still be poison itself. compare_function.h has the exact rule. What the tolerance excuses is counted
/// as wrong like the rest; `accepts` says what is right.
struct CompareRequest {
  Address got = 0;
  model::ElementType type = model::ElementType::float32;
  std::int64_t elements = 0;
  Address expected = 0;
  Address magnitude = 0;
  double bound_factor = 0;
  bool ignore_unwritten = false;  ///< accept anything in elements the reference never wrote
  model::Tolerance tolerance = {};
  std::int64_t unordered_within = 0;  ///< as of BufferPlan
  bool other_poison = false;          ///< which one the output was filled with, see model::Init::Kind::none
};

/// A machine that runs kernels. Nothing here knows CUDA; not thread-safe.
class Device : public model::Seam {
 public:
  virtual const model::DeviceInfo& info() const = 0;
  virtual std::unique_ptr<Buffer> allocate(std::int64_t bytes) = 0;
  /// The same in another kind of memory, where the device knows several.
  virtual std::unique_ptr<Buffer> allocate_in(model::Memory memory, std::int64_t bytes) {
    static_cast<void>(memory);
    return allocate(bytes);
  }
  /// Init::none writes the poison pattern (NaN for floating types).
  virtual void fill(Address address, model::ElementType type, std::int64_t elements, const model::Init& init,
                    std::uint64_t seed) = 0;
  virtual model::Verification compare(const CompareRequest& request) = 0;
  /// Copies between the host and the device's memory.
  virtual void write(Address to, std::span<const std::byte> from) = 0;
  virtual void read(Address from, std::span<std::byte> to) = 0;
  /// A 64-bit hash of the bytes' content and order, for "unchanged" and "the same twice".
  virtual std::uint64_t checksum(Address address, std::int64_t bytes) = 0;
  virtual std::unique_ptr<Module> load(std::span<const std::byte> binary) = 0;
  /// `kernels` maps entries to symbols of `module`, which is one of load() or, for steps of kind `call`
  /// alone, a HostLibrary. The bindings' memory and the module must outlive the sequence. What an upload
  /// copies is what its buffer holds now.
  virtual std::unique_ptr<Sequence> bind(Module& module, const std::vector<model::KernelResources>& kernels,
                                         const std::vector<model::Step>& steps,
                                         const std::vector<model::BufferPlan>& buffers,
                                         const Bindings& bindings) = 0;
  /// Evicts the device's last-level cache, persisting lines too.
  virtual void flush_l2() = 0;
};

}  // namespace tuner::device
