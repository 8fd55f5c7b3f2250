#include "tuner/compile/nvcc/entry_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/model/compile_job.hpp"

namespace tuner::compile::nvcc {
namespace {

constexpr std::string_view variable = "tuner_names_entry_";

std::string variable_of(std::size_t entry) {
  return fmt::format("{}{}", variable, entry);
}

/// From the name of an entry's variable in the PTX, the kernel's and what is behind it.
std::string_view name_and_rest(std::string_view ptx, std::size_t entry) {
  const std::string before = variable_of(entry) + "IXadL";
  const std::size_t at = ptx.find(before);
  if (at == std::string_view::npos) return {};
  ptx.remove_prefix(at + before.size());
  return ptx.substr(0, ptx.find_first_of("; =[\n"));
}

/// `kernel` of `deep::kernel`: what a function of C is called in the binary.
std::string_view last_name(std::string_view expression) {
  const std::size_t colon = expression.rfind(':');
  if (colon != std::string_view::npos) expression.remove_prefix(colon + 1);
  const std::size_t begin = std::min(expression.find_first_not_of(" &"), expression.size());
  const std::size_t end = expression.find_last_not_of(' ');
  return begin > end ? std::string_view() : expression.substr(begin, end - begin + 1);
}

/// Whether a variable of that name is declared in the PTX.
bool declares(std::string_view ptx, std::string_view name) {
  for (std::size_t at = 0; (at = ptx.find(name, at)) != std::string_view::npos; at += name.size()) {
    const std::size_t line = ptx.rfind('\n', at) + 1;
    const std::string_view behind = ptx.substr(at + name.size(), 1);
    const bool is_word = at > 0 && ptx[at - 1] == ' ' && behind.find_first_of("[; =") == 0;
    if (is_word && ptx[line] == '.') return true;
  }
  return false;
}

}  // namespace

std::string entry_file(std::size_t entry) {
  return fmt::format("entry {}", entry);
}

std::string lines_for(const std::vector<std::string>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += fmt::format(
        "\n#line 1 \"{0}\"\ntemplate <auto> __device__ char {1}; template __device__ char {1}<{2}{3}>;\n",
        entry_file(i), variable_of(i), model::is_variable(entries[i]) ? "" : "&", entries[i]);
  }
  return text;
}

std::optional<std::string> symbol_of(std::size_t entry, const std::string& expression, std::string_view ptx,
                                     const nvrtc::PtxasReport& report) {
  // `…tuner_names_entry_0IXadL_Z4tileIfLi4EEvPfEEE`: the address (ad) of an external name (L_Z … E) as the
  // one argument (IX … EE), and one E more where the variable is in a namespace; Itanium C++ ABI,
  // section 5.1.
  std::string_view name = name_and_rest(ptx, entry);
  if (name.empty()) return std::nullopt;
  const auto is_there = [&](std::string_view symbol) {
    return model::is_variable(expression) ? declares(ptx, symbol) : report.find(symbol) != nullptr;
  };
  while (name.ends_with('E')) {
    name.remove_suffix(1);
    if (is_there(name)) return std::string(name);
  }
  // What a function of C and a variable outside namespaces are called is not what a template's argument has.
  if (is_there(last_name(expression))) return std::string(last_name(expression));
  return std::nullopt;
}

std::string without_names(std::string_view ptx) {
  std::string kept;
  for (std::string_view rest = ptx; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n') + 1, rest.size());
    const std::string_view line = rest.substr(0, end == 0 ? rest.size() : end);
    if (line.find(variable) != std::string_view::npos) {
      if (!line.starts_with(".")) return std::string(ptx);  // debugging information names it too
    } else {
      kept += line;
    }
    rest.remove_prefix(line.size());
  }
  return kept;
}

}  // namespace tuner::compile::nvcc
