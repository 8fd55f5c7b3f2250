#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/capture/folder.hpp"
#include "tuner/capture/images.hpp"
#include "tuner/capture/kernels.hpp"

namespace tuner::capture {

/// Device memory that a launch is saved with.
struct Region {
  CuAddress address = 0;
  std::size_t bytes = 0;
  std::size_t allocation_bytes = 0;
  std::string variable = {};  ///< its name, where it is one
};

/// A launch that is to be saved.
struct WantedLaunch {
  Kernel kernel;
  Launch launch;
  std::vector<void*> arguments;
  std::uint64_t number = 0;  ///< of this kernel's launches, from 1
  Image image = {};          ///< of its module; its bytes are null where they are not at hand
  std::vector<std::string> variables = {};
};

/// Saves launches whole: in a folder each, whose draft is written last. One thread at a time calls wants();
/// save() is called while no other launch is under way.
class Saver {
 public:
  /// `folder`: the process's.
  Saver(const Request& request, std::string folder, Notes& notes);

  /// Counts this launch of `kernel`. Whether it is to be saved.
  bool wants(const Kernel& kernel, const Launch& launch, const Integers& integers, std::uint64_t& number);
  /// Around a launch, which `queue` queues, and `repeat` where it is run once more.
  CuResult save(const WantedLaunch& wanted, const LaunchQueue& queue, const LaunchQueue& repeat);

 private:
  struct Counted {
    std::uint64_t launches = 0;
    std::set<std::string> sizes;

    bool is_of_new_size(const Launch& launch, const Integers& integers);
  };
  void say(const WantedLaunch& wanted, const char* what, const std::string& more) const;
  /// False, with a note, where they are more than may be saved.
  bool fit(const WantedLaunch& wanted, const std::vector<Region>& regions);

  const std::vector<SaveRequest> m_saves;
  const std::uint64_t m_at_most_bytes;
  const bool m_twice;
  const std::string m_folder;
  Notes& m_notes;
  std::uint64_t m_used_bytes = 0;
  std::uint64_t m_saved = 0;
  std::unordered_map<std::string, Counted> m_counted;
};

/// Whether the bytes of an argument may be an address: the kernel's name says so, or nothing.
bool may_be_pointer(const KernelParameter& parameter);

/// Whether addresses may stand among the bytes of an argument: a struct, or what is larger than an address
/// where the kernel's name says nothing.
bool may_hold_pointers(const KernelParameter& parameter);

/// Places in a struct that hold addresses of device memory.
std::vector<std::size_t> pointers_inside(const char* bytes, std::size_t count);

/// What is known of a launch, as JSON, but for what its memory held. `is_twice`: it is run twice.
std::string draft_of(const WantedLaunch& wanted, const std::vector<Region>& regions, bool is_twice);

}  // namespace tuner::capture
