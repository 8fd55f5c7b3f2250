#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tuner::space {

/// "did you mean `BLOCK_SIZE`?" for the candidate fewest edits away from `name`, or "" where none is near
/// enough for the question to help (more than a third of the letters wrong).
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tuner::space
