#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"

namespace tuner::model {

struct Dimension {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const Dimension&) const = default;
  /// By value, then by name.
  auto operator<=>(const Dimension& other) const {
    return std::tie(value, name) <=> std::tie(other.value, other.name);
  }
};

/// What is to be computed. Kernels of one family compete for it. It has the extent of each dimension, the
/// element type, and the padding of rows (leading dimension minus row length).
struct Problem {
  std::string family;
  std::vector<Dimension> sizes;
  ElementType type = ElementType::float32;
  std::int64_t row_padding = 0;

  /// `M x N x K`
  std::string dimension_names() const;
  /// `matmul (M x N x K)`: problems of one kind compare, kernels of a family may have several.
  std::string kind() const;
  /// `1024` when all dimensions are equal, else `512x1024x256`.
  std::string size_text() const;
  /// size_text(), and type and padding where they are not the usual ones: `1024 double`, `512 float pad 32`.
  std::string text() const;
  /// JSON object with keys in dimension order: {"M":512,"N":1024,"K":256}.
  std::string sizes_json() const;
  bool operator==(const Problem&) const = default;
};

/// Distance of two problems of a family: Euclidean norm of log2 of their size ratios; a different padding
/// counts as a quarter. Infinite where the dimensions differ.
double distance(const Problem& a, const Problem& b);

/// The circumstances of a time. Times from different environments never compete for `best`.
struct Environment {
  std::string device;  ///< model name: `NVIDIA H200`
  std::string driver;
  std::string toolkit;  ///< compiler and version: `nvrtc 13.0`
  ElementType type = ElementType::float32;
  std::string l2;      ///< `warm` or `cold`
  std::string method;  ///< name and version of the measuring policy: `standard-1`
  std::string inputs;  ///< input distribution: `spec` or a named one
  std::string execution =
      {};                ///< `stream` or `eager`; empty: in a graph, as in all rows before these existed
  double clock_mhz = 0;  ///< to which the multiprocessors were locked; 0: not locked

  /// `graph`, `stream` or `eager`.
  std::string execution_word() const { return execution.empty() ? "graph" : execution; }
  /// `clock 1200 MHz`, `clock free`
  std::string clock_text() const;
  Digest key() const;
  /// `NVIDIA H200, driver 580.159.04, nvrtc 13.0, float, L2 warm, standard-1`
  std::string text() const;
  bool operator==(const Environment&) const = default;
};

}  // namespace tuner::model
