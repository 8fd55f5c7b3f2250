#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

/// What a captured process leaves: a file of fixed size that it maps. Each count stands there as soon as it
/// is made, so a process that crashes, is killed or calls `_exit` leaves all of them.
namespace tuner::capture {

inline constexpr std::uint64_t ledger_magic = 0x337061636e757400;  // "\0tuncap3"
inline constexpr std::uint32_t most_kernels = 2048;
inline constexpr std::uint32_t most_shapes = 8192;
/// With so many shapes, further ones of graphs are counted for all graphs together: programs make new graphs
/// of the same launches.
inline constexpr std::uint32_t most_shapes_by_graph = most_shapes / 4;
inline constexpr std::uint32_t other_graphs = ~std::uint32_t{0};
inline constexpr std::uint32_t most_values = 8192;
inline constexpr std::uint32_t most_replacements = 256;
inline constexpr std::uint32_t most_integers = 12;    ///< that are told of one launch
inline constexpr std::uint32_t most_parameters = 64;  ///< of a kernel, that are told
inline constexpr std::uint32_t most_samples = 128;    ///< of a shape, from which its median is taken
inline constexpr std::uint32_t most_name_bytes = 1U << 20U;
inline constexpr std::uint32_t most_values_of_shape = 64;

/// How a parameter's bytes are read.
enum class ParameterKind : std::uint8_t { unknown, integer, unsigned_integer, real, pointer, structure };

/// Where the times are from.
enum class Timing : std::uint32_t { none, cupti, events };

enum class End : std::uint32_t { unknown, exit, underscore_exit };

struct KernelEntry {
  std::uint32_t name_at;  ///< in `names`; it ends with a zero
  std::uint32_t registers;
  std::uint32_t static_shared_bytes;
  std::uint32_t local_bytes;
  std::uint32_t parameter_count;
  std::uint32_t has_parameters;  ///< else the driver did not say
  std::uint16_t parameter_bytes[most_parameters];
  ParameterKind parameter_kinds[most_parameters];
};

/// Launches of a kernel on one GPU with one grid and block, by themselves or in graphs.
struct ShapeEntry {
  std::uint32_t kernel;
  std::uint32_t gpu;    ///< as CUDA numbers GPUs in the process
  std::uint32_t graph;  ///< as CUPTI numbers graphs; 0: in none; may be `other_graphs`
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t dynamic_shared_bytes;
  std::uint32_t values_count;
  std::uint64_t launches;   ///< that the program asked for, not counting graphs'
  std::uint64_t in_graphs;  ///< that it put into graphs, each counted once
  std::uint64_t timed;
  std::uint64_t timed_ns;
  std::uint32_t samples_ns[most_samples];
};

/// How often a shape was launched with these integers.
struct ValuesEntry {
  std::uint32_t shape;
  std::uint32_t count;
  std::uint64_t launches;
  std::int64_t values[most_integers];
  std::uint8_t parameters[most_integers];
};

/// Launches that were replaced by a pack's, or that could not be.
struct ReplacementEntry {
  std::uint32_t kernel;
  std::uint32_t is_replaced;
  std::uint32_t text_at;  ///< in `names`: by what, or why not
  std::uint32_t unused;
  std::uint64_t launches;
};

struct Ledger {
  std::uint64_t magic;
  std::uint64_t bytes;  ///< sizeof(Ledger): of another version where it differs
  std::int64_t process;
  std::int64_t parent;
  std::uint64_t begin_ns;  ///< of the system's clock
  std::uint64_t end_ns;
  Timing timing;
  End end;
  std::uint32_t driver_version;
  std::uint32_t compute_major;
  std::uint32_t compute_minor;
  std::uint32_t kernel_count;
  std::uint32_t shape_count;
  std::uint32_t values_count;
  std::uint32_t name_bytes;
  std::uint32_t contexts;  ///< in which kernels were launched
  std::uint32_t replacement_count;
  std::uint32_t unused;
  std::uint64_t launches;
  std::uint64_t untold;            ///< launches that found no room here
  std::uint64_t untold_runs;       ///< timed runs that found none
  std::uint64_t untold_ns;         ///< and their time
  std::uint64_t without_integers;  ///< launches whose integers found no room
  std::uint64_t graph_launches;
  std::uint64_t lost_records;  ///< that CUPTI says it dropped
  char device[128];
  char program[256];
  char timing_reason[256];  ///< why the times are not CUPTI's
  KernelEntry kernels[most_kernels];
  ShapeEntry shapes[most_shapes];
  ValuesEntry values[most_values];
  ReplacementEntry replacements[most_replacements];
  char names[most_name_bytes];
};

/// What makes a shape.
struct Shape {
  std::uint32_t kernel = 0;
  std::uint32_t gpu = 0;
  std::uint32_t graph = 0;
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint32_t dynamic_shared_bytes = 0;

  bool operator==(const Shape&) const = default;
};

/// Of a launch: the integers among its arguments, with their places.
struct Integers {
  std::uint32_t count = 0;
  std::array<std::int64_t, most_integers> values = {};
  std::array<std::uint8_t, most_integers> parameters = {};

  bool operator==(const Integers&) const = default;
};

inline constexpr std::uint32_t no_place = ~std::uint32_t{0};

/// Writes a Ledger, which the end of the process unmaps. Its caller sees to it that one thread at a time
/// does.
class LedgerWriter {
 public:
  LedgerWriter() = default;
  LedgerWriter(const LedgerWriter&) = delete;
  LedgerWriter& operator=(const LedgerWriter&) = delete;

  /// Makes the file with all its blocks, so that a full disk is met here and not in a launch. Says why it
  /// cannot.
  bool create(const std::string& path, std::string& why);
  Ledger& ledger() { return *m_ledger; }

  /// no_place where there is no more room.
  std::uint32_t kernel(std::string_view name);
  std::uint32_t shape(Shape shape);
  void count_values(std::uint32_t shape, const Integers& integers);
  void count_replacement(std::uint32_t kernel, bool is_replaced, const std::string& text);
  void add_time(std::uint32_t shape, std::uint64_t ns);

 private:
  /// Its place in the ledger's names; no_place where there is no more room.
  std::uint32_t text(std::string_view text);

  struct Hash {
    std::size_t operator()(const Shape& shape) const;
    std::size_t operator()(const std::pair<std::uint32_t, Integers>& values) const;
  };

  Ledger* m_ledger = nullptr;
  std::unordered_map<std::string, std::uint32_t> m_kernels;
  std::unordered_map<Shape, std::uint32_t, Hash> m_shapes;
  std::unordered_map<std::pair<std::uint32_t, Integers>, std::uint32_t, Hash> m_values;
  std::map<std::tuple<std::uint32_t, bool, std::string>, std::uint32_t> m_replacements;
  std::uint64_t m_random = 0x9e3779b97f4a7c15;
};

}  // namespace tuner::capture
