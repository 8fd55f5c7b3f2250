#include "tuner/compile/nvrtc/kernels_in_source.hpp"

#include <algorithm>
#include <cctype>

namespace tuner::compile::nvrtc {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// `source` with comments and string literals blanked.
std::string code_of(std::string_view source) {
  std::string code(source);
  const auto blank = [&](std::size_t from, std::size_t to) {
    to = std::min(to, code.size());
    std::fill(code.begin() + static_cast<std::ptrdiff_t>(from),
              code.begin() + static_cast<std::ptrdiff_t>(to), ' ');
    return to;
  };
  for (std::size_t at = 0; at < code.size();) {
    const std::string_view rest = std::string_view(source).substr(at);
    if (rest.substr(0, 2) == "//") {
      at = blank(at, source.find('\n', at));
    } else if (rest.substr(0, 2) == "/*") {
      const std::size_t end = source.find("*/", at + 2);
      at = blank(at, end == std::string_view::npos ? end : end + 2);
    } else if (rest.front() == '"') {
      std::size_t end = at + 1;
      while (end < source.size() && source[end] != '"' && source[end] != '\n')
        end += source[end] == '\\' ? 2 : 1;
      at = blank(at, end + 1);
    } else {
      ++at;
    }
  }
  return code;
}

/// Behind the parenthesis that closes the one at `open`.
std::size_t past_parentheses(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '(') ++depth;
    if (code[at] == ')' && --depth == 0) return at + 1;
  }
  return code.size();
}

/// The declarator's name behind `__global__`: the word before the first parenthesis that is not an
/// attribute's.
std::string name_behind(std::string_view code, std::size_t at) {
  std::string_view word;
  while (at < code.size()) {
    if (is_word(code[at])) {
      std::size_t end = at;
      while (end < code.size() && is_word(code[end])) ++end;
      word = code.substr(at, end - at);
      at = end;
    } else if (code[at] == '(') {
      const bool attribute =
          word.substr(0, 2) == "__" && word.size() > 4 && word.substr(word.size() - 2) == "__";
      if (!attribute) return std::string(word);
      at = past_parentheses(code, at);
    } else if (code[at] == ';' || code[at] == '{') {
      break;
    } else {
      ++at;
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> kernels_in_source(std::string_view source) {
  constexpr std::string_view keyword = "__global__";
  const std::string code = code_of(source);
  std::vector<std::string> names;
  for (std::size_t at = code.find(keyword); at != std::string::npos; at = code.find(keyword, at + 1)) {
    const std::string name = name_behind(code, at + keyword.size());
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string ambiguous_entry(std::string_view entry, std::string_view why) {
  if (why.find("overloaded function") == std::string_view::npos) return "";
  return "entry '" + std::string(entry) +
         "' is the name of several functions; say which by its parameters: " + "entry = \"" +
         std::string(entry) + "(float*, int)\"";
}

}  // namespace tuner::compile::nvrtc
