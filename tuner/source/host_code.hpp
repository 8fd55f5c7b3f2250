#pragma once
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/program.hpp"
#include "tuner/source/values.hpp"

namespace tuner::source {

/// How far values are followed through calls and assignments.
constexpr int deepest_value = 48;
/// How many expressions are worked out: functions that call each other twice make more of them than any time
/// suffices for.
constexpr int most_values = 1 << 18;
/// Tokens of an expression that is worked out.
constexpr std::size_t longest_value = 400;

/// A variable of a function's body.
struct LocalVariable {
  std::string name;
  Tokens type;
  bool pointer = false;
  bool constant = false;
  std::size_t position = 0;   ///< of its name in the program's code
  std::size_t scope_end = 0;  ///< of the braces around it
  Tokens init;                ///< behind `=`, or with its brackets or braces
  std::vector<Tokens> extents;
};

/// `path = value`, also of a member, as `grid.x`.
struct LocalAssignment {
  std::string path;
  Tokens value;  ///< empty: changed in another way, as by `+=` or `++`
  std::size_t position = 0;
  bool steps = false;         ///< by `++` or `+=`
  bool conditional = false;   ///< the statement of an `if` without braces
  std::size_t scope_end = 0;  ///< of the braces around it
};

struct FunctionVariables {
  std::vector<LocalVariable> variables;
  std::vector<LocalAssignment> assignments;
};

/// A call of a function: its position, its caller and its arguments.
struct Frame {
  const ProgramFunction* function = nullptr;
  std::size_t position = 0;  ///< what stands behind it has not run yet
  const Frame* caller = nullptr;
  std::vector<Tokens> arguments;
  std::vector<Tokens> template_arguments;
  bool leads_to_launch = false;  ///< a name that its template gives a number stays a name
};

/// What is known of a symbol.
struct SymbolFacts {
  std::string name;                     ///< as the source has it: `n`, `dims.x`
  std::optional<std::int64_t> present;  ///< its value, where the source gives one
  std::vector<std::int64_t> choices;    ///< an array's, where the program goes through one
  bool constant = false;                ///< a macro, or const and a literal
  bool is_macro = false;
  bool guarded = false;   ///< a macro that the build may give
  bool counter = false;   ///< of a loop, or changed by `++` elsewhere
  bool is_limit = false;  ///< of the device; `name` is what a spec calls it
  int changed_line = 0;   ///< a line that makes it another in a way that is not worked out; 0: none
  const ProgramFunction* function = nullptr;  ///< whose variable it is; null: global
};

/// A pointer's variable: where its buffer comes from.
struct PointerOrigin {
  const Frame* frame = nullptr;
  std::string path;      ///< `d_x`, `data.x`
  std::string type;      ///< of its elements, as it is declared
  bool is_null = false;  ///< the pointer is NULL
};

/// Works out expressions of a program's host code.
class HostCode {
 public:
  explicit HostCode(const Program& program) : m_program(program) {}

  const Program& program() const { return m_program; }
  Value evaluate(Tokens tokens, const Frame& frame);
  /// Of a `dim3`, or an integer.
  std::array<Value, 3> dimensions(Tokens tokens, const Frame& frame);
  /// The type that a name or type expression stands for in `frame`, resolved as far as it can be.
  std::string type_in(Tokens tokens, const Frame& frame);
  PointerOrigin origin(Tokens tokens, const Frame& frame);
  /// Size of a type in bytes: a number, or a symbol that stands for it.
  Value size_of(const std::string& type);
  const FunctionVariables& variables_of(const ProgramFunction& function);
  const LocalVariable* local(std::string_view name, const Frame& frame);
  const SymbolFacts& facts(const std::string& symbol) const { return m_symbols.at(symbol); }
  const Frame* keep(Frame frame);
  /// A name, in the function of which `parameter` is one, for a part of what a call gives it: of a pack an
  /// element, of a kernel one of its template arguments.
  Tokens part_of(const Token& parameter, std::size_t part);
  /// Calls of `function` in host code, each with its frame's position and arguments, without callers.
  std::vector<Frame> calls_of(const ProgramFunction& function);
  /// The value of a variable or a member of one.
  Value variable(const std::string& path, const Frame& frame);
  Value inlined(const ProgramFunction& function, const Frame& frame);

 private:
  Value symbol(const std::string& key, SymbolFacts facts);
  /// What a parameter is set to, whatever was passed: `block_size = 32` before the launch.
  std::optional<std::int64_t> number_set_before(const std::string& path, const Frame& frame);
  Value local_value(const LocalVariable& variable, const std::string& path, const Frame& frame);
  /// Of `first; if (n % d) blocks++`, which steps at `step`: the quotient in `first` rounded up.
  std::optional<Value> rounded_up(Tokens first, const LocalAssignment& step, const Frame& frame);
  /// Of `if (n > 1024) n = 1024`, where `last` is what it sets: the smaller, or with `<` the larger.
  std::optional<Value> clamped(const LocalAssignment& last, Frame frame);
  std::optional<Value> component(Tokens init, const std::string& member, const Frame& frame);
  std::optional<Value> member_of_device(const std::string& path);
  /// What a list in braces gives a member of a struct; empty: nothing.
  Tokens listed(const LocalVariable& variable, const std::string& member) const;
  Value member_of_class(const std::string& name);
  std::optional<Value> global_value(const std::string& name);
  Value constant_value(const std::string& name, Tokens tokens, SymbolFacts facts);
  /// What a typedef says a type is, or `using type = …` of the frame's function where it names nothing local.
  Tokens alias_of(const std::string& type, const Frame& frame);
  static std::optional<Tokens> argument_of(std::string_view name, const Frame& frame);

  const Program& m_program;
  std::map<const ProgramFunction*, FunctionVariables> m_variables;
  std::map<std::string, SymbolFacts> m_symbols;
  std::deque<Frame> m_frames;
  std::deque<std::pair<std::string, Token>> m_parts;  ///< names that part_of() made
  int m_depth = 0;
  int m_evaluated = 0;
};

bool is_integer_type(std::string_view type);
/// Of a type of CUDA C++; 0: it is none that is known.
std::int64_t bytes_of(std::string_view type);
/// An expression without casts and brackets around all of it.
Tokens uncast(Tokens tokens);

/// Whether a variable of this type is a grid or a block.
bool is_dimensions(std::string_view type);

/// What a program puts into a buffer before the launch, as far as it can be told.
struct BufferContents {
  enum class Kind { unknown, zero, one, unit, whole };  ///< unit: from 0 to 1; whole: below `below`
  Kind kind = Kind::unknown;
  Value below;
  bool is_guess = false;  ///< some elements may hold something else
};

struct LaunchArgument {
  Tokens tokens;
  Value value;             ///< of a value
  PointerOrigin origin;    ///< of a pointer
  Value bytes;             ///< of its buffer; unknown: no allocation was found
  int bytes_line = 0;      ///< of the allocation
  bool is_filled = false;  ///< the line fills or copies so many, and nothing allocates it
  BufferContents contents;
};

/// Whether a function of the runtime of this name allocates a buffer.
bool is_allocation(std::string_view name);
/// Of an argument whose origin and bytes are known. What has no one value for all elements is unknown.
BufferContents contents_of(HostCode& host, const LaunchArgument& argument);

/// A launch as it is written: by `<<<…>>>`, or by a call of the runtime.
struct LaunchText {
  const ProgramFunction* function = nullptr;
  std::size_t position = 0;
  std::size_t call = 0;  ///< of the function, which passes it the kernel; 0: the function names it itself
  int line = 0;
  int file = 0;
  std::vector<Tokens> template_arguments;
  Tokens grid, block, shared;
  std::vector<Tokens> arguments;
  bool cooperative = false;
  std::array<std::int64_t, 3> cluster = {1, 1, 1};
};

/// All of a kernel, in the order of the program.
std::vector<LaunchText> launch_texts(HostCode& host, const ProgramFunction& kernel);

/// A launch of a kernel, as the program's host code has it.
struct ProgramLaunch {
  const Frame* frame = nullptr;  ///< of the function that launches
  int line = 0;
  int file = 0;
  std::vector<Tokens> template_arguments;
  std::array<Value, 3> grid;
  std::array<Value, 3> block;
  Value shared_bytes;
  Tokens shared_text;  ///< the same as it is written
  bool cooperative = false;
  std::array<std::int64_t, 3> cluster = {1, 1, 1};
  std::vector<LaunchArgument> arguments;
  std::vector<Value> conditions;  ///< asserted on the way
  /// `if (block == 16)` and `case 16:` around it: a symbol with the number that it has here.
  std::vector<std::pair<Value, Value>> equalities;
};

/// All launches of a kernel in host code; those that say most come first.
std::vector<ProgramLaunch> launches_of(HostCode& host, const ProgramFunction& kernel);

}  // namespace tuner::source
