#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tests/mutants/mutation.hpp"

namespace mutants {

/// Copies what git knows of (and what it would) from `root` to `folder`, with every mutation as a choice.
/// Files that are gone are removed, files that are the same keep their times. Throws model::Error.
void write_tree(const std::filesystem::path& root, const std::filesystem::path& folder,
                const std::vector<Mutation>& mutations);

/// Configures `tree` as preset dev in `build` and builds the targets, or all where none are named; with
/// ccache where there is one. Throws model::Error with what the compiler said.
void build_tree(const std::filesystem::path& tree, const std::filesystem::path& build,
                const std::vector<std::string>& targets);

}  // namespace mutants
