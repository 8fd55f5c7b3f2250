#include <utility>

#include "tuner/packing/packed_kernel.hpp"

namespace tuner::packing {
namespace {

using cover::Feature;
using use::Expression;

Expression real_size(std::size_t dimension) {
  Expression load = use::size(static_cast<std::uint32_t>(dimension));
  load.is_real = true;
  return load;
}

/// As cover::value_of() calculates it.
Expression feature_code(const Feature& feature, std::size_t dimensions) {
  const auto over_all = [&](use::Op op) {
    Expression out = real_size(0);
    for (std::size_t i = 1; i < dimensions; ++i) out = use::binary(op, out, real_size(i));
    return out;
  };
  switch (feature.kind) {
    case Feature::Kind::size:
      return real_size(feature.a);
    case Feature::Kind::least:
      return over_all(use::Op::minimum);
    case Feature::Kind::most:
      return over_all(use::Op::maximum);
    case Feature::Kind::product:
      return over_all(use::Op::multiply);
    case Feature::Kind::pair:
      return use::binary(use::Op::multiply, real_size(feature.a), real_size(feature.b));
    case Feature::Kind::ratio:
      return use::binary(use::Op::divide, real_size(feature.a), real_size(feature.b));
    case Feature::Kind::remainder:
      return use::binary(use::Op::remainder, real_size(feature.a),
                         use::constant_real(static_cast<double>(feature.modulus)));
  }
  return {};
}

class RuleWriter {
 public:
  RuleWriter(const cover::Rule& rule, std::size_t dimensions,
             const std::map<std::size_t, std::vector<std::uint32_t>>& places, const Promise& promise)
      : m_rule(rule), m_dimensions(dimensions), m_places(places), m_promise(promise) {}

  std::vector<use::RuleNode> write() {
    if (!m_rule.nodes.empty()) add(0);
    return std::move(m_nodes);
  }

 private:
  /// Nodes that a node leads to lie behind it.
  std::uint32_t add(std::size_t index) {
    const cover::RuleNode& from = m_rule.nodes[index];
    const auto place = static_cast<std::uint32_t>(m_nodes.size());
    m_nodes.push_back(from.is_leaf ? leaf(from) : question(from));
    if (from.is_leaf) return place;
    const std::uint32_t yes = add(from.yes);
    const std::uint32_t no = add(from.no);
    m_nodes[place].yes = yes;
    m_nodes[place].no = no;
    return place;
  }

  use::RuleNode question(const cover::RuleNode& from) const {
    use::RuleNode node;
    node.condition = use::binary(use::Op::less_equal, feature_code(from.feature, m_dimensions),
                                 use::constant_real(from.threshold));
    return node;
  }

  use::RuleNode leaf(const cover::RuleNode& from) const {
    use::RuleNode node;
    node.loss_bound = m_promise.loss_bound;
    node.confidence = m_promise.confidence;
    node.otherwise = m_places.at(from.configuration);
    for (const std::size_t other : from.otherwise) {
      const std::vector<std::uint32_t>& more = m_places.at(other);
      node.otherwise.insert(node.otherwise.end(), more.begin(), more.end());
    }
    node.configuration = node.otherwise.front();
    node.otherwise.erase(node.otherwise.begin());
    return node;
  }

  const cover::Rule& m_rule;
  const std::size_t m_dimensions;
  const std::map<std::size_t, std::vector<std::uint32_t>>& m_places;
  const Promise m_promise;
  std::vector<use::RuleNode> m_nodes;
};

}  // namespace

std::vector<use::RuleNode> rule_code(const cover::Rule& rule, std::size_t dimensions,
                                     const std::map<std::size_t, std::vector<std::uint32_t>>& places,
                                     const Promise& promise) {
  return RuleWriter(rule, dimensions, places, promise).write();
}

}  // namespace tuner::packing
