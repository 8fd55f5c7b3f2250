#include <map>
#include <set>

#include "tests/sass/recorded.hpp"
#include "tuner/sass/listing.hpp"

using namespace tuner;
using sass::Kind;
using test::code_of;

namespace {

sass::Instruction instruction(const std::string& text) {
  return code_of(text + "\n").instructions.at(0);
}

Kind kind(const std::string& text) {
  return kind_of(instruction(text));
}

std::vector<sass::OperandReads> reads(const std::string& lines, const std::string& architecture) {
  return operand_reads(code_of(lines).instructions, sass::reads_of_bank(architecture));
}

}  // namespace

TEST_SUITE_BEGIN("tuner::sass instructions");

TEST_CASE("each kind stands in its own row, and no instruction in two") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < sass::kinds().size(); ++i) {
    CHECK(static_cast<std::size_t>(sass::kinds()[i].kind) == i);
    std::istringstream in(sass::kinds()[i].names);
    for (std::string name; in >> name;) CHECK_MESSAGE(names.insert(name).second, name);
  }
}

TEST_CASE("instructions of Ampere, Hopper and Blackwell have their kinds") {
  const std::map<std::string, Kind> expected = {
      {"FFMA R1, R2, R3, R1", Kind::multiply_add},
      {"FFMA2 R2, R4.F32x2.HI_LO, R6.F32, R2.F32x2.HI_LO", Kind::multiply_add},
      {"FADD.FTZ R1, R2, R3", Kind::fp32},
      {"HFMA2.BF16_V2 R1, R2, R3, R4", Kind::fp16},
      {"HFMA2.MMA R3, -RZ, RZ, 0, 9.5367431640625e-07", Kind::move},
      {"DFMA R4, R4, R6, R8", Kind::fp64},
      {"HMMA.16816.F32 R4, R8, R12, R4", Kind::tensor},
      {"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], R24, gsb0", Kind::tensor},
      {"UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR10], idesc[UR11], UP0", Kind::tensor},
      {"QMMA.16832.F32.E4M3.E4M3 R4, R8, R12, R4", Kind::tensor},
      {"IMAD.WIDE.U32 R4, R9, 0x10, R4", Kind::integer},
      {"IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]", Kind::move},
      {"UIADD3 UR4, UR4, 0x1, URZ", Kind::uniform},
      {"MUFU.RSQ R1, R2", Kind::special},
      {"F2F.F64.F32 R2, R1", Kind::conversion},
      {"LDGSTS.E.BYPASS.128 [R1], [R2.64]", Kind::async_copy},
      {"UTMALDG.2D [UR8], [UR4]", Kind::async_copy},
      {"LDSM.16.M88.4 R4, [R8]", Kind::shared_load},
      {"LDTM.x16 R4, tmem[UR4]", Kind::tensor_memory},
      {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R2], R3", Kind::barrier},
      {"WARPGROUP.ARRIVE", Kind::barrier},
      {"BAR.SYNC.DEFER_BLOCKING 0x0", Kind::barrier},
      {"SHFL.BFLY PT, R1, R2, 0x10, 0x1f", Kind::exchange},
      {"REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R1", Kind::atomic},
      {"@!PT LDS RZ, [RZ]", Kind::other},
      {"NEWTHING R1, R2", Kind::other},
      {"UNEWTHING UR1, UR2", Kind::uniform},
  };
  for (const auto& [text, expected_kind] : expected) {
    CAPTURE(text);
    CHECK(kind(text) == expected_kind);
  }
}

TEST_CASE("a tensor instruction counts the multiply-adds that its shape has for each thread") {
  const auto count = [](const std::string& text) { return multiply_adds_of(instruction(text)); };
  CHECK(count("FFMA R1, R2, R3, R1") == 1);
  CHECK(count("FFMA2 R2, R4, R6, R2") == 2);
  CHECK(count("FMUL R1, R2, R3") == 0.25);
  CHECK(count("IMAD R1, R2, R3, R4") == 0);
  CHECK(count("HMMA.16816.F32 R4, R8, R12, R4") == 16 * 8 * 16 / 32);
  CHECK(count("HMMA.1688.F32.TF32 R4, R8, R12, R4") == 16 * 8 * 8 / 32);
  CHECK(count("IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4") == 16 * 8 * 32 / 32);
  CHECK(count("DMMA.884 R4, R8, R12, R4") == 8 * 8 * 4 / 32);
  CHECK(count("HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24") == 64 * 256 * 16 / 128);
}

TEST_CASE("loads and stores have a space and a width") {
  const auto access = [](const std::string& text) { return access_of(instruction(text)); };
  using sass::Space;
  CHECK(access("LDG.E.U8 R1, [R2.64]") == sass::Access{Space::global, false, 8});
  CHECK(access("LDG.E R1, [R2.64]") == sass::Access{Space::global, false, 32});
  CHECK(access("LDG.E.64.LTC128B R2, [R4.64]") == sass::Access{Space::global, false, 64});
  CHECK(access("LDG.E.ENL2.256 R4, R8, desc[UR4][R2.64]") == sass::Access{Space::global, false, 256});
  CHECK(access("STG.E.128 desc[UR4][R2.64], R4") == sass::Access{Space::global, true, 128});
  CHECK(access("STS.U16 [R2], R4") == sass::Access{Space::shared, true, 16});
  CHECK(access("LDSM.16.MT88.4 R4, [R2]") == sass::Access{Space::shared, false, 128});
  CHECK(access("LDSM.16.M88 R4, [R2]") == sass::Access{Space::shared, false, 32});
  CHECK(access("LDL.LU.64 R4, [R1+0x8]") == sass::Access{Space::local, false, 64});
  CHECK(access("LDGSTS.E.BYPASS.128 [R1], [R2.64]") == sass::Access{Space::global_to_shared, false, 128});
  CHECK_FALSE(access("UTMALDG.2D [UR8], [UR4]"));
  CHECK_FALSE(access("FFMA R1, R2, R3, R1"));
}

TEST_CASE("a spill is told from an array by nvdisasm's note or, before there was one, by the stack pointer") {
  const sass::Instruction noted = instruction("STL [R1+0x4], R3   (*\"SpillRefill\"*)");
  const sass::Instruction plain = instruction("STL [R1+0x4], R3");
  const sass::Instruction indexed = instruction("LDL R2, [R9+-0x4]");
  CHECK(is_spill(noted, sass::SpillSigns::notes));
  CHECK_FALSE(is_spill(plain, sass::SpillSigns::notes));
  CHECK(is_spill(plain, sass::SpillSigns::addresses));
  CHECK_FALSE(is_spill(indexed, sass::SpillSigns::addresses));
  CHECK(is_spill(instruction("LDL.LU R2, [R4]"), sass::SpillSigns::addresses));
  CHECK_FALSE(is_spill(plain, sass::SpillSigns::none));
}

TEST_CASE(
    "two registers of one bank conflict where a multiply-add takes one cycle, three where it takes two") {
  const std::string two = "FFMA R0, R2, R4, R1\n";
  const std::string three = "FFMA R0, R2, R4, R6\n";
  CHECK(reads(two, "sm_90a")[0].conflicts);
  CHECK_FALSE(reads(two, "sm_80")[0].conflicts);
  CHECK(reads(three, "sm_80")[0].conflicts);
  CHECK_FALSE(reads("FFMA R0, R2, R3, RZ\n", "sm_90a")[0].conflicts);
  CHECK_FALSE(reads("FFMA R0, R2, R2, R3\n", "sm_90a")[0].conflicts);
  CHECK_FALSE(reads("FFMA R0, R2, c[0x0][0x160], R3\n", "sm_90a")[0].conflicts);
  CHECK_FALSE(reads("FFMA R0, R2, UR4, R3\n", "sm_90a")[0].conflicts);
}

TEST_CASE("a register with .reuse is kept for the next FFMA that reads it in the same place") {
  const auto kept = [](const std::string& lines) { return reads(lines, "sm_90a").back().kept; };
  CHECK(kept("FFMA R0, R2.reuse, R3, R1\nFFMA R5, R2, R7, R5\n") == 1);
  CHECK(kept("FFMA R0, R2, R3, R1\nFFMA R5, R2, R7, R5\n") == 0);
  CHECK(kept("FFMA R0, R2.reuse, R3, R1\nFFMA R5, R7, R2, R5\n") == 0);  // another place
  CHECK(kept("FFMA R0, R2.reuse, R3, R1\nFFMA R5, R4, R7, R5\nFFMA R5, R2, R7, R5\n") == 0);
  CHECK(kept("FFMA R0, R2.reuse, R3, R1\nLDS R9, [R8]\nFFMA R5, R2, R7, R5\n") == 1);
  CHECK(kept("FFMA R0, -R2.reuse, R3.reuse, R1\nFFMA R5, -R2, R3, R5\n") == 2);
  CHECK(reads("FFMA R0, R2.reuse, R3, R1\nFADD R5, R2, R7\n", "sm_90a").back().registers == 0);
}

TEST_SUITE_END();
