#include <doctest/doctest.h>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

model::KernelSpec with_padding_mode(std::string when) {
  model::KernelSpec spec = scale_spec();
  spec.parameters.push_back(parameter("MODE", words({"padded", "plain"})));
  spec.parameters.push_back(parameter_when("EXTRA", numbers({0, 4}), std::move(when), 0));
  spec.defaults = {{"B", 64}, {"EXTRA", 4}};
  return spec;
}

model::Configuration configuration(std::int64_t b, const char* mode, std::int64_t extra) {
  return model::Configuration({{"B", b}, {"MODE", model::Value(mode)}, {"EXTRA", extra}});
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("the default has the named values and the first of the others") {
  const model::KernelSpec spec = with_padding_mode("MODE == 'padded'");
  CHECK(is_default(spec, configuration(64, "padded", 4)));
  CHECK_FALSE(is_default(spec, configuration(32, "padded", 4)));
  CHECK_FALSE(is_default(spec, configuration(64, "plain", 0)));
  CHECK_FALSE(is_default(spec, configuration(64, "padded", 0)));
  CHECK_FALSE(is_default(spec, model::Configuration({{"B", 64}})));
}

TEST_CASE("an inactive parameter of the default has its `otherwise`") {
  model::KernelSpec spec = with_padding_mode("MODE == 'padded'");
  spec.defaults.push_back({"MODE", model::Value("plain")});
  CHECK(is_default(spec, configuration(64, "plain", 0)));
  CHECK_FALSE(is_default(spec, configuration(64, "plain", 4)));
}

TEST_CASE("where activity depends on the problem, `otherwise` counts as inactive") {
  const model::KernelSpec spec = with_padding_mode("N > 100");
  CHECK(is_default(spec, configuration(64, "padded", 4)));
  CHECK(is_default(spec, configuration(64, "padded", 0)));
}

TEST_CASE("without named defaults the first configuration is the default") {
  model::KernelSpec spec = scale_spec();
  CHECK(is_default(spec, model::Configuration({{"B", 32}})));
  CHECK_FALSE(is_default(spec, model::Configuration({{"B", 64}})));
}

TEST_SUITE_END();
