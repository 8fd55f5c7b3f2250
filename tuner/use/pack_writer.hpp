#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/use/pack_format.hpp"

/// The contents of a pack as plain values, and the writer of its bytes. Everything constant for a
/// configuration (parameters, element size, padding) must be evaluated already: the rest depends on the
/// sizes, the device's limits, and values derived from both.
namespace tuner::use {

/// `integer`: a constant, which variable is loaded, or the instruction (by place in the code, behind this
/// one; its length to end) that a jump goes to.
struct Instruction {
  Op op = Op::integer;
  std::int64_t integer = 0;
  double real = 0;  ///< Op::real
};

/// Code that leaves one value. Empty: not said, which each member that may be empty explains.
struct Expression {
  std::vector<Instruction> code = {};
  bool is_real = false;  ///< calculates with doubles; integer constants and variables are converted
  bool empty() const { return code.empty(); }
};

Expression constant(std::int64_t value);
Expression constant_real(double value);
Expression size(std::uint32_t index);     ///< of Kernel::sizes
Expression limit(Limit limit);            ///< what the device says when it is launched
Expression derived(std::uint32_t index);  ///< of Configuration::derived
/// A binary operator on two of the same kind.
Expression binary(Op op, const Expression& a, const Expression& b);
Expression unary(Op op, const Expression& a);
/// `expression` with the code of derived values in place of their loads: for where a configuration's derived
/// values are not at hand. `derived` as Configuration::derived. Not for code on doubles: those values are
/// whole.
Expression inlined(const Expression& expression, const std::vector<Expression>& derived);

/// What a caller passes, in the order in which they pass it. Not what the kernel makes of sizes itself, nor
/// workspaces and tensor maps.
struct Parameter {
  std::string name = {};
  std::string type_name = {};  ///< for people: `float*`, `float4*`, `int`
  tuner_type type =
      TUNER_ANY;  ///< of the number, or of what the pointer points to, of a vector its components
  bool is_pointer = false;
  bool is_read = true;      ///< pointers: the kernel reads what is there
  bool is_written = false;  ///< pointers
  Expression bytes =
      {};  ///< pointers: how many must be there, over sizes and limits. Zero or less: null is fine
  std::uint32_t alignment = 16;  ///< pointers: that every launch can rely on, a power of two
};

/// Memory beside the arguments, which the caller brings in one piece.
struct Workspace {
  Expression bytes = {};  ///< of a configuration; 0 or less: none for these sizes
  /// zero_first: 0 before the first launch, and each launch leaves it so. zero_always: the library sets it to
  /// 0 before each launch, in the stream.
  Fill fill = Fill::anything;
};

/// A number in a struct that is passed by value, or a vector's component.
struct Field {
  std::uint16_t offset = 0;
  tuner_type type = TUNER_INT32;
  std::uint32_t parameter = no_index;  ///< the caller's number, of Kernel::parameters
  Expression value = {};               ///< else
};

/// A CUtensorMap, dimensions innermost first, as in cuTensorMapEncodeTiled.
struct TensorMap {
  bool is_workspace = false;
  std::uint32_t index = 0;  ///< of Kernel::parameters, or of Configuration::workspaces
  tuner_type type = TUNER_FLOAT32;
  std::vector<Expression> shape = {};            ///< elements
  std::vector<Expression> strides = {};          ///< bytes, one fewer than shape
  std::vector<Expression> box = {};              ///< elements
  std::vector<Expression> element_strides = {};  ///< empty: all 1
  Expression interleave = {};                    ///< bytes: 0, 16, 32; empty: 0
  Expression swizzle = {};                       ///< bytes: 0, 32, 64, 128; empty: 0
  Expression l2_promotion = {};                  ///< bytes: 0, 64, 128, 256; empty: 0
  bool nan_outside = false;
};

/// One argument of a kernel function.
struct Operand {
  OperandKind kind = OperandKind::parameter;
  std::uint32_t index = 0;         ///< parameter, workspace
  tuner_type type = TUNER_INT32;   ///< number
  Expression value = {};           ///< number: real for floating types
  std::uint16_t struct_bytes = 0;  ///< structure (also a vector by value): its bytes …
  std::vector<Field> fields = {};  ///< … and what they hold; 0 between
  TensorMap map = {};              ///< tensor_map
};

/// Steps run one after the other in one stream, in this order, whatever streams they were measured in.
struct Step {
  StepKind kind = StepKind::launch;
  Expression when = {};            ///< 0: the step is left out; empty: it is not
  Expression repeat = {};          ///< of the step that a loop begins with: how often it runs
  std::uint16_t repeat_steps = 0;  ///< of that step: how many steps the loop has; 0: no loop begins here
  // A launch.
  std::string function = {};             ///< symbol in the image
  std::vector<Expression> grid = {};     ///< up to 3 values; missing ones are 1
  std::vector<Expression> block = {};    ///< as `grid`
  std::vector<Expression> cluster = {};  ///< as `grid`; none: as the kernel itself says
  Expression dynamic_shared_bytes = {};  ///< empty: 0
  Expression cooperative = {};           ///< empty: 0
  Expression overlap = {};               ///< programmatic dependent launch; empty: 0
  Expression shared_carveout = {};       ///< percent; empty, or -1: the driver's choice
  std::vector<Operand> operands = {};
  // A memset.
  bool is_workspace = false;
  std::uint32_t target = 0;    ///< of Kernel::parameters, or of Configuration::workspaces
  Expression first_byte = {};  ///< empty: 0
  Expression byte_count = {};  ///< empty: up to the end
  Expression byte = {};        ///< empty: 0
  // A copy of `byte_count` bytes between `target`, a parameter, and a symbol; or a memset of the symbol.
  std::string symbol = {};  ///< a variable of the image
};

/// One launch plan. It serves every target of one architecture.
struct Configuration {
  std::string kernel = {};  ///< which of the family's
  std::string name = {};    ///< for people: `TILE_M=64 TILE_N=128`
  /// Values that expressions of this configuration share. Each may read those before it. One without a value
  /// harms only what reads it.
  std::vector<Expression> derived = {};
  /// Whether it can launch at these sizes on this device: the spec's constraints that depend on them. Empty:
  /// always. Asked by pick() where the sizes were not measured, so be brief.
  Expression applies = {};
  std::vector<Workspace> workspaces = {};
  std::vector<Step> steps = {};
  std::uint32_t image = 0;  ///< of Pack::images
};

/// A kernel's binary for one architecture: what the driver loads, or a shared object of the host's compiler.
struct Image {
  std::string architecture = {};  ///< sm_90, as DeviceInfo has it; `host` for shared objects
  ImageKind kind = ImageKind::cubin;
  std::string bytes = {};
};

/// A size that was measured on the target's GPU.
struct MeasuredSize {
  std::vector<std::int64_t> sizes = {};
  std::uint32_t configuration = 0;
  double expected_ns = 0;  ///< 0: not known
  /// Against the best that was measured at this size: 0.013 is 1.3 %.
  double loss = 0;
};

/// A node of the decision tree. `yes` and `no` are places in Target::rule, behind this node.
struct RuleNode {
  Expression condition = {};  ///< over sizes and limits, also on doubles; empty: a leaf
  std::uint32_t yes = 0;
  std::uint32_t no = 0;
  // A leaf.
  std::uint32_t configuration = 0;
  /// Tried in this order where `configuration` does not apply; the bound is said of those of its kernel and
  /// name alone, which are other binaries of the same.
  std::vector<std::uint32_t> otherwise = {};
  double loss_bound = -1;  ///< of sizes that were not measured; negative: not known
  double confidence = 0;   ///< at which share of them the bound holds
};

/// What is known for an architecture, or for one GPU of it.
///
/// For a GPU that no target names, the first target of its architecture answers, one without `gpu` before
/// others.
struct Target {
  std::string architecture = {};  ///< sm_90
  std::string gpu = {};           ///< DeviceInfo::name; empty: any of this architecture
  std::vector<MeasuredSize> measured = {};
  std::vector<RuleNode> rule = {};  ///< the root first; empty: none
  /// The last rung of the ladder: the spec's default, several where its binary depends on the size.
  std::vector<std::uint32_t> defaults = {};
};

/// A family at an element type.
struct Kernel {
  std::string family = {};
  std::string type = {};  ///< CUDA's name of the element type: `float`
  std::vector<std::string> sizes = {};
  std::vector<Parameter> parameters = {};
  std::vector<Target> targets = {};
};

struct Pack {
  std::vector<Kernel> kernels = {};
  std::vector<Configuration> configurations = {};  ///< of all kernels
  std::vector<Image> images = {};                  ///< equal ones are stored once
};

/// The bytes of the file; equal packs have equal bytes. Throws std::invalid_argument that names the mistake
/// where the pack does not make sense: an index of nothing, code that does not leave one value, a
/// configuration whose image is of another architecture than its target.
std::string written(const Pack& pack);

}  // namespace tuner::use
