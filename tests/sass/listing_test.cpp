#include <random>

#include "tests/sass/recorded.hpp"
#include "tuner/sass/analysis.hpp"

using namespace tuner;
using test::code_of;
using test::recorded_text;

TEST_SUITE_BEGIN("tuner::sass listings");

TEST_CASE("kernels, their instructions and their functions are read from what nvdisasm prints") {
  const sass::Listing listing = sass::read_listing(recorded_text("sm_90a"));
  CHECK(listing.architecture == "sm_90a");
  CHECK(listing.sections.size() == 10);
  const sass::Code* const calls = listing.find("calls");
  REQUIRE(calls != nullptr);
  CHECK(calls->is_kernel);
  CHECK(calls->functions == std::vector<std::string>{"$calls$_Z5powerfi"});
  CHECK(calls->labels.contains("$calls$_Z5powerfi"));
  CHECK(listing.find("power") == nullptr);
  std::string text = recorded_text("sm_90a");  // as of a function that several kernels call
  const std::string entry = "calls,@\"STO_CUDA_ENTRY ";
  REQUIRE(text.find(entry) != std::string::npos);
  text.replace(text.find(entry), entry.size(), "calls,@\"");
  REQUIRE(sass::read_listing(text).find("calls") != nullptr);
  CHECK_FALSE(sass::read_listing(text).find("calls")->is_kernel);
}

TEST_CASE("an instruction has a guard, an opcode with parts, operands and a note") {
  const sass::Code code = code_of(
      "@!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10]\n"
      "BRX R2 -0x90     (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*)\n"
      "{ EXIT");
  REQUIRE(code.instructions.size() == 3);
  const sass::Instruction& load = code.instructions[0];
  CHECK(load.guard == "!P0");
  CHECK(load.opcode == "LDG.E.128.CONSTANT");
  CHECK(load.name() == "LDG");
  CHECK(load.has("128"));
  CHECK_FALSE(load.has("12"));
  CHECK(load.operands == "R4, desc[UR4][R2.64+0x10]");
  CHECK(load.text() == "@!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10]");
  CHECK(code.instructions[1].note == "BRANCH_TARGETS .L_x_1,.L_x_2");
  CHECK(code.instructions[1].operands == "R2 -0x90");
  CHECK(code.instructions[2].opcode == "EXIT");
  CHECK(code.instructions[2].address == 32);
}

TEST_CASE("lines of the source are known where nvdisasm prints them") {
  const sass::Listing with_lines = sass::read_listing(recorded_text("sm_120"));
  const sass::KernelCode nested = analyse(*with_lines.find("nested"), with_lines.architecture);
  REQUIRE(nested.hottest() != nullptr);
  CHECK(nested.hottest()->file == "kernels.cu");
  CHECK(nested.hottest()->line == 13);
  const sass::Listing without = sass::read_listing(recorded_text("sm_80"));
  CHECK(analyse(*without.find("nested"), "sm_80").hottest()->line == 0);
}

TEST_CASE("text that is no listing gives one without kernels") {
  for (const char* text :
       {"", "\n\n", "nvdisasm fatal   : Object file k.cubin appears truncated\n", "/*0000*/ EXIT ;\n",
        "/*zz*/ ;\n.section\n.section ,\n", "\t.section\t.text.,\"ax\"\n"}) {
    CAPTURE(text);
    for (const sass::Code& code : sass::read_listing(text).sections) {
      CHECK(code.instructions.empty());
      CHECK(analyse(code, "").hot.empty());
    }
  }
}

TEST_CASE("damaged listings are read to an end") {
  const std::string sound = recorded_text("sm_100a");
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string text = sound.substr(random() % sound.size(), 4000);
    for (int i = 0; i < 40; ++i) text[random() % text.size()] = static_cast<char>(random() % 256);
    text.insert(0, "\t.section\t.text.k,\"ax\"\n");
    for (const sass::Code& code : sass::read_listing(text).sections) {
      const sass::KernelCode kernel = analyse(code, "sm_90");
      CHECK(kernel.mix.instructions + kernel.left_out == static_cast<int>(code.instructions.size()));
    }
  }
}

TEST_SUITE_END();
