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

/// What an entry's variable is initialised with: `_Z4tileIfLi4EEvPfS0_`, of a variable `generic(table)`.
std::string_view address_in(std::string_view ptx, std::size_t entry) {
  const std::string before = " " + variable_of(entry) + " = ";
  const std::size_t at = ptx.find(before);
  if (at == std::string_view::npos) return {};
  ptx.remove_prefix(at + before.size());
  constexpr std::string_view generic = "generic(";
  if (ptx.starts_with(generic)) ptx.remove_prefix(generic.size());
  return ptx.substr(0, ptx.find_first_of("); +\n"));
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
    text += fmt::format("\n#line 1 \"{}\"\n__device__ void* {} = (void*)({});\n", entry_file(i),
                        variable_of(i), model::address_of(entries[i]));
  }
  return text;
}

std::optional<std::string> symbol_of(std::size_t entry, const std::string& expression, std::string_view ptx,
                                     const nvrtc::PtxasReport& report) {
  const std::string_view name = address_in(ptx, entry);
  if (name.empty()) return std::nullopt;
  const bool is_there = model::is_variable(expression) ? declares(ptx, name) : report.find(name) != nullptr;
  return is_there ? std::optional(std::string(name)) : std::nullopt;
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
