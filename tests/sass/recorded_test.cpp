// Kernels with a flaw each (kernels.cu), as nvdisasm printed them for four generations of GPUs.
#include "tests/sass/recorded.hpp"

#include <algorithm>

#include "db/json.hpp"

using namespace tuner;
using sass::Kind;
using test::recorded_text;

namespace {

const std::vector<std::string> architectures = {"sm_80", "sm_90a", "sm_100a", "sm_120"};

sass::KernelCode recorded(const std::string& architecture, const std::string& kernel, bool may_spill = true) {
  const sass::Listing listing = sass::read_listing(recorded_text(architecture));
  CHECK(listing.architecture == architecture);
  const sass::Code* const code = listing.find(kernel);
  REQUIRE(code != nullptr);
  return analyse(*code, architecture, may_spill);
}

int marked(const sass::KernelCode& kernel, sass::Mark mark) {
  return static_cast<int>(
      std::ranges::count_if(kernel.hot, [&](const auto& each) { return each.mark == mark; }));
}

int accesses(const std::vector<sass::AccessCount>& counts, const sass::Access& access) {
  int sum = 0;
  for (const sass::AccessCount& each : counts) sum += each.access == access ? each.count : 0;
  return sum;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::sass recorded kernels");

TEST_CASE("the inner of two loops is the hot one") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "nested");
    REQUIRE(kernel.hottest() != nullptr);
    CHECK(kernel.hottest()->depth == 2);
    CHECK(kernel.hottest()->parent >= 0);
    CHECK(kernel.hot_mix().count(Kind::multiply_add) == 1);
    CHECK(kernel.hot_mix().count(Kind::global_load) == 2);
    CHECK(kernel.hot_mix().sectors == 8);
    CHECK(kernel.hottest()->every_turn == kernel.hot_mix().instructions);
    CHECK(kernel.depths.size() == 3);
    int sum = 0;
    for (const sass::DepthMix& at : kernel.depths) sum += at.mix.instructions;
    CHECK(sum == kernel.mix.instructions);
  }
}

TEST_CASE("of an unrolled loop and the one for what is left, the unrolled one is hot") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "unrolled");
    CHECK(kernel.loops.size() == 2);
    CHECK(kernel.hot_mix().count(Kind::multiply_add) == 4);
    CHECK(kernel.hot_mix().count(Kind::global_load) == 4);
  }
}

TEST_CASE("a kernel without a loop is hot as a whole") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "straight");
    CHECK(kernel.hot_loop == -1);
    CHECK(kernel.loops.empty());
    CHECK(static_cast<int>(kernel.hot.size()) == kernel.mix.instructions);
    CHECK(accesses(kernel.accesses, {sass::Space::global, false, 128}) == 1);
    CHECK(accesses(kernel.accesses, {sass::Space::global, true, 128}) == 1);
    CHECK(marked(kernel, sass::Mark::wide) == 2);
    CHECK(kernel.mix.sectors == 32);
  }
}

TEST_CASE("narrow loads in a loop are found") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "narrow");
    CHECK(accesses(kernel.hot_accesses, {sass::Space::global, false, 8}) == 1);
    CHECK(accesses(kernel.hot_accesses, {sass::Space::global, false, 32}) == 1);
    CHECK(marked(kernel, sass::Mark::narrow) == 2);
  }
}

TEST_CASE("arithmetic in double in the loop of a float kernel is found, conversions included") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "to_double");
    CHECK(kernel.hot_mix().count(Kind::fp64) == 1);
    CHECK(kernel.hot_mix().count(Kind::conversion) == 3);
    CHECK(kernel.hot_mix().doubles == 4);
    CHECK(marked(kernel, sass::Mark::fp64) == 4);
    CHECK(recorded(architecture, "nested").mix.doubles == 0);
  }
}

TEST_CASE("spills in a loop are found, by nvdisasm's notes as by addresses") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "spills");
    const sass::Mix& hot = kernel.hot_mix();
    CHECK(hot.count(Kind::multiply_add) == 40);
    CHECK(hot.spill_loads > 30);
    CHECK(hot.spill_stores > 30);
    CHECK(hot.spill_loads == hot.count(Kind::local_load));
    CHECK(marked(kernel, sass::Mark::spill) == hot.spill_loads + hot.spill_stores);
    CHECK(recorded(architecture, "nested").mix.spill_loads == 0);
    CHECK(recorded(architecture, "spills", false).mix.spill_loads == 0);  // the compiler says so
    CHECK(marked(recorded(architecture, "spills", false), sass::Mark::local) > 60);
  }
}

TEST_CASE("registers that share a bank are counted by the rule of the architecture") {
  CHECK(recorded("sm_80", "spills").hot_mix().conflicts == 3);
  for (const char* architecture : {"sm_90a", "sm_100a", "sm_120"}) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "spills");
    CHECK(kernel.hot_mix().conflicts >= 12);
    CHECK(marked(kernel, sass::Mark::conflict) == kernel.hot_mix().conflicts);
    CHECK(kernel.hot_mix().none_kept <= kernel.hot_mix().conflicts);
  }
}

TEST_CASE("the loop of a function is as deep as its call makes it") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "calls");
    REQUIRE(kernel.hottest() != nullptr);
    CHECK(kernel.hottest()->depth == 2);
    CHECK(kernel.hot_mix().count(Kind::fp32) == 1);
  }
}

TEST_CASE("of a loop with many ways, what every turn issues is less than all of it") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    const sass::KernelCode kernel = recorded(architecture, "choice");
    CHECK(kernel.hot_mix().instructions > 40);
    CHECK(kernel.hottest()->every_turn < 20);
    CHECK(kernel.hottest()->every_turn > 3);
    CHECK(kernel.hot_mix().count(Kind::special) == 2);
  }
}

TEST_CASE("tensor cores and copies to shared memory are told from other instructions") {
  for (const std::string& architecture : architectures) {
    CAPTURE(architecture);
    CHECK(recorded(architecture, "tensor").hot_mix().count(Kind::tensor) == 1);
    CHECK(recorded(architecture, "tensor").hot_mix().multiply_adds == 64);
    const sass::KernelCode staged = recorded(architecture, "staged");
    CHECK(staged.hot_mix().count(Kind::async_copy) == 1);
    CHECK(staged.hot_mix().count(Kind::barrier) == 4);
    CHECK(accesses(staged.hot_accesses, {sass::Space::global_to_shared, false, 128}) == 1);
  }
}

TEST_CASE("nothing in the recorded kernels is unknown") {
  for (const std::string& architecture : architectures) {
    for (const sass::Code& code : sass::read_listing(recorded_text(architecture)).sections) {
      for (const sass::Instruction& instruction : code.instructions) {
        CAPTURE(instruction.text());
        const bool is_filler = instruction.name() == "NOP" || instruction.is_never_executed();
        CHECK((kind_of(instruction) == Kind::other) == is_filler);
      }
    }
  }
}

TEST_CASE("the figures of sgemm's main loop are those that were counted when its variants were studied") {
  // Variant 30 of docs/results/h200-2026-11-22-sgemm-2/variants.csv: loop_instructions, fresh_three,
  // same_bank.
  std::ifstream file(TUNER_SOURCE_DIR "/tests/sass/recorded/sgemm_loop.txt");
  std::ostringstream lines;
  lines << file.rdbuf();
  const sass::KernelCode kernel = analyse(test::code_of(lines.str()), "sm_90");
  const sass::Mix& hot = kernel.hot_mix();
  CHECK(hot.instructions == 607);
  CHECK(hot.count(Kind::multiply_add) == 512);
  CHECK(hot.none_kept == 58);
  CHECK(hot.conflicts - hot.none_kept == 18);
}

TEST_CASE("every figure is in the JSON under the name that describes it") {
  const db::Json json = db::json_of(recorded("sm_90a", "nested"));
  CHECK(json["symbol"] == "nested");
  CHECK(json["whole"]["multiply_add"] == 1);
  CHECK(json["depths"][2]["global_load"] == 2);
  CHECK(json["loops"][json["hot_loop"].get<std::size_t>()]["depth"] == 2);
  CHECK(json["hot_accesses"][0]["space"] == "global");
  CHECK(json["hot"][0]["mark"].is_string());
  CHECK(db::json_of(recorded("sm_90a", "straight"))["hot_loop"].is_null());
}

TEST_SUITE_END();
