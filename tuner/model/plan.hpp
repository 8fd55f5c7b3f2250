#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/spec_keys.hpp"

namespace tuner::model {

enum class Access { in, out, inout, workspace };
inline bool is_written(Access access) {
  return access == Access::out || access == Access::inout;
}

/// Where a buffer lies: in the device's own memory, in the host's (page-locked), or where the driver moves
/// it.
enum class Memory { device, pinned, managed };

/// Initial contents of a buffer, a function of the element's index and a seed alone, so that every device
/// makes the same ones (see device/fill.hpp).
struct Init {
  enum class Kind {
    none,          ///< poison: outputs and workspaces
    constant,      ///< a
    uniform,       ///< real numbers in [a, b)
    integers,      ///< whole numbers in [a, b], both ends included
    iota,          ///< a + b * index
    odd_integers,  ///< odd numbers in [a, b]
    signs,         ///< rows of b elements: -1 or 1 where row + column is a multiple of a, else 0
    normal,        ///< about a, with standard deviation b; none is farther from a than 6 b
    permutation,   ///< the c whole numbers from a on, each once
    sorted,        ///< c numbers in [a, b] that do not descend
    sparse,        ///< 0, but with probability c a number as `uniform`, of integer types as `integers`
    file,          ///< BufferPlan::file has it
    generated,     ///< Plan::generator writes it; poison before
  };
  Kind kind = Kind::none;
  double a = 0;
  double b = 0;
  double c = 0;
  bool operator==(const Init&) const = default;
};

/// Part of a file that holds numbers as they are in memory.
struct FileContents {
  std::string path;  ///< empty: there is none
  Digest digest;     ///< of the whole file; what it says is part of identities, where it lies is not
  std::int64_t first_byte = 0;
  ElementType type = ElementType::float32;  ///< of its elements
  std::int64_t elements = 0;
  bool operator==(const FileContents&) const = default;
};

/// How far a result may be from what is expected besides the rounding bound: by the sum of these.
struct Tolerance {
  double absolute = 0;
  double relative = 0;  ///< of |expected|
  double ulps = 0;      ///< of the distance of the type's numbers about |expected|
  /// Of an output's numbers, so many may be farther off, as long as they are written and no NaN.
  double share = 0;
  bool operator==(const Tolerance&) const = default;
};

/// A field of the structs in a buffer: another buffer of the plan has it alone, for all of them.
struct FieldPlan {
  int buffer = -1;
  std::int64_t offset_bytes = 0;
  bool operator==(const FieldPlan&) const = default;
};

struct BufferPlan {
  std::string name;
  ElementType type = ElementType::float32;
  std::int64_t elements = 0;
  Access access = Access::in;
  Init init;
  Init second_init;               ///< of the second input set; Init::none: `init`, with another seed
  FileContents file = {};         ///< where `init` is Init::file
  FileContents second_file = {};  ///< where `second_init` is
  FileContents expected = {};     ///< outputs: what they must be, instead of what the reference says
  /// Outputs: elements that the reference leaves unwritten may hold anything; else they must be left alone.
  bool ignores_unwritten = false;
  /// Outputs: within groups of so many elements, one after the other, their order does not count; 0: it does.
  std::int64_t unordered_within = 0;
  /// Has its initial contents again before each timed run, which is then timed singly.
  bool restored = false;
  /// The `__constant__` or `__device__` variable of the kernel's binary that this is, as its source calls it;
  /// empty: memory that the kernel is given the address of. The reference and generators are in either case.
  std::string symbol = {};
  Memory memory = Memory::device;
  std::optional<Tolerance> tolerance = {};  ///< outputs: instead of VerifyPlan's
  /// Structs of so many bytes each, and its elements are their bytes; 0: it holds none. What they are is made
  /// of the buffers of their fields before a run and taken apart into these behind it (device/structs.hpp).
  std::int64_t struct_bytes = 0;
  std::vector<FieldPlan> fields = {};  ///< of these structs; of a workspace none
  std::int64_t numbers() const { return elements * components(type); }
  std::int64_t bytes() const { return elements * size_bytes(type); }
  bool operator==(const BufferPlan&) const = default;
};

using TensorMap = TensorMapKeys<AsNumbers>;

/// A texture object over a buffer where it lies, cudaTextureObject_t, or over a CUDA array that the buffer is
/// copied into and, where a kernel may have written it, out of again; then maybe a cudaSurfaceObject_t.
struct Texture {
  enum class Outside { clamp, border, wrap, mirror };  ///< what is read there; border: 0
  std::vector<std::int64_t> shape;                     ///< width and height; empty: linear memory
  std::int64_t pitch_bytes = 0;                        ///< of a row, with a shape
  Outside outside = Outside::clamp;
  bool interpolates = false;            ///< between elements, else the nearest is read
  bool reads_normalized = false;        ///< integers as floating numbers up to 1
  bool normalized_coordinates = false;  ///< from 0 to 1 instead of to width and height
  bool in_array = false;                ///< with a shape
  bool is_surface = false;              ///< in an array; then only shape and pitch say anything
  bool operator==(const Texture&) const = default;
};

/// A number in a struct that is passed by value.
struct StructNumber {
  ElementType type = ElementType::int32;
  std::int64_t offset_bytes = 0;
  std::int64_t integer = 0;  ///< of integer types
  double real = 0;           ///< of floating types
  bool operator==(const StructNumber&) const = default;
};

/// One kernel argument: a buffer of the plan, what the reference says of an output buffer, what a comparison
/// says of it, a number or a vector of them, the seed of an input set, or a tensor map or a texture over a
/// buffer.
struct Operand {
  enum class Kind { buffer, expected, magnitude, scalar, seed, error, tensor_map, texture };
  Kind kind = Kind::buffer;
  int buffer = -1;                          ///< index into Plan::buffers, for all but scalars
  ElementType type = ElementType::int32;    ///< scalars
  std::int64_t integer = 0;                 ///< scalars of integer type
  double real = 0;                          ///< scalars of floating type
  std::vector<std::int64_t> integers = {};  ///< vectors: instead of `integer`, each component
  std::vector<double> reals = {};           ///< vectors: instead of `real`
  std::optional<TensorMap> tensor = {};     ///< tensor maps
  std::optional<Texture> texture = {};      ///< textures
  std::int64_t struct_bytes = 0;            ///< scalars that are a struct of so many bytes, which …
  std::vector<StructNumber> numbers = {};   ///< … holds these, and 0 between them
  bool operator==(const Operand&) const = default;
};

struct Step : StepKeys<AsNumbers> {
  enum class Kind { launch, upload, call, memset };
  Kind kind = Kind::launch;
  std::string entry;     ///< kernel, or for a call the function of a host library (tuner_baseline.h)
  int repeat_steps = 1;  ///< how many steps a loop has that begins here
  std::vector<Operand> operands;
  int buffer = -1;  ///< upload: buffer whose initial contents are copied from the host; memset: the
                    ///< one it sets; call: the workspace it may use, -1 where it has none
  int stream = 0;
  std::vector<int> after;  ///< earlier steps on other streams to wait for
  bool operator==(const Step&) const = default;
};

/// Whether any of `steps` has an operand of this kind over the buffer.
bool refers_to(const std::vector<Step>& steps, Operand::Kind kind, std::size_t buffer);
/// The steps of one run, by index, in the order they run in: loops written out.
std::vector<std::size_t> launch_order(const std::vector<Step>& steps);

struct VerifyPlan {
  std::vector<Step> reference;  ///< empty: nothing to verify against
  double rounding_terms = 0;    ///< see VerifySpec
  bool second_is_exact =
      false;  ///< results of the second input set must be equal, whatever rounding_terms says
  Tolerance tolerance = {};
  /// In which the operations are rounded, before the result is rounded once to the type of the output;
  /// absent: that type.
  std::optional<ElementType> accumulator = {};
  /// Run after the kernel, from the reference's binary: writes a double for each number of an output
  /// (Operand::Kind::error), at most 1 where that is right. Empty: outputs are compared with what is
  /// expected.
  std::vector<Step> comparison = {};
  bool operator==(const VerifyPlan&) const = default;
};

/// One configuration on one problem with every expression evaluated: all that a measuring process needs
/// besides the binaries. It knows no names of sizes or parameters.
struct Plan {
  std::string problem = {};  ///< for messages, as Problem::text() has it; no part of any identity
  std::vector<BufferPlan> buffers;
  std::vector<Step> steps;
  std::vector<Step> generator;  ///< writes the buffers of Init::generated, from the reference's binary
  VerifyPlan verify;
  bool deterministic = true;

  /// Whether it calls a host library: one beside its kernels, or, where it has none, its binary.
  bool calls_library() const;
  /// Whether the kernel finds output `buffer` right or wrong by steps of verify.comparison.
  bool has_comparison(std::size_t buffer) const;
  /// Whether any buffer must be restored before each timed run.
  bool restores() const;
  /// Device memory of both input sets: the buffers, the CUDA arrays beside them, and the reference's two
  /// double arrays per output.
  std::int64_t device_bytes() const;
  /// Over everything in the plan, in order.
  void add_to(DigestBuilder& digest) const;
  /// Over the buffers and the reference alone: trials with equal ones share inputs and expected results.
  Digest inputs_key() const;
  bool operator==(const Plan&) const = default;
};

/// Identity of what is made before a plan can be run: inputs, and what the reference (the key of its compile
/// job) says of the outputs. Workspaces are no part of it, since their sizes may depend on the configuration,
/// nor are those behind all other buffers at all; and no part is how near to what the reference says a result
/// must be: a baseline has a bound of its own.
Digest preparation_key(const Plan& plan, const Digest& reference_key);

/// Identity of the numbers in the inputs of a plan, drawn from `seed`: kernels that have it in common are
/// given the same, whatever they call them. `reference_key`: as above, whose binary has the generator.
Digest inputs_drawn_key(const Plan& plan, const Digest& reference_key, std::uint64_t seed);

}  // namespace tuner::model
