#pragma once
#include <string>

#include "tuner/cli/command_shape.hpp"

namespace tuner::cli {

/// What has a shell complete a command line of `program`: its commands, their flags, the words that a flag
/// takes, and files where one is taken. To be put where the shell looks for it, or sourced.
std::string bash_completion(
    const CommandShape& program);  ///< bash 4 or newer; needs nothing of bash-completion
std::string zsh_completion(const CommandShape& program);  ///< to be `_tuner` in a folder of fpath
std::string fish_completion(const CommandShape& program);

}  // namespace tuner::cli
