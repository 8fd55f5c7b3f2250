#include "tuner/sweep/refusals.hpp"

#include <cctype>

namespace tuner::sweep {
namespace {

/// Numbers are the configuration's.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit) out += c;
    if (is_digit && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

}  // namespace

bool Refusals::add(Row& row, const std::string& why, int enough) {
  if (row.length > 0 && row.why != why) row.differs = true;
  row.why = why;
  return ++row.length == enough && !row.differs;
}

bool Refusals::unprepared(std::size_t group, std::size_t kernel) {
  return add(m_rows[{group, kernel}], "", enough_unprepared);
}

bool Refusals::on_probe(std::size_t group, std::size_t kernel, const std::string& why) {
  return add(m_rows[{group, kernel}], without_numbers(why), enough_on_probes);
}

}  // namespace tuner::sweep
