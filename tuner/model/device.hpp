#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace tuner::model
