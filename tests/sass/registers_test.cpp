#include "tests/sass/recorded.hpp"
#include "tuner/sass/analysis.hpp"
#include "tuner/sass/listing.hpp"

using namespace tuner;
using sass::Registers;
using test::code_of;

namespace {

constexpr int uniform = 1024;

sass::Instruction one(const std::string& text) {
  return code_of(text + "\n").instructions.at(0);
}

Registers written(const std::string& text) {
  return written_by(one(text));
}

}  // namespace

TEST_SUITE_BEGIN("tuner::sass registers");

TEST_CASE("an instruction writes the registers behind its predicates, as many as its result has words") {
  CHECK(written("FFMA R17, R10, R14, R11 ;") == Registers{17});
  CHECK(written("IMAD.WIDE R10, R0, 0x4, R12 ;") == Registers{10, 11});
  CHECK(written("LDG.E.128 R4, desc[UR6][R2.64] ;") == Registers{4, 5, 6, 7});
  CHECK(written("LDG.E.U16 R4, desc[UR6][R2.64] ;") == Registers{4});
  CHECK(written("LEA R12, P1, R7.reuse, UR4, 0x2 ;") == Registers{12});
  CHECK(written("SHFL.BFLY PT, R5, R4, 0x10, 0x1f ;") == Registers{5});
  CHECK(written("UIADD3 UR4, UR4, 0x10, URZ ;") == Registers{uniform + 4});
  CHECK(written("DFMA R4, R6, R8, R4 ;") == Registers{4, 5});
  CHECK(written("F2F.F64.F32 R8, R3 ;") == Registers{8, 9});
  CHECK(written("FFMA2 R4, R6, R8, R4 ;") == Registers{4, 5});
  CHECK(written("CS2R R6, SRZ ;") == Registers{6, 7});
  CHECK(written("CS2R.32 R6, SR_CLOCKLO ;") == Registers{6});
  CHECK(written("STG.E desc[UR6][R2.64], R17 ;").empty());
  CHECK(written("ISETP.GT.AND P1, PT, R9, 0xc, PT ;").empty());
  CHECK(written("BRA `(.L_x_3) ;").empty());
}

TEST_CASE("a load takes its address from registers in brackets, unless it must see what others write") {
  const auto address = [](const std::string& text) { return address_of(one(text)); };
  CHECK(address("LDG.E R14, desc[UR6][R12.64+0x10] ;") == Registers{12, 13, uniform + 6, uniform + 7});
  CHECK(address("LDG.E R14, [R12] ;") == Registers{12});
  CHECK_FALSE(address("LDG.E.STRONG.GPU R14, desc[UR6][R12.64] ;"));
  CHECK_FALSE(address("LDS R14, [R12] ;"));  // others write shared memory between barriers
  CHECK_FALSE(address("STG.E desc[UR6][R2.64], R17 ;"));
}

TEST_CASE("what comes from constants alone is the same each time") {
  CHECK(writes_constant(one("LDC.64 R6, c[0x0][0x218] ;")));
  CHECK(writes_constant(one("MOV R6, 0x7 ;")));
  CHECK_FALSE(writes_constant(one("LDC R6, c[0x0][R5] ;")));
  CHECK_FALSE(writes_constant(one("MOV R6, R5 ;")));
  CHECK_FALSE(writes_constant(one("@P0 MOV R6, 0x7 ;")));
  CHECK_FALSE(writes_constant(one("S2R R6, SR_CLOCKLO ;")));
  CHECK_FALSE(writes_constant(one("FFMA R6, R5, R5, R5 ;")));
}

TEST_CASE("a loop that reads an address again and again is found, and one that walks is not") {
  const auto unchanged = [](const std::string& inside) {
    const std::string text = ".L_x_1:\n" + inside + "@P0 BRA `(.L_x_1) ;\nEXIT ;\n";
    return analyse(code_of(text), "sm_90").hot_mix().unchanged_loads;
  };
  const std::string load = "LDG.E R4, desc[UR6][R2.64] ;\nFFMA R5, R4, R4, R5 ;\n";
  CHECK(unchanged(load) == 1);
  CHECK(unchanged(load + "IADD3 R2, P1, R2, 0x4, RZ ;\n") == 0);
  CHECK(unchanged(load + "LDC.64 R2, c[0x0][0x218] ;\n") == 1);
  CHECK(unchanged(load + "LDG.E.64 R2, desc[UR6][R8.64] ;\n") == 1);  // the second; the first follows it
}

TEST_CASE("warps that hand registers over are told") {
  CHECK(analyse(code_of("USETMAXREG.DEALLOC.CTAPOOL 0x28 ;\nEXIT ;\n"), "sm_90a").hands_registers_over);
  CHECK_FALSE(analyse(code_of("EXIT ;\n"), "sm_90a").hands_registers_over);
}
