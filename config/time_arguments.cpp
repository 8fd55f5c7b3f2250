#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "config/spec_reader.hpp"
#include "config/time_specs.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/util/text.hpp"

namespace config {

namespace util = tuner::util;

namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

constexpr std::string_view argument_forms =
    "float[N] in, float[N] out, float[N] inout zeros, N, 1.5, NULL, or _ for a guess";

/// `in uniform(0, 1)`
void read_access_and_init(std::string_view text, GivenArgument& argument) {
  std::string_view rest = text;
  const std::string first(util::split_first(rest, " "));
  constexpr std::array<std::string_view, 4> accesses = {"in", "out", "inout", "workspace"};
  if (std::ranges::find(accesses, first) != accesses.end()) {
    argument.access = first;
    text = util::trimmed(rest);
  }
  if (text == "random") return;
  argument.init = text == "zeros" ? "constant(0)" : text == "ones" ? "constant(1)" : std::string(text);
  if (!argument.init.empty() && argument.init.find('(') == std::string::npos && argument.init != "generated")
    throw model::UsageError(
        fmt::format("--args: '{}' is no way to fill a buffer", argument.init),
        "random, zeros, ones, or as in a spec: uniform(0, 1), integers(0, 9), iota(0, 1)");
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, ListOf what) {
  const std::vector<std::string_view> parts = list_parts(text, what == ListOf::types ? "()[]<>" : "()[]");
  return {parts.begin(), parts.end()};
}

GivenArgument read_given_argument(std::string_view text) {
  text = util::trimmed(text);
  GivenArgument argument;
  const std::size_t open = text.find('[');
  if (text == "_") return argument;
  if (text.empty()) throw model::UsageError("--args has an empty argument", std::string(argument_forms));
  if (open == std::string_view::npos) {
    argument.kind = GivenArgument::Kind::value;
    argument.value = text;
    return argument;
  }
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos)
    throw model::UsageError(fmt::format("--args: '{}' has no ]", text), std::string(argument_forms));
  argument.kind = GivenArgument::Kind::buffer;
  argument.type = util::trimmed(text.substr(0, open));
  while (argument.type.ends_with('*') || argument.type.ends_with(' ')) argument.type.pop_back();
  argument.extent = split_list(text.substr(open + 1, close - open - 1), ListOf::expressions);
  if (argument.extent.empty())
    throw model::UsageError(fmt::format("--args: '{}' says no extent", text), std::string(argument_forms));
  read_access_and_init(util::trimmed(text.substr(close + 1)), argument);
  return argument;
}

std::string with_names(std::string_view text, const std::function<std::string(const std::string&)>& rename) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string word(text.substr(i, end - i));
    const std::string_view behind = util::trimmed(text.substr(end));
    const bool is_name = std::isdigit(static_cast<unsigned char>(word[0])) == 0 && !behind.starts_with('(');
    out += is_name ? rename(word) : word;
    i = end;
  }
  return out;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  with_names(text, [&](const std::string& name) {
    const bool is_known =
        name == "NULL" || name == "ELEMENT_BYTES" ||
        std::ranges::count(tuner::space::limit_names(), name, &tuner::space::LimitName::name) > 0;
    if (!is_known && std::ranges::find(names, name) == names.end()) names.push_back(name);
    return name;
  });
  return names;
}

}  // namespace config
