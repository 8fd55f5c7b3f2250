#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/spec_draft.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/source/access.hpp"
#include "tuner/source/host_code.hpp"
#include "tuner/source/kernel_source.hpp"
#include "tuner/source/program.hpp"

namespace config {
namespace model = tuner::model;
namespace source = tuner::source;
using source::Frame;
using source::GlobalVariable;
using source::HostCode;
using source::LaunchArgument;
using source::PointerUse;
using source::Program;
using source::ProgramFunction;
using source::ProgramLaunch;
using source::SourceField;
using source::SourceParameter;
using source::SourceStruct;
using source::SymbolFacts;
using source::TemplateParameter;
using source::Token;
using source::Tokens;
using source::Value;

struct StructField;

// What the names and types of a source suggest, for the draft of a spec.

std::string upper(std::string text);
bool contains_any(const std::string& text, std::initializer_list<std::string_view> parts);

bool is_integer(const std::string& type);
/// Integers that say how data lies, or how often something is done, and not how large the problem is.
bool is_no_size(const std::string& name);
bool is_scalar_size(const source::SourceField& field);
/// Of these the ones that say how far apart rows lie.
bool is_row_length(const std::string& name);

/// Which of a grid's axes a size goes along by its name; 3: it does not say.
std::size_t axis_of(const std::string& name);

/// How much of what they say two functions' names share, of 100: `vec_add` and `vectorAddCPU` a third.
int likeness(const std::string& one, const std::string& other);

/// A macro or a template parameter that says how large a block is.
bool names_block(const std::string& name);
/// The same of variables of a launch and of what its template arguments set: these have more names for it.
bool is_of_block(const std::string& name);
/// The macro that gives a template parameter its value: one of its own name would replace it in the source.
std::string macro_of(const source::TemplateParameter& parameter);

/// The type that a template's parameter of this name stands for, where nothing says it.
const char* likely_type(const std::string& parameter);

/// What of `one` no [structs] can say; empty: nothing.
std::string no_plain_struct(const source::SourceStruct& one, bool by_value);
/// Its fields, all of known types.
std::vector<StructField> typed_fields(const source::SourceStruct& one);
/// As C++ lays them out.
std::int64_t struct_bytes(const source::SourceStruct& one);
/// An `init` that suits elements of `type`.
const char* usual_init(const std::string& type);

/// `name`, or where that is taken the first of `name_2`, `name_3`, … that is not.
std::string numbered_name(const std::string& name, const std::function<bool(const std::string&)>& is_taken);
/// A decimal number of at most nine digits.
std::optional<std::int64_t> number(const std::string& text);
/// The program's own choices for a block, or else powers of two about its present size, within what a block
/// may have.
std::vector<std::int64_t> block_values(const std::vector<std::int64_t>& choices,
                                       std::optional<std::int64_t> present, bool is_plane);
/// Which of a symbol's values is its default; empty: none is known.
std::string usual_choice(const source::SymbolFacts& facts);

/// A variable of the device that the kernel uses.
struct DeviceVariable {
  const GlobalVariable* variable;
  std::string name;  ///< of its argument
};

/// What a draft is made from: a kernel, and what its program says of it, read once for all parts of the
/// draft. The parts add questions.
struct DraftSource {
  DraftSource(const Program& program, const ProgramFunction& kernel, const DraftRequest& request);

  bool is_launched() const { return !launches.empty(); }
  /// The kernel asks how large its blocks are.
  bool asks_for_block() const;
  /// A value of this type may say how large the problem is: an integer that is no choice of an enumeration.
  bool may_be_size(const SourceParameter& parameter, const std::string& type) const;
  /// Conditions ask for the macro or template parameter, or its name says so, and it is no factor, divisor,
  /// extent or end of a loop.
  bool is_switch(const std::string& name) const;
  /// Values to try for one that is `usual` without tuning; empty: nothing says it.
  std::vector<std::int64_t> guessed_values(const std::string& name, const std::string& usual,
                                           bool is_bool = false) const;
  /// This number, larger than 1, stands in the kernel or in what it calls.
  bool has_number(std::int64_t wanted) const;
  /// An expression over numbers and constants of the source; none: it has others.
  std::optional<std::int64_t> fixed_number(Tokens expression);
  /// In the source's order, without pointers.
  std::vector<DeviceVariable> device_variables() const;
  void ask(std::string question) { questions.push_back(std::move(question)); }

  const Program& program;
  const ProgramFunction& kernel;
  const DraftRequest& request;
  HostCode host;
  std::array<source::SourceAxis, 3> axes;        ///< of the kernel's own text
  std::vector<source::OpenMacro> macros;         ///< of its file
  int host_code_line = 0;                        ///< of the program's first file; see host_code_line()
  std::vector<SourceStruct> structs;             ///< of all files
  std::vector<PointerUse> uses;                  ///< of each parameter
  std::vector<std::vector<std::string>> shapes;  ///< the same; see indexed_shapes()
  std::vector<source::HeldIndex> held;           ///< the same; see held_indices()
  std::vector<ProgramLaunch> launches;           ///< those that say most come first
  std::vector<const ProgramFunction*> reached;
  std::set<std::string_view> words;              ///< of the functions that are reached
  std::set<std::string_view> words_with_macros;  ///< and of what macros among them stand for
  std::vector<std::string> questions;            ///< what it does not say, as it is found out
};

/// A parameter of a drafted spec.
struct DraftParameter {
  std::string name;
  std::vector<std::int64_t> values;
  std::string why;          ///< for the comment; a line each
  std::string usual = {};   ///< its value in the source; empty: not known
  bool is_runtime = false;  ///< no binary depends on it
  bool is_spelled = false;  ///< its value is a word of the source

  /// TOML; `list`: what stands between the brackets of its values.
  std::string toml(const std::string& list) const;
  /// Without the values that are larger; of none the largest.
  void keep_up_to(std::int64_t largest);
};

struct PlannedArgument {
  std::string value;                          ///< of a value, as the spec writes it; empty: not known
  bool keeps_rest = false;                    ///< it divides real numbers where the program divides integers
  std::map<std::string, std::string> fields;  ///< the same of those fields of a struct that are known
  std::vector<std::string> extent;            ///< of a buffer; empty: not known
  std::string extent_from;                    ///< for the comment
  std::string lone_size;  ///< one in the extent that the kernel is not passed; empty: none
  std::string init;       ///< empty: the usual one
  bool is_init_guess = false;
  bool is_null = false;
  std::string type;  ///< of a parameter whose type a template gives; empty: as it is declared
};

/// A launch in the words of a spec.
struct DraftPlan {
  std::vector<std::string> sizes;
  std::vector<std::optional<std::int64_t>> present;  ///< of each size, what the program has
  std::vector<DraftParameter> parameters;
  std::vector<std::string> constraints;
  std::vector<std::string> block, grid;  ///< `?`: not known
  std::string shared_bytes;
  bool cooperative = false;
  std::array<std::int64_t, 3> cluster = {1, 1, 1};
  std::string launch_from;                    ///< for the comment above it
  std::map<std::string, std::string> doubts;  ///< of its keys, for comments; a line each
  bool is_guess = false;                      ///< nothing shows how the kernel is launched
  std::vector<PlannedArgument> arguments;
  std::vector<std::string> template_arguments;
  std::set<std::string> element_types;  ///< template parameters that [kernel] types stands for
  std::vector<std::string> notes;       ///< what the source fixes, for comments
  /// Symbols of the program as the spec writes them, for other expressions over them.
  std::map<std::string, std::string> names;
  std::map<std::string, Value> fixed;
  std::vector<std::pair<Value, Value>> products;  ///< and the sizes they are

  /// `cooperative` and `cluster` of [launch].
  std::string launch_kind() const;
  /// Null where there is none of this name.
  const DraftParameter* parameter(std::string_view name) const;
  DraftParameter* parameter(std::string_view name);
  bool has_parameter(const std::string& name) const { return parameter(name) != nullptr; }
  /// The text has a parameter's name in it.
  bool mentions_parameter(const std::string& text) const;
  /// Once each.
  void add_constraint(const std::string& constraint);
  /// A line behind those that the key has.
  void add_doubt(const std::string& key, const std::string& doubt);
  /// A value of the program in the words of the spec, over its sizes alone; none where it has others.
  std::optional<std::string> over_sizes(const HostCode& host, Value value) const;
};

/// What the source says: plan_launch() where it launches the kernel, else guess_plan().
DraftPlan plan_by_source(DraftSource& source);

/// The plan of a kernel that the source launches. Sizes are the variables that grids, extents and integer
/// arguments depend on; parameters those that set the block, macros that the build may give, and template
/// arguments.
DraftPlan plan_launch(DraftSource& source);

/// The plan of a kernel that it does not launch: integers passed by value are sizes, open macros and template
/// parameters are parameters, and one thread an element is assumed.
DraftPlan guess_plan(DraftSource& source);

/// Offers no blocks that are larger than what the kernel is compiled for, or than its arrays in shared
/// memory.
void limit_blocks(DraftSource& source, DraftPlan& plan);

/// The first sizes of a plan, for a buffer that nothing is known of; asks once where nothing launches the
/// kernel.
std::vector<std::string> guessed_extent(DraftSource& source, const DraftPlan& plan);

/// What the kernel's indices say of the buffer behind a parameter, over the plan's sizes; empty: nothing.
std::vector<std::string> indexed_extent(DraftSource& source, const DraftPlan& plan, std::size_t argument);

/// Whether the name occurs in an expression.
bool mentions(const std::string& expression, const std::string& name);

/// An extent as one expression.
std::string product_text(const std::vector<std::string>& factors);

/// The types of a kernel's parameters as a spec names them.
class DraftTypes {
 public:
  /// Both outlive it.
  DraftTypes(DraftSource& source, const DraftPlan& plan) : m_source(source), m_plan(plan) {}

  /// With the types that a launch gives a template.
  std::string resolved(const SourceParameter& parameter) const;
  /// What the source says of the parameter's type, where a spec can say it; else null.
  const SourceStruct* struct_of(const SourceParameter& parameter) const;
  const SourceStruct* struct_of(const GlobalVariable& variable) const;
  /// The structs of parameters that count, in the source's order.
  std::vector<const SourceStruct*> structs_of(
      const std::function<bool(const SourceParameter&)>& counts) const;
  /// The spec's name of a type; asks where it has none.
  std::string spec_type(const std::string& type, bool pointer, const std::string& name);
  /// A comment behind a type that no spec has, or that no [structs] has and the source defines.
  std::string doubt(const SourceParameter& parameter) const;
  /// [structs] of all that arguments have.
  std::string tables() const;

 private:
  const SourceStruct* defined(const std::string& type) const;
  /// The same where [structs] can have it.
  const SourceStruct* plain(const std::string& type, bool by_value) const;

  DraftSource& m_source;
  const DraftPlan& m_plan;
};

/// A spec's name of a type that has another name in it, as `long long` of `long`; else the name itself.
std::string spec_name(const std::string& type);
/// A string of TOML.
std::string toml_text(std::string_view text);
/// A line of TOML with a comment behind it, or with the lines of several above it.
std::string commented(const std::string& line, const std::string& comments);
/// Names as a list of TOML.
std::string toml_list(const std::vector<std::string>& names);
/// `float x[4]`
std::string field_text(const SourceField& field);

/// A buffer of the kernel as its spec has it.
struct DraftBuffer {
  std::string name;
  std::string type;    ///< of its elements
  std::string extent;  ///< an expression over sizes
  bool is_input = false;
  bool is_output = false;
  bool is_guess = false;  ///< nothing says its extent
};

/// A result that a reference has to give.
struct DraftOutput {
  std::string name;  ///< of a buffer, or of a field of its elements: `x.y`
  bool has_magnitude;
};

/// A parameter of the kernel as its spec has it.
struct DraftArgument {
  std::string name;
  std::string table;                  ///< TOML
  std::optional<std::size_t> buffer;  ///< its place among DraftArguments::buffers; none: it is no buffer
};

/// The arguments of a kernel as its draft has them, and what is right. TOML, where nothing else is said.
struct DraftArguments {
  std::vector<DraftArgument> each;  ///< parameters of the kernel
  std::string variables;            ///< of the device, which it uses
  std::string structs;              ///< of those that the source does not say
  std::string verify;               ///< empty: the spec verifies nothing
  std::string reference;            ///< CUDA C++
  std::vector<std::string> inputs;  ///< buffers that hold something before the launch
  std::vector<DraftOutput> outputs;
  std::vector<DraftBuffer> buffers;
  std::vector<DraftFile> files;
  std::vector<std::string> constraints;  ///< under which extents are right
  std::vector<std::string> sizes;        ///< of the launches that the spec is held against
};

/// Of the parameters of a kernel; those without a name are counted.
std::vector<std::string> argument_names(const ProgramFunction& kernel);
/// `float* x`, begun as [[arguments]]: name, type, and what is said behind the type.
std::string argument_table(const std::string& name, std::string_view type, const std::string& behind = "");

/// The same of a tensor map, a texture or a surface, over a buffer that nobody has named.
std::string view_table(const model::ArgumentSpec& argument, const std::string& name, const std::string& type,
                       const std::vector<std::string>& shape);

/// Of each parameter of the kernel, and of each variable of the device that it uses, by its source alone.
DraftArguments draft_arguments(DraftSource& source, const DraftPlan& plan);

/// What the table of an output says of its tolerance: what was `said`, or by its type. Integers are equal.
std::string tolerance_text(const DraftBuffer& output, std::optional<double> said = std::nullopt);

/// Adds what is right. Of a kernel that the source launches, the function that computes the same on the CPU,
/// where there is one. Of another, the place of a reference that is still to be written.
void draft_verification(DraftSource& source, const DraftPlan& plan, DraftArguments& arguments);

/// Functions of a program's host code as text for a device, in double precision: `float` is `double` there,
/// and `expf` is `exp`.
class DoubleText {
 public:
  /// `types` has those of a template by their names, in double precision. `sizes`: names of the program that
  /// are sizes of the spec, variables here. The program outlives this.
  DoubleText(const Program& program, std::map<std::string, std::string> types, std::set<std::string> sizes)
      : m_program(program), m_host(program), m_types(std::move(types)), m_sizes(std::move(sizes)) {}

  /// What a type or another word of the source is called.
  std::string name(const std::string& word) const;
  std::string body(const ProgramFunction& function) { return written(function.body, locals(function)); }
  /// The type of what it returns.
  std::string result(const ProgramFunction& function) const;
  /// Definitions of all that a function uses: macros, constants and other functions. None where one of these
  /// does more than compute, or is something else.
  std::optional<std::string> used_by(const ProgramFunction& function);

 private:
  using Names = std::set<std::string, std::less<>>;

  /// Variables and parameters of a function.
  Names locals(const ProgramFunction& function);
  /// `kept`: names that stand for variables, whatever else they may be.
  std::string word(const Token& token, const Names& kept) const;
  std::string written(Tokens tokens, const Names& kept = {}) const;
  std::string helper(const ProgramFunction& function);
  /// What functions use that is no function; none: it cannot be written.
  std::optional<std::string> constants(const std::vector<const ProgramFunction*>& functions);
  /// The same of one name: its definition, empty where it needs none.
  std::optional<std::string> constant(std::string_view name) const;
  /// A function has an array of so many elements.
  bool is_extent(std::string_view name, const std::vector<const ProgramFunction*>& functions);

  const Program& m_program;
  HostCode m_host;
  std::map<std::string, std::string> m_types;
  std::set<std::string> m_sizes;
};

/// A name of a narrower type or of a function of one in double precision; any other as it is.
std::string in_double(const std::string& name);

/// Whether a function has parameters, and its own text does nothing but compute.
bool computes_alone(const ProgramFunction& function);

struct CpuReference {
  std::string function;  ///< of the source, as `gelu_cpu`
  int line = 0;
  std::string text;                    ///< device code that computes the same in double precision
  std::vector<std::string> arguments;  ///< of its launch
  std::string fixed_size;              ///< a macro of the program in its place has another value; empty: none
};

/// A function of the host that computes what the kernel does, made a reference: the program calls it with
/// host buffers that it copies to or compares with those of the launch that says most. None where there is no
/// such function, or where it does more than compute.
std::optional<CpuReference> cpu_reference(DraftSource& source, const DraftPlan& plan,
                                          const std::vector<DraftBuffer>& buffers);

}  // namespace config
