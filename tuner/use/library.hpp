#pragma once
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tuner/use/driver.hpp"
#include "tuner/use/pack_view.hpp"
#include "tuner/use/tuner.h"

// What the library keeps of opened packs. All of it is allocated when packs are opened; later only modules
// are added.
namespace tuner::use {

/// Keeps what an error of this thread is about for tuner_error_detail(), as printf would write it; returns
/// `error`.
[[gnu::format(printf, 2, 3)]] tuner_error fail(tuner_error error, const char* format, ...);

/// The tuner's CPU device, as far as programs need it: kernels of the host's compiler, their threads as
/// fibres of the thread that launches.

struct Device;

/// What the tuner's CPU device says of itself.
tuner_error ask_cpu(Device& device);

/// `handle` is the loader's; null: none.
tuner_error load_shared_object(const void* bytes, std::size_t count, void*& handle);
void unload_shared_object(void* handle);
tuner_error find_host_kernel(void* handle, const char* symbol, const void*& kernel);

/// A variable of a loaded binary.
struct Symbol {
  std::uintptr_t address;
  std::uint64_t bytes;
};
tuner_error find_host_symbol(void* handle, const char* name, Symbol& symbol);

struct CpuLaunch {
  const void* kernel;  ///< as find_host_kernel() says
  unsigned grid[3];
  unsigned block[3];
  std::size_t dynamic_shared_bytes;
  void** arguments;
  std::uint32_t argument_count;
};
/// Runs all blocks, one after the other.
tuner_error run_on_cpu(const CpuLaunch& launch);

/// Devices of one process; the last place is the CPU's.
inline constexpr int device_places = 65;
inline constexpr int cpu_place = device_places - 1;

/// A binary in a context: a module of the driver's, or a shared object (`context_id` 0).
struct Loaded {
  Loaded* next;
  CuContext context;
  unsigned long long context_id;
  CuModule module;
  void* shared_object;
  Symbol* symbols;  ///< as many as the image has, behind the functions
  struct Function {
    CuFunction function;
    const void* host_kernel;
    std::atomic<int> dynamic_bytes;  ///< that it may use
    std::atomic<int> carveout;       ///< that it was told
    int static_bytes;
  };
  Function functions[1];  ///< as many as the image has
};

struct Layer {
  PackView view{nullptr};
  void* copy = nullptr;  ///< of a file
  std::size_t copied_bytes = 0;
  std::atomic<Loaded*>* loaded = nullptr;  ///< of each image a list
  /// Where measured sizes are found by a hash of them: places in section `measured` plus 1, in 2^n slots of
  /// which at most a quarter are taken, so that a size that is not there is mostly told by one look. 0: free.
  std::uint32_t* slots = nullptr;
  std::uint32_t slot_mask = 0;
};

/// Of `count` sizes of a target.
inline std::uint64_t hash_of(std::uint32_t target, const std::int64_t* sizes, std::uint32_t count) {
  std::uint64_t hash = target;
  for (std::uint32_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<std::uint64_t>(sizes[i])) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

struct Device {
  std::atomic<bool> is_known{false};
  char architecture[16] = {};
  char name[256] = {};
  std::int64_t limits[limit_count] = {};
};

/// Which targets of a layer answer for a kernel on a device, as places in section `targets`.
struct Rungs {
  std::uint32_t own;           ///< of this GPU
  std::uint32_t architecture;  ///< of another GPU, or any, of its architecture
};

/// One choice of the ladder.
struct Answer {
  std::uint32_t layer = 0;
  std::uint32_t configuration = 0;
  tuner_known known = TUNER_BY_DEFAULT;
  double expected_ns = 0;
  double loss_bound = -1;
  double confidence = 0;
};

}  // namespace tuner::use

struct tuner_kernel {
  tuner_pack* pack;
  std::uint32_t* in_layer;  ///< its place in section `kernels` of each layer, or no_index
  std::uint32_t size_count;
  std::uint32_t described_in;  ///< the last layer that has it: what it says of sizes and parameters counts
  tuner::use::Rungs* rungs;    ///< of each device and layer

  const tuner::use::Layer& description() const;
  const tuner::use::KernelRecord& record() const {
    return description().view.kernels()[in_layer[described_in]];
  }
};

struct tuner_pack {
  tuner::use::Layer* layers;
  std::uint32_t layer_count;
  tuner_kernel* kernels;
  std::uint32_t kernel_count;
  tuner::use::Device* devices;
  pthread_mutex_t changing;  ///< held while a device is asked or a module loaded
  char digest[65];
};

inline const tuner::use::Layer& tuner_kernel::description() const {
  return pack->layers[described_in];
}

namespace tuner::use {

/// `device` as the interface counts devices. Asks it for its facts the first time.
tuner_error find_device(tuner_pack& pack, int device, int& place);

/// Checks number and values of sizes.
tuner_error check_sizes(const tuner_kernel& kernel, const std::int64_t* sizes, std::size_t count);

/// The ladder.
tuner_error choose(const tuner_kernel& kernel, int place, const std::int64_t* sizes, Answer& answer);

/// Sizes and limits.
void set_variables(const tuner_kernel& kernel, int place, const std::int64_t* sizes, Variables& variables);
/// The first `count` derived values of a configuration, by which it is evaluated.
void derive(const PackView& pack, const ConfigurationRecord& configuration, std::uint32_t count,
            Variables& variables);

/// A configuration's workspaces in one piece of memory.
struct WorkspacePlan {
  std::uint64_t at[most_workspaces];
  std::uint64_t bytes[most_workspaces];
  std::uint64_t all = 0;
  bool zero_first = false;
};
tuner_error plan_workspaces(const PackView& pack, const ConfigurationRecord& configuration,
                            const Variables& variables, WorkspacePlan& plan);

/// The binary of an image in a context (null: of a shared object), or null where it is not loaded.
Loaded* find_loaded(const Layer& layer, std::uint32_t image, CuContext context,
                    unsigned long long context_id);
/// Loads it unless it is. The context is current.
tuner_error load(tuner_pack& pack, std::uint32_t layer, std::uint32_t image, CuContext context,
                 unsigned long long context_id, Loaded*& loaded);
void unload(Loaded* loaded);

/// The context of this thread, with its number, which no other context of the process ever has, and its
/// device.
tuner_error current_context(CuContext& context, unsigned long long& context_id, int& device);

/// An error of code that has no value.
tuner_error undefined(Fault fault, const char* what);

/// What a caller asked for.
struct Call {
  const tuner_kernel& kernel;
  int place = 0;
  const tuner_value* arguments = nullptr;
  std::uintptr_t workspace = 0;
  std::uint64_t workspace_bytes = 0;
  CuStream stream = nullptr;
  const Driver* driver = nullptr;  ///< null on the CPU
};

/// A launch whose configuration is chosen, with its values of expressions.
struct Scene {
  const Call& call;
  const PackView& pack;
  const KernelRecord& kernel;
  const ConfigurationRecord& configuration;
  WorkspacePlan workspaces;
  Variables variables;

  tuner_error number(const Code& code, std::int64_t otherwise, const char* what, std::int64_t& value) const {
    const Fault fault = pack.value_or(otherwise, code, variables, value);
    return fault == Fault::none ? TUNER_OK : undefined(fault, what);
  }
  /// Of a workspace, or of a pointer that the caller passed.
  std::uintptr_t address_of(bool is_workspace, std::uint32_t index) const {
    if (!is_workspace) return reinterpret_cast<std::uintptr_t>(call.arguments[index].value.pointer);
    return workspaces.bytes[index] == 0 ? 0 : call.workspace + workspaces.at[index];
  }
};

/// Types, sizes, addresses of what the caller passed.
tuner_error check_arguments(const Scene& scene);

/// Writes what the kernel function is given for `operand`, to as many bytes as operand_bytes_of() says, zeros
/// before.
tuner_error set_operand(const Scene& scene, const OperandRecord& operand, std::uint8_t* to);

/// Queues the steps of a configuration.
tuner_error run(const Call& call, const PackView& pack, const ConfigurationRecord& configuration,
                Loaded& loaded, const std::int64_t* sizes);

}  // namespace tuner::use
