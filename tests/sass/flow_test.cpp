#include "tests/sass/recorded.hpp"
#include "tuner/sass/analysis.hpp"

using namespace tuner;
using test::code_of;

namespace {

/// Depths of the blocks, one after the other; `-` where a block cannot be reached.
std::string depths(const sass::Code& code) {
  std::string text;
  for (const sass::Block& block : flow_of(code).blocks)
    text += block.reachable ? std::to_string(block.depth) : "-";
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::sass control flow");

TEST_CASE("code without a branch is one block and no loop") {
  const sass::Code code = code_of("MOV R1, R2\n@P0 EXIT\nMOV R2, R3\nEXIT\n.L_0:\nBRA `(.L_0)\nNOP\n");
  CHECK(depths(code) == "00--");
  CHECK(flow_of(code).loops.empty());
  const sass::KernelCode kernel = analyse(code, "sm_90");
  CHECK(kernel.mix.instructions == 4);
  CHECK(kernel.left_out == 2);
  CHECK(kernel.hot_loop == -1);
  CHECK(kernel.hot.size() == 4);
}

TEST_CASE("loops are nested as deep as they stand in each other") {
  CHECK(depths(code_of("MOV R1, R2\n.L_0:\nMOV R2, R3\n.L_1:\nFADD R1, R1, R2\n@P0 BRA `(.L_1)\n"
                       "MOV R3, R4\n@P1 BRA `(.L_0)\nEXIT\n")) == "01210");
}

TEST_CASE("an inner loop is hotter than the one around it, which has three times its arithmetic") {
  const sass::KernelCode kernel =
      analyse(code_of(".L_0:\nFFMA R1, R1, R2, R3\nFFMA R4, R4, R2, R3\nFFMA R5, R5, R2, R3\n.L_1:\n"
                      "FFMA R6, R6, R2, R3\n@P0 BRA `(.L_1)\n@P1 BRA `(.L_0)\nEXIT\n"),
              "sm_90");
  REQUIRE(kernel.hottest() != nullptr);
  CHECK(kernel.hottest()->depth == 2);
}

TEST_CASE("where nvdisasm notes spills, other accesses at the stack pointer are none") {
  const std::string noted = "STL [R1+0x4], R3   (*\"SpillRefill\"*)\n";
  const std::string plain = "STL [R1+0x8], R3\nLDL R2, [R1+0x8]\nEXIT\n";
  CHECK(analyse(code_of(noted + plain), "sm_90").mix.spill_stores == 1);
  CHECK(analyse(code_of(noted + plain), "sm_90").mix.spill_loads == 0);
  CHECK(analyse(code_of(plain), "sm_90").mix.spill_loads == 1);
}

TEST_CASE("a loop may go on from several places") {
  const sass::Code code = code_of(
      ".L_0:\nMOV R1, R2\n@P0 BRA `(.L_0)\nMOV R2, R3\n@P1 BRA `(.L_0)\nFADD R3, R4, R5\nBRA.U !UP0, "
      "`(.L_0)\nEXIT\n");
  const sass::Flow flow = flow_of(code);
  CHECK(flow.loops.size() == 1);
  CHECK(flow.loops[0].blocks.size() == 3);
  CHECK(unavoidable_blocks(flow, 0) == std::vector<std::size_t>{0});
  CHECK_FALSE(analyse(code, "sm_90").irreducible);
}

TEST_CASE("where a loop is entered is known behind code that cannot be reached") {
  const sass::Code code = code_of(
      "BRA `(.L_0)\nNOP\n.L_0:\nBRA `(.L_2)\n.L_1:\nFADD R1, R1, R2\n.L_2:\nFMUL R1, R1, R3\n"
      "@P1 BRA `(.L_1)\nEXIT\n");
  CHECK(depths(code) == "0-0110");
  CHECK(flow_of(code).loops.at(0).headers == std::vector<std::size_t>{4});
}

TEST_CASE("what a turn of a loop can avoid is told from what it cannot") {
  const sass::Code code = code_of(
      ".L_0:\nMOV R1, R2\n@P0 BRA `(.L_1)\nLDG.E R1, [R2.64]\nFADD R3, R3, R1\n.L_1:\nFFMA R4, R5, R6, R4\n"
      "@P1 BRA `(.L_0)\nEXIT\n");
  const sass::KernelCode kernel = analyse(code, "sm_90");
  REQUIRE(kernel.hottest() != nullptr);
  CHECK(kernel.hottest()->mix.instructions == 6);
  CHECK(kernel.hottest()->every_turn == 4);
  CHECK_FALSE(kernel.hot[2].every_turn);
  CHECK(kernel.hot[4].every_turn);
}

TEST_CASE("a loop that is entered at two places is one, and said to be irreducible") {
  const sass::Code code =
      code_of("@P0 BRA `(.L_1)\n.L_0:\nFADD R1, R1, R2\n.L_1:\nFMUL R1, R1, R3\n@P1 BRA `(.L_0)\nEXIT\n");
  CHECK(depths(code) == "0110");
  const sass::KernelCode kernel = analyse(code, "sm_90");
  CHECK(kernel.irreducible);
  REQUIRE(kernel.loops.size() == 1);
  CHECK(kernel.loops[0].entries == 2);
  CHECK(kernel.loops[0].mix.instructions == 3);
}

TEST_CASE("a branch by a table leads to all of its targets") {
  CHECK(depths(code_of(
            ".L_0:\nMOV R1, R2\nBRX R2 -0x90 (*\"BRANCH_TARGETS .L_1,.L_2,.L_9\"*)\n.L_1:\nFADD R1, R1, R2\n"
            "BRA `(.L_0)\n.L_2:\nEXIT\nMOV R1, R2\n")) == "110-");
}

TEST_CASE("a function is as deep as the call of it, and out of reach without one") {
  const std::string function =
      "EXIT\nfunction:\n.L_1:\nFFMA R1, R1, R2, R3\n@P1 BRA `(.L_1)\nRET.REL.NODEC R12 `(k)\n";
  sass::Code code = code_of(".L_0:\nCALL.REL.NOINC `(function)\n@P0 BRA `(.L_0)\n" + function);
  code.functions = {"function"};
  CHECK(depths(code) == "1021");
  code = code_of("CALL.REL.NOINC `(function)\n" + function);
  CHECK(depths(code) == "010");
  code = code_of("MOV R1, R2\n" + function);
  CHECK(depths(code) == "0--");
  code = code_of("CALL.ABS.NOINC R4\n" + function);  // of an address: of any function
  code.functions = {"function"};
  CHECK(depths(code) == "010");
}

TEST_CASE("of several functions that a loop calls each is as deep, also behind one that is so already") {
  sass::Code code = code_of(
      ".L_0:\nCALL.REL.NOINC `(first)\n@P0 BRA `(.L_0)\n.L_1:\nCALL.REL.NOINC `(first)\nCALL.REL.NOINC "
      "`(second)\n"
      "@P1 BRA `(.L_1)\nEXIT\nfirst:\nRET.REL.NODEC R12 `(k)\nsecond:\nRET.REL.NODEC R12 `(k)\n");
  code.functions = {"first", "second"};
  CHECK(depths(code) == "11011");
}

TEST_CASE("functions that call each other are looked at to an end") {
  sass::Code code = code_of(
      ".L_0:\nCALL.REL.NOINC `(f)\n@P0 BRA `(.L_0)\nEXIT\nf:\n.L_1:\nCALL.REL.NOINC `(f)\n@P1 BRA `(.L_1)\n"
      "RET.REL.NODEC R12 `(k)\n");
  code.functions = {"f"};
  CHECK(flow_of(code).loops.size() == 2);
}

TEST_CASE("the way of warps that have diverged is left out, and so is what is never executed") {
  CHECK(depths(code_of("BRA.DIV UR4, `(.L_1)\n.L_0:\nEXIT\n.L_1:\nFADD R1, R1, R2\nBRA `(.L_0)\n")) == "00-");
  CHECK(depths(code_of("@!PT BRA `(.L_1)\nEXIT\n.L_1:\nEXIT\n")) == "0-");
}

TEST_CASE("loops in each other a thousand times are read in time") {
  std::string lines;
  constexpr int loops = 1000;
  for (int i = 0; i < loops; ++i) lines += ".L_" + std::to_string(i) + ":\nMOV R1, R2\n";
  for (int i = loops; i-- > 0;) lines += "@P0 BRA `(.L_" + std::to_string(i) + ")\n";
  const sass::KernelCode kernel = analyse(code_of(lines + "EXIT\n"), "sm_90");
  CHECK(kernel.loops.size() == 32);
}

TEST_SUITE_END();
