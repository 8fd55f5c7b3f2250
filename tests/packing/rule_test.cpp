// The rule of a cover picks in a pack what it picks in the engine.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

#include "tests/use/sample_pack.hpp"
#include "tests/use/stand_in.hpp"
#include "tuner/packing/packed_kernel.hpp"

using namespace tuner;

namespace {

constexpr std::size_t count = 4;

/// One launch of one thread, which does not apply where M is `never`.
use::Configuration configuration(std::size_t place, std::int64_t never) {
  use::Configuration one;
  one.kernel = "k";
  one.name = "C=" + std::to_string(place);
  if (never != 0) one.applies = use::binary(use::Op::not_equal, use::size(0), use::constant(never));
  use::Step step;
  step.function = "plain";
  step.grid = {use::constant(1)};
  step.block = {use::constant(1)};
  one.steps = {step};
  return one;
}

cover::RuleNode question(cover::Feature feature, double threshold, std::size_t yes, std::size_t no) {
  cover::RuleNode node;
  node.is_leaf = false;
  node.feature = feature;
  node.threshold = threshold;
  node.yes = yes;
  node.no = no;
  return node;
}
cover::RuleNode leaf(std::size_t configuration, std::vector<std::size_t> otherwise = {}) {
  cover::RuleNode node;
  node.configuration = configuration;
  node.otherwise = std::move(otherwise);
  return node;
}

use::Pack pack_of(const cover::Rule& rule, std::int64_t never) {
  std::map<std::size_t, std::vector<std::uint32_t>> places;
  use::Pack pack;
  for (std::size_t i = 0; i < count; ++i) {
    pack.configurations.push_back(configuration(i, i == 0 ? never : 0));
    places[i] = {static_cast<std::uint32_t>(i)};
  }
  use::Kernel kernel;
  kernel.family = "f";
  kernel.type = "float";
  kernel.sizes = {"M", "N"};
  use::Target target;
  target.architecture = "sm_90";
  target.gpu = "NVIDIA H100 80GB HBM3";
  target.rule = packing::rule_code(rule, 2, places, {0.05, 0.9});
  for (std::uint32_t i = 0; i < count; ++i) target.measured.push_back({{9'000'000 + i, 1}, i, 1, 0});
  kernel.targets = {target};
  pack.kernels = {kernel};
  pack.images = {{"sm_90", use::ImageKind::cubin, "cubin sm_90\nplain\n"}};
  return pack;
}

std::string picked(const tests::Opened& opened, std::int64_t m, std::int64_t n, bool& is_promised) {
  tuner_choice choice{};
  REQUIRE(opened.pick({m, n}, choice) == TUNER_OK);
  CHECK(choice.known == TUNER_BY_RULE);
  is_promised = choice.loss_bound == 0.05 && choice.confidence == 0.9;
  return choice.configuration;
}

}  // namespace

TEST_SUITE("tuner::packing rules") {
  TEST_CASE("every feature decides in a pack as in the engine") {
    tests::fresh_stand_in();
    using Kind = cover::Feature::Kind;
    const std::vector<std::pair<cover::Feature, double>> questions = {
        {{Kind::size, 0, 0, 1}, 300},    {{Kind::size, 1, 0, 1}, 77.5},   {{Kind::least, 0, 0, 1}, 100},
        {{Kind::most, 0, 0, 1}, 900},    {{Kind::product, 0, 0, 1}, 1e5}, {{Kind::pair, 0, 1, 1}, 2e5},
        {{Kind::ratio, 0, 1, 1}, 1.37},  {{Kind::ratio, 1, 0, 1}, 0.5},   {{Kind::remainder, 0, 0, 8}, 0},
        {{Kind::remainder, 1, 0, 16}, 0}};
    std::mt19937_64 random(1);
    for (const auto& [feature, threshold] : questions) {
      CAPTURE(static_cast<int>(feature.kind));
      cover::Rule rule;
      rule.nodes = {question(feature, threshold, 1, 2), leaf(1), question(feature, threshold * 2, 3, 4),
                    leaf(2), leaf(3)};
      const tests::Opened opened(pack_of(rule, 0));
      for (int i = 0; i < 300; ++i) {
        const std::int64_t m = 1 + static_cast<std::int64_t>(random() % 1200);
        const std::int64_t n = 1 + static_cast<std::int64_t>(random() % 1200);
        bool is_promised = false;
        CHECK(picked(opened, m, n, is_promised) == "C=" + std::to_string(rule.pick({m, n}).value()));
        CHECK(is_promised);
      }
    }
  }

  TEST_CASE("where what a rule picks may not run, the next one that may is picked") {
    tests::fresh_stand_in();
    cover::Rule rule;
    rule.nodes = {leaf(0, {2, 1})};
    const tests::Opened opened(pack_of(rule, 64));
    bool is_promised = false;
    CHECK(picked(opened, 63, 1, is_promised) == "C=0");
    CHECK(is_promised);
    CHECK(picked(opened, 64, 1, is_promised) == "C=2");
    CHECK_FALSE(is_promised);  // the bound is of what the rule picks
  }
}
