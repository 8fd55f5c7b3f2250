#include "tuner/cover/table.hpp"

#include <algorithm>
#include <bit>
#include <limits>

// The instruction that counts bits, where the processor has it: half the time of a search is counting.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define TUNER_COUNTS_BITS __attribute__((target_clones("popcnt", "default")))
#else
#define TUNER_COUNTS_BITS
#endif

namespace tuner::cover {

Bits::Bits(std::size_t length, bool all) : m_words((length + 63) / 64, all ? ~std::uint64_t{0} : 0) {
  if (all && length % 64 != 0) m_words.back() = (std::uint64_t{1} << (length % 64)) - 1;
}

bool Bits::any() const {
  return std::any_of(m_words.begin(), m_words.end(), [](std::uint64_t word) { return word != 0; });
}

std::size_t Bits::first() const {
  std::size_t word = 0;
  while (m_words[word] == 0) ++word;
  return word * 64 + static_cast<std::size_t>(std::countr_zero(m_words[word]));
}

TUNER_COUNTS_BITS std::size_t Bits::count() const {
  std::size_t sum = 0;
  for (const std::uint64_t word : m_words) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

TUNER_COUNTS_BITS std::size_t Bits::count_common(const Bits& other) const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < m_words.size(); ++i)
    sum += static_cast<std::size_t>(std::popcount(m_words[i] & other.m_words[i]));
  return sum;
}

bool Bits::is_in(const Bits& one, const Bits& other) const {
  for (std::size_t i = 0; i < m_words.size(); ++i)
    if ((m_words[i] & ~(one.m_words[i] | other.m_words[i])) != 0) return false;
  return true;
}

std::size_t Bits::hash() const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : m_words) hash = (hash ^ word ^ hash >> 29U) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32U;
}

bool Bits::contains(const Bits& other) const {
  for (std::size_t i = 0; i < m_words.size(); ++i)
    if ((other.m_words[i] & ~m_words[i]) != 0) return false;
  return true;
}

Bits Bits::operator&(const Bits& other) const {
  Bits out = *this;
  for (std::size_t i = 0; i < m_words.size(); ++i) out.m_words[i] &= other.m_words[i];
  return out;
}

Bits Bits::operator|(const Bits& other) const {
  Bits out = *this;
  for (std::size_t i = 0; i < m_words.size(); ++i) out.m_words[i] |= other.m_words[i];
  return out;
}

Bits Bits::without(const Bits& other) const {
  Bits out = *this;
  for (std::size_t i = 0; i < m_words.size(); ++i) out.m_words[i] &= ~other.m_words[i];
  return out;
}

namespace {
constexpr double infinite = std::numeric_limits<double>::infinity();
}

Losses::Losses(const Table& table)
    : m_table(table), m_losses(table.sizes.size() * table.configurations(), infinite) {
  for (std::size_t size = 0; size < sizes(); ++size) {
    double base = infinite;
    for (const Time& time : table.times[size])
      if (time.known >= Known::approximate) base = std::min(base, time.ns);
    for (std::size_t i = 0; i < configurations(); ++i) {
      const Time& time = table.times[size][i];
      if (time.known >= Known::approximate)
        m_losses[size * configurations() + i] = std::max(0.0, time.ns / base - 1);
    }
  }
}

bool Losses::is_within(std::size_t size, std::size_t configuration, double most) const {
  const double loss = at(size, configuration);
  if (loss > most + 1e-9) return false;  // 1.3 / 1 - 1 is more than 0.3
  if (!is_approximate(size, configuration)) return true;
  const auto& there = m_table.times[size];
  return loss == 0 && std::none_of(there.begin(), there.end(), [&](const Time& one) {
           return one.known == Known::measured && one.ns <= there[configuration].ns;
         });
}

bool Losses::dominates(std::size_t better, std::size_t worse) const {
  for (std::size_t size = 0; size < sizes(); ++size) {
    if (!is_known(size, worse)) continue;
    if (at(size, better) > at(size, worse) || known(size, better) < known(size, worse)) return false;
  }
  return true;
}

}  // namespace tuner::cover
