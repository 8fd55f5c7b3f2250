#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/mistakes.hpp"
#include "config/source_files.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

/// The longest list anything in a spec may be.
inline constexpr std::size_t most_items = 4096;

/// Whether an expression is evaluated in integers or in double precision, and so may be a TOML number like
/// 0.5.
enum class Numbers { whole, real };

/// Whether a list may have no items.
enum class Empty { mistake, fine };

/// A word of a spec, and what it stands for.
template <class Value>
using Word = std::pair<std::string_view, Value>;

/// Takes keys out of one table and reports wrong types. finish() reports the keys that were never asked for.
/// Every getter returns an empty result for a key that is absent or wrong. The table and `mistakes` must
/// outlive this.
class TableReader {
 public:
  /// `name` is how messages call the table: `[kernel]`, `the file`.
  TableReader(const Node& table, std::string name, Mistakes& mistakes)
      : m_table(table), m_name(std::move(name)), m_mistakes(mistakes) {}

  const Member* take(std::string_view key);
  /// Reports the absence, with `hint` as an example of what to write.
  const Member* require(std::string_view key, std::string_view hint);

  std::optional<std::string> text(std::string_view key);
  std::optional<std::string> required_text(std::string_view key, std::string_view hint);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most);
  std::optional<model::Expression> expression(std::string_view key, Numbers numbers = Numbers::whole);
  /// A list of expressions, or a single one.
  std::vector<model::Expression> expressions(std::string_view key, std::size_t most = most_items,
                                             Empty empty = Empty::mistake);
  /// The items of a list of strings.
  std::vector<const Node*> texts(std::string_view key);

  /// The items of a list of anything, a list that `expected` describes.
  std::span<const Node> items(std::string_view key, std::string_view expected, std::size_t most = most_items);
  /// A string without line breaks; empty where there is none.
  std::string line(std::string_view key);
  /// What one of `words` stands for.
  template <class Value>
  std::optional<Value> word(std::string_view key, std::span<const Word<Value>> words,
                            std::string_view hint = "") {
    const auto found = text(key);
    if (!found) return std::nullopt;
    std::vector<std::string_view> names;
    for (const auto& [name, value] : words) {
      if (name == *found) return value;
      names.push_back(name);
    }
    unknown_word(key, *found, names, hint);
    return std::nullopt;
  }

  /// Where the value of a key stands that the table has.
  const model::SourceLocation& place(std::string_view key) const;
  /// Reports what is wrong with the value of a key that the table has, and what to write.
  void wrong(std::string_view key, std::string message, std::string hint);
  /// The same at the key, which should not be there, or not alone.
  void misplaced(std::string_view key, std::string message, std::string hint);
  void unknown_word(std::string_view key, std::string_view found, std::span<const std::string_view> known,
                    std::string_view hint = "");

  /// Call when all keys were taken.
  void finish();

  const Node& table() const { return m_table; }
  const std::string& name() const { return m_name; }
  Mistakes& mistakes() { return m_mistakes; }

 private:
  const Node* value_of_kind(std::string_view key, Node::Kind kind, std::string_view expected);

  const Node& m_table;
  std::string m_name;
  Mistakes& m_mistakes;
  std::vector<std::string_view> m_asked;
};

/// The parts between commas outside of such brackets, as `()[]`, without blanks around them.
std::vector<std::string_view> list_parts(std::string_view text, std::string_view brackets);

/// A string that is not blank, or a number, as an expression; `what` names it in messages.
std::optional<model::Expression> read_expression(const Node& node, std::string_view what, Mistakes& mistakes,
                                                 Numbers numbers = Numbers::whole);

/// Whether `node` is a table; reports when it is not.
bool is_table(const Node& node, std::string_view what, std::string hint, Mistakes& mistakes);

/// Whether `node` is a list of at most `most` items; reports when it is not.
bool is_list(const Node& node, std::string_view what, std::string_view expected, Mistakes& mistakes,
             std::size_t most = most_items);

/// `visit(table)` for each item of a list of at most `most` tables called `name`; reports what is none.
template <class Visit>
void each_table(const Node& list, const std::string& name, std::string_view expected, std::size_t most,
                Mistakes& mistakes, const Visit& visit) {
  if (!is_list(list, "\"" + name + "\"", expected, mistakes, most)) return;
  for (const Node& item : list.items)
    if (is_table(item, "an item of \"" + name + "\"", "", mistakes)) visit(item);
}

constexpr std::size_t most_sizes_of_a_kernel = 8;
constexpr std::size_t most_letters_of_a_name = 64;

/// Whether `name` may name an argument, which is known to the spec alone: an identifier of at most 64
/// letters. Reports when not; `what` is `argument`, ….
bool check_identifier(std::string_view name, std::string_view what, const model::SourceLocation& where,
                      Mistakes& mistakes);

/// Whether `name` may name a size, parameter or derived value: such an identifier that means nothing yet in
/// CUDA C++ (parameters become macros) or in expressions.
bool check_name(std::string_view name, std::string_view what, const model::SourceLocation& where,
                Mistakes& mistakes);

/// Whether `name` may name a kernel or a family: letters, digits, `_`, `-` and `.`, at most 64.
bool check_label(std::string_view name, std::string_view what, const model::SourceLocation& where,
                 Mistakes& mistakes);

/// Whether `name` may name a function to launch: not blank, one line, at most 256 letters, such as
/// `reduce<float>`.
bool check_entry(std::string_view name, const model::SourceLocation& where, Mistakes& mistakes);

/// A field of a struct as its spec declares it.
struct StructField {
  std::string name;
  model::ElementType type = model::ElementType::float32;
  std::int64_t length = 1;  ///< of an array
  model::SourceLocation where;
};

/// Where C++ puts fields: each at the next multiple of its alignment.
struct NaturalLayout {
  std::vector<std::int64_t> offsets;
  std::int64_t align = 1;  ///< the largest of the fields'
  std::int64_t end = 0;    ///< of the last field
};
NaturalLayout natural_layout(const std::vector<StructField>& fields);
/// The next multiple of `to`.
std::int64_t round_up(std::int64_t value, std::int64_t to);

struct Struct {
  model::StructLayout layout;
  std::vector<StructField> fields;
};

/// What the readers of one spec share; each fills its part of `spec`.
struct SpecContext {
  const FileReader& files;
  std::filesystem::path folder;  ///< of the spec, as `files` knows it
  Mistakes& mistakes;
  model::KernelSpec& spec;
  std::string entry = {};  ///< [kernel] entry: what a launch without one of its own runs
  model::SourceLocation name_place = {};
  const Node* defaults = nullptr;  ///< [kernel] default, understood once the parameters are known
  std::vector<std::filesystem::path> includes = {};  ///< [kernel] include, resolved
  model::SourceLocation ceiling_place = {};          ///< of [kernel] ceiling
  std::vector<Struct> structs = {};
  std::vector<std::string> before = {};      ///< headers that options have included above the source
  model::SourceLocation library_place = {};  ///< of [kernel] library
};

/// The parts of a spec, in the order they are read.
void read_kernel_table(const Node& table, SpecContext& context);
void read_parameters(const Node& table, SpecContext& context);
/// After the parameters.
void read_defaults(SpecContext& context);
/// After [kernel], whose types decide what an ELEMENT_TYPE buffer must be filled with.
void read_arguments(const Node& list, SpecContext& context);
/// [structs.NAME], before the arguments.
void read_structs(const Node& table, SpecContext& context);
/// Null where there is none.
const Struct* find_struct(const SpecContext& context, std::string_view name);
/// The arguments that stand behind `argument`, one for each field, without what they are filled with or are.
std::vector<model::ArgumentSpec> fields_of(const Struct& of, const model::ArgumentSpec& argument);
/// `init` or `second_init` of a buffer of structs, into the arguments of its fields.
void read_field_inits(const Member& member, const Struct& of, std::vector<model::ArgumentSpec>& fields,
                      const std::string& argument, SpecContext& context);
/// `value` of a struct by value, into the arguments of its fields.
void read_field_values(TableReader& reader, const Struct& of, std::vector<model::ArgumentSpec>& fields,
                       const std::string& argument, SpecContext& context);
/// Makes `argument` a tensor map, a texture or a surface where `type` is CUDA's name of one; whether it is.
bool make_view(std::string_view type, model::ArgumentSpec& argument);
/// What such an argument says.
void read_view(TableReader& reader, model::ArgumentSpec& argument, SpecContext& context);
/// A [table] or a list of [[tables]] called `name`; `default_entry` empty: each launch needs its own.
std::vector<model::StepSpec> read_steps(const Node& node, const std::string& name,
                                        const std::string& default_entry, Mistakes& mistakes);
/// After the arguments.
void read_verify(const Node& node, SpecContext& context);
model::Tolerance read_tolerance(const Node& table, Mistakes& mistakes);
void read_generate(const Node& table, SpecContext& context);
/// After [kernel]. `types` and `devices` of a table, and what they mean, are the same in both.
void read_baselines(const Node& list, SpecContext& context);
/// `library` of [kernel]: what steps call.
void read_library(TableReader& reader, SpecContext& context);
/// After the launches: each call has its function there, and there are calls where there is a library.
void check_calls(const SpecContext& context);
void read_types(TableReader& reader, std::vector<model::ElementType>& types);
void read_device_kinds(TableReader& reader, std::vector<std::string>& kinds);
/// `[derived]`, or `[macros]`: derived values that sources see too.
void read_derived(const Node& table, bool are_macros, model::KernelSpec& spec, Mistakes& mistakes);
/// Of these names are shown to people.
std::vector<model::MetricSpec> read_metrics(const Node& table, Mistakes& mistakes);

model::WorkloadSpec read_workload(const Node& table, Mistakes& mistakes);
/// `[profile]`: what is counted beside the usual metrics.
std::vector<model::PlacedName> read_profile(const Node& table, Mistakes& mistakes);
/// `ceiling` and `ceiling_sizes` of [kernel].
void read_ceiling(TableReader& reader, SpecContext& context);
/// After the metrics: the first metric says the unit of the ceiling.
void check_ceiling(const SpecContext& context);

/// The value of an `init`: `uniform(-1, 1)`, `sorted(0, N - 1)`, `file(weights.npy)`, `generated`; reports
/// anything else. Numbers that are no numbers are left to space as expressions. Of a file the name alone is
/// known then.
std::optional<model::InitRule> read_init(const Node& node, std::string_view key, Mistakes& mistakes);

/// The path that read_init() found, as written; empty where the contents come from no file.
std::string_view file_name(const model::InitRule& rule);

/// Whether elements of `type` can hold what `init` makes; reports at `where` when not. Expressions have no
/// value yet and pass.
bool check_init(const model::InitRule& init, model::ElementType type, const model::SourceLocation& where,
                Mistakes& mistakes);

/// Finds out what the file that an init names holds: a `.npy` (NumPy's format, versions 1 to 3) says its type
/// and shape, anything else is elements of `type` as they are in memory. `rule` has its name as written, and
/// gets the rest. Reports a file that cannot be read, and one of another type; `any_type`: that is no
/// mistake.
void read_data_file(model::InitRule& rule, model::ElementType type, bool any_type, SpecContext& context);

/// The three in turn, for elements of one type; nothing where it does not suit them.
std::optional<model::InitRule> read_init_of(const Node& node, std::string_view key, model::ElementType type,
                                            SpecContext& context);

/// An integer or a word as a parameter's value; reports what is neither.
std::optional<model::Value> read_value(const Node& node, std::string_view what, Mistakes& mistakes);

}  // namespace config
