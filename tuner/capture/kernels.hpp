#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/capture/driver.hpp"
#include "tuner/capture/ledger.hpp"

namespace tuner::capture {

struct KernelParameter {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::string type = {};  ///< `float const*`; empty where the name does not say
  ParameterKind kind = ParameterKind::unknown;
};

struct Kernel {
  std::string name;  ///< as the binary has it
  CuFunction function = nullptr;
  const void* owner = nullptr;  ///< the CuModule or CuLibrary it is from; null where that was not seen
  bool of_library = false;
  std::uint32_t place = no_place;  ///< in the ledger
  bool has_parameters = false;     ///< else the driver does not say them
  std::vector<KernelParameter> parameters;
};

/// Where a variable of its module lies, of a current context. False where there is none.
bool find_variable(const Kernel& kernel, const char* name, CuAddress& address, std::size_t& bytes);

/// The kernels behind the handles that launches name: of functions (CUfunction) and of kernels without a
/// context (CUkernel), which launches take as well. One thread at a time calls it.
class Kernels {
 public:
  explicit Kernels(LedgerWriter& ledger) : m_ledger(ledger) {}

  /// The program was given a handle.
  void add_function(CuFunction function, CuModule module, const char* name);
  void add_kernel(CuKernel kernel, CuLibrary library, const char* name);
  /// `function` is `kernel` in a context.
  void add_function_of(CuFunction function, CuKernel kernel);
  /// Handles from `owner` may mean other kernels from now on.
  void forget(const void* owner);

  /// Asks the driver what is not known yet; a context is current. Null where it does not know the handle.
  const Kernel* find(CuFunction handle);

  /// Integers among a launch's arguments.
  static Integers integers(const Kernel& kernel, void* const* arguments);

 private:
  struct Named {
    std::string name;
    const void* owner = nullptr;
    bool of_library = false;
    bool is_kernel = false;  ///< the handle is a CuKernel
  };
  Named named(CuFunction handle) const;
  void describe(Kernel& kernel);

  LedgerWriter& m_ledger;
  std::unordered_map<const void*, Named> m_named;
  std::unordered_map<const void*, Kernel> m_kernels;
};

/// A launch as the program asked for it.
struct Launch {
  CuFunction handle = nullptr;
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint32_t dynamic_shared_bytes = 0;
  CuStream stream = nullptr;
  bool per_thread = false;  ///< the null stream is the thread's own
  void** arguments = nullptr;
  void** extra = nullptr;
  bool cooperative = false;
  const CuLaunchConfig* config = nullptr;  ///< with its attributes; null where the launch has none
};

/// What the driver is told to launch with.
class LaunchQueue {
 public:
  LaunchQueue() = default;
  LaunchQueue(const LaunchQueue&) = delete;
  LaunchQueue& operator=(const LaunchQueue&) = delete;
  virtual CuResult queue() const = 0;

 protected:
  ~LaunchQueue() = default;
};

/// Where each argument is. A program may pass them as one piece of memory.
std::vector<void*> argument_places(const Kernel& kernel, const Launch& launch);

}  // namespace tuner::capture
