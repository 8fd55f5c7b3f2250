#pragma once
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tuner/sass/analysis.hpp"
#include "tuner/sass/listing.hpp"

namespace tuner::test {

/// What nvdisasm printed of kernels.cu for an architecture.
inline std::string recorded_text(const std::string& architecture) {
  std::ifstream file(TUNER_SOURCE_DIR "/tests/sass/recorded/" + architecture + ".txt");
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A section with these lines, which are instructions and labels: `.L_1:`.
inline sass::Code code_of(const std::string& lines) {
  std::string text = "\t.section\t.text.k,\"ax\",@progbits\n\t.other\tk,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n";
  std::istringstream in(lines);
  int address = 0;
  constexpr int instruction_bytes = 16;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with(':')) {
      text += line + '\n';
    } else if (!line.empty()) {
      std::ostringstream instruction;
      instruction << "        /*" << std::hex << address << "*/   " << line << " ;\n";
      text += instruction.str();
      address += instruction_bytes;
    }
  }
  sass::Listing listing = sass::read_listing(text);
  REQUIRE(listing.sections.size() == 1);
  return std::move(listing.sections.front());
}

}  // namespace tuner::test
