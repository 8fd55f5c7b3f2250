#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/mistakes.hpp"
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

}  // namespace config
