#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/e2e/user.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::User;
using tuner::test::words_of;

TEST_SUITE("tuner command line, judge") {
  namespace {

  const std::string judged = std::string(TUNER_SOURCE_DIR) + "/tests/judged/";

  struct Judge : User {
    tuner::test::ProgramResult judges(const std::string& candidate,
                                      std::vector<std::string> more = {}) const {
      std::vector<std::string> command = {"judge",     judged + candidate + ".cu",
                                          "--against", judged + "product.toml",
                                          "--sizes",   "512x509",
                                          "--device",  "cpu"};
      command.insert(command.end(), more.begin(), more.end());
      return types(command);
    }
    /// Refused, where and as what; with the detail.
    std::string refuses(const std::string& candidate, const std::string& stage, const std::string& status,
                        std::vector<std::string> more = {"--no-sanitizers"}) const {
      CAPTURE(candidate);
      more.push_back("--json");
      const auto run = judges(candidate, more);
      INFO(run.out << run.err);
      CHECK(run.exit_code == 6);
      const json said = json::parse(run.out, nullptr, false);
      REQUIRE(said.is_object());
      CHECK(said["verdict"] == "refused");
      CHECK(said["exit_code"] == 6);
      REQUIRE(said["reason"].is_object());
      CHECK(said["reason"]["stage"] == stage);
      CHECK(said["reason"]["status"] == status);
      return said["reason"]["detail"];
    }
  };

  }  // namespace

  TEST_CASE("an honest candidate is accepted, and timed in turn with the spec's default") {
    const Judge user;
    const auto run = user.judges("honest", {"--format", "json", "--fail-if-slower", "100%"});
    INFO(run.out << run.err);
    REQUIRE(run.exit_code == 0);
    const json said = json::parse(run.out);
    REQUIRE(said["verdict"] == "accepted");
    CHECK(said["reason"].is_null());
    CHECK(said["sanitizers"]["findings"].empty());
    CHECK(said["sanitizers"]["not_run"] == "");
    REQUIRE(said["sizes"].size() == 1);
    const json& size = said["sizes"][0];
    CHECK(size["accepted"] == true);
    CHECK(size["measurement"]["median_ns"] > 0);
    CHECK(size["beside"][0]["kernel"] == "product");
    CHECK(size["beside"][0]["ratio"] > 0.2);
    CHECK(size["beside"][0]["ratio"] < 5);
    const auto text = user.judges("unrolled", {"--no-sanitizers", "--block", "32", "--grid",
                                               "ceil_div(ROWS, 32)", "--set", "BLOCK_SIZE=32"});
    INFO(text.out << text.err);
    CHECK(text.exit_code == 0);
    CHECK(has(text.out, "unrolled.cu against product: accepted"));
    CHECK(has(text.out, "of the time of the default of product"));
  }

  TEST_CASE("a candidate's sizes are those that the spec's constraints allow, with the values of --set") {
    const Judge user;
    using tuner::test::read_text;
    std::string spec = read_text(judged + "product.toml");
    const std::string relative = "../faulty/product_reference.cu";
    spec.replace(spec.find(relative), relative.size(), judged + relative);
    tuner::test::write_text(user.home / "product.toml",
                            "constraints = [\"ROWS % BLOCK_SIZE == 0\"]\n" + spec);
    std::string source = read_text(judged + "honest.cu");
    tuner::test::write_text(user.home / "honest.cu", source);
    const std::string guard = "if (row >= rows) return;";
    tuner::test::write_text(user.home / "whole.cu", source.replace(source.find(guard), guard.size(), ""));
    const auto judges = [&](const std::string& sizes, const std::vector<std::string>& more) {
      std::vector<std::string> command = {"judge",     user.home / "whole.cu",
                                          "--against", "product.toml",
                                          "--device",  "cpu",
                                          "--format",  "json",
                                          "--sizes",   sizes};
      command.insert(command.end(), more.begin(), more.end());
      return user.types(command);
    };
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--set", "BLOCK_SIZE=128"}, {"--set", "BLOCK_SIZE=96"}}) {
      const auto run = judges("384x100", more);
      INFO(run.out, run.err);
      REQUIRE(run.exit_code == 0);
      CHECK(json::parse(run.out)["sanitizers"]["not_run"] == "");
    }
    const auto excluded = judges("384x100", {"--set", "BLOCK_SIZE=256"});
    CHECK(excluded.exit_code == 2);
    CHECK(has(excluded.err, "the constraints of the spec exclude 384x100 float"));
  }

  TEST_CASE("a padding that the spec does not have is refused, wherever in the list it stands") {
    const auto run = Judge().judges("honest", {"--no-sanitizers", "--pad", "0,32"});
    CHECK(run.exit_code == 2);
    CHECK(has(run.err, "padding"));
  }

  TEST_CASE("what is no solution is refused, with the stage and the reason") {
    const Judge user;
    CHECK(has(user.refuses("does_nothing", "verify", "wrong_result"), "y"));
    user.refuses("writes_zeros", "verify", "wrong_result");
    user.refuses("half_the_work", "verify", "wrong_result");
    user.refuses("half_precision", "verify", "wrong_result");
    user.refuses("adds_to_output", "verify", "wrong_result");
    CHECK(has(user.refuses("writes_past_end", "verify", "out_of_bounds"), "y"));
    CHECK(has(user.refuses("takes_another_type", "signature", "mistake"), "`y` is float*, and argument 3"));
    user.refuses("changes_input", "verify", "input_modified");
    CHECK(has(user.refuses("crashes", "verify", "crashed"), "signal"));
    user.refuses("hangs", "verify", "timeout", {"--no-sanitizers", "--run-timeout-s", "1"});
  }

  TEST_CASE("what looks right where somebody looks is refused all the same") {
    const Judge user;
    user.refuses("works_once", "verify", "wrong_result");
    CHECK(has(user.refuses("knows_even", "verify", "wrong_result"), "on a probe"));
    user.refuses("knows_small", "verify", "wrong_result");
    user.refuses("other_bits_each_time", "verify", "unstable");
    // Other programs on the same cores may hide it from the first look, but not from the second.
    const auto skips = user.judges("skips_when_made", {"--no-sanitizers"});
    CHECK(skips.exit_code == 6);
    CHECK_MESSAGE(has(words_of(skips.out + skips.err), "it does not work each time"), skips.out);
    const auto counted = user.judges("counts_launches", {"--no-sanitizers"});
    INFO(counted.out);
    CHECK(counted.exit_code == 6);  // at which of its launches somebody looks is chance
  }

  TEST_CASE("who recognises the inputs of one seed meets others") {
    const Judge user;
    const std::vector<std::string> known = {"--no-sanitizers", "--set", "KNOWN=0", "--seed", "7"};
    user.refuses("knows_the_seed", "verify", "wrong_result", known);
    // Of seed 7 it knows the inputs; after it was timed they are drawn anew.
    const std::vector<std::string> right = {"--no-sanitizers", "--set", "KNOWN=1054140116", "--seed", "7"};
    user.refuses("knows_the_seed", "verify again", "wrong_result", right);
  }

  TEST_CASE("sanitizers and the race detector see what results do not show") {
    const Judge user;
    CHECK(has(user.refuses("races", "sanitizers", "finding", {}), "race at races.cu"));
    CHECK(has(user.refuses("reads_past_end", "sanitizers", "finding", {}),
              "out of bounds at reads_past_end.cu"));
  }

  TEST_CASE("where the default's bits are asked for, who is right with other bits is refused") {
    const Judge user;
    const auto honest = user.judges("honest", {"--format", "json", "--no-sanitizers", "--same-bits"});
    INFO(honest.out << honest.err);
    CHECK(honest.exit_code == 0);
    CHECK(json::parse(honest.out)["sizes"][0]["same_bits"] == true);
    CHECK(has(user.refuses("unrolled", "bits", "wrong_result", {"--no-sanitizers", "--same-bits"}),
              "not to the last bit"));
    const auto unasked = user.judges("unrolled", {"--format", "json", "--no-sanitizers"});
    CHECK(unasked.exit_code == 0);
    CHECK(json::parse(unasked.out)["sizes"][0]["same_bits"] == false);
  }

  TEST_CASE("a candidate is timed beside the libraries of its spec, and not beside one that is wrong") {
    const Judge user;
    using tuner::test::write_text;
    const std::string spec = tuner::test::read_text(judged + "product.toml");
    const auto write_spec = [&](const std::string& body) {
      std::string text = spec;
      const std::string relative = "../faulty/product_reference.cu";
      text.replace(text.find(relative), relative.size(), judged + relative);
      write_text(user.home / "product.toml", text + R"text(
[[baseline]]
name = "libproduct"
source = "library.cpp"
arguments = ["A", "x", "y", "ROWS", "K"]
description = "a loop"
devices = ["cpu"]
)text");
      write_text(user.home / "honest.cu", tuner::test::read_text(judged + "honest.cu"));
      write_text(user.home / "library.cpp", R"text(#include "tuner_baseline.h"
const char* tuner_baseline(const tuner_call* call) {
  const float* A = *static_cast<const float* const*>(call->arguments[0]);
  const float* x = *static_cast<const float* const*>(call->arguments[1]);
  float* y = *static_cast<float* const*>(call->arguments[2]);
  const int rows = *static_cast<const int*>(call->arguments[3]);
  const int K = *static_cast<const int*>(call->arguments[4]);
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * x[k];
    y[row] = )text" + body + R"text(;
  }
  return nullptr;
}
const char* tuner_baseline_version(const char**) { return "libproduct 1.2.3"; }
)text");
    };
    const auto judges = [&](const std::vector<std::string>& more) {
      std::vector<std::string> command = {"judge",          judged + "unrolled.cu",
                                          "--against",      user.home / "product.toml",
                                          "--sizes",        "512x509",
                                          "--device",       "cpu",
                                          "--no-sanitizers"};
      command.insert(command.end(), more.begin(), more.end());
      return user.types(command);
    };
    write_spec("sum");
    const auto beside = judges({"--format", "json"});
    INFO(beside.out << beside.err);
    REQUIRE(beside.exit_code == 0);
    const json rivals = json::parse(beside.out)["sizes"][0]["beside"];
    REQUIRE(rivals.size() == 2);
    CHECK(rivals[1]["kernel"] == "libproduct");
    CHECK(rivals[1]["role"] == "baseline");
    CHECK(rivals[1]["left_out"] == "");
    CHECK(rivals[1]["ratio"] > 0);
    CHECK(has(judges({}).out, "of the time of libproduct"));
    write_spec("2 * sum");
    const auto wrong = judges({"--format", "json"});
    INFO(wrong.out << wrong.err);
    REQUIRE(wrong.exit_code == 0);
    const json left_out = json::parse(wrong.out)["sizes"][0]["beside"][1];
    CHECK(has(left_out["left_out"], "wrong_result"));
    CHECK_FALSE(left_out.contains("ratio"));
  }

  TEST_CASE("what does not fit or does not compile is refused before anything runs") {
    const Judge user;
    user.refuses("takes_fewer", "signature", "mistake");
    CHECK(has(user.refuses("does_not_compile", "compile", "compile_error"), "sum"));
    user.refuses("launches_work", "compile", "compile_error");  // work left behind, in a stream of its own
    user.refuses("honest", "compile", "compile_error", {"--no-sanitizers", "--entry", "another"});
  }

  TEST_CASE("a judge that is interrupted tells what it found by then, and accepts nothing") {
    const Judge user;
    std::string sizes = "512x509";
    for (int rows = 513; rows < 613; ++rows) sizes += fmt::format(",{}x509", rows);
    tuner::test::BackgroundProgram program(
        {TUNER_BINARY, "judge", judged + "honest.cu", "--against", judged + "product.toml", "--sizes", sizes,
         "--device", "cpu", "--no-sanitizers", "--format", "json", "--cache-dir", user.home / "cache"},
        user.environment, user.home.path());
    // Something is compiled, so it is under way.
    const auto is_compiled = [&] {
      std::error_code error;
      const std::filesystem::recursive_directory_iterator files(user.home / "cache", error);
      return std::ranges::any_of(files, [](const auto& file) { return file.is_regular_file(); });
    };
    while (!is_compiled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    program.signal(SIGTERM);
    const auto ended = program.wait();
    INFO(ended.out << ended.err);
    CHECK(ended.exit_code == 143);
    const json said = json::parse(ended.out);
    CHECK(said["verdict"] == "interrupted");
    CHECK(said["exit_code"] == 143);
    CHECK(said["reason"].is_null());
    CHECK(said["sizes"].size() < 101);
    CHECK(said["sizes"].back()["partial"] == true);
  }

  TEST_CASE("a judge that cannot judge says so, and refuses nobody") {
    const Judge user;
    CHECK(user.types({"judge", "nowhere.cu", "--against", judged + "product.toml"}).exit_code == 2);
    CHECK(user.judges("honest", {"--set", "BLOCK_SIZE"}).exit_code == 2);
    CHECK(user.judges("honest", {"--block", "64 +"}).exit_code == 2);
    CHECK(has(user.judges("honest", {"--no-sanitizers", "--set", "MISSPELT=1"}).err,
              "MISSPELT is a macro of other headers: no source here has it"));
    CHECK_FALSE(has(user.judges("honest", {"--no-sanitizers", "--set", "BLOCK_SIZE=64"}).err, "no source"));
    CHECK(user.types({"judge", judged + "honest.cu", "--against", "matmul", "--device", "cpu"}).exit_code ==
          2);
    CHECK(user.types({"judge", judged + "honest.cu"}).exit_code == 2);
    // A spec for another kind of device.
    std::string spec = tuner::test::read_text(judged + "product.toml");
    spec.insert(spec.find("name = "), "devices = [\"cuda\"]\n");
    tuner::test::write_text(user.home / "judged/product.toml", spec);
    for (const char* file : {"judged/honest.cu", "faulty/product_reference.cu"})
      tuner::test::write_text(user.home / file, tuner::test::read_text(judged + "../" + file));
    const auto elsewhere = user.types({"judge", "judged/honest.cu", "--against", "judged/product.toml",
                                       "--sizes", "64", "--device", "cpu", "--no-sanitizers"});
    INFO(elsewhere.err);
    CHECK(elsewhere.exit_code == 1);
    CHECK(has(elsewhere.err, "cannot be judged: the spec names devices [cuda], this one is cpu"));
  }
}
