#include "tests/config/spec_texts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "tuner/model/embedded_file.hpp"

namespace spec_texts {

const std::string_view good = R"toml(constraints = ["BLOCK <= max_threads_per_block"]

[kernel]
name = "vector_add"
family = "vectors"
description = "one element a thread"
source = "k.cu"
entry = "vector_add"
sizes = ["N"]
types = ["float", "int"]
row_padding = "PAD"
default = { BLOCK = 128 }
deterministic = true

[derived]
total = "N + PAD"

[parameters]
BLOCK = [64, 128, 256]
ORDER = ["up", "down"]

[launch]
block = ["BLOCK"]
grid = ["ceil_div(N, BLOCK)"]

[[arguments]]
name = "A"
type = "ELEMENT_TYPE*"
access = "in"
extent = ["total"]
init = { float = "uniform(-1, 1)", int = "integers(-8, 8)" }

[[arguments]]
name = "C"
type = "ELEMENT_TYPE*"
access = "out"
extent = "total"

[[arguments]]
name = "N"
type = "int"

[verify]
reference = "reference.cu"
rounding_terms = 1

[verify.launch]
entry = "reference"
block = 256
grid = ["ceil_div(N, 256)"]
arguments = ["A", "C.expected", "C.magnitude", "N"]

[metrics]
"GB/s" = "2.0 * ELEMENT_BYTES * N / time_ns"
)toml";

config::LoadedKernels load(std::string_view spec) {
  const std::array files = {
      tuner::model::EmbeddedFile{"k.toml", spec},
      tuner::model::EmbeddedFile{"k.cu", "__global__ void vector_add() {}\n"},
      tuner::model::EmbeddedFile{"reference.cu", "__global__ void reference() {}\n"},
  };
  return config::load_embedded(files);
}

std::string with(std::string_view from, std::string_view to) {
  std::string text(good);
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, "the good spec has no ", std::string(from));
  return text.replace(at, from.size(), to);
}

Position position_of(std::string_view spec, std::string_view text) {
  const std::size_t at = spec.find(text);
  REQUIRE(at != std::string_view::npos);
  const std::string_view before = spec.substr(0, at);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {static_cast<int>(lines) + 1, static_cast<int>(at - line_start) + 1};
}

}  // namespace spec_texts
