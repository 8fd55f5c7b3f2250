#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/program.hpp"

namespace config {

/// A first spec of a kernel, and what its author has to say before it means anything.
struct SpecDraft {
  std::string spec;                    ///< TOML, with a comment at every guess
  std::string reference;               ///< CUDA C++; empty: the spec verifies nothing
  bool from_launch = false;            ///< the source launches the kernel
  std::string sizes;                   ///< of the program, for `--sizes`; empty: not known
  std::vector<std::string> questions;  ///< what the source does not say, most important first
};

struct DraftRequest {
  std::string file;                       ///< what the spec calls the source
  std::string reference_file;             ///< what it calls the reference
  std::vector<std::string> include = {};  ///< folders in which local headers were found
};

/// A spec of `kernel`, a function of `program`. Where the program launches it, sizes, extents, parameters and
/// launch are those of the launch, and a function that computes the same on the CPU becomes the reference.
/// Where it does not, integers passed by value are sizes, open macros and template parameters become
/// parameters, and the rest is guessed.
SpecDraft draft_spec(const tuner::source::Program& program, const tuner::source::ProgramFunction& kernel,
                     const DraftRequest& request);

// What the names and types of a source suggest, for the draft.

std::string upper(std::string text);
bool contains_any(const std::string& text, std::initializer_list<std::string_view> parts);

bool is_integer(const std::string& type);
/// Integers that say how data lies, or how often something is done, and not how large the problem is.
bool is_no_size(const std::string& name);
bool is_scalar_size(const tuner::source::SourceField& field);

/// What of `one` no [structs] can say; empty: nothing.
std::string no_plain_struct(const tuner::source::SourceStruct& one, bool by_value);
/// An `init` that suits elements of `type`.
const char* usual_init(const std::string& type);

/// A decimal number of at most nine digits.
std::optional<std::int64_t> number(const std::string& text);
/// Values to try for a tunable that is `usual` without tuning, as a TOML list.
std::string guessed_values(const std::string& name, const std::string& usual, bool in_condition);

}  // namespace config
