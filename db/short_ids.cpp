#include "db/short_ids.hpp"

#include <algorithm>

namespace db {

using tuner::model::Digest;

namespace {

constexpr std::size_t usual_digits = 7;

/// Digits that both begin with.
std::size_t shared_digits(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

ShortIds::ShortIds(const Connection& db)
    : m_before(db, "SELECT id FROM trials WHERE id < ? ORDER BY id DESC LIMIT 1"),
      m_after(db, "SELECT id FROM trials WHERE id > ? ORDER BY id LIMIT 1") {}

std::string ShortIds::of(const Digest& trial) {
  const std::string hex = trial.hex();
  std::size_t digits = usual_digits;
  for (Statement* neighbour : {&m_before, &m_after}) {
    auto row = neighbour->use();
    if (row.bind(trial).step()) digits = std::max(digits, shared_digits(hex, row.digest().hex()) + 1);
  }
  return hex.substr(0, digits);
}

}  // namespace db
