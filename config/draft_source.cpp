#include <algorithm>
#include <array>

#include "config/draft_plan.hpp"

namespace config {

using tuner::source::KernelSource;
using tuner::source::Program;
using tuner::source::ProgramFunction;

static std::set<std::string_view> with_macros(const Program& program, std::set<std::string_view> words) {
  std::vector<std::string_view> open(words.begin(), words.end());
  while (!open.empty()) {
    const tuner::source::ConstantMacro* const macro = program.macro(open.back());
    open.pop_back();
    if (macro == nullptr) continue;
    for (const tuner::source::Token& token : macro->tokens)
      if (token.is_word() && words.insert(token.text).second) open.push_back(token.text);
  }
  return words;
}

bool DraftSource::asks_for_block() const {
  constexpr std::array<std::string_view, 7> asking = {
      "blockDim", "group_size", "thread_rank", "num_threads", "meta_group_size", "group_dim", "dim_threads"};
  return std::ranges::any_of(asking, [&](std::string_view word) { return words_with_macros.contains(word); });
}

bool DraftSource::has_number(std::int64_t wanted) const {
  if (wanted <= 1) return false;
  const std::string digits = std::to_string(wanted);
  for (const ProgramFunction* function : reached)
    for (const tuner::source::Token& token : function->body)
      if (token.kind == tuner::source::Token::Kind::number && token.is(digits)) return true;
  return false;
}

DraftSource::DraftSource(const Program& its_program, const ProgramFunction& its_kernel,
                         const DraftRequest& its_request)
    : program(its_program),
      kernel(its_kernel),
      request(its_request),
      host(its_program),
      host_code_line(tuner::source::host_code_line(its_program.files().front().text)),
      uses(pointer_uses(its_program, its_kernel)),
      launches(launches_of(host, its_kernel)),
      reached(reached_functions(its_program, its_kernel)),
      words(words_of(reached)),
      words_with_macros(with_macros(its_program, words)) {
  KernelSource own =
      tuner::source::read_kernel_source(program.files()[static_cast<std::size_t>(kernel.file)].text);
  for (const tuner::source::SourceKernel& one : own.kernels)
    if (one.name == kernel.name) text = one;
  macros = std::move(own.macros);
  for (const auto& file : program.files())
    for (tuner::source::SourceStruct& one : structs_of(tuner::source::lines_of(file.text)))
      structs.push_back(std::move(one));
}

}  // namespace config
