#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Names = std::set<std::string>;

/// Each name of the standard library (and fmt) that our headers use, by the header that promises it. The
/// header check of preset ci compiles with the standard library precompiled, so that it cannot see what is
/// missing of it.
const std::map<std::string, Names>& promised() {
  static const std::map<std::string, Names> table = [] {
    const std::map<std::string, Names> by_header = {
        {"algorithm",
         {"clamp", "unique", "ranges", "find_if", "min", "shuffle", "find", "max", "sort", "any_of",
          "all_of"}},
        {"array", {"array"}},
        {"atomic", {"atomic"}},
        {"bit", {"bit_cast"}},
        {"charconv", {"from_chars", "to_chars"}},
        {"chrono", {"chrono"}},
        {"cmath",
         {"fmod", "log2", "isfinite", "isnan", "sqrt", "ceil", "log", "cos", "fabs", "frexp", "ldexp",
          "nearbyint", "signbit"}},
        {"concepts", {"same_as", "integral", "unsigned_integral", "floating_point", "invocable"}},
        {"condition_variable", {"condition_variable"}},
        {"cstddef", {"size_t", "byte", "ptrdiff_t", "nullptr_t"}},
        {"cstdint",
         {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
          "uintptr_t", "intptr_t", "uintmax_t", "intmax_t"}},
        {"cstdio", {"fclose", "fgets", "fopen", "fscanf", "snprintf", "FILE"}},
        {"cstring", {"strchr", "strcmp", "strcspn", "strrchr", "memcpy", "memcmp", "strlen"}},
        {"deque", {"deque"}},
        {"exception", {"exception", "exception_ptr", "current_exception"}},
        {"filesystem", {"filesystem"}},
        {"fstream", {"ifstream", "ofstream"}},
        {"functional", {"function", "less", "hash", "invoke"}},
        {"future", {"async", "future", "launch", "promise"}},
        {"initializer_list", {"initializer_list"}},
        {"ios", {"streamsize"}},
        {"iosfwd", {"istream", "ostream", "ifstream", "ofstream", "ostringstream", "istringstream"}},
        {"istream", {"istream"}},
        {"limits", {"numeric_limits"}},
        {"list", {"list"}},
        {"map", {"map"}},
        {"memory", {"unique_ptr", "shared_ptr", "weak_ptr", "make_unique", "make_shared"}},
        {"mutex", {"mutex", "lock_guard", "unique_lock", "scoped_lock", "once_flag", "recursive_mutex"}},
        {"numeric", {"iota"}},
        {"numbers", {"numbers"}},
        {"optional", {"optional", "nullopt", "nullopt_t"}},
        {"ostream", {"ostream"}},
        {"random", {"mt19937_64", "uniform_int_distribution"}},
        {"set", {"set"}},
        {"shared_mutex", {"shared_mutex"}},
        {"span", {"span"}},
        {"stdexcept", {"runtime_error", "logic_error", "out_of_range", "invalid_argument"}},
        {"streambuf", {"streambuf"}},
        {"string", {"string", "to_string"}},
        {"string_view", {"string_view", "begin", "end"}},
        {"iterator", {"begin", "end", "input_iterator_tag", "forward_iterator_tag"}},
        {"tuple", {"tuple", "tie"}},
        {"unordered_set", {"unordered_set"}},
        {"system_error", {"errc", "error_code"}},
        {"thread", {"thread"}},
        {"type_traits",
         {"conditional_t", "remove_const_t", "is_nothrow_move_constructible_v", "is_nothrow_destructible_v",
          "is_integral_v", "is_floating_point_v", "is_arithmetic_v", "is_enum_v", "is_copy_constructible_v",
          "is_copy_assignable_v", "is_same_v", "is_signed_v", "decay_t", "enable_if_t", "invoke_result_t",
          "remove_cv_t"}},
        {"unordered_map", {"unordered_map", "unordered_multimap"}},
        {"utility", {"move", "swap", "exchange", "pair", "forward"}},
        {"variant", {"get_if", "variant", "monostate", "holds_alternative", "get", "visit"}},
        {"vector", {"erase", "erase_if", "vector"}},
        {"fmt/format.h", {"fmt"}},
        {"fmt/core.h", {"fmt"}},
    };
    std::map<std::string, Names> by_name;
    for (const auto& [header, names] : by_header) {
      for (const std::string& name : names) by_name[name].insert(header);
    }
    // What the standard, or every implementation of it, gives with another header.
    for (const char* with : {"string", "vector", "span", "array", "string_view", "cstring", "cstdio", "map"})
      by_name["size_t"].insert(with);
    by_name["string_view"].insert("string");
    for (const char* with :
         {"string", "vector", "map", "memory", "functional", "optional", "variant", "array"})
      for (const char* name : {"move", "swap", "pair", "exchange", "forward"}) by_name[name].insert(with);
    by_name["errc"].insert("charconv");
    by_name["less"].insert("map");
    return by_name;
  }();
  return table;
}

struct Header {
  Names standard;  ///< what it includes with <>
  Names ours;      ///< what it includes with ""
  Names used;      ///< of namespace std, the first component; `fmt` for that library
};

Header read_header(const std::filesystem::path& path) {
  std::ifstream file(path);
  Header header;
  static const std::regex include(R"(^\s*#\s*include\s+([<"])([^>"]+)[>"])");
  static const std::regex name(R"(\b(?:std::(\w+)|(fmt)::))");
  static const std::regex noise(R"(//.*$|"(?:[^"\\]|\\.)*")");
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (std::regex_search(line, found, include)) {
      (found[1] == "<" ? header.standard : header.ours).insert(found[2]);
      continue;
    }
    const std::string code = std::regex_replace(line, noise, "");
    for (auto at = std::sregex_iterator(code.begin(), code.end(), name); at != std::sregex_iterator(); ++at)
      header.used.insert((*at)[1].matched ? (*at)[1].str() : "fmt");
  }
  return header;
}

using Headers = std::map<std::string, Header>;

Headers read_all() {
  const std::filesystem::path root = TUNER_SOURCE_DIR;
  Headers headers;
  for (const char* room : {"tuner", "config", "kernels", "db", "reports"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
      if (entry.path().extension() == ".hpp")
        headers[entry.path().lexically_relative(root).string()] = read_header(entry.path());
    }
  }
  return headers;
}

void collect(const Headers& headers, const std::string& name, Names& seen, Names& standard) {
  const auto found = headers.find(name);
  if (found == headers.end() || !seen.insert(name).second) return;
  standard.insert(found->second.standard.begin(), found->second.standard.end());
  for (const std::string& next : found->second.ours) collect(headers, next, seen, standard);
}

}  // namespace

TEST_SUITE("headers") {
  TEST_CASE("a header, with those of ours that it includes, includes what it uses of the standard library") {
    const Headers headers = read_all();
    REQUIRE(headers.size() > 100);
    for (const auto& [path, header] : headers) {
      Names seen;
      Names standard;
      collect(headers, path, seen, standard);
      for (const std::string& name : header.used) {
        INFO(path << " uses " << name);
        const auto givers = promised().find(name);
        REQUIRE_MESSAGE(givers != promised().end(), "which the table in this test does not know yet");
        const bool given = std::any_of(givers->second.begin(), givers->second.end(),
                                       [&](const std::string& giver) { return standard.contains(giver); });
        CHECK_MESSAGE(given, "without including <" << *givers->second.begin() << ">");
      }
    }
  }
}
