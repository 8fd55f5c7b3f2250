#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tuner::cover {

/// The extents of one problem, in the order of its dimensions.
using Sizes = std::vector<std::int64_t>;

/// How the time of a configuration at a size is known.
enum class Known : std::uint8_t {
  unknown,      ///< it was never run there
  failed,       ///< it was run there, and may not be used: it failed
  excluded,     ///< its spec keeps it from being run there
  approximate,  ///< it was dropped early
  measured,
};

struct Time {
  double ns = 0;
  Known known = Known::unknown;
};

/// Configurations that were run at a size and may not be used there.
struct FailedAt {
  Sizes sizes;
  std::vector<std::size_t> configurations;  ///< by their places, ascending
};

/// Every time that is known: of each measured size and each configuration.
struct Table {
  std::vector<std::string> dimensions;
  std::vector<Sizes> sizes;              ///< all different
  std::vector<double> weights;           ///< of the sizes; empty: all count alike
  std::vector<std::vector<Time>> times;  ///< by size, then configuration
  std::vector<FailedAt> elsewhere =
      {};  ///< of sizes that are none of `sizes`, since nothing has a time there

  std::size_t configurations() const { return times.empty() ? 0 : times.front().size(); }
  double weight(std::size_t size) const { return weights.empty() ? 1 : weights[size]; }
};

/// A set of sizes or configurations of a table, by their places.
class Bits {
 public:
  explicit Bits(std::size_t length = 0, bool all = false);

  void set(std::size_t place) { m_words[place / 64] |= std::uint64_t{1} << (place % 64); }
  void clear(std::size_t place) { m_words[place / 64] &= ~(std::uint64_t{1} << (place % 64)); }
  bool test(std::size_t place) const { return (m_words[place / 64] >> (place % 64) & 1U) != 0; }
  bool any() const;
  /// The lowest place; only where there is any.
  std::size_t first() const;
  std::size_t count() const;
  /// Of what both have.
  std::size_t count_common(const Bits& other) const;
  /// Whether all of `other` is in it.
  bool contains(const Bits& other) const;
  /// Whether all of it is in one of the two.
  bool is_in(const Bits& one, const Bits& other) const;
  std::size_t hash() const;
  Bits operator&(const Bits& other) const;
  Bits operator|(const Bits& other) const;
  Bits without(const Bits& other) const;
  auto operator<=>(const Bits&) const = default;
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t word = 0; word < m_words.size(); ++word)
      for (std::uint64_t left = m_words[word]; left != 0; left &= left - 1)
        visit(word * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
  }

 private:
  std::vector<std::uint64_t> m_words;
};

/// What each configuration loses at each size against the fastest that is known there: 0.02 is 2 %.
class Losses {
 public:
  explicit Losses(const Table& table);

  std::size_t sizes() const { return m_table.sizes.size(); }
  std::size_t configurations() const { return m_table.configurations(); }
  const Table& table() const { return m_table; }
  /// Infinite where it has no time.
  double at(std::size_t size, std::size_t configuration) const {
    return m_losses[size * configurations() + configuration];
  }
  bool is_known(std::size_t size, std::size_t configuration) const {
    return known(size, configuration) >= Known::approximate;
  }
  bool is_excluded(std::size_t size, std::size_t configuration) const {
    return known(size, configuration) == Known::excluded;
  }
  bool is_approximate(std::size_t size, std::size_t configuration) const {
    return known(size, configuration) == Known::approximate;
  }
  bool is_untried(std::size_t size, std::size_t configuration) const {
    return known(size, configuration) == Known::unknown;
  }
  bool has_failed(std::size_t size, std::size_t configuration) const {
    return known(size, configuration) == Known::failed;
  }
  /// Whether it is known to lose at most `most` there. An approximate time proves that of the best known
  /// alone.
  bool is_within(std::size_t size, std::size_t configuration, double most) const;
  /// Whether `better` loses no more than `worse` wherever `worse` is known, and is known as well there.
  bool dominates(std::size_t better, std::size_t worse) const;

 private:
  Known known(std::size_t size, std::size_t configuration) const {
    return m_table.times[size][configuration].known;
  }

  const Table& m_table;
  std::vector<double> m_losses;
};

/// How far a search for an exact answer goes before it is content with a good one.
struct Effort {
  std::int64_t sets = 50'000;    ///< partial sets looked at
  std::int64_t trees = 300'000;  ///< splits of a set of sizes looked at
};

}  // namespace tuner::cover
