#pragma once
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/spec_draft.hpp"
#include "tuner/source/access.hpp"
#include "tuner/source/launches.hpp"

namespace config {

/// What a draft is made from: a kernel, and what its program says of it, read once for all parts of the
/// draft. The parts add questions.
struct DraftSource {
  DraftSource(const tuner::source::Program& program, const tuner::source::ProgramFunction& kernel,
              const DraftRequest& request);

  bool is_launched() const { return !launches.empty(); }
  /// The kernel asks how large its blocks are.
  bool asks_for_block() const;
  /// This number, larger than 1, stands in the kernel or in what it calls.
  bool has_number(std::int64_t wanted) const;
  void ask(std::string question) { questions.push_back(std::move(question)); }

  const tuner::source::Program& program;
  const tuner::source::ProgramFunction& kernel;
  const DraftRequest& request;
  tuner::source::HostCode host;
  tuner::source::SourceKernel text;                    ///< what the text of its file alone says
  std::vector<tuner::source::OpenMacro> macros;        ///< of its file
  int host_code_line = 0;                              ///< of the program's first file; see host_code_line()
  std::vector<tuner::source::SourceStruct> structs;    ///< of all files
  std::vector<tuner::source::PointerUse> uses;         ///< of each parameter
  std::vector<tuner::source::ProgramLaunch> launches;  ///< those that say most come first
  std::vector<const tuner::source::ProgramFunction*> reached;
  std::set<std::string_view> words;              ///< of the functions that are reached
  std::set<std::string_view> words_with_macros;  ///< and of what macros among them stand for
  std::vector<std::string> questions;            ///< what it does not say, as it is found out
};

}  // namespace config
