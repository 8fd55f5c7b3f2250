#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/spec_reader.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/planner.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace space = tuner::space;
namespace {

using Kind = model::Init::Kind;

constexpr std::string_view grammar =
    "uniform(a, b) real numbers in [a, b); integers(a, b) whole ones, both ends included; odd_integers(a, "
    "b); normal(mean, deviation); sorted(a, b); permutation(first); sparse(share, a, b); "
    "signs(n) -1, 0 or 1, at most n of a column not 0; constant(a); iota(a, step); file(name.npy); generated";

std::optional<double> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return util::parse_number<double>(text);
}

/// Whether there is a name in it, so that it is no number written wrongly.
bool has_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_of_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    };
    const bool begins = i == 0 || !is_of_word(text[i - 1]);
    if (begins && (std::isalpha(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_')) return true;
  }
  return false;
}

/// The `count` numbers of `rule`, at once or, where one has a name in it, as expressions.
bool read_numbers(std::string_view text, int count, const Node& node, model::InitRule& rule) {
  const std::vector<std::string_view> items = list_parts(text, "()");
  if (items.size() != static_cast<std::size_t>(count)) return false;
  std::vector<double> values;
  for (const std::string_view item : items) {
    if (const auto value = number(item)) {
      values.push_back(*value);
    } else if (!has_name(item)) {
      return false;
    }
  }
  if (values.size() == items.size()) {
    static_cast<model::Init&>(rule) = space::with_numbers(rule.kind, values);
    return true;
  }
  for (const std::string_view item : items) {
    model::SourceLocation where = node.contents;
    where.column += static_cast<int>(item.data() - node.text.data());
    rule.expressions.push_back({std::string(item), std::move(where)});
  }
  return true;
}

std::optional<model::InitRule> parse(const Node& node) {
  const std::string_view text = util::trimmed(node.text);
  model::InitRule rule;
  rule.where = node.contents;
  rule.kind = Kind::generated;
  if (text == "generated") return rule;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  const std::string_view name = util::trimmed(text.substr(0, open));
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (name == "file") {
    rule.kind = Kind::file;
    rule.contents.path = util::trimmed(inside);
    return rule.contents.path.empty() ? std::nullopt : std::optional(rule);
  }
  const std::span<const space::InitForm> forms = space::init_forms();
  const auto form = std::ranges::find(forms, name, &space::InitForm::name);
  if (form == forms.end()) return std::nullopt;
  rule.kind = form->kind;
  return read_numbers(inside, form->numbers, node, rule) ? std::optional(rule) : std::nullopt;
}

}  // namespace

std::string_view file_name(const model::InitRule& rule) {
  return rule.kind == Kind::file ? std::string_view(rule.contents.path) : std::string_view();
}

std::optional<model::InitRule> read_init(const Node& node, std::string_view key, Mistakes& mistakes) {
  if (node.kind != Node::Kind::text) {
    mistakes.wrong_type(node, fmt::format("\"{}\"", key), "a string", std::string(grammar));
    return std::nullopt;
  }
  std::optional<model::InitRule> rule = parse(node);
  if (!rule) {
    mistakes.add(node.contents,
                 fmt::format("\"{}\" is no way to fill a buffer", util::one_line(node.text, 60)),
                 std::string(grammar));
    return std::nullopt;
  }
  if (!rule->expressions.empty()) return rule;
  if (auto mistake = space::mistake_in(*rule)) {
    mistakes.add(node.contents, std::move(mistake->message), std::move(mistake->hint));
    return std::nullopt;
  }
  return rule;
}

bool check_init(const model::InitRule& init, model::ElementType type, const model::SourceLocation& where,
                Mistakes& mistakes) {
  if (!init.expressions.empty()) return true;
  auto mistake = space::misfit(init, type);
  if (mistake) mistakes.add(where, std::move(mistake->message), std::move(mistake->hint));
  return !mistake;
}

}  // namespace config
