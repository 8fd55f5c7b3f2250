#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/words.hpp"

namespace tuner::model {

/// What a launch must fit into; names follow the CUDA device attributes.
struct DeviceLimits {
  int multiprocessors = 0;
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_multiprocessor = 2048;
  int max_blocks_per_multiprocessor = 32;
  int registers_per_block = 65536;
  int registers_per_multiprocessor = 65536;
  std::int64_t shared_bytes_per_block = 49152;        ///< without opt-in; the limit of static shared memory
  std::int64_t shared_bytes_per_block_optin = 49152;  ///< with opt-in; the limit of static + dynamic
  std::int64_t shared_bytes_per_multiprocessor = 65536;
  std::int64_t reserved_shared_bytes_per_block = 0;
  std::int64_t max_grid_x = 2147483647;
  std::int64_t max_grid_y = 65535;
  std::int64_t max_grid_z = 65535;
  std::int64_t max_block_x = 1024;
  std::int64_t max_block_y = 1024;
  std::int64_t max_block_z = 64;
  std::int64_t l2_bytes = 0;
  bool operator==(const DeviceLimits&) const = default;
};

struct DeviceInfo {
  std::string id;    ///< as --device takes it: `cuda:0`, `cpu`, `replay:FILE`
  std::string kind;  ///< `cuda`, `cpu`, `replay`
  std::string name;  ///< `NVIDIA H200`
  std::string uuid;
  std::string architecture;  ///< `sm_90`, `host`
  int compute_major = 0;
  int compute_minor = 0;
  std::string driver;  ///< `580.159.04`, or the API version where only that is known
  std::int64_t memory_bytes = 0;
  std::int64_t free_memory_bytes = 0;  ///< 0: unknown
  DeviceLimits limits;
  bool operator==(const DeviceInfo&) const = default;
};

/// What a kind of device can do. No other place compares its name. A new kind is a row of this table, a row
/// of `openers` in tuner/cli/backend.cpp, and a folder in tuner/device.
struct DeviceKind {
  /// How `--device` and DeviceInfo::id name a device.
  enum class Naming {
    word,     ///< `cpu`
    numbers,  ///< `cuda:0`, and `cuda:0,cuda:2` for several
    file,     ///< `replay:FILE`
  };
  std::string_view name;  ///< DeviceInfo::kind
  Naming naming = Naming::word;
  std::string_view compiler = "";  ///< as `tuner worker compile` takes it; empty: the device has the binaries
  bool in_specs = false;           ///< `devices` of a spec may name it
  bool obeys_specs = false;        ///< kernels whose `devices` leave it out do not run on it
  bool is_gpu =
      false;  ///< shared with other programs, handed out by a cluster, and nameable by `--gpu` while absent
  bool has_nvcc = false;         ///< sources may ask for nvcc
  bool has_views = false;        ///< tensor maps, textures and surfaces
  bool has_libraries = false;    ///< baselines run on it unless their spec says otherwise
  bool has_own_kernels = false;  ///< filling and comparing are kernels that are compiled for it
  bool has_streams = false;      ///< launches are queued and follow each other without the host
  bool has_sanitizers = false;   ///< `tuner check --sanitize` runs kernels on it
  bool has_energy = false;       ///< it counts energy where its machine allows that
};

/// The first is the one that `--device auto` and `all` mean.
std::span<const DeviceKind> device_kinds();

/// The row of a DeviceInfo::kind. An unknown kind (from a newer program's database) gets a row without
/// abilities.
const DeviceKind& device_kind(std::string_view name);

/// The kind that a `--device` text names, or null.
const DeviceKind* named_kind(std::string_view device);
/// The devices that a `--device` text lists: `cuda:0`, `cuda:2` for `cuda:0,cuda:2`; otherwise the text
/// itself.
std::vector<std::string> listed_devices(std::string_view device);
/// The part after `replay:`; empty for other kinds.
std::string recording_of(std::string_view device);

/// Whether kernels whose spec has these `devices` (empty: all) run on a device of this kind.
bool runs_on(const std::vector<std::string>& devices_of_spec, std::string_view kind);

/// A kernel's role in a sweep.
enum class Role {
  competitor,  ///< may be chosen as the best of its family
  baseline,    ///< solves the same problem and takes part in finals, but is never chosen
  ceiling,     ///< measures a limit of its device; competes within its own family only
};

template <>
struct Words<Role> {
  static constexpr std::string_view all[] = {"competitor", "baseline", "ceiling"};
  static constexpr const char* expected = "competitor, baseline or ceiling";
};
/// Whether a trial of this role may be chosen.
inline bool may_win(Role role) {
  return role != Role::baseline;
}

/// What Ceiling::kind may be.
std::span<const std::string_view> ceiling_kinds();

/// One `unit` of a ceiling of this kind in what Ceiling::value counts: operations a second for `arithmetic`
/// (`GFLOP/s`, `Top/s`: 1e9, 1e12), seconds for `launch` (`ns`: 1e-9), bytes a second for the others
/// (`GB/s`). Absent for a unit that is none of the kind's.
std::optional<double> ceiling_unit(std::string_view kind, std::string_view unit);

/// For people: `"GFLOP/s" or "Gop/s"`.
std::string_view ceiling_unit_examples(std::string_view kind);

/// Whether less is better: true for `launch` alone.
bool is_least_best(std::string_view kind);

/// A limit of a device, measured once by a kernel made for it.
struct Ceiling {
  std::string device;  ///< model name
  std::string kind;    ///< `arithmetic`, `memory`, `l2`, `shared memory`, `launch`
  ElementType type = ElementType::float32;
  double value = 0;  ///< operations or bytes a second; `launch`: seconds
  std::string unit;  ///< of the metric it came from: `GFLOP/s`
  Digest trial;      ///< that measured it
  std::string measured_at;
  /// Of `l2`: what the cache holds. The device's record has it, not the ceiling's; 0: unknown.
  std::int64_t cache_bytes = 0;
};

}  // namespace tuner::model
