#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// A driver that launches nothing and remembers what it was asked. It is a shared object of its own, which
/// libtuner opens in place of libcuda.so.1. A "cubin" of it is text: a line `cubin sm_90`, then for each
/// function a line of its name and the bytes of its parameters, for each variable one of `variable`, its name
/// and its bytes.
namespace tests {

struct StandIn {
  struct Gpu {
    std::string name = "NVIDIA H100 80GB HBM3";
    int major = 9;
    int minor = 0;
    int multiprocessors = 132;
  };
  struct Context {
    unsigned long long id = 1;
    int gpu = 0;
    bool is_gone = false;  ///< destroyed: the driver takes it no more
  };
  struct Stream {
    Context* context = nullptr;
    bool is_captured = false;
  };
  struct Launch {
    std::string function;
    unsigned grid[3];
    unsigned block[3];
    unsigned cluster[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
    bool is_cooperative = false;
    bool overlaps = false;
    void* stream = nullptr;
    std::vector<std::string> arguments = {};  ///< their bytes
  };
  struct Memset {
    unsigned long long address = 0;
    int byte = 0;
    std::size_t count = 0;
  };
  /// In device memory.
  struct Copy {
    unsigned long long to = 0;
    unsigned long long from = 0;
    std::size_t count = 0;
    void* stream = nullptr;
    std::size_t launches = 0;  ///< before it
  };
  struct Map {
    int type = 0;
    void* address = nullptr;
    std::vector<std::uint64_t> shape;
    std::vector<std::uint64_t> strides;
    std::vector<std::uint32_t> box;
    int swizzle = 0;
  };
  struct Attribute {
    std::string function;
    int which = 0;
    int value = 0;
  };

  std::vector<Gpu> gpus = {Gpu()};
  Context* current = nullptr;
  std::vector<Launch> launches;
  std::vector<Memset> memsets;
  std::vector<Copy> copies;
  std::map<std::string, unsigned long long> variables;  ///< addresses, of the module that was last asked
  std::vector<Map> maps;
  std::vector<Attribute> attributes;
  int loads = 0;
  int unloads = 0;
  bool records = true;  ///< else launches are counted alone, without allocating
  long launch_count = 0;
};

/// That of this process, as new.
StandIn& fresh_stand_in();

}  // namespace tests
