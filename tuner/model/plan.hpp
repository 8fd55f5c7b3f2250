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

/// Where a buffer lies: device memory, page-locked host memory, or managed memory.
enum class Memory { device, pinned, managed };

/// Initial contents of a buffer. They depend only on the element's index and a seed, so every device makes
/// the same ones (see device/fill.hpp).
struct Init {
  enum class Kind {
    none,          ///< poison: outputs and workspaces; another one where a is not 0
    constant,      ///< a
    uniform,       ///< real numbers in [a, b)
    integers,      ///< whole numbers in [a, b], both ends included
    iota,          ///< a + b * index
    odd_integers,  ///< odd numbers in [a, b]
    signs,         ///< rows of b elements: -1 or 1 where row + column is a multiple of a, else 0
    normal,        ///< mean a, standard deviation b, cut off at 6 b
    permutation,   ///< the c whole numbers from a on, each once, shuffled
    sorted,        ///< c numbers in [a, b], ascending
    sparse,        ///< 0, but with probability c as `uniform`; for integer types as `integers`
    file,          ///< the contents of BufferPlan::file
    generated,     ///< written by Plan::generator; poison before
  };
  Kind kind = Kind::none;
  double a = 0;
  double b = 0;
  double c = 0;
  bool operator==(const Init&) const = default;
};

/// A part of a file with numbers in memory format.
struct FileContents {
  std::string path;  ///< empty: there is none
  Digest digest;     ///< of the whole file; identities include this and not the path
  std::int64_t first_byte = 0;
  ElementType type = ElementType::float32;  ///< of its elements
  std::int64_t elements = 0;
  bool operator==(const FileContents&) const = default;
};

/// Allowed error beside the rounding bound: the sum of these.
struct Tolerance {
  double absolute = 0;
  double relative = 0;  ///< of |expected|
  double ulps = 0;      ///< of the spacing of the type's numbers near |expected|
  /// This share of an output's numbers may exceed the bound, if they were written and are not NaN.
  double share = 0;
  bool operator==(const Tolerance&) const = default;
};

/// A field of the structs in a buffer. Another buffer of the plan holds this field of all structs.
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
  Init second_init;               ///< for the second input set; Init::none: `init` with another seed
  FileContents file = {};         ///< where `init` is Init::file
  FileContents second_file = {};  ///< where `second_init` is
  FileContents expected = {};     ///< outputs: the expected values, in place of the reference's
  /// Outputs: elements that the reference does not write may hold anything; otherwise they must stay
  /// unwritten.
  bool ignores_unwritten = false;
  /// Outputs: within consecutive groups of this many elements any order is right; 0: order matters.
  std::int64_t unordered_within = 0;
  /// Initial contents are restored before each timed run, so runs are timed singly.
  bool restored = false;
  /// The name of a `__constant__` or `__device__` variable in the kernel's source; empty: memory whose
  /// address is passed. References and generators always receive the address.
  std::string symbol = {};
  Memory memory = Memory::device;
  std::optional<Tolerance> tolerance = {};  ///< outputs: replaces VerifyPlan's
  /// The buffer holds structs of this size, and its elements are bytes; 0: no structs. They are assembled
  /// from the fields' buffers before a run and taken apart after it (device/structs.hpp).
  std::int64_t struct_bytes = 0;
  std::vector<FieldPlan> fields = {};  ///< fields of these structs; none for a workspace
  std::int64_t numbers() const { return elements * components(type); }
  std::int64_t bytes() const { return elements * size_bytes(type); }
  bool operator==(const BufferPlan&) const = default;
};

using TensorMap = TensorMapKeys<AsNumbers>;

/// A texture object (cudaTextureObject_t) over a buffer, or over a CUDA array; or a surface
/// (cudaSurfaceObject_t) over a CUDA array. The buffer is copied into the array, and back where a kernel may
/// have written it.
struct Texture {
  enum class Outside { clamp, border, wrap, mirror };  ///< what reads outside give; border: 0
  std::vector<std::int64_t> shape;                     ///< width and height; empty: linear memory
  std::int64_t pitch_bytes = 0;                        ///< of a row, with a shape
  Outside outside = Outside::clamp;
  bool interpolates = false;            ///< between elements; false: the nearest is read
  bool reads_normalized = false;        ///< integers as floating numbers up to 1
  bool normalized_coordinates = false;  ///< from 0 to 1 instead of to width and height
  bool in_array = false;                ///< with a shape
  bool is_surface = false;              ///< in an array; then only shape and pitch matter
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

/// One kernel argument: a buffer of the plan, the reference's values or magnitudes for an output, a
/// comparison's errors for it, a number or vector, the seed of an input set, or a tensor map or texture over
/// a buffer.
struct Operand {
  enum class Kind { buffer, expected, magnitude, scalar, seed, error, tensor_map, texture };
  Kind kind = Kind::buffer;
  int buffer = -1;                          ///< index into Plan::buffers; unused by scalars
  ElementType type = ElementType::int32;    ///< scalars
  std::int64_t integer = 0;                 ///< scalars of integer type
  double real = 0;                          ///< scalars of floating type
  std::vector<std::int64_t> integers = {};  ///< vectors: instead of `integer`, each component
  std::vector<double> reals = {};           ///< vectors: instead of `real`
  std::optional<TensorMap> tensor = {};     ///< tensor maps
  std::optional<Texture> texture = {};      ///< textures
  std::int64_t struct_bytes = 0;            ///< scalars that are a struct: its size …
  std::vector<StructNumber> numbers = {};   ///< … and its contents, 0 elsewhere
  bool operator==(const Operand&) const = default;
};

struct Step : StepKeys<AsNumbers> {
  enum class Kind { launch, upload, call, memset };
  Kind kind = Kind::launch;
  std::string entry;     ///< kernel; for a call the function of a host library (tuner_baseline.h)
  int repeat_steps = 1;  ///< how many steps a loop has that begins here
  std::vector<Operand> operands;
  int buffer = -1;  ///< upload: buffer whose initial contents are copied from the host; memset: buffer to
                    ///< set; call: workspace, -1 where it has none
  int stream = 0;
  std::vector<int> after;  ///< earlier steps on other streams to wait for
  bool operator==(const Step&) const = default;
};

/// Whether any of `steps` has an operand of this kind over the buffer.
bool refers_to(const std::vector<Step>& steps, Operand::Kind kind, std::size_t buffer);
/// Indices of the steps of one run in execution order, with loops unrolled.
std::vector<std::size_t> launch_order(const std::vector<Step>& steps);

struct VerifyPlan {
  std::vector<Step> reference;  ///< empty: nothing to verify against
  double rounding_terms = 0;    ///< see VerifySpec
  bool second_is_exact =
      false;  ///< results for the second input set must be equal, whatever `rounding_terms` is
  Tolerance tolerance = {};
  /// The type in which operations are rounded, before the result is rounded to the output's type; absent: the
  /// output's type.
  std::optional<ElementType> accumulator = {};
  /// Steps from the reference's binary that run after the kernel. They write a double for each number of an
  /// output (Operand::Kind::error), at most 1 where it is right. Empty: outputs are compared with expected
  /// values.
  std::vector<Step> comparison = {};
  bool operator==(const VerifyPlan&) const = default;
};

/// One configuration on one problem with every expression evaluated: all that a measuring process needs
/// beside the binaries. It has no names of sizes or parameters.
struct Plan {
  std::string problem = {};  ///< Problem::text(), for messages; not part of any identity
  std::vector<BufferPlan> buffers;
  std::vector<Step> steps;
  std::vector<Step> generator;  ///< writes the buffers of Init::generated, from the reference's binary
  VerifyPlan verify;
  bool deterministic = true;

  /// Whether it calls a host library: one beside its kernels, or its binary where it has no kernels.
  bool calls_library() const;
  /// Whether steps of verify.comparison judge output `buffer`.
  bool has_comparison(std::size_t buffer) const;
  /// Whether any buffer must be restored before each timed run.
  bool restores() const;
  /// Device memory of both input sets: the buffers, the CUDA arrays beside them, and the reference's two
  /// double arrays per output.
  std::int64_t device_bytes() const;
  /// Adds everything in the plan, in order.
  void add_to(DigestBuilder& digest) const;
  /// Covers the buffers and the reference. Trials with equal keys share inputs and expected results.
  Digest inputs_key() const;
  bool operator==(const Plan&) const = default;
};

/// Identity of what must be made before a plan can run: the inputs, and the reference's values of the outputs
/// (`reference_key` is the key of its compile job). The sizes of workspaces are not included, since they may
/// depend on the configuration; trailing workspaces are left out altogether. The error bound is not included:
/// a baseline has its own.
Digest preparation_key(const Plan& plan, const Digest& reference_key);
/// Identity of the bounds by which a plan's outputs are judged: what plans of one preparation_key() may
/// differ in.
Digest judgement_key(const Plan& plan);

/// Identity of the numbers in a plan's inputs, drawn from `seed`. Kernels with equal keys receive the same
/// inputs, whatever their names. The binary of `reference_key` contains the generator.
Digest inputs_drawn_key(const Plan& plan, const Digest& reference_key, std::uint64_t seed);

}  // namespace tuner::model
