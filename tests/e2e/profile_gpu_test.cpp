// The counts that the study notes work out by hand, on a GPU.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/user.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::User;

namespace {

/// What is counted of a kernel's one configuration at 32x32x32; empty where this process may not count.
std::map<std::string, double> counts_of(const User& user, const std::string& kernel,
                                        const std::string& configuration) {
  const auto ran = user.types({"run", "--kernel", kernel, "--sizes", "32", "--measure", "complete",
                               "--ceilings", "off", "--device", "cuda:0"});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const auto best =
      user.types({"best", "32", "--kernel", kernel, "--where", configuration, "--format", "json"});
  REQUIRE_MESSAGE(best.exit_code == 0, best.err);
  const auto at = best.out.find("\"trial\": \"");
  REQUIRE(at != std::string::npos);
  const auto counted =
      user.types({"profile", best.out.substr(at + 10, 32), "--format", "json", "--device", "cuda:0"});
  std::map<std::string, double> counts;
  if (has(counted.err, "administrators") || has(counted.err, "does not let this process")) {
    MESSAGE("skipped: " << counted.err);
    return counts;
  }
  REQUIRE_MESSAGE(counted.exit_code == 0, counted.err);
  for (const json& counter : json::parse(counted.out)["counters"])
    counts[counter["metric"].get<std::string>()] = counter["value"].get<double>();
  return counts;
}

}  // namespace

TEST_SUITE("tuner command line, counters on a GPU") {
  TEST_CASE("at 32x32x32 in blocks of 32x32 there are as many transactions as the notes say") {
    User user;
    user.environment["TUNER_DB"] = user.home / "tuner.db";
    user.environment["TUNER_CACHE_DIR"] = user.home / "cache";
    const auto naive = counts_of(user, "naive", "PARTITION == 'row' && BLOCK_X == 32 && BLOCK_Y == 32");
    if (naive.empty()) return;
    CHECK(naive.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 5120);
    CHECK(naive.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") == 128);
    const auto shared = counts_of(user, "shared", "PARTITION == 'row' && BLOCK_SIZE == 32 && PADDING == 0");
    CHECK(shared.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 256);
    CHECK(shared.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") == 128);
  }

  TEST_CASE("run --counters counts the finalists once the sweep has ended") {
    User user;
    user.environment["TUNER_DB"] = user.home / "tuner.db";
    user.environment["TUNER_CACHE_DIR"] = user.home / "cache";
    const auto ran =
        user.types({"run", "--kernel", "shared", "--sizes", "256", "--measure", "quick", "--ceilings", "off",
                    "--baselines", "off", "--device", "cuda:0", "--counters"});
    REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
    if (has(ran.err, "administrators") || has(ran.err, "does not let this process")) {
      MESSAGE("skipped: " << ran.err);
      return;
    }
    const auto best = user.types({"best", "256", "--format", "json"});
    const auto at = best.out.find("\"trial\": \"");
    REQUIRE(at != std::string::npos);
    const auto shown = user.types({"show", best.out.substr(at + 10, 32)});
    CHECK_MESSAGE(has(shown.out, "dram__bytes_read.sum"), ran.err, shown.out);
  }
}
