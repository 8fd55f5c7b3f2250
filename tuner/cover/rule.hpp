#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cover/table.hpp"

namespace tuner::cover {

/// A number that is worked out from the sizes.
struct Feature {
  enum class Kind : std::uint8_t {
    size,       ///< of dimension `a`
    least,      ///< of all dimensions
    most,       ///< of all dimensions
    product,    ///< of all dimensions
    pair,       ///< the product of dimensions `a` and `b`
    ratio,      ///< dimension `a` by dimension `b`
    remainder,  ///< of dimension `a` by `modulus`
  };
  Kind kind = Kind::size;
  std::size_t a = 0;
  std::size_t b = 0;
  std::int64_t modulus = 1;
  bool operator==(const Feature&) const = default;
};

/// In double precision, as the generated C++ has it: what is tested lies far from a threshold's last bit.
double value_of(const Feature& feature, const Sizes& sizes);
/// Those of problems with so many dimensions, the simplest first. Remainders by 4 to 16 are for vectors, by
/// up to 256 for tiles.
std::vector<Feature> features(std::size_t dimensions);

/// A question with two answers, or a configuration.
struct RuleNode {
  bool is_leaf = true;
  std::size_t configuration = 0;  ///< of a leaf
  /// Of a leaf: the others, for sizes that the configuration may not run at. First those that are picked at
  /// the nearest sizes.
  std::vector<std::size_t> otherwise;
  Feature feature;       ///< the answer is yes where the feature is at most the threshold
  double threshold = 0;  ///< remainders: 0, and nothing is between that and 1
  std::size_t yes = 0;   ///< places in Rule::nodes, behind this one
  std::size_t no = 0;
};

/// A decision tree over the sizes.
struct Rule {
  std::vector<RuleNode> nodes;        ///< the first is the root; none: there is no rule
  bool smallest = false;              ///< no tree over these features with fewer leaves does the same
  std::vector<FailedAt> failed = {};  ///< passed over there; by sizes, ascending

  const RuleNode& leaf(const Sizes& sizes) const;
  bool has_failed(const Sizes& sizes, std::size_t configuration) const;
  /// The first that may run there and has not failed there; nothing where there is none.
  template <class MayRun>
  std::optional<std::size_t> pick(const Sizes& sizes, const MayRun& may_run) const {
    const RuleNode& found = leaf(sizes);
    const auto is_right = [&](std::size_t one) { return may_run(one) && !has_failed(sizes, one); };
    if (is_right(found.configuration)) return found.configuration;
    for (const std::size_t other : found.otherwise)
      if (is_right(other)) return other;
    return std::nullopt;
  }
  /// As if every one might run there.
  std::optional<std::size_t> pick(const Sizes& sizes) const {
    return pick(sizes, [](std::size_t) { return true; });
  }
  std::size_t leaves() const { return (nodes.size() + 1) / 2; }
};

/// What a configuration is called by its number: `A`, `B`, … `Z`, `A1`, …
std::string letter_of(std::size_t number);
/// `M <= 1470`, `M * N <= 2000000`, `M / N <= 1.5`, `min(M, N) <= 64`, `K % 8 == 0`.
std::string text(const RuleNode& question, const std::vector<std::string>& dimensions);
/// The tree as nested lines, each ended; `names`: of the configurations, by their places in the table.
std::string text(const Rule& rule, const std::vector<std::string>& dimensions,
                 const std::vector<std::string>& names, std::size_t indent = 0);

/// The smallest tree that is right at each of `sizes`; of the smallest one that loses little. `allowed`: for
/// each configuration of `set`, at which sizes it is right; together these are all of `sizes`. Thresholds lie
/// in the geometric middle between the sizes that they part.
Rule find_rule(const Losses& losses, const std::vector<std::size_t>& set, const std::vector<Bits>& allowed,
               const Bits& sizes, const Effort& effort);

/// A way to part the sizes of a table by one question.
struct Split {
  Feature feature;
  double threshold = 0;
  Bits yes;
};

/// Every way that a feature parts `sizes`, each once, by the simplest feature that does.
std::vector<Split> splits(const Table& table, const Bits& sizes);

/// Midway between two numbers by their ratio, and as round as still parts them: `low` is at most it, and
/// `high` is more. A whole number where `whole`.
double midway(double low, double high, bool whole);

}  // namespace tuner::cover
