#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/draft_plan.hpp"
#include "tuner/source/program.hpp"

namespace config {

/// An argument of kernels that are timed beside each other.
struct TimedArgument {
  std::string name;
  std::optional<DraftBuffer> buffer;  ///< none: a value
  bool is_workspace = false;
};

/// Its elements are structs, which have no one value to compare.
bool has_structs(const TimedArgument& argument);

struct TimeReferenceRequest {
  std::string file;    ///< what specs call it
  std::string source;  ///< of the kernel; its folder is among the spec's `include`
  std::string text;    ///< what stands in its place; empty: it is included
  std::string entry;   ///< it and its launch without parameters
  std::vector<std::pair<std::string, std::string>> macros;
  std::vector<std::string> block, grid;
  std::string shared_bytes;
  std::vector<TimedArgument> arguments;
  std::optional<double> tolerance;  ///< of results that are rounded; none: by their type
};

/// One kernel as the reference of others.
struct TimeReference {
  std::string source;                   ///< CUDA C++
  std::string derived;                  ///< what it adds to a spec: [derived], …
  std::vector<std::string> tolerances;  ///< … to the table of each argument, …
  std::string buffers;                  ///< … buffers for its results, …
  std::string verify;                   ///< … and [verify]
};

/// Runs the kernel on copies of its outputs, twice over different contents. Where the contents stay, the
/// kernel writes nothing, and no other may write there.
TimeReference time_reference(const TimeReferenceRequest& request);

/// An argument as `tuner time --args` says it.
struct GivenArgument {
  enum class Kind { guess, buffer, value };
  Kind kind = Kind::guess;
  std::string type;                 ///< of elements; empty: the signature's
  std::vector<std::string> extent;  ///< of a buffer
  std::string access;               ///< empty: as the kernel's text shows
  std::string init;                 ///< as a spec has it; empty: the usual one
  std::string value;
};

/// At the commas that stand in no brackets. In types `<` is one; in expressions it compares.
enum class ListOf { types, expressions };
std::vector<std::string> split_list(std::string_view text, ListOf what);

/// One of `--args`; see time_specs(). Throws model::UsageError.
GivenArgument read_given_argument(std::string_view text);

/// `text` with each name in it as `rename` has it; names of functions stay.
std::string with_names(std::string_view text, const std::function<std::string(const std::string&)>& rename);
/// Names in an expression that stand for values, each once, in order. Limits of devices are none.
std::vector<std::string> names_in(std::string_view text);

/// A kernel to be timed beside others.
struct TimedKernel {
  std::string name;    ///< that its spec gives it
  std::string source;  ///< an absolute path
  std::string entry;   ///< as it was asked for: `tile` or `tile<32>`
  const Program& program;
  const ProgramFunction& function;
  std::string folder;                     ///< of the source, relative to its spec
  std::vector<std::string> include = {};  ///< folders of headers, relative to the spec too
  /// Expressions; what is empty is that of its launch in the source, else of the first kernel, else a guess.
  std::vector<std::string> block = {};
  std::vector<std::string> grid = {};
  std::string shared_bytes = {};
};

struct TimeRequest {
  std::string family;
  std::vector<TimedKernel> kernels;                         ///< at least two
  std::optional<std::string> arguments;                     ///< one for each parameter, see time_specs()
  std::vector<std::pair<std::string, std::string>> macros;  ///< names and values
  std::optional<double> tolerance;  ///< of results that are rounded, relative and absolute
  bool compares = true;             ///< results with those of the first
  std::string reference_file;       ///< what specs call the reference
};

/// What lets a sweep time kernels that have no spec.
struct TimeSpecs {
  std::vector<std::string> sizes;                    ///< names of the problem's extents
  std::vector<std::optional<std::int64_t>> present;  ///< of each, what the program of the first has
  std::vector<std::string> specs;                    ///< TOML, one a kernel, without top-level keys
  std::string reference;     ///< source; empty: results are not held against each other …
  std::string not_compared;  ///< … for this reason
  std::vector<std::string> assumed;
};

/// A spec for each kernel, all with the arguments of the first: of equal places, since names may differ. The
/// reference runs the first kernel, twice over different contents, which shows what it writes.
///
/// `arguments` is a list at commas: `float[N, M] in uniform(0, 1)` for a buffer, where type, access and init
/// may be left out and init may be `random`, `zeros` or `ones`; an expression or `NULL` for a value; `_` for
/// a guess. Names in extents and expressions are sizes. Throws model::UsageError where arguments do not fit
/// the signature, signatures differ, or a launch uses a name without a value.
TimeSpecs time_specs(const TimeRequest& request);

/// Names of a kernel, and what stands in their place.
using Renames = std::map<std::string, std::string>;

/// A kernel with how its source says it is launched, each parameter with one value.
class LaunchedKernel {
 public:
  LaunchedKernel(const TimedKernel& kernel, const TimeRequest& request);

  const TimedKernel& kernel() const { return m_kernel; }
  DraftSource& source() { return m_source; }
  DraftPlan& plan() { return m_plan; }
  const std::vector<DraftParameter>& parameters() const { return m_plan.parameters; }
  bool has_parameter(const std::string& name) const { return m_plan.has_parameter(name); }
  bool is_launch_known() const;

  /// What the source gives the parameter of this place, as a spec writes it.
  std::string value(std::size_t i) const;
  std::string type(const SourceParameter& parameter);
  /// Of sizes, in all of its expressions.
  void rename(const Renames& names);
  /// Launched as `other` is.
  void launch_as(const LaunchedKernel& other);
  /// Each parameter has the value that was set, else that of the source, else one that is likely.
  void choose_values(std::vector<std::string>& assumed);
  /// Throws model::UsageError where the source does not say it.
  void require_known_launch() const;
  /// In its block, grid or shared memory.
  bool is_used(const std::string& name) const;
  /// A name of its launch, a parameter of its draft, or a word of its sources.
  bool knows(const std::string& macro) const;
  std::vector<std::string> used_names() const;
  /// With the values of its parameters in place of their names.
  std::string number(const std::string& text) const;
  std::vector<std::string> numbered(std::vector<std::string> texts) const;
  std::string entry() const;
  std::string kernel_table(const std::string& family, const std::vector<std::string>& sizes,
                           const std::vector<std::string>& include, bool by_nvcc) const;
  std::string launch_table(const std::vector<std::string>& arguments) const;

 private:
  /// Its name says the arguments of its template.
  bool is_instance() const { return m_kernel.entry.find('<') != std::string::npos; }
  /// Its name's types and numbers take the place of those that the source has or leaves open.
  void bind_template_arguments();
  /// A guess has no words for values that are sizes: the draft gives them the names of the sizes.
  void name_values();
  void set(const std::string& name, const std::string& value);
  /// The block that was asked for; a grid that follows the one of before follows it.
  void set_block(const std::vector<std::pair<std::string, std::string>>& macros);
  template <typename Change>
  void for_each_expression(const Change& change) {
    for (auto* list : {&m_plan.block, &m_plan.grid})
      for (std::string& text : *list) change(text);
    change(m_plan.shared_bytes);
  }

  const TimedKernel& m_kernel;
  DraftRequest m_draft_request;
  DraftSource m_source;
  DraftPlan m_plan;
};

}  // namespace config
