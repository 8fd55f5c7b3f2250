#include "tuner/capture/parameters.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

namespace tuner::capture {
namespace {

/// Where the parenthesis that `end` closes is opened.
std::size_t opening(std::string_view text, std::size_t end) {
  int depth = 0;
  for (std::size_t at = end + 1; at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split_types(std::string_view text) {
  std::vector<std::string> types;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char letter = at == text.size() ? ',' : text[at];
    if (letter == '<' || letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == '>' || letter == ')' || letter == ']' || letter == '}') --depth;
    if (letter != ',' || (depth != 0 && at != text.size())) continue;
    types.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return types;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (name.rfind("_Z", 0) != 0) return name;
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

std::string plain_name(const std::string& name) {
  std::string text = demangled(name);
  text = text.substr(0, text.find_first_of("<("));
  const std::size_t begin = text.find_last_of(": ");
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

bool means_kernel(const std::string& wish, const std::string& name) {
  return wish == name || wish == plain_name(name) || wish == demangled(name);
}

std::vector<std::string> parameter_types(const std::string& name) {
  if (name.rfind("_Z", 0) != 0) return {};
  const std::string text = demangled(name);
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return {};
  const std::size_t begin = opening(text, end);
  if (begin == std::string::npos || begin + 1 == end) return {};
  return split_types(std::string_view(text).substr(begin + 1, end - begin - 1));
}

std::vector<std::string> template_arguments(const std::string& name) {
  const std::string text = demangled(name);
  const std::size_t begin = text.find_first_of("<(");
  if (begin == std::string::npos || text[begin] == '(') return {};
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && --depth == 0)
      return split_types(std::string_view(text).substr(begin + 1, at - begin - 1));
  }
  return {};
}

ParameterKind parameter_kind(std::string_view type) {
  for (const std::string_view qualifier : {" const", " volatile"})
    if (type.size() > qualifier.size() && type.substr(type.size() - qualifier.size()) == qualifier)
      type.remove_suffix(qualifier.size());
  if (type.empty()) return ParameterKind::unknown;
  if (type.back() == '*' || type.back() == '&') return ParameterKind::pointer;
  for (const std::string_view integer : {"int", "short", "long", "long long", "char", "signed char"})
    if (type == integer) return ParameterKind::integer;
  for (const std::string_view integer :
       {"unsigned int", "unsigned short", "unsigned long", "unsigned long long", "unsigned char", "bool"})
    if (type == integer) return ParameterKind::unsigned_integer;
  if (type == "float" || type == "double" || type == "__half" || type == "__nv_bfloat16")
    return ParameterKind::real;
  return ParameterKind::structure;
}

const char* kind_word(ParameterKind kind) {
  constexpr const char* words[] = {"unknown", "integer", "unsigned", "real", "pointer", "struct"};
  const auto at = static_cast<std::size_t>(kind);  // of a damaged file it may be any
  return at < std::size(words) ? words[at] : words[0];
}

bool integer_value(ParameterKind kind, const void* value, std::size_t bytes, std::int64_t& integer) {
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return false;
  std::uint64_t bits = 0;
  std::memcpy(&bits, value, bytes);
  if (kind == ParameterKind::unsigned_integer) {
    integer = static_cast<std::int64_t>(bits);
    return true;
  }
  const auto unused = static_cast<unsigned>(64 - 8 * bytes);
  integer = static_cast<std::int64_t>(bits << unused) >> unused;
  if (kind == ParameterKind::integer) return true;
  if (kind != ParameterKind::unknown || bytes < 4) return false;
  // A float this small is a denormal number; an address or a double is larger than 2^40.
  const std::int64_t limit = bytes == 4 ? std::int64_t{1} << 23U : std::int64_t{1} << 40U;
  return integer > -limit && integer < limit;
}

}  // namespace tuner::capture
