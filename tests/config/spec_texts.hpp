#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "config/kernel_file.hpp"

/// A small complete spec, embedded with its sources, that the tests change in one place at a time.
namespace spec_texts {

/// `vector_add`: two inputs, one output, one parameter, one launch, a reference and a metric. Its lines are
/// numbered in the tests, so change it with them.
extern const std::string_view good;

/// Loads `spec` as `k.toml` beside k.cu and reference.cu, without touching the disk. Mistakes are in
/// `shipped:k.toml`.
config::LoadedKernels load(std::string_view spec);

/// `good` with the first `from` replaced by `to`; the test fails where `from` does not occur.
std::string with(std::string_view from, std::string_view to);

/// The lines of `good`, from 1: where `text` first occurs.
struct Position {
  int line = 0;
  int column = 0;
};
Position position_of(std::string_view spec, std::string_view text);

}  // namespace spec_texts
