#pragma once
// Which mutant of a tree full of them is at work: the one that the variable MUTANT names. Included by what
// `mutants` rewrites, and by nothing of ours.
#include <cstdlib>
#include <string>
#include <string_view>

namespace mutants {

/// FNV-1a, so that the number of a mutant follows from its name alone and a new one recompiles only its file.
constexpr unsigned number_of(std::string_view name) {
  unsigned hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

/// 0 where none is.
inline unsigned number_at_work() {
  static const unsigned number = [] {
    const char* name = std::getenv("MUTANT");
    return name == nullptr ? 0U : number_of(name);
  }();
  return number;
}

/// What is computed while compiling is never mutated.
constexpr bool is_on(unsigned number) {
  return __builtin_is_constant_evaluated() ? false : number_at_work() == number;
}

/// Of a text put into the binary, each `@{number@|original@|mutant@}` as the one or the other.
inline std::string_view chosen(std::string_view text) {
  auto* result = new std::string;  // lives as long as the program, as what it stands for does
  for (;;) {
    const std::size_t begin = text.find("@{");
    result->append(text.substr(0, begin));
    if (begin == std::string_view::npos) return *result;
    const std::size_t original = text.find("@|", begin) + 2;
    const std::size_t mutant = text.find("@|", original) + 2;
    const std::size_t end = text.find("@}", mutant);
    const std::string digits(text.substr(begin + 2, original - begin - 4));
    const bool on = number_at_work() == std::strtoul(digits.c_str(), nullptr, 10);
    result->append(on ? text.substr(mutant, end - mutant) : text.substr(original, mutant - original - 2));
    text.remove_prefix(end + 2);
  }
}

}  // namespace mutants

#define TUNER_MUTANT(number) ::mutants::is_on(number)
