#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "tests/space/spec_builder.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;

namespace {

using Pair = std::tuple<std::size_t, std::uint16_t, std::size_t, std::uint16_t>;

std::set<Pair> pairs(const space::ConfigurationList& list, const std::vector<std::size_t>& indices) {
  std::set<Pair> found;
  for (const std::size_t index : indices) {
    const auto at = list.coordinates(index);
    for (std::size_t a = 0; a < at.size(); ++a) {
      for (std::size_t b = a + 1; b < at.size(); ++b) found.emplace(a, at[a], b, at[b]);
    }
  }
  return found;
}

space::ConfigurationList list_of(const model::KernelSpec& spec) {
  return space::KernelSpace(spec).list(space::make_problem(spec, {64}, std::nullopt, 0), {});
}

}  // namespace

TEST_SUITE_BEGIN("tuner::search");

TEST_CASE("a covering sample has every pair of values that the space has, in few configurations") {
  model::KernelSpec spec = space::scale_spec();
  spec.parameters.push_back(space::parameter("U", space::numbers({1, 2, 4, 8})));
  spec.parameters.push_back(space::parameter("V", space::numbers({1, 2, 4, 8})));
  spec.parameters.push_back(space::parameter_when("W", space::numbers({1, 2, 3}), "V > 2", 0));
  spec.constraints = {space::expression("B % (U * V) == 0")};
  const space::ConfigurationList list = list_of(spec);
  std::vector<std::size_t> all(list.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<std::size_t> sample = search::covering_sample(list);
  CHECK(pairs(list, sample) == pairs(list, all));
  CHECK(sample.size() < list.size() / 2);
  CHECK(std::is_sorted(sample.begin(), sample.end()));
  CHECK(sample == search::covering_sample(list));
}

TEST_CASE("the smallest spaces are covered by all they have") {
  model::KernelSpec spec = space::scale_spec();
  CHECK(search::covering_sample(list_of(spec)).size() == 3);
  spec.constraints = {space::expression("B > 1000")};
  CHECK(search::covering_sample(list_of(spec)).empty());
}

TEST_CASE("a covering sample stops where it is told to, with what covers most") {
  model::KernelSpec spec = space::scale_spec();
  spec.parameters.push_back(space::parameter("U", space::numbers({1, 2, 3, 4, 5, 6, 7, 8})));
  spec.parameters.push_back(space::parameter("V", space::numbers({1, 2, 3, 4, 5, 6, 7, 8})));
  const space::ConfigurationList list = list_of(spec);
  const auto few = search::covering_sample(list, 10);
  REQUIRE(few.size() == 10);
  CHECK(search::covering_sample(list).size() >= 64);
  CHECK(pairs(list, few).size() >= 10 * 3 - 3);  // hardly any pair twice
  CHECK(search::covering_sample(list, 1).size() == 1);
}

TEST_CASE("a few of a space with long lists have all values of a short one") {
  model::KernelSpec spec = space::scale_spec();
  for (const char* name : {"U", "V"}) {
    model::ParameterSpec wide = space::parameter(name, {});
    for (std::int64_t value = 1; value <= 200; ++value) wide.values.emplace_back(value);
    spec.parameters.push_back(wide);
  }
  const space::ConfigurationList list = list_of(spec);
  std::set<std::uint16_t> values;
  for (const std::size_t one : search::covering_sample(list, 4)) values.insert(list.coordinates(one)[0]);
  CHECK(values.size() == 3);
}

TEST_SUITE_END();
