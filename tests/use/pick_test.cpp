// The ladder from a size to a configuration.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/use/sample_pack.hpp"
#include "tests/use/stand_in.hpp"

using namespace tuner::use;
using tests::Opened;
using tests::sample_pack;

TEST_SUITE("use") {
  TEST_CASE("a measured size is answered with its time, any other by the rule with its bound") {
    tests::fresh_stand_in();
    const Opened opened;
    tuner_choice choice;
    REQUIRE(opened.pick({1024, 1024}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_MEASURED);
    CHECK(std::string(choice.configuration) == "THREADS=128");
    CHECK(choice.expected_ns == tests::measured_ns);
    CHECK(choice.loss_bound == 0);
    REQUIRE(opened.pick({2048, 2048}, choice) == TUNER_OK);
    CHECK(std::string(choice.kernel) == "split");
    CHECK(choice.loss_bound == 0.01);
    CHECK(choice.confidence == 1);
    REQUIRE(opened.pick({1024, 1028}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_RULE);
    CHECK(choice.index == 0);
    CHECK(choice.expected_ns == 0);
    CHECK(choice.loss_bound == 0.03);
    CHECK(choice.confidence == 0.95);
    REQUIRE(opened.pick({1024, 1027}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_RULE);
    CHECK(choice.index == 2);
    CHECK(choice.loss_bound < 0);
  }

  TEST_CASE("every measured size is found among many") {
    tests::fresh_stand_in();
    Pack pack = sample_pack();
    auto& measured = pack.kernels[0].targets[0].measured;
    for (std::int64_t i = 1; i < 60; ++i)
      measured.push_back({{1 + i * 7 % 61, 1 + i * 5 % 59}, 0, static_cast<double>(i), 0});
    const Opened opened(pack);
    for (const MeasuredSize& size : measured) {
      tuner_choice choice;
      REQUIRE(opened.pick(size.sizes, choice) == TUNER_OK);
      CHECK(choice.known == TUNER_MEASURED);
      CHECK(choice.expected_ns == size.expected_ns);
    }
  }

  TEST_CASE("many threads that pick among many kernels from the first moment get each its own answers") {
    tests::fresh_stand_in();
    constexpr std::int64_t families = 40;
    constexpr std::int64_t sizes = 30;
    Pack pack = sample_pack();
    Kernel& first = pack.kernels.front();
    first.targets[0].measured.clear();
    for (std::int64_t size = 1; size <= sizes; ++size) first.targets[0].measured.push_back({{size, size}});
    first.targets[0].rule.clear();
    first.targets.resize(1);
    const Configuration configuration = pack.configurations.front();
    pack.kernels.resize(families, first);
    pack.configurations.assign(families, configuration);
    for (std::uint32_t family = 0; family < families; ++family) {
      pack.kernels[family].family = "scale" + std::to_string(family);
      Target& target = pack.kernels[family].targets[0];
      target.defaults = {family};
      for (MeasuredSize& one : target.measured) {
        one.configuration = family;
        one.expected_ns = static_cast<double>(1000 * family + one.sizes[0]);
      }
    }
    pack.images.resize(1);
    const Opened opened(pack);
    std::atomic<std::int64_t> wrong{0};
    const auto pick_all = [&] {
      for (std::int64_t i = 0; i < 20 * families * sizes; ++i) {
        const std::int64_t family = i % families;
        const std::int64_t size = 1 + i / families % sizes;
        const std::string name = "scale" + std::to_string(family);
        const tuner_kernel* kernel = nullptr;
        tuner_choice choice{};
        const bool is_found = tuner_kernel_find(opened.pack(), name.c_str(), nullptr, &kernel) == TUNER_OK;
        const std::int64_t both[] = {size, size};
        const bool is_right = is_found && tuner_kernel_pick(kernel, 0, both, 2, &choice) == TUNER_OK &&
                              choice.expected_ns == static_cast<double>(1000 * family + size);
        wrong += is_right ? 0 : 1;
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back(pick_all);
    for (std::thread& one : threads) one.join();
    CHECK(wrong == 0);
  }

  TEST_CASE("where the rule's configuration does not apply, the default answers") {
    tests::fresh_stand_in();
    tuner_choice choice;
    REQUIRE(Opened().pick({1 << 20, 1 << 20}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_DEFAULT);
    CHECK(choice.index == 2);
    // So it does where the question whether it applies has no answer.
    REQUIRE(Opened().pick({std::int64_t{1} << 40, std::int64_t{1} << 40}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_DEFAULT);
    Pack pack = sample_pack();
    pack.configurations[2].applies = constant(0);
    CHECK(Opened(pack).pick({1 << 20, 1 << 20}, choice) == TUNER_NO_CONFIGURATION);
  }

  TEST_CASE("a leaf names others for where its configuration does not apply") {
    tests::fresh_stand_in();
    Pack pack = sample_pack();
    pack.kernels[0].targets[0].rule[1].otherwise = {1, 0, 2};
    pack.configurations[1].applies = constant(0);
    tuner_choice choice;
    REQUIRE(Opened(pack).pick({1 << 20, 1 << 20}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_RULE);
    CHECK(choice.index == 2);
    CHECK(choice.loss_bound < 0);
    REQUIRE(Opened(pack).pick({1024, 1028}, choice) == TUNER_OK);
    CHECK(choice.index == 0);
    CHECK(choice.loss_bound == 0.03);
    // Another binary of the same configuration keeps its bound.
    pack.configurations[2].name = pack.configurations[0].name;
    REQUIRE(Opened(pack).pick({1 << 20, 1 << 20}, choice) == TUNER_OK);
    CHECK(choice.index == 2);
    CHECK(choice.loss_bound == 0.03);
    CHECK(choice.confidence == 0.95);
    pack.kernels[0].targets[0].rule[1].otherwise = {3};
    CHECK_THROWS_AS(static_cast<void>(written(pack)), std::invalid_argument);  // of another architecture
  }

  TEST_CASE("of several binaries of the default the one for the sizes answers") {
    tests::fresh_stand_in();
    Pack pack = sample_pack();
    pack.kernels[0].targets[0].defaults = {0, 2};
    pack.kernels[0].targets[0].rule.clear();
    pack.configurations[0].applies = binary(Op::equal, size(0), constant(100));
    tuner_choice choice;
    REQUIRE(Opened(pack).pick({100, 101}, choice) == TUNER_OK);
    CHECK(choice.index == 0);
    REQUIRE(Opened(pack).pick({101, 101}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_DEFAULT);
    CHECK(choice.index == 2);
  }

  TEST_CASE("a rule may ask for ratios") {
    tests::fresh_stand_in();
    Pack pack = sample_pack();
    Expression wide = binary(Op::greater, binary(Op::divide, size(0), size(1)), constant_real(1.5));
    wide.is_real = true;
    pack.kernels[0].targets[0].rule[0].condition = wide;
    const Opened opened(pack);
    tuner_choice choice;
    REQUIRE(opened.pick({151, 100}, choice) == TUNER_OK);
    CHECK(choice.index == 0);
    REQUIRE(opened.pick({150, 100}, choice) == TUNER_OK);
    CHECK(choice.index == 2);
  }

  TEST_CASE("another GPU of the architecture lends its configuration, not its times") {
    tests::StandIn& driver = tests::fresh_stand_in();
    driver.gpus[0].name = "NVIDIA H200";
    const Opened opened;
    tuner_choice choice;
    REQUIRE(opened.pick({2048, 2048}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_SAME_ARCHITECTURE);
    CHECK(choice.index == 1);
    CHECK(choice.expected_ns == 0);
    CHECK(choice.loss_bound < 0);
    Pack pack = sample_pack();  // its binary was made for as many multiprocessors
    pack.configurations[1].applies = binary(Op::equal, limit(Limit::multiprocessors), constant(132));
    REQUIRE(Opened(pack).pick({2048, 2048}, choice) == TUNER_OK);
    CHECK(choice.index == 1);
    driver.gpus[0].multiprocessors = 114;
    REQUIRE(Opened(pack).pick({2048, 2048}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_SAME_ARCHITECTURE);
    CHECK(choice.index == 0);
  }

  TEST_CASE("a target without a GPU's name speaks for its architecture before another GPU does") {
    tests::StandIn& driver = tests::fresh_stand_in();
    driver.gpus[0].name = "NVIDIA H200";
    Pack pack = sample_pack();
    Target any;
    any.architecture = "sm_90";
    any.defaults = {2};
    pack.kernels[0].targets.push_back(any);
    tuner_choice choice;
    REQUIRE(Opened(pack).pick({2048, 2048}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_DEFAULT);
    CHECK(choice.index == 2);
  }

  TEST_CASE("another architecture's binary is never an answer") {
    tests::StandIn& driver = tests::fresh_stand_in();
    driver.gpus = {
        {"NVIDIA A100", 8, 0, 108}, {"NVIDIA A10", 8, 6, 72}, {"NVIDIA H100 80GB HBM3", 10, 0, 132}};
    const Opened opened;
    tuner_choice choice;
    REQUIRE(opened.pick({1024, 1024}, choice, 0) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_DEFAULT);
    CHECK(choice.index == 3);
    CHECK(opened.pick({1024, 1024}, choice, 1) == TUNER_OTHER_ARCHITECTURE);
    CHECK(std::string(tuner_error_detail()) == "scale has nothing for sm_86 (NVIDIA A10)");
    CHECK(opened.pick({1024, 1024}, choice, 2) == TUNER_OTHER_ARCHITECTURE);
    CHECK(opened.pick({1024, 1024}, choice, 3) == TUNER_NO_DEVICE);
    CHECK(opened.pick({1024, 1024}, choice, -7) == TUNER_NO_DEVICE);
    CHECK(opened.pick({1024, 1024}, choice, TUNER_CPU) == TUNER_OTHER_ARCHITECTURE);
  }

  TEST_CASE("code for sm_90a runs on GPUs of sm_90") {
    tests::fresh_stand_in();
    Pack pack = sample_pack();
    for (Image& image : pack.images) {
      if (image.architecture == "sm_90") image.architecture = "sm_90a";
    }
    pack.kernels[0].targets[0].architecture = "sm_90a";
    tuner_choice choice;
    CHECK(Opened(pack).pick({1024, 1024}, choice) == TUNER_OK);
  }

  TEST_CASE("of two layers the later one counts, entry by entry") {
    tests::fresh_stand_in();
    Pack later = sample_pack();
    later.kernels[0].targets.resize(1);
    later.configurations.resize(3);
    later.images.resize(3);
    Target& target = later.kernels[0].targets[0];
    target.measured = {{{2048, 2048}, 1, 4000, 0}};
    target.rule = {{}};
    target.rule[0].configuration = 0;
    const Opened opened({sample_pack(), later});
    tuner_choice choice;
    REQUIRE(opened.pick({2048, 2048}, choice) == TUNER_OK);
    CHECK(choice.expected_ns == 4000);
    CHECK(choice.layer == 1);
    REQUIRE(opened.pick({1024, 1024}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_MEASURED);
    CHECK(choice.layer == 0);
    REQUIRE(opened.pick({1024, 1027}, choice) == TUNER_OK);
    CHECK(choice.known == TUNER_BY_RULE);
    CHECK(choice.layer == 1);
    CHECK(choice.index == 0);
  }

  TEST_CASE("sizes are counted and at least 1") {
    tests::fresh_stand_in();
    const Opened opened;
    tuner_choice choice;
    CHECK(opened.pick({1024}, choice) == TUNER_SIZE_COUNT);
    CHECK(std::string(tuner_error_detail()) == "scale has 2, and 1 were given");
    CHECK(opened.pick({1024, 0}, choice) == TUNER_BAD_SIZE);
    CHECK(std::string(tuner_error_detail()) == "N is 0");
    CHECK(opened.pick({-1, 5}, choice) == TUNER_BAD_SIZE);
    CHECK(tuner_kernel_pick(opened.kernel(), 0, nullptr, 2, &choice) == TUNER_SIZE_COUNT);
    CHECK(tuner_kernel_pick(nullptr, 0, nullptr, 0, &choice) == TUNER_BAD_CALL);
  }
}
