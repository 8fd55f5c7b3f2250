#include "tuner/model/comparison_class.hpp"

#include <fmt/format.h>

namespace tuner::model {

Digest ComparisonClass::key() const {
  DigestBuilder digest;
  digest.add("class 1")
      .add(device)
      .add(driver)
      .add(toolkit)
      .add(cuda_name(type))
      .add(l2)
      .add(method)
      .add(inputs);
  return digest.finish();
}

std::string ComparisonClass::text() const {
  std::string out =
      fmt::format("{}, driver {}, {}, {}, L2 {}, {}", device, driver, toolkit, cuda_name(type), l2, method);
  if (inputs != "spec") out += fmt::format(", inputs {}", inputs);
  return out;
}

}  // namespace tuner::model
