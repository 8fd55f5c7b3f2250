#include "tests/mutants/rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tests/mutants/is_on.hpp"
#include "tuner/model/error.hpp"

namespace mutants {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t';
}

/// The end of `wanted` in `text` from `at` on, any blanks standing for any others; nothing where it is not
/// there.
std::optional<std::size_t> match(std::string_view text, std::size_t at, std::string_view wanted) {
  for (std::size_t i = 0; i < wanted.size();) {
    if (at == text.size()) return std::nullopt;
    if (is_blank(wanted[i])) {
      if (!is_blank(text[at])) return std::nullopt;
      while (i < wanted.size() && is_blank(wanted[i])) ++i;
      while (at < text.size() && is_blank(text[at])) ++at;
    } else if (text[at++] != wanted[i++]) {
      return std::nullopt;
    }
  }
  return at;
}

std::vector<Place> places_of(std::string_view text, std::string_view wanted) {
  std::vector<Place> found;
  for (std::size_t at = text.find(wanted[0]); at != std::string_view::npos; at = text.find(wanted[0], at + 1))
    if (const auto end = match(text, at, wanted)) found.push_back({at, *end});
  return found;
}

[[noreturn]] void fail(const Mutation& mutation, std::string_view what) {
  throw tuner::model::Error(fmt::format("tests/mutants/{}.txt:{}: {}: {} {}", mutation.room, mutation.line,
                                        mutation.name, mutation.file, what),
                            "write the list again as the source is now, or take the mutation out");
}

bool is_cpp(std::string_view file) {
  const bool runs_in_kernels = file.starts_with("tuner/device/cpu/runtime/");
  return (file.ends_with(".cpp") || file.ends_with(".hpp") || file.ends_with(".h")) && !runs_in_kernels;
}

bool is_statement(std::string_view original) {
  return original.ends_with(';') || original.ends_with('}');
}

/// `otherwise` stands where the mutation is not at work: the original, or the choice of another mutation
/// there.
std::string choice(const Mutation& mutation, std::string_view otherwise) {
  const unsigned number = number_of(mutation.name);
  if (!is_cpp(mutation.file)) return fmt::format("@{{{}@|{}@|{}@}}", number, otherwise, mutation.replacement);
  if (is_statement(mutation.original)) {
    return fmt::format("if (TUNER_MUTANT({}U)) {{ {} }} else {{ {} }}", number, mutation.replacement,
                       otherwise);
  }
  return fmt::format("(TUNER_MUTANT({}U) ? ({}) : ({}))", number, mutation.replacement, otherwise);
}

/// Sources that are compiled for a GPU too find no such header there, and are as they were.
constexpr std::string_view head =
    "#if __has_include(\"tests/mutants/is_on.hpp\")\n#include \"tests/mutants/is_on.hpp\"\n"
    "#elif !defined(TUNER_MUTANT)\n#define TUNER_MUTANT(number) false\n#endif\n";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

}  // namespace

Place find_place(std::string_view text, const Mutation& mutation) {
  std::vector<Place> places = places_of(text, mutation.original);
  if (!mutation.after.empty()) {
    const std::vector<Place> marks = places_of(text, mutation.after);
    if (marks.size() != 1) fail(mutation, fmt::format("has `{}` {} times", mutation.after, marks.size()));
    std::erase_if(places, [&](const Place& place) { return place.begin < marks[0].end; });
    if (!places.empty()) places.resize(1);
  }
  if (places.size() != 1) fail(mutation, fmt::format("has `{}` {} times", mutation.original, places.size()));
  return places[0];
}

std::string with_choices(std::string_view text, const std::vector<const Mutation*>& mutations) {
  std::map<Place, std::vector<const Mutation*>> places;
  for (const Mutation* mutation : mutations) places[find_place(text, *mutation)].push_back(mutation);
  std::string result;
  if (is_cpp(mutations.front()->file)) result = head;
  std::size_t at = 0;
  for (const auto& [place, here] : places) {
    if (place.begin < at) fail(*here.front(), "has this place within that of another mutation");
    if (!is_cpp(here.front()->file) && here.size() > 1)
      fail(*here.back(), "has this place for another mutation");
    result += text.substr(at, place.begin - at);
    std::string chosen(text.substr(place.begin, place.end - place.begin));
    for (const Mutation* mutation : here) chosen = choice(*mutation, chosen);
    result += chosen;
    at = place.end;
  }
  result += text.substr(at);
  return result;
}

std::string diff_of(std::string_view text, const Mutation& mutation) {
  const Place place = find_place(text, mutation);
  std::string changed(text.substr(0, place.begin));
  changed += mutation.replacement;
  changed += text.substr(place.end);
  constexpr std::size_t around = 3;
  const std::vector<std::string_view> before = lines_of(text);
  const std::vector<std::string_view> after = lines_of(changed);
  const std::size_t first = line_of(text, place.begin);
  const std::size_t last_before = line_of(text, place.end);
  const std::size_t last_after = last_before + after.size() - before.size();
  const std::size_t begin = first - std::min(first, around);
  const std::size_t behind = std::min(around, before.size() - 1 - last_before);
  std::string result =
      fmt::format("--- a/{}\n+++ b/{}\n@@ -{},{} +{},{} @@\n", mutation.file, mutation.file, begin + 1,
                  last_before + behind + 1 - begin, begin + 1, last_after + behind + 1 - begin);
  const auto add = [&](char mark, const auto& lines, std::size_t from, std::size_t end) {
    for (std::size_t i = from; i < end; ++i) result += fmt::format("{}{}\n", mark, lines[i]);
  };
  add(' ', before, begin, first);
  add('-', before, first, last_before + 1);
  add('+', after, first, last_after + 1);
  add(' ', before, last_before + 1, last_before + behind + 1);
  return result;
}

}  // namespace mutants
