// The limits of tensor maps, reached and passed by one.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "tests/space/spec_builder.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;
using namespace tuner::space;

namespace {

/// Whether a map over `elements` floats has a plan: of 32 x 4 elements with a box of 8 x 2, changed.
bool is_planned(const std::function<void(model::TensorMapSpec&)>& change, const char* elements = "128") {
  model::KernelSpec spec = scale_spec();
  spec.device_kinds = {"cuda"};
  spec.arguments[0].extent = {expression(elements)};
  model::ArgumentSpec& argument = spec.arguments.emplace_back();
  argument.name = "map";
  model::TensorMapSpec& map = argument.tensor.emplace();
  map.buffer = "x";
  map.shape = {expression("32"), expression("4")};
  map.box = {expression("8"), expression("2")};
  change(map);
  const auto made =
      make_plan(spec, make_problem(spec, {12}, std::nullopt, 0), model::Configuration({{"B", 32}}), {});
  return std::holds_alternative<model::Plan>(made);
}

}  // namespace

TEST_SUITE_BEGIN("tuner::space");

TEST_CASE("a tensor map reaches to the end of its buffer, and no farther") {
  const auto same = [](model::TensorMapSpec&) {};
  CHECK(is_planned(same));
  CHECK_FALSE(is_planned(same, "127"));
  const auto apart = [](model::TensorMapSpec& map) { map.strides = {expression("144")}; };
  CHECK(is_planned(apart, "140"));  // 3 strides of 144 bytes, and a row of 128
  CHECK_FALSE(is_planned(apart, "139"));
}

TEST_CASE("a tensor map's numbers are as large as the driver takes them, and no larger") {
  const auto with_box = [](const char* first, const char* second) {
    return is_planned(
        [&](model::TensorMapSpec& map) {
          map.shape[0] = expression("1024");
          map.box = {expression(first), expression(second)};
        },
        "4096");
  };
  CHECK(with_box("256", "1"));
  CHECK_FALSE(with_box("260", "1"));
  CHECK(with_box("4", "256"));
  CHECK_FALSE(with_box("4", "257"));
  CHECK_FALSE(with_box("4", "0"));
  CHECK_FALSE(with_box("5", "1"));  // 20 bytes, no multiple of 16
  const auto with_element_strides = [](const char* text) {
    return is_planned([&](model::TensorMapSpec& map) {
      map.element_strides = {expression("1"), expression(text)};
    });
  };
  CHECK(with_element_strides("8"));
  CHECK_FALSE(with_element_strides("9"));
  CHECK_FALSE(with_element_strides("0"));
  const auto with_bytes = [](auto member, const char* text) {
    return is_planned([&](model::TensorMapSpec& map) { map.*member = expression(text); });
  };
  for (const char* text : {"0", "32", "64", "128"}) CHECK(with_bytes(&model::TensorMapSpec::swizzle, text));
  CHECK_FALSE(with_bytes(&model::TensorMapSpec::swizzle, "16"));
  for (const char* text : {"0", "64", "128", "256"})
    CHECK(with_bytes(&model::TensorMapSpec::l2_promotion, text));
  CHECK_FALSE(with_bytes(&model::TensorMapSpec::l2_promotion, "32"));
  CHECK_FALSE(with_bytes(&model::TensorMapSpec::interleave, "64"));
}

TEST_CASE("a row of a box fills its swizzle at most, and strides are multiples of 16, or of 32 interleaved") {
  const auto swizzled = [](const char* row) {
    return is_planned([&](model::TensorMapSpec& map) {
      map.swizzle = expression("64");
      map.box[0] = expression(row);
    });
  };
  CHECK(swizzled("16"));
  CHECK_FALSE(swizzled("20"));
  const auto interleaved = [](const char* bytes, const char* stride, bool three) {
    return is_planned(
        [&](model::TensorMapSpec& map) {
          map.interleave = expression(bytes);
          map.strides = {expression(stride)};
          if (!three) return;
          map.shape.push_back(expression("1"));
          map.box.push_back(expression("1"));
          map.strides.push_back(expression("1024"));
        },
        "4096");
  };
  CHECK(interleaved("0", "144", false));
  CHECK_FALSE(interleaved("16", "144", false));
  CHECK(interleaved("16", "144", true));
  CHECK_FALSE(interleaved("32", "144", true));
  CHECK(interleaved("32", "160", true));
  CHECK_FALSE(interleaved("0", "136", false));
}

TEST_SUITE_END();
