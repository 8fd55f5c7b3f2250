// How an entry's name in a binary is found in nvcc's PTX; no nvcc is asked.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tuner/compile/nvcc/nvcc_compiler.hpp"

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

TEST_CASE("an entry's symbol is what its variable is initialised with") {
  const std::string ptx =
      ".global .align 8 .u64 tuner_names_entry_0 = _Z4tileIfLi4EEvPT_S1_;\n"
      ".global .align 8 .u64 tuner_names_entry_1 = _ZN4deep5otherEi;\n"
      ".global .align 8 .u64 tuner_names_entry_10 = c_name;\n";
  const PtxasReport report = report_of({"_Z4tileIfLi4EEvPT_S1_", "_ZN4deep5otherEi", "c_name"});
  CHECK(symbol_of(0, "tile<float, 4>", ptx, report) == "_Z4tileIfLi4EEvPT_S1_");
  CHECK(symbol_of(1, "deep::other", ptx, report) == "_ZN4deep5otherEi");
  CHECK(symbol_of(10, "c_name", ptx, report) == "c_name");
  CHECK_FALSE(symbol_of(2, "tile<float, 4>", ptx, report));
  CHECK_FALSE(symbol_of(0, "tile<float, 4>", ptx, report_of({"_Z4tileIfLi8EEvPT_S1_"})));
}

TEST_CASE("a variable is one that the PTX declares, whole words at that") {
  const std::string head = ".global .align 8 .u64 tuner_names_entry_0 = generic(table);\n";
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
  const std::string own = ".global .align 8 .u64 tuner_names_entry_0 = _Z6kernelv;\n";
  CHECK(without_names(".version 9.0\n" + own + "ret;") == ".version 9.0\nret;");
  const std::string debugged = own + "\t.b8 1 // tuner_names_entry_0\n";
  CHECK(without_names(debugged) == debugged);
}

TEST_CASE("a kernel is named by its address, a variable's is there already") {
  const std::string lines = lines_for({"tile<4>", "&table", "two(float*, int)"});
  CHECK(lines.find("tuner_names_entry_0 = (void*)(&tile<4>);") != std::string::npos);
  CHECK(lines.find("tuner_names_entry_1 = (void*)(&table);") != std::string::npos);
  CHECK(lines.find("tuner_names_entry_2 = (void*)(static_cast<void (*)(float*, int)>(&two));") !=
        std::string::npos);
  CHECK(lines.find("#line 1 \"entry 1\"\n") != std::string::npos);
}

TEST_SUITE_END();
