#pragma once
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/spec_note.hpp"
#include "tuner/cli/context.hpp"

namespace tuner::cli {

/// Of each answer, in their order, whether the spec and the sources on disk are still what was measured.
/// Files are read and nothing is compiled.
std::vector<answers::SpecNote> spec_notes(const db::Connection& connection,
                                          const std::vector<db::BestAnswer>& answers, const Context& context);

/// What is to be said of them to people, each kernel once, with the command that measures its sizes anew.
std::vector<std::string> spec_sentences(const std::vector<db::BestAnswer>& answers,
                                        const std::vector<answers::SpecNote>& notes, const Context& context);

}  // namespace tuner::cli
