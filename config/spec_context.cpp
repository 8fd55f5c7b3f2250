#include "config/spec_context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/space/cpp_configuration.hpp"
#include "tuner/space/parser.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

constexpr std::size_t most_letters = 64;
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
  if (util::has_word(tuner_names, name)) return "set by the tuner";
  if (name.starts_with("__") || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z')) {
    return "reserved for compilers";
  }
  return {};
}

}  // namespace

bool check_identifier(std::string_view name, std::string_view what, const model::SourceLocation& where,
                      Mistakes& mistakes) {
  if (!tuner::space::is_identifier(name) || name.size() > most_letters) {
    mistakes.add(where, fmt::format("\"{}\" is no name for a {}", util::one_line(name, 80), what),
                 fmt::format("names are letters, digits and underscores, not a digit first, at most {}",
                             most_letters));
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
  const bool good = !name.empty() && name.size() <= most_letters && name[0] != '-' && name[0] != '.' &&
                    std::ranges::all_of(name, [](char c) {
                      return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
                    });
  if (!good) {
    mistakes.add(where, fmt::format("\"{}\" is no name for a {}", util::one_line(name, 80), what),
                 fmt::format("such names are letters, digits, '_', '-' and '.', at most {}", most_letters));
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
