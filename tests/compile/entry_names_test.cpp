// How an entry's name in a binary is found in nvcc's PTX; no nvcc is asked.
#include "tuner/compile/nvcc/entry_names.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tuner::compile::nvcc::lines_for;
using tuner::compile::nvcc::symbol_of;
using tuner::compile::nvcc::without_names;
using tuner::compile::nvrtc::PtxasFunction;
using tuner::compile::nvrtc::PtxasReport;

namespace {

PtxasReport report_of(const std::vector<std::string>& symbols) {
  PtxasReport report;
  for (const std::string& symbol : symbols) report.entries.push_back(PtxasFunction{symbol, 0, 0, 0, 0, 0});
  return report;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::nvcc entry names");

TEST_CASE("an entry's symbol is that of the template's argument, without the ends of the argument") {
  const std::string ptx =
      ".visible .global .align 1 .b8 _Z18tuner_names_entry_0IXadL_Z4tileIfLi4EEvPfEEE;\n"
      ".visible .global .align 1 .b8 _ZN4deep18tuner_names_entry_1IXadL_ZN4deep5otherEiEEEE[4];\n";
  const PtxasReport report = report_of({"_Z4tileIfLi4EEvPf", "_ZN4deep5otherEi"});
  CHECK(symbol_of(0, "tile<float, 4>", ptx, report) == "_Z4tileIfLi4EEvPf");
  CHECK(symbol_of(1, "deep::other", ptx, report) == "_ZN4deep5otherEi");
  CHECK_FALSE(symbol_of(2, "tile<float, 4>", ptx, report));
  CHECK_FALSE(symbol_of(0, "tile<float, 4>", ptx, report_of({"_Z4tileIfLi8EEvPf"})));
}

TEST_CASE("a function of C has its last name, in whichever namespace it is declared") {
  const std::string ptx =
      ".visible .global .align 1 .b8 _Z18tuner_names_entry_0IXadL_ZN4deep6kernelEPfEEE;\n"
      ".visible .global .align 1 .b8 _Z18tuner_names_entry_1IXadL_Z6kernelPfEEE;\n";
  const PtxasReport report = report_of({"kernel"});
  CHECK(symbol_of(0, "deep::kernel", ptx, report) == "kernel");
  CHECK(symbol_of(1, " kernel ", ptx, report) == "kernel");
  CHECK_FALSE(symbol_of(1, "deep::", ptx, report));
}

TEST_CASE("a variable is one that the PTX declares, whole words at that") {
  const std::string head = ".visible .global .align 1 .b8 _Z18tuner_names_entry_0IXadL_Z5tableEEE;\n";
  const auto symbol = [&](const std::string& declaration) {
    return symbol_of(0, "&table", head + declaration, report_of({"table"}));
  };
  CHECK(symbol(".const .align 4 .b8 table[12];\n") == "table");
  CHECK(symbol(".global .align 4 .u32 table = 5;\n") == "table");
  CHECK_FALSE(symbol(".const .align 4 .b8 tables[12];\n"));
  CHECK_FALSE(symbol(".const .align 4 .b8 my_table[12];\n"));
  CHECK_FALSE(symbol("\tmov.u64 %rd1, table;\n"));
  CHECK_FALSE(symbol(""));
}

TEST_CASE("the variables with the names are no part of the binary, but where debugging names them too") {
  const std::string own = ".visible .global .align 1 .b8 _Z18tuner_names_entry_0IXadL_Z6kernelvEEE;\n";
  CHECK(without_names(".version 9.0\n" + own + "ret;") == ".version 9.0\nret;");
  const std::string debugged = own + "\t.b8 1 // tuner_names_entry_0\n";
  CHECK(without_names(debugged) == debugged);
}

TEST_CASE("a kernel is named by its address, a variable's is there already") {
  const std::string lines = lines_for({"tile<4>", "&table"});
  CHECK(lines.find("tuner_names_entry_0<&tile<4>>;") != std::string::npos);
  CHECK(lines.find("tuner_names_entry_1<&table>;") != std::string::npos);
  CHECK(lines.find("#line 1 \"entry 1\"\n") != std::string::npos);
}

TEST_SUITE_END();
