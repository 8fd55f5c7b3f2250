#include "config/spec_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/space/cpp_configuration.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

/// Where keys of a spec belong, for the hint when one stands elsewhere.
struct Home {
  std::string_view place;
  std::string_view keys;
};
constexpr std::string_view top =
    "the top of the file, before the first [header]: what follows a header belongs to it";
constexpr Home homes[] = {
    {top, "constraints worth_trying"},
    {"[kernel]",
     "name family description source sizes types row_padding default deterministic devices options include"},
    {"[launch]", "stream after upload memset"},
    {"[[arguments]]", "access extent init second_init"},
    {"[verify]", "reference rounding_terms second_is_exact"},
};

std::string home_hint(std::string_view key, std::string_view table) {
  for (const Home& home : homes) {
    if (util::has_word(home.keys, key) && home.place != table)
      return fmt::format("\"{}\" belongs {} {}", key, home.place == top ? "at" : "in", home.place);
  }
  bool of_launch = false;
  model::each_key([&](const model::StepKey& step_key) {
    of_launch = of_launch || (key == step_key.name && key != "value");
    return true;
  });
  return of_launch && table != "[launch]" ? fmt::format("\"{}\" belongs in [launch]", key) : "";
}

std::string quoted(std::string_view key) {
  return fmt::format("\"{}\"", key);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

const Member* TableReader::take(std::string_view key) {
  if (std::ranges::count(m_asked, key) == 0) m_asked.push_back(key);
  return m_table.find(key);
}

const Member* TableReader::require(std::string_view key, std::string_view hint) {
  const Member* member = take(key);
  if (member == nullptr) {
    m_mistakes.add(m_table.where, fmt::format("{} has no \"{}\"", m_name, key), std::string(hint));
  }
  return member;
}

const Node* TableReader::value_of_kind(std::string_view key, Node::Kind kind, std::string_view expected) {
  const Member* member = take(key);
  if (member == nullptr) return nullptr;
  if (member->value.kind == kind) return &member->value;
  m_mistakes.wrong_type(member->value, quoted(key), expected);
  return nullptr;
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const Node* value = value_of_kind(key, Node::Kind::text, "a string");
  return value == nullptr ? std::nullopt : std::optional(value->text);
}

std::optional<std::string> TableReader::required_text(std::string_view key, std::string_view hint) {
  return require(key, hint) == nullptr ? std::nullopt : text(key);
}

std::optional<bool> TableReader::boolean(std::string_view key) {
  const Node* value = value_of_kind(key, Node::Kind::boolean, "true or false (without quotes)");
  return value == nullptr ? std::nullopt : std::optional(value->boolean);
}

std::optional<std::int64_t> TableReader::integer(std::string_view key, std::int64_t least,
                                                 std::int64_t most) {
  const Member* member = take(key);
  if (member == nullptr) return std::nullopt;
  const Node& value = member->value;
  if (value.kind != Node::Kind::integer || value.integer < least || value.integer > most) {
    m_mistakes.wrong_type(value, quoted(key), fmt::format("an integer from {} to {}", least, most));
    return std::nullopt;
  }
  return value.integer;
}

std::optional<model::Expression> TableReader::expression(std::string_view key, Numbers numbers) {
  const Member* member = take(key);
  if (member == nullptr) return std::nullopt;
  return read_expression(member->value, quoted(key), m_mistakes, numbers);
}

std::vector<model::Expression> TableReader::expressions(std::string_view key, std::size_t most, Empty empty) {
  std::vector<model::Expression> result;
  const Member* member = take(key);
  if (member == nullptr) return result;
  const Node& value = member->value;
  const std::string what = quoted(key);
  if (value.kind == Node::Kind::text || value.kind == Node::Kind::integer) {
    if (auto single = read_expression(value, what, m_mistakes)) result.push_back(std::move(*single));
    return result;
  }
  if (!is_list(value, what, "a list of expressions", m_mistakes, most)) return result;
  if (value.items.empty() && empty == Empty::mistake)
    m_mistakes.add(value.where, what + " is an empty list", "leave it out, or fill it");
  for (const Node& item : value.items) {
    if (auto one = read_expression(item, "an item of " + what, m_mistakes)) result.push_back(std::move(*one));
  }
  return result;
}

std::vector<const Node*> TableReader::texts(std::string_view key) {
  std::vector<const Node*> result;
  for (const Node& item : items(key, "a list of strings")) {
    if (item.kind == Node::Kind::text) {
      result.push_back(&item);
    } else {
      m_mistakes.wrong_type(item, "an item of " + quoted(key), "a string");
    }
  }
  return result;
}

std::span<const Node> TableReader::items(std::string_view key, std::string_view expected, std::size_t most) {
  const Member* member = take(key);
  if (member == nullptr || !is_list(member->value, quoted(key), expected, m_mistakes, most)) return {};
  return member->value.items;
}

std::string TableReader::line(std::string_view key) {
  std::string found = text(key).value_or("");
  if (found != util::one_line(found)) {
    wrong(key, fmt::format("\"{}\" is more than a line", key),
          "one line of text, without control characters");
  }
  return found;
}

const model::SourceLocation& TableReader::place(std::string_view key) const {
  return m_table.find(key)->value.where;
}

void TableReader::wrong(std::string_view key, std::string message, std::string hint) {
  const Node& value = m_table.find(key)->value;
  const bool is_text = value.kind == Node::Kind::text;
  m_mistakes.add(is_text ? value.contents : value.where, std::move(message), std::move(hint));
}

void TableReader::misplaced(std::string_view key, std::string message, std::string hint) {
  m_mistakes.add(m_table.find(key)->where, std::move(message), std::move(hint));
}

void TableReader::unknown_word(std::string_view key, std::string_view found,
                               std::span<const std::string_view> known, std::string_view hint) {
  wrong(key, fmt::format("unknown {} \"{}\"", key, util::one_line(found, 40)),
        hint.empty() ? util::listed(known) : std::string(hint));
}

void TableReader::finish() {
  for (const Member& member : m_table.members) {
    if (std::ranges::count(m_asked, member.key) > 0) continue;
    std::string hint = home_hint(member.key, m_name);
    if (hint.empty()) hint = util::did_you_mean(member.key, m_asked, '\"');
    if (hint.empty()) hint = fmt::format("{} takes {}", m_name, util::listed(m_asked));
    m_mistakes.add(member.where, fmt::format("unknown key \"{}\" in {}", member.key, m_name),
                   std::move(hint));
  }
}

std::vector<std::string_view> list_parts(std::string_view text, std::string_view brackets) {
  std::vector<std::string_view> parts;
  if (is_blank(text)) return parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool ends = i == text.size();
    const std::size_t bracket = ends ? std::string_view::npos : brackets.find(text[i]);
    if (bracket != std::string_view::npos) depth += bracket % 2 == 0 ? 1 : -1;
    if (!ends && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(util::trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

std::optional<model::Expression> read_expression(const Node& node, std::string_view what, Mistakes& mistakes,
                                                 Numbers numbers) {
  if (node.kind == Node::Kind::integer) return model::Expression{std::to_string(node.integer), node.where};
  if (node.kind == Node::Kind::real && numbers == Numbers::real && std::isfinite(node.real)) {
    return model::Expression{fmt::format("{}", node.real), node.where};
  }
  if (node.kind != Node::Kind::text) {
    const bool real = numbers == Numbers::real;
    mistakes.wrong_type(
        node, what, real ? "a number or an expression in quotes" : "an integer or an expression in quotes");
    return std::nullopt;
  }
  if (is_blank(node.text)) {
    mistakes.add(node.where, fmt::format("{} is empty", what),
                 "write an expression such as \"N / BLOCK_SIZE\"");
    return std::nullopt;
  }
  return model::Expression{node.text, node.contents};
}

bool is_table(const Node& node, std::string_view what, std::string hint, Mistakes& mistakes) {
  if (node.kind == Node::Kind::table) return true;
  mistakes.wrong_type(node, what, "a table", std::move(hint));
  return false;
}

bool is_list(const Node& node, std::string_view what, std::string_view expected, Mistakes& mistakes,
             std::size_t most) {
  if (node.kind != Node::Kind::list) {
    mistakes.wrong_type(node, what, expected,
                        node.kind == Node::Kind::table ? "" : "lists stand in brackets: [ ]");
    return false;
  }
  if (node.items.size() > most) {
    mistakes.add(node.where, fmt::format("{} has {} items", what, node.items.size()),
                 fmt::format("at most {}", most));
    return false;
  }
  return true;
}

namespace {

constexpr std::size_t most_entry_letters = 256;

// Last the members of threadIdx and its like: a macro of such a name breaks every one of them.
constexpr std::string_view cuda_names =
    "threadIdx blockIdx blockDim gridDim warpSize main defined dim3 std size_t NULL x y z w";

constexpr std::string_view tuner_names = "ELEMENT_TYPE ELEMENT_BYTES ELEMENT_IS_INTEGER";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view owner_of(std::string_view name) {
  if (tuner::space::is_cpp_keyword(name)) return "a word of C++";
  if (util::has_word(cuda_names, name)) return "used by CUDA sources";
  if (util::has_word(tuner_names, name) || name.starts_with("TUNER_")) return "set by the tuner";
  if (name.starts_with("__") || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z')) {
    return "reserved for compilers";
  }
  return {};
}

}  // namespace

bool check_identifier(std::string_view name, std::string_view what, const model::SourceLocation& where,
                      Mistakes& mistakes) {
  if (!tuner::space::is_identifier(name) || name.size() > most_letters_of_a_name) {
    mistakes.add(where, fmt::format("\"{}\" is no name for a {}", util::one_line(name, 80), what),
                 fmt::format("names are letters, digits and underscores, not a digit first, at most {}",
                             most_letters_of_a_name));
    return false;
  }
  return true;
}

bool check_name(std::string_view name, std::string_view what, const model::SourceLocation& where,
                Mistakes& mistakes) {
  if (!check_identifier(name, what, where, mistakes)) return false;
  if (const std::string_view owner = owner_of(name); !owner.empty()) {
    mistakes.add(where, fmt::format("a {} may not be called \"{}\": the name is {}", what, name, owner),
                 "choose another name");
    return false;
  }
  return true;
}

bool check_label(std::string_view name, std::string_view what, const model::SourceLocation& where,
                 Mistakes& mistakes) {
  const bool good = !name.empty() && name.size() <= most_letters_of_a_name && name[0] != '-' &&
                    name[0] != '.' && std::ranges::all_of(name, [](char c) {
                      return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
                    });
  if (!good) {
    mistakes.add(
        where, fmt::format("\"{}\" is no name for a {}", util::one_line(name, 80), what),
        fmt::format("such names are letters, digits, '_', '-' and '.', at most {}", most_letters_of_a_name));
  }
  return good;
}

bool check_entry(std::string_view name, const model::SourceLocation& where, Mistakes& mistakes) {
  const bool blank = name.find_first_not_of(' ') == std::string_view::npos;
  if (!blank && name.size() <= most_entry_letters && util::one_line(name) == name) return true;
  mistakes.add(where, fmt::format("\"{}\" is no name of a kernel function", util::one_line(name, 60)),
               "the function's name, or an instantiation such as \"reduce<float>\"");
  return false;
}

}  // namespace config
