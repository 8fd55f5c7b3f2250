#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tuner/use/arithmetic.hpp"
#include "tuner/use/tuner.h"

/// The bytes of a pack. A header names sections, each an array of records of one kind at a multiple of 8
/// bytes. Records refer to others by place in their section, to texts and code by place in bytes. So a pack
/// is read where it lies. All numbers are little-endian.
namespace tuner::use {

inline constexpr char magic[8] = {'T', 'U', 'N', 'E', 'R', 'P', 'K', '\n'};
/// A reader refuses packs of another version than its own.
inline constexpr std::uint32_t format_version = 4;
inline constexpr std::uint32_t no_index = 0xffffffff;  ///< in place of an index

/// Variables of code: sizes from 0, then what the device says, then the derived values of a configuration.
inline constexpr std::uint32_t most_sizes = 16;
inline constexpr std::uint32_t first_limit = 16;
inline constexpr std::uint32_t first_derived = 64;
inline constexpr std::uint32_t variable_count = 256;

/// What the device says, by the name that expressions of specs have for it (tuner/space/generator.cpp).
enum class Limit : std::uint8_t {
  multiprocessors,
  warp_size,
  max_threads_per_block,
  max_threads_per_multiprocessor,
  max_blocks_per_multiprocessor,
  max_registers_per_block,
  max_registers_per_multiprocessor,
  max_static_shared_bytes,
  max_shared_bytes_per_block,
  max_shared_bytes_per_multiprocessor,
  max_block_x,
  max_block_y,
  max_block_z,
  max_grid_x,
  max_grid_y,
  max_grid_z,
  l2_bytes,
};
inline constexpr std::uint32_t limit_count = 17;

inline constexpr std::uint32_t most_code_bytes = 8192;
inline constexpr std::uint32_t most_operands = 256;        ///< of a step
inline constexpr std::uint32_t most_operand_bytes = 8192;  ///< of a step, as operand_room() counts them
inline constexpr std::uint32_t most_workspaces = 64;       ///< of a configuration
inline constexpr std::uint32_t most_steps = 64;            ///< of a configuration
inline constexpr std::uint32_t most_rank = 5;              ///< of a tensor map
inline constexpr std::int64_t most_launches = 65536;       ///< of a run, loops written out
inline constexpr std::uint32_t workspace_alignment = 256;
inline constexpr std::uint32_t tensor_map_bytes = 128;
inline constexpr std::uint32_t binary_alignment = 64;

/// Bytes in section `texts`; a 0 stands behind them.
struct Text {
  std::uint32_t at;
  std::uint32_t bytes;
};
/// Bytes in section `code`. The top bit of `bytes` says that it calculates with doubles; no bytes: there is
/// none.
struct Code {
  std::uint32_t at;
  std::uint32_t bytes;
};
inline constexpr std::uint32_t real_code = 0x80000000;
/// Records of another section.
struct Range {
  std::uint32_t first;
  std::uint32_t count;
};

/// A family at an element type.
struct KernelRecord {
  Text family;
  Text type;
  Range sizes;  ///< of `names`
  Range parameters;
  Range targets;
};

struct ParameterRecord {
  Text name;
  Text type_name;
  Code bytes;  ///< of pointers: over sizes and limits
  std::uint8_t type;
  std::uint8_t is_pointer;
  std::uint8_t is_written;
  std::uint8_t is_read;
  std::uint32_t alignment;
};

/// What is known for an architecture, or for one GPU of it. The rule is the tree at the first of `nodes`.
struct TargetRecord {
  Text architecture;  ///< sm_90
  Text gpu;           ///< as the driver names it; empty: any of the architecture
  Range measured;     ///< ascending by sizes
  Range nodes;
  Range defaults;  ///< of `numbers`: configurations, the last rung of the ladder
};

struct MeasuredRecord {
  std::uint32_t first_number;  ///< in `numbers`, as many as the kernel has sizes
  std::uint32_t configuration;
  double expected_ns;
  double loss;
};

/// Without a condition a leaf. The nodes that it leads to stand behind it.
struct NodeRecord {
  Code condition;  ///< over sizes and limits; it may calculate with doubles
  std::uint32_t yes;
  std::uint32_t no;
  std::uint32_t configuration;
  std::uint32_t unused;
  Range otherwise;  ///< of `numbers`: configurations for where this one does not apply
  double loss_bound;
  double confidence;
};

struct ConfigurationRecord {
  Text kernel;
  Text name;
  Range derived;                  ///< of `codes`; each reads those before it
  Code applies;                   ///< 0: not for these sizes
  std::uint32_t applies_derived;  ///< so many derived values `applies` may read
  std::uint32_t image;
  std::uint32_t owner;  ///< the kernel that it is of
  std::uint32_t unused;
  Range workspaces;
  Range steps;
};

enum class Fill : std::uint8_t { anything, zero_first, zero_always };

struct WorkspaceRecord {
  Code bytes;
  Fill fill;
  std::uint8_t unused[7];
};

/// set_symbol copies a pointer of the caller's into a variable of the image, take_symbol the other way.
/// memset_symbol is a memset of a variable.
enum class StepKind : std::uint8_t { launch, memset, set_symbol, take_symbol, memset_symbol };

struct StepRecord {
  StepKind kind;
  std::uint8_t is_workspace;   ///< memset: `target` is a workspace, else a parameter
  std::uint16_t repeat_steps;  ///< a loop of so many steps begins here; 0: none does
  std::uint32_t function;      ///< launch: place among those of the image; of symbols: among its symbols
  std::uint32_t target;
  std::uint32_t unused;
  Code when;
  Code repeat;
  Code grid[3];
  Code block[3];
  Code cluster[3];
  Code dynamic_shared_bytes;
  Code cooperative;
  Code overlap;
  Code shared_carveout;
  Code first_byte;
  Code byte_count;  ///< memsets: absent: to the end; copies: all there is
  Code byte;
  Range operands;
};

enum class OperandKind : std::uint8_t { parameter, workspace, number, structure, tensor_map };

struct OperandRecord {
  OperandKind kind;
  std::uint8_t type;    ///< number
  std::uint16_t bytes;  ///< structure
  std::uint32_t index;  ///< parameter, workspace, or in `maps`
  Code value;           ///< number
  Range fields;         ///< structure
};

struct FieldRecord {
  std::uint16_t offset;
  std::uint8_t type;
  std::uint8_t unused;
  std::uint32_t parameter;  ///< a number that the caller passes; no_index: `value`
  Code value;
};

/// Codes: shape (rank), strides in bytes (rank - 1), box (rank), element strides (rank), innermost first,
/// then interleave, swizzle, promotion into L2, in bytes.
struct MapRecord {
  std::uint8_t is_workspace;
  std::uint8_t type;
  std::uint8_t rank;
  std::uint8_t nan_outside;
  std::uint32_t index;
  Range codes;
};

enum class ImageKind : std::uint32_t { cubin, shared_object };

struct ImageRecord {
  Text architecture;
  Range functions;   ///< of `names`
  Range symbols;     ///< of `names`: `__constant__` and `__device__` variables
  std::uint64_t at;  ///< in `binaries`, a multiple of binary_alignment
  std::uint64_t bytes;
  ImageKind kind;
  std::uint32_t unused;
};

/// The sections that are bytes come first, then one for the records of each type in the order of RecordTypes.
enum class ByteSection : std::uint32_t { texts, code, binaries };
inline constexpr std::uint32_t byte_sections = 3;

template <typename... Types>
struct TypeList {
  static constexpr std::uint32_t count = sizeof...(Types);
  static constexpr std::size_t bytes[] = {sizeof(Types)...};
  template <typename Type>
  static constexpr std::uint32_t place_of() {
    std::uint32_t place = 0;
    static_cast<void>(((std::is_same_v<Type, Types> || (++place, false)) || ...));
    return place;
  }
};
/// The first three are the sections `names`, `numbers` and `codes`.
using RecordTypes = TypeList<Text, std::int64_t, Code, KernelRecord, ParameterRecord, TargetRecord,
                             MeasuredRecord, NodeRecord, ConfigurationRecord, WorkspaceRecord, StepRecord,
                             OperandRecord, FieldRecord, MapRecord, ImageRecord>;
template <typename Record>
inline constexpr std::uint32_t section_of = byte_sections + RecordTypes::place_of<Record>();
inline constexpr std::uint32_t section_count = byte_sections + RecordTypes::count;

struct Section {
  std::uint64_t at;     ///< from the pack's begin
  std::uint64_t count;  ///< of records
};

inline constexpr std::size_t digest_bytes = 32;

struct Header {
  char mark[8];
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t file_bytes;
  std::uint8_t digest[digest_bytes];  ///< SHA-256 of the whole pack with zeros here
  Section sections[section_count];
};

static_assert(sizeof(Header) == 56 + 16 * section_count);
static_assert(sizeof(KernelRecord) == 40 && sizeof(ParameterRecord) == 32 && sizeof(TargetRecord) == 40);
static_assert(sizeof(MeasuredRecord) == 24 && sizeof(NodeRecord) == 48 && sizeof(ConfigurationRecord) == 64);
static_assert(sizeof(WorkspaceRecord) == 16 && sizeof(StepRecord) == 168 && sizeof(OperandRecord) == 24);
static_assert(sizeof(FieldRecord) == 16 && sizeof(MapRecord) == 16 && sizeof(ImageRecord) == 48);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packs are read where they lie");

constexpr std::size_t record_bytes(std::uint32_t section) {
  return section < byte_sections ? 1 : RecordTypes::bytes[section - byte_sections];
}

/// Bytes of a number; 0 for what is none.
constexpr std::uint32_t size_of(std::uint32_t type) {
  constexpr std::uint8_t bytes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1};  // by tuner_type
  return type < sizeof bytes ? bytes[type] : 0;
}

constexpr bool is_floating(std::uint32_t type) {
  return type >= TUNER_FLOAT16 && type <= TUNER_FLOAT8_E5M2;
}

}  // namespace tuner::use
