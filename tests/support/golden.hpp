#pragma once
#include <string>

namespace tests {

/// Fails the running case unless `text` equals tests/golden/NAME, showing the first lines that differ. With
/// TUNER_UPDATE_GOLDEN=1 in the environment it writes the file instead; the change is reviewed in the diff.
void check_golden(const std::string& name, const std::string& text);

}  // namespace tests
