// Candidates on a GPU: those of judge_test.cpp again, and one that only a GPU can run.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/e2e/user.hpp"

using nlohmann::json;
using tuner::test::User;

namespace {

const std::string judged_folder = std::string(TUNER_SOURCE_DIR) + "/tests/judged/";

struct Refused {
  const char* candidate;
  const char* stage;  ///< empty: by chance one or another
  std::vector<const char*> statuses;
};

/// What keeps its launch from ending or breaks it may be told in more than one way.
const std::vector<Refused> all_refused = {{"does_nothing", "verify", {"wrong_result"}},
                                          {"writes_zeros", "verify", {"wrong_result"}},
                                          {"half_the_work", "verify", {"wrong_result"}},
                                          {"half_precision", "verify", {"wrong_result"}},
                                          {"adds_to_output", "verify", {"wrong_result"}},
                                          {"works_once", "verify", {"wrong_result"}},
                                          {"knows_even", "verify", {"wrong_result"}},
                                          {"knows_small", "verify", {"wrong_result"}},
                                          {"writes_past_end", "verify", {"out_of_bounds"}},
                                          {"changes_input", "verify", {"input_modified"}},
                                          {"other_bits_each_time", "verify", {"unstable"}},
                                          {"skips_when_made", "verify", {"unstable"}},
                                          {"skips_in_batches", "", {"unstable"}},
                                          {"crashes", "verify", {"launch_error", "crashed"}},
                                          {"hangs", "verify", {"timeout"}},
                                          {"takes_another_type", "signature", {"mistake"}},
                                          {"takes_fewer", "signature", {"mistake"}},
                                          {"does_not_compile", "compile", {"compile_error"}},
                                          {"launches_work", "compile", {"compile_error"}}};

tuner::test::ProgramResult judges(const User& user, const std::string& candidate) {
  return user.types({"judge", judged_folder + candidate + ".cu", "--against", judged_folder + "product.toml",
                     "--sizes", "2048x2048", "--device", "cuda:0", "--no-sanitizers", "--run-timeout-s", "2",
                     "--format", "json"});
}

}  // namespace

TEST_SUITE("tuner command line, judge on a GPU") {
  TEST_CASE("honest candidates are accepted") {
    const User user;
    for (const char* candidate : {"honest", "unrolled"}) {
      const auto run = judges(user, candidate);
      INFO(run.out << run.err);
      CHECK(run.exit_code == 0);
    }
  }

  TEST_CASE("the others are refused, with the stage and the reason") {
    const User user;
    for (const Refused& one : all_refused) {
      CAPTURE(one.candidate);
      const auto run = judges(user, one.candidate);
      INFO(run.out << run.err);
      CHECK(run.exit_code == 6);
      const json said = json::parse(run.out, nullptr, false);
      if (!said.is_object() || !said["reason"].is_object()) continue;
      if (*one.stage != 0) CHECK(said["reason"]["stage"] == one.stage);
      const std::string status = said["reason"]["status"];
      CHECK_MESSAGE(std::ranges::find(one.statuses, status) != one.statuses.end(), status);
    }
  }
}
