#include "config/init_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/model/diagnostic.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace model = tuner::model;
namespace util = tuner::util;
namespace {

using Kind = model::Init::Kind;

struct Form {
  std::string_view name;
  Kind kind;
  std::size_t numbers;
};
constexpr std::array forms = {
    Form{"uniform", Kind::uniform, 2},           Form{"integers", Kind::integers, 2},
    Form{"constant", Kind::constant, 1},         Form{"iota", Kind::iota, 2},
    Form{"odd_integers", Kind::odd_integers, 2}, Form{"signs", Kind::signs, 1}};
constexpr std::string_view grammar =
    "uniform(a, b) real numbers in [a, b); integers(a, b) whole ones, both ends included; odd_integers(a, "
    "b); "
    "signs(n) -1, 0 or 1, at most n of a column not 0; constant(a); iota(a, step)";

std::optional<double> number(std::string_view text) {
  text = util::trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  return util::parse_number<double>(text);
}

std::optional<std::vector<double>> numbers(std::string_view text) {
  std::vector<double> result;
  while (result.size() < 3) {
    const std::size_t comma = text.find(',');
    const std::optional<double> value = number(text.substr(0, comma));
    if (!value) return std::nullopt;
    result.push_back(*value);
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

std::optional<model::Init> parse(std::string_view text) {
  text = util::trimmed(text);
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  const std::string_view name = util::trimmed(text.substr(0, open));
  for (const Form& form : forms) {
    if (form.name != name) continue;
    const auto values = numbers(text.substr(open + 1, text.size() - open - 2));
    if (!values || values->size() != form.numbers) return std::nullopt;
    return model::Init{form.kind, values->front(), form.numbers == 2 ? values->back() : 0};
  }
  return std::nullopt;
}

/// Between which a type holds every whole number, as doubles (64-bit ones rounded towards zero).
struct Range {
  double least;
  double most;
};
Range range_of(model::ElementType type) {
  switch (type) {
    case model::ElementType::int8:
      return {-128, 127};
    case model::ElementType::uint8:
      return {0, 255};
    case model::ElementType::int32:
      return {-0x1p31, 0x1p31 - 1};
    case model::ElementType::uint32:
      return {0, 0x1p32 - 1};
    case model::ElementType::int64:
      return {-0x1p63, 0x1.fffffffffffffp62};
    case model::ElementType::uint64:
      return {0, 0x1.fffffffffffffp63};
    case model::ElementType::float32:
      return {-0x1p24, 0x1p24};
    case model::ElementType::float64:
      return {-0x1p53, 0x1p53};
  }
  return {0, 0};
}

bool whole(double value) {
  return std::trunc(value) == value;
}

bool has_odd(double least, double most) {
  return least < most || (least == most && std::fmod(least, 2) != 0);
}

/// Whether `fits` holds for all that elements may be.
template <typename Fits>
bool fits_all(const model::Init& init, Fits fits) {
  if (init.kind == Kind::signs) return fits(-1) && fits(1);
  if (init.kind == Kind::constant) return fits(init.a);
  if (init.kind == Kind::iota) return fits(init.a) && whole(init.b);  // how far it gets depends on the extent
  return fits(init.a) && fits(init.b);
}

/// The numbers of an init whose form is right: what is wrong with them, or nothing.
std::optional<model::Diagnostic> mistake_in(const model::Init& init) {
  switch (init.kind) {
    case Kind::uniform:
      if (init.a < init.b) return std::nullopt;
      return model::Diagnostic{{},
                               fmt::format("uniform({}, {}) is an empty interval", init.a, init.b),
                               "the first number must be less than the second"};
    case Kind::integers:
      if (whole(init.a) && whole(init.b) && init.a <= init.b) return std::nullopt;
      return model::Diagnostic{{},
                               fmt::format("integers({}, {}) holds no whole range", init.a, init.b),
                               "two whole numbers, the smaller first"};
    case Kind::odd_integers:
      if (whole(init.a) && whole(init.b) && has_odd(init.a, init.b)) return std::nullopt;
      return model::Diagnostic{{},
                               fmt::format("odd_integers({}, {}) holds no odd number", init.a, init.b),
                               "two whole numbers, the smaller first, with an odd one among them"};
    case Kind::signs:
      if (whole(init.a) && init.a >= 1) return std::nullopt;
      return model::Diagnostic{{},
                               fmt::format("signs({}) says how many elements of a column are not 0", init.a),
                               "a whole number from 1 on"};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<model::Init> read_init(const Node& node, std::string_view key, Mistakes& mistakes) {
  if (node.kind != Node::Kind::text) {
    mistakes.wrong_type(node, fmt::format("\"{}\"", key), "a string", std::string(grammar));
    return std::nullopt;
  }
  const std::optional<model::Init> init = parse(node.text);
  if (!init) {
    mistakes.add(node.contents,
                 fmt::format("\"{}\" is no way to fill a buffer", util::one_line(node.text, 60)),
                 std::string(grammar));
    return std::nullopt;
  }
  if (auto mistake = mistake_in(*init)) {
    mistakes.add(node.contents, std::move(mistake->message), std::move(mistake->hint));
    return std::nullopt;
  }
  return init;
}

bool check_init(const model::Init& init, model::ElementType type, const model::SourceLocation& where,
                Mistakes& mistakes) {
  if (model::is_floating(type) && init.kind != Kind::odd_integers) return true;
  const std::string_view name = model::cuda_name(type);
  if (init.kind == Kind::uniform) {
    mistakes.add(where, fmt::format("uniform makes real numbers, but elements may be of type {}", name),
                 "integers(-8, 8), or one for each type: init = { float = \"uniform(-1, 1)\", int = "
                 "\"integers(-8, 8)\" }");
    return false;
  }
  const Range range = range_of(type);
  const auto fits = [range](double value) {
    return whole(value) && value >= range.least && value <= range.most;
  };
  if (fits_all(init, fits)) return true;
  mistakes.add(where, fmt::format("elements of type {} cannot hold these numbers", name),
               fmt::format("whole numbers from {:.0f} to {:.0f}", range.least, range.most));
  return false;
}

}  // namespace config
