#include "tests/mutants/sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

#include "tuner/util/text.hpp"

namespace mutants {
namespace {

using Swap = std::pair<std::string_view, std::string_view>;

constexpr std::array cpp_swaps = {Swap{" < ", " <= "},
                                  Swap{" <= ", " < "},
                                  Swap{" > ", " >= "},
                                  Swap{" >= ", " > "},
                                  Swap{" == ", " != "},
                                  Swap{" != ", " == "},
                                  Swap{" && ", " || "},
                                  Swap{" || ", " && "},
                                  Swap{" + ", " - "},
                                  Swap{" - ", " + "},
                                  Swap{" * ", " / "},
                                  Swap{" / ", " * "},
                                  Swap{" += ", " -= "},
                                  Swap{"std::min(", "std::max("},
                                  Swap{"std::max(", "std::min("},
                                  Swap{"return true;", "return false;"},
                                  Swap{"return false;", "return true;"},
                                  Swap{"any_of(", "all_of("},
                                  Swap{"all_of(", "any_of("},
                                  Swap{"continue;", "break;"},
                                  Swap{" + 1", ""},
                                  Swap{" - 1", ""},
                                  Swap{"if (!", "if ("}};

constexpr std::array sql_swaps = {Swap{" < ", " <= "},   Swap{" <= ", " < "},   Swap{" > ", " >= "},
                                  Swap{" >= ", " > "},   Swap{" = ", " <> "},   Swap{" <> ", " = "},
                                  Swap{" AND ", " OR "}, Swap{" OR ", " AND "}, Swap{" DESC", " ASC"},
                                  Swap{"min(", "max("},  Swap{"max(", "min("},  Swap{"NOT NULL", "NULL"}};

/// The text with what is no code blanked out, byte for byte.
std::string code_of(std::string_view text, bool is_sql) {
  std::string code(text);
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (code[i] != '\n') code[i] = '#';
  };
  const std::string_view comment = is_sql ? "--" : "//";
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at;
    if (text.substr(at).starts_with(comment)) {
      end = text.find('\n', at);
    } else if (!is_sql && text.substr(at).starts_with("R\"")) {
      const std::string close = fmt::format("){}\"", text.substr(at + 2, text.find('(', at) - at - 2));
      end = text.find(close, at) + close.size();
    } else if (text[at] == '"' || text[at] == '\'') {
      end = at + 1;
      while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' && !is_sql ? 2 : 1;
      ++end;
      const bool digits_apart = text[at] == '\'' && at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';
      if (digits_apart && !is_sql) end = at + 1;
    } else if (!is_sql && text[at] == '#') {
      end = text.find('\n', at);
    }
    if (end == at) continue;
    end = std::min(end, text.size());
    blank(at, end);
    at = end - 1;
  }
  return code;
}

/// Whether what stands on this line is decided while compiling, or is not run at all.
bool is_declared_only(std::string_view line) {
  constexpr std::array marks = {"static_assert", "constexpr", "template", "using ",
                                "operator",      "= default", "noexcept("};
  return std::ranges::any_of(marks,
                             [&](const char* mark) { return line.find(mark) != std::string_view::npos; });
}

/// A call or an assignment that is a whole line, so that taking it out leaves a program.
bool is_statement(std::string_view line) {
  static const std::regex shape(R"re(\s+(?:[a-z_]\w*(?:\.|->|::))*[a-z_]\w*(?:\([^;]*\)| [-+|]?= [^;]*);)re");
  static const std::regex keyword(
      R"re(\s+(?:return|throw|delete|co_|break|continue|case|goto|static_assert)\b.*)re");
  const std::string text(line);
  return std::regex_match(text, shape) && !std::regex_match(text, keyword);
}

}  // namespace

std::vector<Site> sites_of(std::string_view text, bool is_sql) {
  const std::string code = code_of(text, is_sql);
  std::vector<Site> sites;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::string_view line = std::string_view(code).substr(begin, end - begin);
    const auto add = [&](const Swap& swap) {
      for (std::size_t at = line.find(swap.first); at != std::string_view::npos;
           at = line.find(swap.first, at + 1))
        sites.push_back({begin + at, begin + at + swap.first.size(), std::string(swap.second)});
    };
    if (is_sql) {
      std::ranges::for_each(sql_swaps, add);
    } else if (!is_declared_only(line)) {
      std::ranges::for_each(cpp_swaps, add);
      if (is_statement(line)) sites.push_back({begin + line.find_first_not_of(' '), end, ""});
    }
    begin = end + 1;
  }
  std::ranges::stable_sort(sites, {}, &Site::begin);
  return sites;
}

std::string mutated(std::string_view text, const Site& site) {
  return fmt::format("{}{}{}", text.substr(0, site.begin), site.replacement, text.substr(site.end));
}

std::string line_of(std::string_view text, const Site& site) {
  const std::size_t begin = text.rfind('\n', site.begin) + 1;  // npos + 1 is the start of the file
  const std::size_t end = std::min(text.find('\n', site.end), text.size());
  const auto number = std::ranges::count(text.substr(0, site.begin), '\n') + 1;
  const Site here{site.begin - begin, site.end - begin, site.replacement};
  const std::string_view line = text.substr(begin, end - begin);
  const std::string changed = mutated(line, here);
  return fmt::format("{}: {}  ->  {}", number, tuner::util::trimmed(line),
                     tuner::util::trimmed(changed).empty() ? "(nothing)" : tuner::util::trimmed(changed));
}

}  // namespace mutants
